// SPDX-License-Identifier: MIT
/*
 * cache.c - the page cache of one database file: its life, and whose it is
 *
 * A cache is charged to a group: its struct, the buckets that find its pages,
 * and each page.  The group is the thread's current one when SQLite makes the
 * cache, or else the default; a URI parameter, or the cache that it replaces,
 * may name another one before it has pages.
 */
#include <errno.h>

#include "cache.h"

struct wane_group *cache_default_group;
__thread struct binding *cache_binding;

static struct wane_slab *slab;
static size_t struct_bytes; /* a cache's share of its slab */
static uint64_t last_serial; /* atomic */

/* ---- Whose a cache is ---------------------------------------------------- */

int cache_bind(struct sqlite3_pcache *cache, struct wane_group *group)
{
	size_t bytes = struct_bytes + buckets_size(cache);
	struct wane_group *old = cache->group;

	cache->orphan = false;
	if (group == old)
		return 0;
	if (pages_prepare(group) || wane_charge(group, bytes, 0))
		return -ENOMEM;
	cache_shrink(cache);
	cache->group = wane_group_get(group);
	wane_uncharge(old, bytes);
	wane_group_put(old);
	return 0;
}

/*
 * When the page size of a file changes, SQLite makes a new cache and destroys
 * the old one right after.  If the new one is an orphan, the old one's group
 * is its group, too.  This is told by passing it on, in one thread:
 *
 *	create new      newborn = new
 *	destroy old     heir = newborn, group = that of old
 *	first miss      of heir: bind it to group
 *
 * When a connection is closed, it is truncated before it is destroyed, and
 * forgets the newborn: that one has nothing to do with it.  These are numbers,
 * not pointers, since any of them may be gone by now.
 */
static __thread struct {
	uint64_t newborn;
	uint64_t heir;
	uint64_t group;
} passed_on;

static void cache_bequeath(const struct sqlite3_pcache *cache)
{
	if (!passed_on.newborn || passed_on.newborn == cache->serial)
		return;
	passed_on.heir = passed_on.newborn;
	passed_on.group = wane_group_id(cache->group);
	passed_on.newborn = 0;
}

void cache_forget_newborn(void)
{
	passed_on.newborn = 0;
}

/* Without memory, or with the group gone, it stays with the default. */
void cache_inherit(struct sqlite3_pcache *cache)
{
	struct wane_group *group;

	cache->orphan = false;
	if (passed_on.heir != cache->serial)
		return;
	group = wane_group_find_id(passed_on.group);
	if (group)
		(void)cache_bind(cache, group);
	wane_group_put(group);
}

/* ---- Create and destroy -------------------------------------------------- */

static void cache_init(struct sqlite3_pcache *cache, struct kind *kind,
		       struct wane_group *group)
{
	*cache = (struct sqlite3_pcache){
		.max_pages = UINT32_MAX,
		.mask = FIRST_BUCKETS - 1,
		.buckets = cache->first_buckets,
		.queue = { &cache->queue, &cache->queue },
		.kind = kind,
		.group = wane_group_get(group),
		.serial = __atomic_add_fetch(&last_serial, 1, __ATOMIC_RELAXED),
	};
}

struct sqlite3_pcache *cache_create(int page_size, int extra_size,
				    int purgeable)
{
	struct wane_group *named = wane_group_current();
	struct wane_group *group = named ? named : cache_default_group;
	struct kind *kind = kind_get(page_size, extra_size);
	struct sqlite3_pcache *cache;

	if (!kind || pages_prepare(group) ||
	    wane_charge(group, struct_bytes, 0))
		return NULL;
	cache = wane_slab_alloc(slab, NULL, 0);
	if (!cache) {
		wane_uncharge(group, struct_bytes);
		return NULL;
	}
	cache_init(cache, kind, group);
	cache->purgeable = purgeable;
	cache->orphan = !named;
	passed_on.newborn = named ? 0 : cache->serial;
	return cache;
}

void cache_destroy(struct sqlite3_pcache *cache)
{
	cache_bequeath(cache);
	cache_drop(cache, 0, false);
	buckets_destroy(cache);
	wane_uncharge(cache->group, struct_bytes);
	wane_group_put(cache->group);
	wane_slab_free(slab, cache);
}

/* ---- Start, stop, numbers ------------------------------------------------ */

static size_t slab_share(void)
{
	struct wane_slab_info info = { .size = sizeof(info) };

	wane_slab_info(slab, &info);
	return (info.slab_bytes + info.slab_objects - 1) / info.slab_objects;
}

int caches_start(void)
{
	static const struct wane_slab_config config = {
		.size = sizeof(config),
		.name = "sqlite_cache",
		.object_size = sizeof(struct sqlite3_pcache),
	};
	int ret = wane_slab_create(&slab, &config);

	if (ret)
		return ret;
	struct_bytes = slab_share();
	fetch_start();
	return 0;
}

int caches_stop(void)
{
	return wane_slab_destroy(slab);
}

void caches_info(struct wane_sqlite_info *info)
{
	struct wane_slab_info caches = { .size = sizeof(caches) };

	wane_slab_info(slab, &caches);
	info->caches += caches.active;
	info->bytes += caches.active * struct_bytes;
	fetch_info(info);
}
