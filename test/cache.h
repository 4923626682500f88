/* SPDX-License-Identifier: MIT */
/*
 * cache.h - a small cache for tests: objects of one size, idle from birth
 *
 *	cache_open() --> cache_add(), ... --> reclaim frees them --> cache_close()
 *
 * Each object is charged to its group and listed.  One of EXACT bytes is too
 * large for a thread's stock, so usage and what is used are then the same.
 */
#ifndef WANE_TEST_CACHE_H
#define WANE_TEST_CACHE_H

#include "test.h"

#include <errno.h>
#include <stdlib.h>

#include <wane/wane.h>

#include "lru.h"
#include "slab_cache.h"
#include "stock.h"

#define EXACT (2 * STOCK_BATCH)

/* With the usual 128, a cache of less is scanned as a whole or not at all. */
#define CACHE_BATCH 4

/* Sanitizers make it slower, and quarantine what was freed. */
#if defined(WANE_TSAN) || defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

struct object {
	struct wane_item item;
	struct wane_group *group;
	int node;
	int number;
	bool used;
};

struct cache {
	struct wane_shrinker *shrinker;
	struct wane_lru *lru;
	size_t bytes;
	wane_judge_fn judge;
	long counts; /* calls, and objects that scan freed: atomic */
	long scans;
	long freed;
};

static inline struct object *object_of(struct wane_item *item)
{
	return container_of(item, struct object, item);
}

static inline void object_free(struct cache *cache, struct object *object)
{
	wane_uncharge(object->group, cache->bytes);
	free(object);
}

static inline long cache_count(void *arg, struct wane_shrink *sc)
{
	struct cache *cache = arg;

	add_relaxed(&cache->counts, 1);
	return wane_lru_count(cache->lru, sc->group, sc->node);
}

static inline long cache_scan(void *arg, struct wane_shrink *sc)
{
	struct cache *cache = arg;
	struct wane_item taken, *item;
	size_t nr;

	add_relaxed(&cache->scans, 1);
	wane_item_init(&taken);
	nr = wane_lru_take(cache->lru, sc, cache->judge, cache, &taken);
	while ((item = wane_item_pop(&taken)))
		object_free(cache, object_of(item));
	add_relaxed(&cache->freed, (long)nr);
	return (long)nr;
}

/* Not started yet; @ops: NULL, or settings, with callbacks where not NULL. */
static inline void cache_create(struct cache *cache, size_t bytes,
				const struct wane_shrinker_ops *ops)
{
	struct wane_shrinker_ops used = {
		.size = sizeof(used),
		.batch = CACHE_BATCH,
	};

	if (ops)
		used = *ops;
	if (!used.count)
		used.count = cache_count;
	if (!used.scan)
		used.scan = cache_scan;
	*cache = (struct cache){ .bytes = bytes };
	assert_int_equal(wane_shrinker_create(&cache->shrinker, &used, cache),
			 0);
	assert_int_equal(wane_lru_create(&cache->lru, cache->shrinker), 0);
}

static inline void cache_open_with(struct cache *cache, size_t bytes,
				   const struct wane_shrinker_ops *ops)
{
	cache_create(cache, bytes, ops);
	assert_int_equal(wane_shrinker_start(cache->shrinker), 0);
}

static inline void cache_open(struct cache *cache, size_t bytes)
{
	cache_open_with(cache, bytes, NULL);
}

static inline void cache_close(struct cache *cache)
{
	wane_shrinker_destroy(cache->shrinker);
	wane_lru_destroy(cache->lru);
}

/* NULL when the charge is refused. */
static inline struct object *cache_add_on(struct cache *cache,
					  struct wane_group *group, int node)
{
	struct object *object;

	if (wane_charge(group, cache->bytes, 0))
		return NULL;
	assert_int_equal(wane_lru_prepare(cache->lru, group), 0);
	object = calloc(1, sizeof(*object));
	assert_non_null(object);
	object->group = group;
	object->node = node;
	wane_item_init(&object->item);
	assert_true(wane_lru_add(cache->lru, &object->item, group, node));
	return object;
}

static inline struct object *cache_add(struct cache *cache,
				       struct wane_group *group)
{
	return cache_add_on(cache, group, 0);
}

static inline void cache_fill(struct cache *cache, struct wane_group *group,
			      int nr)
{
	while (nr-- > 0)
		assert_non_null(cache_add(cache, group));
}

/* Over all nodes. */
static inline long cache_holds(struct cache *cache, struct wane_group *group)
{
	long nr = 0;

	for (int node = 0; node < wane_nodes(); node++)
		nr += wane_lru_count(cache->lru, group, node);
	return nr;
}

/* Free all that is listed for @group, whoever may have added it. */
static inline void cache_empty(struct cache *cache, struct wane_group *group)
{
	struct wane_item taken, *item;

	wane_item_init(&taken);
	for (int node = 0; node < wane_nodes(); node++) {
		struct wane_shrink sc = {
			.group = group,
			.node = node,
			.to_scan = SIZE_MAX,
		};

		wane_lru_take(cache->lru, &sc, NULL, NULL, &taken);
	}
	while ((item = wane_item_pop(&taken)))
		object_free(cache, object_of(item));
}

/* ---- What a group keeps of a cache --------------------------------------------- */

/* The share of an lru's shrinker in @group, which has its list. */
static inline struct shrinker_share share_of(struct wane_lru *lru,
					     const struct wane_group *group)
{
	struct shrinker_share share = { 0 };
	struct lru_lists *lists;

	rcu_enter();
	lists = lru_lists_find(lru, group);
	assert_non_null(lists);
	if (lists)
		share = share_read(&lists->share);
	rcu_leave();
	return share;
}

static inline bool has_lists(struct wane_lru *lru,
			     const struct wane_group *group)
{
	bool found;

	rcu_enter();
	found = lru_lists_find(lru, group) != NULL;
	rcu_leave();
	return found;
}

static inline bool has_bit(struct wane_lru *lru, const struct wane_group *group,
			   int node)
{
	const struct shrinker_share share = share_of(lru, group);

	return share_test(&share, node);
}

static inline void add_deferred(struct wane_lru *lru,
				const struct wane_group *group, int node,
				long nr)
{
	const struct shrinker_share share = share_of(lru, group);

	share_add_deferred(&share, node, nr);
}

static inline long deferred(struct wane_lru *lru,
			    const struct wane_group *group, int node)
{
	const struct shrinker_share share = share_of(lru, group);
	long nr = share_take_deferred(&share, node);

	if (nr)
		share_add_deferred(&share, node, nr);
	return nr;
}

/* ---- Groups ----------------------------------------------------------------------- */

static inline struct wane_group *group_make(struct wane_group *parent,
					    const char *name)
{
	struct wane_group *group;

	assert_int_equal(wane_group_create(&group, parent, name), 0);
	return group;
}

static inline void set_limit(struct wane_group *group, enum wane_limit which,
			     size_t bytes)
{
	assert_int_equal(wane_group_set_limit(group, which, bytes), 0);
}

static inline void charge(struct wane_group *group, size_t bytes)
{
	assert_int_equal(wane_charge(group, bytes, 0), 0);
}

/* What is held when no thread has anything at hand and nothing is deferred. */
static inline size_t base_now(void)
{
	stock_drain(NULL);
	wane_barrier();
	slab_drain_all();
	return port_held();
}

#define assert_base(base) assert_int_equal(base_now(), (base))

#endif /* WANE_TEST_CACHE_H */
