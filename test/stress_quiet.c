/* SPDX-License-Identifier: MIT */
/*
 * stress_quiet.c - what is checked while all stand still
 */
#include <inttypes.h>
#include <stdlib.h>

#include "group.h"
#include "scan.h"
#include "slab_cache.h"
#include "stress_cache.h"

/* Of all objects in slots. */
#define for_each_object(object)                                           \
	for (int c_ = 0; c_ < NR_CACHES; c_++)                            \
		for (int s_ = 0; places[c_].cache && s_ < NR_SLOTS; s_++) \
			if ((object = places[c_].cache->slot[s_].object))

/* ---- Objects ------------------------------------------------------------------- */

static struct wane_group *nearest_living(struct wane_group *group)
{
	while (wane_group_retired(group))
		group = group->parent;
	return group;
}

/* Each listed item is that of an object, where it belongs. */
static void meet(struct wane_item *item, const struct lru_lists *lists,
		 int node, void *unused)
{
	struct object *object = container_of(item, struct object, item);

	(void)unused;
	invariant(object->magic == OBJECT_MAGIC, "a freed object is listed");
	invariant(object->slot->object == object, "no slot has it");
	invariant(slot_lru(object->slot) == lists->lru, "not its lru");
	invariant(nearest_living(object->group) == lists->group,
		  "of group %" PRIu64 ", listed in %" PRIu64, object->group->id,
		  lists->group->id);
	invariant(object->node == node, "not its node");
	object->met++;
}

static void check_met(void)
{
	struct object *object;

	for_each_object(object)
	{
		invariant(object->met == object->listed,
			  "listed %d, met %u times", object->listed,
			  object->met);
		object->met = 0;
	}
}

static void check_caches(void)
{
	for (int i = 0; i < NR_CACHES; i++) {
		struct cache *cache = places[i].cache;
		unsigned long listed = 0;

		if (!cache)
			continue;
		for (int s = 0; s < NR_SLOTS; s++) {
			invariant(cache->slot[s].lock == 0, "a slot is locked");
			listed += cache->slot[s].object &&
				  cache->slot[s].object->listed;
		}
		invariant(cache->added - cache->removed == listed,
			  "added %lu, removed %lu, listed %lu", cache->added,
			  cache->removed, listed);
		invariant_check_lru(cache->lru[0]);
		invariant_check_lru(cache->lru[1]);
		slab_assert_valid(cache->slab);
	}
}

/* ---- Bytes ---------------------------------------------------------------------- */

static size_t charge_of(const struct object *object)
{
	const struct cache *cache = object->slot->cache;

	return cache->by_hand ? CHARGE_BY_HAND : wane_slab_charge(cache->slab);
}

static void check_charges(const struct worker *workers, unsigned int nr_workers)
{
	size_t room = NR_CACHES * NR_SLOTS + nr_workers * NR_HELD;
	struct invariant_charge *charges = calloc(room, sizeof(*charges));
	struct object *object;
	size_t nr = 0;

	for_each_object(object) charges[nr++] =
		(struct invariant_charge){ object->group, charge_of(object) };
	for (unsigned int w = 0; w < nr_workers; w++)
		for (int i = 0; i < NR_HELD; i++)
			charges[nr++] = workers[w].held[i];
	invariant_check_charges(charges, nr);
	free(charges);
}

void quiet_check(const struct worker *workers, unsigned int nr_workers)
{
	invariant_check(meet, NULL);
	check_met();
	check_caches();
	check_charges(workers, nr_workers);
}

/* ---- Bits ------------------------------------------------------------------------- */

/*
 * A pass asks those whose bit is set: once, or twice where the first answer
 * was none.
 */
static void ask(struct wane_group *group, int node)
{
	size_t bits = invariant_bits(group, node);
	unsigned long before = caches_asked;

	scan_group(group, node, PRIORITY_MAX, 0);
	invariant(caches_asked - before <= 2 * bits,
		  "%zu bits, asked %lu times", bits, caches_asked - before);
}

/* After a pass, the bits of a cache are those of lists that are not empty. */
static void check_bits(struct cache *cache, struct wane_group *group, int node)
{
	struct lru_lists *lists;

	if (cache->state != CACHE_STARTED)
		return;
	table_for_each(&group->lists, i, lists) {
		if (lists->lru->shrinker != cache->shrinker)
			continue;
		invariant(share_test(&lists->share, node) ==
				  (invariant_count(cache->shrinker, group,
						   node) > 0),
			  "group %" PRIu64 ": a bit is wrong", group->id);
	}
}

void quiet_settle(void)
{
	caches_refusing = true;
	for (struct wane_group *g = group_first(); g; g = group_next(g, NULL))
		for (int node = 0; node < port_nr_nodes; node++) {
			ask(g, node);
			for (int c = 0; c < NR_CACHES; c++)
				if (places[c].cache)
					check_bits(places[c].cache, g, node);
		}
	caches_refusing = false;
}

/* ---- The end ------------------------------------------------------------------------- */

/*
 * Whether reclaim has to free it.  As in Linux, a cache that costs nothing is
 * asked for half of what it has: that is nothing where it has one item.
 */
static bool is_due(const struct object *object)
{
	const struct cache *cache = object->slot->cache;

	if (!object->listed || object->pinned || cache->state != CACHE_STARTED)
		return false;
	return cache->shrinker->seeks > 0 ||
	       invariant_count(cache->shrinker, nearest_living(object->group),
			       object->node) > 1;
}

static size_t nr_due(void)
{
	struct object *object;
	size_t nr = 0;

	for_each_object(object) nr += is_due(object);
	return nr;
}

/* A cache that costs nothing is asked for a half at a time, and defers. */
static void reclaim_until_idle(void)
{
	for (int idle = 0; idle < 20;)
		idle = wane_reclaim_all() ? 0 : idle + 1;
}

static void end_caches(void)
{
	for (int i = 0; i < NR_CACHES; i++) {
		if (places[i].cache)
			cache_free(places[i].cache);
		places[i].cache = NULL;
	}
}

void quiet_empty(void)
{
	fillers_end();
	reclaim_until_idle();
	invariant(nr_due() == 0, "%zu items are out of reach", nr_due());
	end_caches();
}
