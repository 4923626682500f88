/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Units in an array of pointers per group and node, as Linux 7.3 has them.
 *
 *	group, node 0   array { 3, -> unit, -> unit, -> unit }
 *
 * The array has a place for each unit of ids that were ever given.  When an id
 * passes the last one, the arrays of all groups on all nodes are replaced by
 * longer copies, under one mutex; readers under RCU use the old or the new one,
 * and units never move.  Arrays never get shorter.
 *
 * Whoever includes this has said SHRINKER_UNIT_BITS, and whether units are made
 * up front (UNITS_UP_FRONT) for the whole array, or on demand.  Units are from
 * the size classes, as in Linux, or from a slab cache (UNITS_FROM_CACHE).
 */
#include "../shrinker_info.h"

/**
 * struct shrinker_info_unit - The shares of some shrinkers of one group, node.
 * @map: Bit i: shrinker i of this unit may hold items.
 * @deferred: Work put off.
 */
struct shrinker_info_unit {
	unsigned long map;
	atomic_long_t deferred[SHRINKER_UNIT_BITS];
};

#include "unit_alloc.h"

/**
 * struct shrinker_info_array - The units of one group on one node.
 * @rcu: For the free.
 * @nr: How many places there are.
 * @unit: The units, or NULL where there is none yet.
 */
struct shrinker_info_array {
	struct rcu_head rcu;
	unsigned int nr;
	struct shrinker_info_unit *unit[];
};

/* Orders growth, installs, and the list of all groups. */
static DEFINE_MUTEX(arrays_mutex);
static LIST_HEAD(arrays_groups);
static unsigned int arrays_nr; /* places in each array */

/* ---- Arrays ---------------------------------------------------------------------- */

static size_t array_size_of(unsigned int nr)
{
	return sizeof(struct shrinker_info_array) +
	       nr * sizeof(struct shrinker_info_unit *);
}

static void array_free(struct shrinker_info_array *array)
{
	if (array)
		info_free(array, array_size_of(array->nr));
}

static void array_free_rcu(struct rcu_head *head)
{
	array_free(rcu_container(head, struct shrinker_info_array, rcu));
}

static void units_free(struct shrinker_info_array *array, unsigned int from)
{
	unsigned int i;

	for (i = from; array && i < array->nr; i++)
		unit_free(array->unit[i]);
}

/* Units for the places from @from on, where they are made up front. */
static int units_fill(struct shrinker_info_array *array, unsigned int from,
		      gfp_t gfp, int nid)
{
#ifdef UNITS_UP_FRONT
	unsigned int i;

	for (i = from; i < array->nr; i++) {
		array->unit[i] = unit_alloc(gfp, nid);
		if (!array->unit[i])
			goto free;
	}
	return 0;
free:
	units_free(array, from);
	return -ENOMEM;
#else
	(void)array;
	(void)from;
	(void)gfp;
	(void)nid;
	return 0;
#endif
}

/* A copy of @old (or NULL) with @nr places. */
static struct shrinker_info_array *
array_make(struct shrinker_info_array *old, unsigned int nr, gfp_t gfp, int nid)
{
	struct shrinker_info_array *new = info_alloc(array_size_of(nr), gfp);
	unsigned int from = old ? old->nr : 0;

	if (!new)
		return NULL;
	new->nr = nr;
	if (old)
		memcpy(new->unit, old->unit, from * sizeof(new->unit[0]));
	if (units_fill(new, from, gfp, nid)) {
		array_free(new);
		return NULL;
	}
	return new;
}

static int group_grow(struct shrinker_info_group *group, unsigned int nr,
		      gfp_t gfp)
{
	struct shrinker_info_array *old, *new;
	int nid;

	for_each_node(nid) {
		old = group->array[nid];
		if (old && old->nr >= nr)
			continue;
		new = array_make(old, nr, gfp, nid);
		if (!new)
			return -ENOMEM;
		rcu_assign_pointer(group->array[nid], new);
		if (old)
			call_rcu(&old->rcu, array_free_rcu);
	}
	return 0;
}

