/* SPDX-License-Identifier: MIT */
/*
 * cache.h - the inside of the SQLite page cache
 *
 *	sqlite.c   install, remove, the table of methods, URI parameters
 *	cache.c    one cache: its life, and which group it belongs to
 *	fetch.c    its pages: under which keys, and which goes next
 *	page.c     one page: its memory, its charge, its place on a list
 *
 * A cache has an owner: the thread whose call into SQLite holds the
 * connection; SQLite lets no two threads into one cache.  The one stranger is
 * a judge: a reclaiming thread, any, that looks at a page on its group's list.
 */
#ifndef WANE_SQLITE_CACHE_H
#define WANE_SQLITE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sqlite3.h>
#include <wane/sqlite.h>
#include <wane/wane.h>

/**
 * struct link - A place in a cache's queue; alone, it points to itself.
 */
struct link {
	struct link *prev;
	struct link *next;
};

/**
 * struct kind - Pages of one size, with one size of SQLite's own header.
 * @next: The next kind; fixed.
 * @page_size: What SQLite asked for; fixed.
 * @extra_size: The same.
 * @slab: Where they come from, charged.
 * @header: Where struct page begins in an object of @slab.
 * @buffer: Bytes of a buffer outside the object, with the bytes that SQLite
 *          reads beyond its end; 0 when the buffer is in the object.
 */
struct kind {
	struct kind *next;
	int page_size;
	int extra_size;
	struct wane_slab *slab;
	size_t header;
	size_t buffer;
};

/**
 * struct page - A page in a cache; SQLite's own header lies right behind it.
 * @base: What SQLite sees of it; first.
 * @item: On its group's list.
 * @link: In @cache's queue, when it is there; cache lock.
 * @chain: The next page in the same bucket; cache lock.
 * @cache: Fixed while the page is in a cache.
 * @kind: Fixed.
 * @key: The page's number in its file; cache lock.
 * @pinned: SQLite uses it, or it is in no cache: not to be taken; cache lock.
 * @used: It was fetched again since this was last looked at; cache lock.
 * @listed: It was put on its group's list; owner.
 */
struct page {
	sqlite3_pcache_page base;
	struct wane_item item;
	struct link link;
	struct page *chain;
	struct sqlite3_pcache *cache;
	struct kind *kind;
	unsigned int key;
	bool pinned;
	bool used;
	bool listed;
};

#define FIRST_BUCKETS 16

/**
 * struct sqlite3_pcache - One cache; the name is SQLite's.
 * @locked: See cache_lock().
 * @purgeable: Its pages can be read again from a file; fixed.
 * @orphan: No one has named a group for it yet, and it has no page; owner.
 * @nr_pages: Pages in it; cache lock.
 * @nr_pinned: Of these, how many are pinned; cache lock.
 * @max_pages: What PRAGMA cache_size comes to; cache lock.
 * @max_key: No page has a higher key; cache lock.
 * @mask: Number of buckets - 1; written by the owner under the cache lock.
 * @buckets: Chains of pages by key & @mask; the same.
 * @queue: Pages in the order in which they will be recycled; cache lock.
 * @kind: Of all its pages; fixed.
 * @group: Pays for it and for new pages; holds a reference; owner.
 * @serial: No other cache has or will have it; fixed.
 * @first_buckets: What @buckets is until it has to grow.
 */
struct sqlite3_pcache {
	bool locked;
	bool purgeable;
	bool orphan;
	unsigned int nr_pages;
	unsigned int nr_pinned;
	unsigned int max_pages;
	unsigned int max_key;
	unsigned int mask;
	struct page **buckets;
	struct link queue;
	struct kind *kind;
	struct wane_group *group;
	uint64_t serial;
	struct page *first_buckets[FIRST_BUCKETS];
};

/* ---- The cache lock ------------------------------------------------------ */

/*
 * A leaf: nothing is locked and nothing is allocated under it.  A judge, who
 * holds a list's lock, only tries it; so only the owner ever waits, and only
 * for the few instructions of a judge.  That is why it need not be more than
 * a flag, and makes a hit half as dear as a mutex would.
 */
static inline bool cache_trylock(struct sqlite3_pcache *cache)
{
	return !__atomic_exchange_n(&cache->locked, true, __ATOMIC_ACQUIRE);
}

