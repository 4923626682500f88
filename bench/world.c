// SPDX-License-Identifier: MIT
/*
 * world.c - many groups and many caches, to measure in
 *
 * Memory is counted exactly: what the library asked the system for, but of
 * the regions behind slabs only the objects in use.
 *
 *	port_held()  =  regions  +  structs, names, lists, ...
 *	                   '- objects in use + free + bookkeeping
 */
#include "../src/lru.h"
#include "../src/slab_cache.h"

#include "worker.h"
#include "world.h"

static long cache_count(void *arg, struct wane_shrink *sc)
{
	struct cache *cache = arg;

	return cache->lru ? wane_lru_count(cache->lru, sc->group, sc->node) : 0;
}

static long cache_scan(void *arg, struct wane_shrink *sc)
{
	struct cache *cache = arg;
	struct wane_item taken;
	long freed = 0;

	if (cache->sticky)
		return 0;
	wane_item_init(&taken);
	wane_lru_take(cache->lru, sc, NULL, NULL, &taken);
	while (wane_item_pop(&taken))
		freed++;
	return freed;
}

void cache_create(struct cache *cache)
{
	static const struct wane_shrinker_ops ops = {
		.size = sizeof(ops),
		.count = cache_count,
		.scan = cache_scan,
	};

	must(wane_shrinker_create(&cache->shrinker, &ops, cache),
	     "registering a cache");
	must(wane_shrinker_start(cache->shrinker), "starting a cache");
}

void cache_destroy(struct cache *cache)
{
	wane_lru_destroy(cache->lru);
	wane_shrinker_destroy(cache->shrinker);
}

void caches_create(struct cache *cache, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		cache_create(&cache[i]);
}

void caches_destroy(struct cache *cache, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		cache_destroy(&cache[i]);
}

void cache_prepare(struct cache *cache, struct wane_group *group)
{
	if (!cache->lru)
		must(wane_lru_create(&cache->lru, cache->shrinker),
		     "making lists");
	must(wane_lru_prepare(cache->lru, group), "making a list");
}

void cache_fill(struct cache *cache, struct wane_group *group,
		struct wane_item *item)
{
	cache_prepare(cache, group);
	wane_item_init(item);
	wane_lru_add(cache->lru, item, group, 0);
}

void cache_empty(struct cache *cache, struct wane_group *group,
		 struct wane_item *item)
{
	wane_lru_del(cache->lru, item, group, 0);
}

void groups_create(struct wane_group **group, size_t nr,
		   struct wane_group *parent)
{
	for (size_t i = 0; i < nr; i++)
		must(wane_group_create(&group[i], parent, NULL),
		     "making a group");
}

void groups_retire(struct wane_group **group, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		must(wane_group_retire(group[i]), "retiring a group");
		wane_group_put(group[i]);
	}
}

/* ---- Memory ------------------------------------------------------------------ */

/* Units have a slab of their own, or a size class. */
static bool is_unit(const struct wane_slab *slab)
{
#ifdef BENCH_UNIT_BYTES
	return slab == slab_size_class(BENCH_UNIT_BYTES);
#else
	return !strncmp(slab->name, "shrinker_", 9);
#endif
}

static void add_slab(const struct wane_slab *slab, size_t active, void *arg)
{
	struct memory *memory = arg;

	memory->shares += active * slab->room;
	if (!is_unit(slab))
		return;
	memory->unit_room = slab->room;
	memory->nr_units += active;
	memory->units += active * slab->room;
}

void memory_read(struct memory *memory)
{
	*memory = (struct memory){ 0 };
	slab_for_each(add_slab, memory);
	memory->all = port_held() - region_bytes() + memory->shares;
}
