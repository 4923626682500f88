/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * xarray.c - shares as bits of units, units in an xarray, made on demand
 *
 *	group, node 0   [0] -> unit { map 0100.., deferred[], 2 shares }
 *	                [1] -> NULL        no list of shrinkers 64 .. 127
 *	                [2] -> unit
 *	group, node 1   the same indices
 *
 * A unit has the shares of 64 shrinkers on one node.  It comes from a slab
 * cache of its own, since the size classes would give it twice what it needs,
 * when the group gets its first share of those 64, and goes with the last.
 * So a group pays for the neighbourhoods of ids that it uses, and for nothing
 * when a shrinker is registered or a group is made.
 *
 * A walk keeps its place in the xarray, and passes over units without a bit
 * by one load each.
 *
 * Locks      None to read, to set and clear bits, or for deferred work.  Making
 *            and ending shares of a group is serialised by the caller.
 * Lifetime   A unit outlives its place in the xarray by a grace period.
 *
 * This is the design that linux-mm discussed in October 2026 for Linux 7.3.
 */
#include "../shrinker_info.h"

#ifdef WANE_TINY
#define SHRINKER_UNIT_BITS 4
#else
#define SHRINKER_UNIT_BITS BITS_PER_LONG
#endif

/**
 * struct shrinker_info_unit - The shares of some shrinkers of one group, node.
 * @map: Bit i: shrinker i of this unit may hold items.
 * @deferred: Work put off.
 * @shares: How many there are; written by who makes and ends shares.
 * @rcu: For the free.
 */
struct shrinker_info_unit {
	unsigned long map;
	atomic_long_t deferred[SHRINKER_UNIT_BITS];
	unsigned long shares;
	struct rcu_head rcu;
};

/* ---- Where units come from ------------------------------------------------------ */

#ifdef UNITS_FROM_SIZE_CLASSES

int shrinker_info_init(void)
{
	return 0;
}

static struct shrinker_info_unit *unit_alloc(gfp_t gfp, int nid)
{
	return kzalloc_node(sizeof(struct shrinker_info_unit), gfp, nid);
}

static void unit_free(struct shrinker_info_unit *unit)
{
	kfree(unit);
}

#else

static struct kmem_cache *unit_cache;

int shrinker_info_init(void)
{
	unit_cache = kmem_cache_create("shrinker_info_unit",
				       sizeof(struct shrinker_info_unit), 0, 0,
				       NULL);
	return unit_cache ? 0 : -ENOMEM;
}

static struct shrinker_info_unit *unit_alloc(gfp_t gfp, int nid)
{
	return kmem_cache_alloc_node(unit_cache, gfp | __GFP_ZERO, nid);
}

static void unit_free(struct shrinker_info_unit *unit)
{
	kmem_cache_free(unit_cache, unit);
}

#endif

/* ---- Units ---------------------------------------------------------------------- */

static struct shrinker_info_unit *unit_find(struct shrinker_info_group *group,
					    int nid, int id)
{
	return xa_load(&group->units[nid], id / SHRINKER_UNIT_BITS);
}

static int unit_make(struct shrinker_info_group *group, int nid, int id,
		     gfp_t gfp)
{
	struct shrinker_info_unit *unit;
	int err;

	if (unit_find(group, nid, id))
		return 0;
	unit = unit_alloc(gfp, nid);
	if (!unit)
		return -ENOMEM;
	err = xa_insert(&group->units[nid], id / SHRINKER_UNIT_BITS, unit, gfp);
	if (err)
		unit_free(unit);
	return err;
}

static void unit_hold(struct shrinker_info_unit *unit)
{
	unit->shares++;
}

static void unit_free_rcu(struct rcu_head *head)
{
	unit_free(rcu_container(head, struct shrinker_info_unit, rcu));
}

/* Without a share a unit goes. */
static void unit_drop(struct shrinker_info_group *group, int nid, int id,
		      bool held)
{
	struct shrinker_info_unit *unit = unit_find(group, nid, id);

	if (!unit)
		return;
	unit->shares -= held;
	if (unit->shares > 0)
		return;
	xa_erase(&group->units[nid], id / SHRINKER_UNIT_BITS);
	call_rcu(&unit->rcu, unit_free_rcu);
}

static int units_grow(int id, gfp_t gfp)
{
	(void)id;
	(void)gfp;
	return 0;
}

#define unit_walk xa_state
#define UNIT_WALK(walk, group, nid, index) \
	XA_STATE(walk, &(group)->units[nid], index)

static struct shrinker_info_unit *unit_next(struct unit_walk *walk)
{
	struct shrinker_info_unit *unit;

	xas_for_each(walk, unit, ULONG_MAX)
		if (READ_ONCE(unit->map))
			break;
	return unit;
}

static unsigned long unit_walk_index(const struct unit_walk *walk)
{
	return walk->xa_index;
}

#include "units.h"

/* ---- Groups ----------------------------------------------------------------------- */

size_t shrinker_info_group_size(void)
{
	return sizeof(struct shrinker_info_group) +
	       (size_t)nr_node_ids * sizeof(struct xarray);
}

int shrinker_info_group_init(struct shrinker_info_group *group, gfp_t gfp)
{
	int nid;

	(void)gfp;
	group->heir = NULL;
	for_each_node(nid)
		xa_init(&group->units[nid]);
	return 0;
}

void shrinker_info_group_exit(struct shrinker_info_group *group)
{
	int nid;

	for_each_node(nid)
		WARN_ON_ONCE(!xa_empty(&group->units[nid]));
}

bool shrinker_info_idle(struct shrinker_info_group *group, int nid)
{
	return xa_empty(&group->units[nid]);
}