/* An id passed the last place: every group on the host pays for it. */
static int units_grow(int id, gfp_t gfp)
{
	unsigned int nr = (unsigned int)id / SHRINKER_UNIT_BITS + 1;
	struct shrinker_info_group *group;
	int err = 0;

	mutex_lock(&arrays_mutex);
	if (nr > arrays_nr) {
		list_for_each_entry(group, &arrays_groups, link) {
			err = group_grow(group, nr, gfp);
			if (err)
				break;
		}
		if (!err)
			arrays_nr = nr;
	}
	mutex_unlock(&arrays_mutex);
	return err;
}

/* ---- Units ------------------------------------------------------------------------- */

static struct shrinker_info_unit *unit_find(struct shrinker_info_group *group,
					    int nid, int id)
{
	unsigned int index = (unsigned int)id / SHRINKER_UNIT_BITS;
	struct shrinker_info_array *array = rcu_dereference(group->array[nid]);

	if (!array || index >= array->nr)
		return NULL;
	return rcu_dereference(array->unit[index]);
}

static bool unit_is_there(struct shrinker_info_group *group, int nid, int id)
{
	bool there;

	rcu_read_lock();
	there = unit_find(group, nid, id);
	rcu_read_unlock();
	return there;
}

/*
 * Units stay as long as their group, so no hold is counted.  The mutex keeps a
 * copy under way from missing what is installed, and orders who installs.
 */
static int unit_get(struct shrinker_info_group *group, int nid, int id,
		    gfp_t gfp)
{
	unsigned int index = (unsigned int)id / SHRINKER_UNIT_BITS;
	struct shrinker_info_unit *unit;

	if (unit_is_there(group, nid, id))
		return 0;
	unit = unit_alloc(gfp, nid);
	if (!unit)
		return -ENOMEM;
	mutex_lock(&arrays_mutex);
	if (!group->array[nid]->unit[index]) {
		rcu_assign_pointer(group->array[nid]->unit[index], unit);
		unit = NULL;
	}
	mutex_unlock(&arrays_mutex);
	unit_free(unit);
	return 0;
}

static void unit_put(struct shrinker_info_group *group, int nid, int id)
{
	(void)group;
	(void)nid;
	(void)id;
}

struct unit_walk {
	struct shrinker_info_group *group;
	int nid;
	unsigned long next;
};

#define UNIT_WALK(walk, of_group, of_nid, index) \
	struct unit_walk walk = { of_group, of_nid, index }

static struct shrinker_info_unit *unit_next(struct unit_walk *walk)
{
	struct shrinker_info_array *array =
		rcu_dereference(walk->group->array[walk->nid]);
	struct shrinker_info_unit *unit;

	while (array && walk->next < array->nr) {
		unit = rcu_dereference(array->unit[walk->next++]);
		if (unit && READ_ONCE(unit->map))
			return unit;
	}
	return NULL;
}

static unsigned long unit_walk_index(const struct unit_walk *walk)
{
	return walk->next - 1;
}

#include "units.h"

/* ---- Groups ------------------------------------------------------------------------- */

size_t shrinker_info_group_size(void)
{
	return sizeof(struct shrinker_info_group) +
	       (size_t)nr_node_ids * sizeof(struct shrinker_info_array *);
}

static void group_free(struct shrinker_info_group *group)
{
	int nid;

	for_each_node(nid) {
		units_free(group->array[nid], 0);
		array_free(group->array[nid]);
	}
}

int shrinker_info_group_init(struct shrinker_info_group *group, gfp_t gfp)
{
	int err = 0;

	memset(group, 0, shrinker_info_group_size());
	mutex_lock(&arrays_mutex);
	if (arrays_nr)
		err = group_grow(group, arrays_nr, gfp);
	if (err)
		group_free(group);
	else
		list_add_tail(&group->link, &arrays_groups);
	mutex_unlock(&arrays_mutex);
	return err;
}

void shrinker_info_group_exit(struct shrinker_info_group *group)
{
	mutex_lock(&arrays_mutex);
	list_del(&group->link);
	mutex_unlock(&arrays_mutex);
	group_free(group);
}

bool shrinker_info_idle(struct shrinker_info_group *group, int nid)
{
	return !READ_ONCE(group->array[nid]);
}