void cache_wait(struct sqlite3_pcache *cache);

static inline void cache_lock(struct sqlite3_pcache *cache)
{
	if (!cache_trylock(cache))
		cache_wait(cache);
}

/* With this a judge has touched the cache for the last time. */
static inline void cache_unlock(struct sqlite3_pcache *cache)
{
	__atomic_store_n(&cache->locked, false, __ATOMIC_RELEASE);
}

/* ---- cache.c ------------------------------------------------------------- */

/* These two and those of fetch.c are SQLite's methods: see sqlite3.h. */
struct sqlite3_pcache *cache_create(int page_size, int extra_size,
				    int purgeable);
void cache_destroy(struct sqlite3_pcache *cache);

/*
 * Have @group pay for a cache from now on.  Idle pages are dropped; pinned ones
 * stay with the group that paid for them until they go.  Owner.
 * Return: 0; -ENOMEM and nothing changed.
 */
int cache_bind(struct sqlite3_pcache *cache, struct wane_group *group);

/*
 * While set, each cache of which this thread asks the number of pages is bound
 * to @group; @ret is the first error.
 */
struct binding {
	struct wane_group *group;
	int ret;
};

extern __thread struct binding *cache_binding;

/* Before an orphan's first page: look whether it takes another's place. */
void cache_inherit(struct sqlite3_pcache *cache);
/* The cache made last in this thread does not replace the next to go. */
void cache_forget_newborn(void);

/* Who pays for caches that no one names a group for; fixed while installed. */
extern struct wane_group *cache_default_group;

/* The slab of caches.  Stop: -EBUSY and nothing happens while caches exist. */
int caches_start(void);
int caches_stop(void);
/* Adds to @info what it knows. */
void caches_info(struct wane_sqlite_info *info);

/* ---- fetch.c ------------------------------------------------------------- */

void cache_set_size(struct sqlite3_pcache *cache, int max_pages);
int cache_count(struct sqlite3_pcache *cache);
sqlite3_pcache_page *cache_fetch(struct sqlite3_pcache *cache, unsigned int key,
				 int how);
void cache_unpin(struct sqlite3_pcache *cache, sqlite3_pcache_page *base,
		 int discard);
void cache_rekey(struct sqlite3_pcache *cache, sqlite3_pcache_page *base,
		 unsigned int old_key, unsigned int new_key);
void cache_truncate(struct sqlite3_pcache *cache, unsigned int first_key);
void cache_shrink(struct sqlite3_pcache *cache);

/* Detach and free all pages from @first_key on, or the idle ones.  Owner. */
void cache_drop(struct sqlite3_pcache *cache, unsigned int first_key,
		bool idle_only);

/* Take a page out of its cache; from then on no judge wants it.  Cache lock. */
void cache_detach(struct sqlite3_pcache *cache, struct page *page);

/* What a cache's buckets are charged for, beside its struct; 0 at first. */
size_t buckets_size(const struct sqlite3_pcache *cache);
/* Free and uncharge them. */
void buckets_destroy(struct sqlite3_pcache *cache);

/* Adds to @info what it knows. */
void fetch_info(struct wane_sqlite_info *info);
void fetch_start(void);

/* ---- page.c -------------------------------------------------------------- */

/* Made when first asked for, kept until pages_stop(); NULL without memory. */
struct kind *kind_get(int page_size, int extra_size);

/* A pinned page that is in no cache, paid for by @group, or NULL.  Reclaims. */
struct page *page_alloc(struct kind *kind, struct wane_group *group);

/* Put an idle page on the list of the group that pays for it. */
void page_list(struct page *page);
/* Take it off, if it is there, after cache_detach(). */
void page_unlist(struct page *page);
/* Unlist and free it, after cache_detach(). */
void page_release(struct page *page);

/* Have a group's list ready for page_list().  Return: 0 or -ENOMEM. */
int pages_prepare(struct wane_group *group);

/* The shrinker and its lists; there are no kinds at first. */
int pages_start(void);
void pages_stop(void);
/* Adds to @info what it knows. */
void pages_info(struct wane_sqlite_info *info);

#endif /* WANE_SQLITE_CACHE_H */
