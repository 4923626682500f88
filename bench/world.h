/* SPDX-License-Identifier: MIT */
/*
 * world.h - many groups and many caches, to measure in
 */
#ifndef WANE_BENCH_WORLD_H
#define WANE_BENCH_WORLD_H

#include <wane/wane.h>

#include <stddef.h>

/*
 * struct cache - A cache of nothing but list items.
 * @lru: Made with its first use.
 * @sticky: Its scan looks at items and frees none.
 */
struct cache {
	struct wane_shrinker *shrinker;
	struct wane_lru *lru;
	bool sticky;
};

/*
 * struct memory - What the library holds, in bytes, to the byte.
 * @all: Everything.
 * @shares: Objects of slabs in use: units, pairs, nodes, arrays.
 * @units: The part of @shares in objects of the units' size.
 * @nr_units: How many those are.
 * @unit_room: Bytes that one takes.
 */
struct memory {
	size_t all;
	size_t shares;
	size_t units;
	size_t nr_units;
	size_t unit_room;
};

void memory_read(struct memory *memory);

/* A cache, registered and started. */
void cache_create(struct cache *cache);
void cache_destroy(struct cache *cache);

/* @nr of them. */
void caches_create(struct cache *cache, size_t nr);
void caches_destroy(struct cache *cache, size_t nr);

/* Give a group its list in a cache. */
void cache_prepare(struct cache *cache, struct wane_group *group);

/* And put one item into it, on node 0. */
void cache_fill(struct cache *cache, struct wane_group *group,
		struct wane_item *item);
void cache_empty(struct cache *cache, struct wane_group *group,
		 struct wane_item *item);

void groups_create(struct wane_group **group, size_t nr,
		   struct wane_group *parent);
/* Retire them and put them; their memory goes after a grace period. */
void groups_retire(struct wane_group **group, size_t nr);

#endif /* WANE_BENCH_WORLD_H */
