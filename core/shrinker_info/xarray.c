// SPDX-License-Identifier: GPL-2.0-only OR MIT
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
 * Locks      None to read, to set and clear bits, for deferred work, or for room.
 *            Making and ending shares of a group is serialised by the caller.
 * Lifetime   A unit is held by its shares, and by room for shares: got without
 *            a lock, so a unit may die while it is looked at.  Dead, it has no
 *            hold and never gets one again; whoever comes upon it first, he
 *            who wants a unit here or he who dropped the last hold, clears its
 *            place.  The latter frees it, a grace period later.
 *
 * This is the design that linux-mm discussed in October 2026 for Linux 7.3.
 */
#include "../shrinker_info.h"

#ifndef UNITS_FROM_SIZE_CLASSES
#define UNITS_FROM_CACHE
#endif
#ifdef WANE_TINY
#define SHRINKER_UNIT_BITS 4
#else
#define SHRINKER_UNIT_BITS BITS_PER_LONG
#endif

/**
 * struct shrinker_info_unit - The shares of some shrinkers of one group, node.
 * @map: Bit i: shrinker i of this unit may hold items.
 * @deferred: Work put off.
 * @holds: By shares, and by room for shares.
 * @rcu: For the free.
 */
struct shrinker_info_unit {
	unsigned long map;
	atomic_long_t deferred[SHRINKER_UNIT_BITS];
	refcount_t holds;
	struct rcu_head rcu;
};

#include "unit_alloc.h"

/* ---- Units ---------------------------------------------------------------------- */

static struct shrinker_info_unit *unit_find(struct shrinker_info_group *group,
					    int nid, int id)
{
	return xa_load(&group->units[nid], id / SHRINKER_UNIT_BITS);
}

/* Clear the place of a unit that is dead, if it still has it. */
static void unit_unlink(struct shrinker_info_group *group, int nid, int id,
			struct shrinker_info_unit *unit)
{
	info_xa_replace(&group->units[nid], id / SHRINKER_UNIT_BITS, unit, NULL,
			0);
}

/* Hold the unit that is there, if one is. */
static bool unit_hold(struct shrinker_info_group *group, int nid, int id)
{
	struct shrinker_info_unit *unit;
	bool held;

	rcu_read_lock();
	unit = unit_find(group, nid, id);
	held = unit && refcount_inc_not_zero(&unit->holds);
	if (unit && !held)
		unit_unlink(group, nid, id, unit);
	rcu_read_unlock();
	return held;
}

static int unit_get(struct shrinker_info_group *group, int nid, int id,
		    gfp_t gfp)
{
	struct shrinker_info_unit *unit;
	int err;

	if (unit_hold(group, nid, id))
		return 0;
	unit = unit_alloc(gfp, nid);
	if (!unit)
		return -ENOMEM;
	refcount_set(&unit->holds, 1);
	do {
		err = info_xa_replace(&group->units[nid],
				      id / SHRINKER_UNIT_BITS, NULL, unit, gfp);
		if (!err)
			return 0;
	} while (err == -EBUSY && !unit_hold(group, nid, id));
	unit_free(unit);
	return err == -EBUSY ? 0 : err;
}

static void unit_free_rcu(struct rcu_head *head)
{
	unit_free(rcu_container(head, struct shrinker_info_unit, rcu));
}

static void unit_put(struct shrinker_info_group *group, int nid, int id)
{
	struct shrinker_info_unit *unit;

	rcu_read_lock();
	unit = unit_find(group, nid, id);
	if (refcount_dec_and_test(&unit->holds)) {
		unit_unlink(group, nid, id, unit);
		call_rcu(&unit->rcu, unit_free_rcu);
	}
	rcu_read_unlock();
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

	xas_for_each(walk, unit, ULONG_MAX) {
		if (xas_retry(walk, unit))
			continue;
		if (READ_ONCE(unit->map))
			break;
	}
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
		xa_init_flags(&group->units[nid], XA_FLAGS_LOCK_IRQ);
	return 0;
}

/* Where memory ran out, the kernel's xarray may keep nodes without entries. */
void shrinker_info_group_exit(struct shrinker_info_group *group)
{
	unsigned long index = 0;
	int nid;

	for_each_node(nid) {
		WARN_ON_ONCE(xa_find(&group->units[nid], &index, ULONG_MAX,
				     XA_PRESENT));
		xa_destroy(&group->units[nid]);
	}
}

bool shrinker_info_idle(struct shrinker_info_group *group, int nid)
{
	return xa_empty(&group->units[nid]);
}
