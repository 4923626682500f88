// SPDX-License-Identifier: MIT
/*
 * page.c - pages of SQLite databases: memory, charge, lists, reclaim
 *
 * A page is one object of a charged slab, so that its group and its node
 * follow from its address, and it pays its true share:
 *
 *	| buffer, page_size bytes | struct page | extra_size bytes |
 *	  ^ base.pBuf                             ^ base.pExtra
 *
 * B-trees of corrupt files are read up to 16 bytes beyond a buffer; here that
 * is our own header.  Where all three do not fit into an object, which is so
 * for pages of 64 KiB alone, the buffer comes from malloc().
 *
 *	          first unpin               judge takes it
 *	pinned --------------> idle, listed --------------> free
 *	  ^                      |    ^
 *	  '------- fetch --------'    '-- unpin
 *
 * Fetch and unpin leave the list alone: a page stays on it while it is pinned.
 * A judge who meets a pinned page, or one that was fetched again since it was
 * last met, sends it to the young end; so the list is a clock, and a page
 * that a long scan reads once goes before one that is read again and again.
 *
 * Judge     holds the list's lock, tries the cache's, and takes the page out of
 *           its cache on the spot.  It touches the cache only while a page of
 *           it is listed; what it took, it frees later, without the cache.
 * Owner     takes a page out of the cache first, under the cache's lock, which
 *           leaves it pinned, and off the list then: a judge in between
 *           leaves it alone, and once it is off, no judge knows of it.  So a
 *           cache without pages can be freed.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "cache.h"

/*
 * One shrinker serves all databases.  A tenant has some 75 pages, and a scan
 * that does not amount to a batch is put off: with the usual batch of 128,
 * small tenants would be asked for nothing until pressure is at its highest.
 * With a batch of one page, each is asked for its part, however small it is.
 */
#define SCAN_BATCH 1

/* SQLite may read, but not write, so far beyond a buffer. */
#define OVERREAD 16

static struct wane_shrinker *shrinker;
static struct wane_lru *lru;
static uint64_t reclaimed;

static struct kind *kinds;
static pthread_mutex_t kinds_lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- Kinds --------------------------------------------------------------- */

static int kind_init(struct kind *kind, int page_size, int extra_size)
{
	size_t object = sizeof(struct page) + (size_t)extra_size;
	bool fits = object + (size_t)page_size <= WANE_SLAB_MAX;

	*kind = (struct kind){
		.next = kinds,
		.page_size = page_size,
		.extra_size = extra_size,
		.header = fits ? (size_t)page_size : 0,
		.buffer = fits ? 0 : (size_t)page_size + OVERREAD,
	};
	return wane_slab_create(&kind->slab,
				&(struct wane_slab_config){
					.size = sizeof(struct wane_slab_config),
					.name = "sqlite_page",
					.object_size = object + kind->header,
					.flags = WANE_SLAB_CHARGED,
				});
}

static struct kind *kind_create(int page_size, int extra_size)
{
	struct kind *kind = wane_size_alloc(sizeof(*kind));

	if (!kind)
		return NULL;
	if (kind_init(kind, page_size, extra_size)) {
		wane_size_free(kind);
		return NULL;
	}
	kinds = kind;
	return kind;
}

struct kind *kind_get(int page_size, int extra_size)
{
	struct kind *kind;

	pthread_mutex_lock(&kinds_lock);
	for (kind = kinds; kind; kind = kind->next) {
		if (kind->page_size == page_size &&
		    kind->extra_size == extra_size)
			break;
	}
	if (!kind)
		kind = kind_create(page_size, extra_size);
	pthread_mutex_unlock(&kinds_lock);
	return kind;
}

/* ---- Memory -------------------------------------------------------------- */

static void *page_object(struct page *page)
{
	return (char *)page - page->kind->header;
}

static bool buffer_alloc(struct page *page)
{
	struct wane_group *group = wane_slab_group(page_object(page));

	if (wane_charge(group, page->kind->buffer, 0))
		return false;
	page->base.pBuf = malloc(page->kind->buffer);
	if (!page->base.pBuf)
		wane_uncharge(group, page->kind->buffer);
	return page->base.pBuf;
}

static void buffer_free(struct page *page)
{
	free(page->base.pBuf);
	wane_uncharge(wane_slab_group(page_object(page)), page->kind->buffer);
}

