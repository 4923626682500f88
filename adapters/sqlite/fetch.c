// SPDX-License-Identifier: MIT
/*
 * fetch.c - the pages of one cache: under which keys, and which goes next
 *
 *	buckets   [0] -> page 16 -> page 32        chains by key & mask; page
 *	          [1] -> page 1                    numbers are dense, so chains
 *	          [2]                              are short
 *
 *	queue     old -> page 16 -> page 1 -> young     what to recycle next
 *
 * A miss is served from where it hurts least.  When the cache is at its maximum
 * (PRAGMA cache_size), the oldest idle page of the queue that was not fetched
 * again becomes the new one, in place: no allocation, no charge.  Else the
 * group pays for a new page, and reclaims where it must.  When that fails, the
 * cache recycles an idle page of its own.  When it has none, the answer is
 * NULL: SQLite writes a page back to make it idle, or the statement fails.
 *
 * The queue is lazy, as the group's list is (page.c): a hit leaves it alone.
 * Whoever walks it drops the pinned pages that it meets, and unpinning queues
 * such a page again; used ones go to the young end once.  So each step of a
 * walk was paid for by an unpin or a hit, however many pages are pinned.
 *
 * What SQLite wants and does not document: the first pointer of a new page's
 * extra bytes is NULL; to a reader of clean pages it says FETCH_HARD at once;
 * one unpin ends any number of fetches.
 */
#include <string.h>
#include <time.h>

#include "cache.h"

/* What SQLite passes to fetch. */
enum fetch {
	FETCH_ONLY, /* no new page */
	FETCH_EASY, /* a new page, or a dirty one is written to make room */
	FETCH_HARD, /* a new page, or the statement fails */
};

/* The spins that a judge needs, and then some. */
#define LOCK_SPINS 1000

static size_t bucket_bytes; /* of all caches; atomic */
static uint64_t refused; /* atomic */

void cache_wait(struct sqlite3_pcache *cache)
{
	/* A judge that was interrupted may need this very CPU to go on. */
	const struct timespec nap = { .tv_nsec = 50000 };
	unsigned int spins = 0;

	while (!cache_trylock(cache)) {
		while (__atomic_load_n(&cache->locked, __ATOMIC_RELAXED)) {
			if (++spins % LOCK_SPINS == 0)
				nanosleep(&nap, NULL);
		}
	}
}

/* ---- Queue: old end first; cache lock ------------------------------------ */

static void link_init(struct link *link)
{
	link->prev = link;
	link->next = link;
}

static bool link_alone(const struct link *link)
{
	return link->next == link;
}

static void link_add_last(struct link *link, struct link *head)
{
	link->prev = head->prev;
	link->next = head;
	head->prev->next = link;
	head->prev = link;
}

static void link_del(struct link *link)
{
	link->next->prev = link->prev;
	link->prev->next = link->next;
	link_init(link);
}

static struct page *queue_first(struct sqlite3_pcache *cache)
{
	if (link_alone(&cache->queue))
		return NULL;
	return (struct page *)((char *)cache->queue.next -
			       offsetof(struct page, link));
}

/* ---- Buckets: cache lock ------------------------------------------------- */

static struct page **bucket_of(struct sqlite3_pcache *cache, unsigned int key)
{
	return &cache->buckets[key & cache->mask];
}

static struct page *bucket_find(struct sqlite3_pcache *cache, unsigned int key)
{
	struct page *page = *bucket_of(cache, key);

	while (page && page->key != key)
		page = page->chain;
	return page;
}

static void bucket_insert(struct sqlite3_pcache *cache, struct page *page)
{
	struct page **bucket = bucket_of(cache, page->key);

	page->chain = *bucket;
	*bucket = page;
	if (page->key > cache->max_key)
		cache->max_key = page->key;
}

static void bucket_remove(struct sqlite3_pcache *cache, struct page *page)
{
	struct page **place = bucket_of(cache, page->key);

	while (*place != page)
		place = &(*place)->chain;
	*place = page->chain;
}

size_t buckets_size(const struct sqlite3_pcache *cache)
{
	if (cache->buckets == cache->first_buckets)
		return 0;
	return ((size_t)cache->mask + 1) * sizeof(*cache->buckets);
}

static struct page **buckets_alloc(struct wane_group *group, size_t bytes)
{
	struct page **buckets;

	if (wane_charge(group, bytes, 0))
		return NULL;
	buckets = sqlite3_malloc64(bytes);
	if (!buckets) {
		wane_uncharge(group, bytes);
		return NULL;
	}
	__atomic_fetch_add(&bucket_bytes, bytes, __ATOMIC_RELAXED);
	return memset(buckets, 0, bytes);
}

static void buckets_free(struct wane_group *group, struct page **buckets,
			 size_t bytes)
{
	if (!bytes)
		return;
	sqlite3_free(buckets);
	wane_uncharge(group, bytes);
	__atomic_fetch_sub(&bucket_bytes, bytes, __ATOMIC_RELAXED);
}

/* Double the buckets.  When that fails, chains are longer, and that is all. */
static void buckets_grow(struct sqlite3_pcache *cache)
{
	struct page **old = cache->buckets, *page, *next;
	size_t nr = (size_t)cache->mask + 1, old_size = buckets_size(cache);
	struct page **new =
		buckets_alloc(cache->group, 2 * nr * sizeof(*cache->buckets));

	if (!new)
		return;
	cache_lock(cache);
	cache->buckets = new;
	cache->mask = (unsigned int)(2 * nr - 1);
	for (size_t i = 0; i < nr; i++) {
		for (page = old[i]; page; page = next) {
			next = page->chain;
			bucket_insert(cache, page);
		}
	}
	cache_unlock(cache);
	buckets_free(cache->group, old, old_size);
}

void buckets_destroy(struct sqlite3_pcache *cache)
{
	buckets_free(cache->group, cache->buckets, buckets_size(cache));
}

static unsigned int cache_nr_pages(struct sqlite3_pcache *cache)
{
	unsigned int nr;

	cache_lock(cache);
	nr = cache->nr_pages;
	cache_unlock(cache);
	return nr;
}

/* ---- Taking pages out ---------------------------------------------------- */

void cache_detach(struct sqlite3_pcache *cache, struct page *page)
{
	bucket_remove(cache, page);
	link_del(&page->link);
	cache->nr_pages--;
	cache->nr_pinned -= page->pinned;
	page->pinned = true;
}

/* The oldest page that is idle and unused, detached; cache lock. */
static struct page *cache_evict(struct sqlite3_pcache *cache)
{
	struct page *page;

	while ((page = queue_first(cache))) {
		if (!page->pinned && !page->used) {
			cache_detach(cache, page);
			return page;
		}
		link_del(&page->link);
		if (!page->pinned)
			link_add_last(&page->link, &cache->queue);
		page->used = false;
	}
	return NULL;
}

/*
 * An idle page to use for something else, when there would be too many with
 * @more of them; NULL when there would not, or none is idle.
 */
#define TOO_MANY ((size_t)UINT32_MAX)

static struct page *cache_recycle(struct sqlite3_pcache *cache, size_t more)
{
	struct page *page = NULL;

	cache_lock(cache);
	if (cache->nr_pages + more > cache->max_pages)
		page = cache_evict(cache);
	cache_unlock(cache);
	if (page)
		page_unlist(page);
	return page;
}

/*
 * Keys above the highest need no look, and consecutive keys lie in consecutive
 * buckets: to cut a little off a large cache costs little.
 */
void cache_drop(struct sqlite3_pcache *cache, unsigned int first_key,
		bool idle_only)
{
	struct page *page, *next, *dropped = NULL;
	size_t nr;

	cache_lock(cache);
	nr = first_key > cache->max_key
		     ? 0
		     : (size_t)cache->max_key - first_key + 1;
	if (nr > (size_t)cache->mask + 1)
		nr = (size_t)cache->mask + 1;
	for (size_t i = 0; i < nr; i++) {
		page = *bucket_of(cache, first_key + (unsigned int)i);
		for (; page; page = next) {
			next = page->chain;
			if (page->key < first_key ||
			    (idle_only && page->pinned))
				continue;
			cache_detach(cache, page);
			page->chain = dropped;
			dropped = page;
		}
	}
	cache_unlock(cache);

	for (page = dropped; page; page = next) {
		next = page->chain;
		page_release(page);
	}
}

/* ---- The other methods --------------------------------------------------- */

/* SQLite had better write dirty pages than fill the cache with them. */
static bool cache_crowded(struct sqlite3_pcache *cache)
{
	bool crowded;

	cache_lock(cache);
	crowded = cache->nr_pinned >= (uint64_t)cache->max_pages * 9 / 10;
	cache_unlock(cache);
	return crowded;
}