struct page *page_alloc(struct kind *kind, struct wane_group *group)
{
	char *object = wane_slab_alloc(kind->slab, group, 0);
	struct page *page;

	if (!object)
		return NULL;
	page = (struct page *)(object + kind->header);
	*page = (struct page){
		.base.pBuf = object,
		.base.pExtra = page + 1,
		.kind = kind,
		.pinned = true,
	};
	wane_item_init(&page->item);
	if (kind->buffer && !buffer_alloc(page)) {
		wane_slab_free(kind->slab, object);
		return NULL;
	}
	return page;
}

static void page_free(struct page *page)
{
	if (page->kind->buffer)
		buffer_free(page);
	wane_slab_free(page->kind->slab, page_object(page));
}

/* ---- Lists --------------------------------------------------------------- */

void page_list(struct page *page)
{
	const void *object = page_object(page);

	wane_lru_add(lru, &page->item, wane_slab_group(object),
		     wane_slab_node(object));
}

void page_unlist(struct page *page)
{
	const void *object = page_object(page);

	if (!page->listed)
		return;
	wane_lru_del(lru, &page->item, wane_slab_group(object),
		     wane_slab_node(object));
	page->listed = false;
}

void page_release(struct page *page)
{
	page_unlist(page);
	page_free(page);
}

int pages_prepare(struct wane_group *group)
{
	return wane_lru_prepare(lru, group);
}

/* ---- Reclaim ------------------------------------------------------------- */

static struct page *page_of(struct wane_item *item)
{
	return (struct page *)((char *)item - offsetof(struct page, item));
}

static enum wane_verdict page_judge(struct wane_item *item, void *arg)
{
	struct page *page = page_of(item);
	struct sqlite3_pcache *cache = page->cache;
	enum wane_verdict verdict = WANE_ROTATE;

	(void)arg;
	if (!cache_trylock(cache))
		return WANE_SKIP;
	if (!page->pinned && !page->used) {
		cache_detach(cache, page);
		verdict = WANE_TAKE;
	}
	page->used = false;
	cache_unlock(cache);
	return verdict;
}

static long pages_count(void *cache, struct wane_shrink *sc)
{
	(void)cache;
	return wane_lru_count(lru, sc->group, sc->node);
}

static long pages_scan(void *cache, struct wane_shrink *sc)
{
	struct wane_item taken, *item;
	size_t nr;

	(void)cache;
	wane_item_init(&taken);
	nr = wane_lru_take(lru, sc, page_judge, NULL, &taken);
	while ((item = wane_item_pop(&taken)))
		page_free(page_of(item));
	__atomic_fetch_add(&reclaimed, nr, __ATOMIC_RELAXED);
	return (long)nr;
}

/* ---- Start, stop, numbers ------------------------------------------------ */

int pages_start(void)
{
	static const struct wane_shrinker_ops ops = {
		.size = sizeof(ops),
		.name = "sqlite_pages",
		.count = pages_count,
		.scan = pages_scan,
		.batch = SCAN_BATCH,
	};
	int ret;

	ret = wane_shrinker_create(&shrinker, &ops, NULL);
	if (ret)
		return ret;
	ret = wane_lru_create(&lru, shrinker);
	if (ret) {
		wane_shrinker_destroy(shrinker);
		return ret;
	}
	reclaimed = 0;
	return wane_shrinker_start(shrinker);
}

void pages_stop(void)
{
	struct kind *kind;

	wane_shrinker_destroy(shrinker);
	wane_lru_destroy(lru);
	while ((kind = kinds)) {
		kinds = kind->next;
		wane_slab_destroy(kind->slab);
		wane_size_free(kind);
	}
}

static void kind_info(const struct kind *kind, struct wane_sqlite_info *info)
{
	struct wane_slab_info slab = { .size = sizeof(slab) };

	wane_slab_info(kind->slab, &slab);
	info->pages += slab.active;
	info->bytes +=
		slab.active * (wane_slab_charge(kind->slab) + kind->buffer);
}

void pages_info(struct wane_sqlite_info *info)
{
	pthread_mutex_lock(&kinds_lock);
	for (const struct kind *kind = kinds; kind; kind = kind->next)
		kind_info(kind, info);
	pthread_mutex_unlock(&kinds_lock);
	info->reclaimed = __atomic_load_n(&reclaimed, __ATOMIC_RELAXED);
}