/* Memory for one more page, from where it hurts least. */
static struct page *cache_obtain(struct sqlite3_pcache *cache)
{
	struct page *page = cache_recycle(cache, 1);

	if (page)
		return page;
	if (cache_nr_pages(cache) > cache->mask)
		buckets_grow(cache);
	page = page_alloc(cache->kind, cache->group);
	if (page)
		return page;
	return cache_recycle(cache, TOO_MANY);
}

static struct page *cache_add(struct sqlite3_pcache *cache, unsigned int key,
			      enum fetch how)
{
	struct page *page;

	if (cache->orphan)
		cache_inherit(cache);
	if (how == FETCH_EASY && cache_crowded(cache))
		return NULL;
	page = cache_obtain(cache);
	if (!page) {
		__atomic_fetch_add(&refused, 1, __ATOMIC_RELAXED);
		return NULL;
	}
	page->cache = cache;
	page->key = key;
	page->used = false;
	*(void **)page->base.pExtra = NULL;
	link_init(&page->link);

	cache_lock(cache);
	bucket_insert(cache, page);
	cache->nr_pages++;
	cache->nr_pinned++;
	cache_unlock(cache);
	return page;
}

sqlite3_pcache_page *cache_fetch(struct sqlite3_pcache *cache, unsigned int key,
				 int how)
{
	struct page *page;

	cache_lock(cache);
	page = bucket_find(cache, key);
	if (page) {
		cache->nr_pinned += !page->pinned;
		page->pinned = true;
		page->used = true;
	}
	cache_unlock(cache);
	if (!page && how != FETCH_ONLY)
		page = cache_add(cache, key, how);
	return page ? &page->base : NULL;
}

void cache_unpin(struct sqlite3_pcache *cache, sqlite3_pcache_page *base,
		 int discard)
{
	struct page *page = (struct page *)base;
	bool drop, list;

	if (!cache->purgeable && !discard)
		return;
	cache_lock(cache);
	drop = discard || cache->nr_pages > cache->max_pages;
	list = !drop && !page->listed;
	if (drop) {
		cache_detach(cache, page);
	} else {
		page->pinned = false;
		page->listed = true;
		cache->nr_pinned--;
		if (link_alone(&page->link))
			link_add_last(&page->link, &cache->queue);
	}
	cache_unlock(cache);

	/* An idle page that was listed before may be gone by now. */
	if (drop)
		page_release(page);
	else if (list)
		page_list(page);
}

void cache_rekey(struct sqlite3_pcache *cache, sqlite3_pcache_page *base,
		 unsigned int old_key, unsigned int new_key)
{
	struct page *page = (struct page *)base, *in_the_way;

	(void)old_key;
	cache_lock(cache);
	in_the_way = bucket_find(cache, new_key);
	if (in_the_way)
		cache_detach(cache, in_the_way);
	bucket_remove(cache, page);
	page->key = new_key;
	bucket_insert(cache, page);
	cache_unlock(cache);
	if (in_the_way)
		page_release(in_the_way);
}

void cache_truncate(struct sqlite3_pcache *cache, unsigned int first_key)
{
	cache_forget_newborn();
	cache_drop(cache, first_key, false);
}

void cache_shrink(struct sqlite3_pcache *cache)
{
	cache_drop(cache, 0, true);
}

void cache_set_size(struct sqlite3_pcache *cache, int max_pages)
{
	struct page *page;

	if (!cache->purgeable)
		return;
	cache_lock(cache);
	cache->max_pages = max_pages > 0 ? (unsigned int)max_pages : 0;
	cache_unlock(cache);
	while ((page = cache_recycle(cache, 0)))
		page_release(page);
}

int cache_count(struct sqlite3_pcache *cache)
{
	if (cache_binding && !cache_binding->ret)
		cache_binding->ret = cache_bind(cache, cache_binding->group);
	return (int)cache_nr_pages(cache);
}

/* ---- Numbers ------------------------------------------------------------ */

void fetch_start(void)
{
	__atomic_store_n(&refused, 0, __ATOMIC_RELAXED);
}

void fetch_info(struct wane_sqlite_info *info)
{
	info->bytes += __atomic_load_n(&bucket_bytes, __ATOMIC_RELAXED);
	info->refused = __atomic_load_n(&refused, __ATOMIC_RELAXED);
}
