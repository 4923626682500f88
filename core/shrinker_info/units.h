/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Shares as bits of units: what all implementations with ids have in common.
 * Each includes this once, after it has said how a group finds its units:
 *
 *	unit_find(group, nid, id)	the unit of an id, or NULL; under RCU
 *	unit_get(group, nid, id, gfp)	hold it, made if need be: 0, or -ENOMEM
 *	unit_put(group, nid, id)	the hold ends, and with the last one the unit
 *	units_grow(id, gfp)		there will be shares of this id
 *	struct unit_walk, UNIT_WALK()	a walk over units in order of id,
 *	unit_next(&walk)		under RCU: the next one with a bit, or NULL
 *	unit_walk_index(&walk)		id / SHRINKER_UNIT_BITS of that one
 *
 * A hold is a share's, or that of room for one: get and put need no lock.
 */

/* id -> shrinker, for all that have begun. */
static DEFINE_XARRAY(caches);
static DEFINE_IDA(cache_ids);

static int ids_register(struct shrinker_info_cache *cache, gfp_t gfp)
{
	int id = ida_alloc(&cache_ids, gfp);
	int err;

	if (id < 0)
		return id;
	cache->id = id;
	err = units_grow(id, gfp);
	if (!err)
		err = xa_insert(&caches, id, cache, gfp);
	if (err)
		ida_free(&cache_ids, id);
	return err;
}

static void ids_unregister(struct shrinker_info_cache *cache)
{
	xa_erase(&caches, cache->id);
	ida_free(&cache_ids, cache->id);
}

#include "pins.h"

/* ---- Bits of units ------------------------------------------------------------- */

static int bit_of(int id)
{
	return id % SHRINKER_UNIT_BITS;
}

/* Bring one share to its first state: no bit, nothing deferred. */
static void share_reset(struct shrinker_info_unit *unit, int id)
{
	clear_bit(bit_of(id), &unit->map);
	atomic_long_set(&unit->deferred[bit_of(id)], 0);
}

/* ---- Room ------------------------------------------------------------------------ */

/* Not reset: there may be a share by now, for which others had room, too. */
void share_room_put(struct share_room *room)
{
	int nid;

	for_each_node(nid) {
		if (nid < room->nodes)
			unit_put(room->group, nid, room->id);
	}
	room->nodes = 0;
}

int share_room_get(struct share_room *room, struct shrinker_info_group *group,
		   struct shrinker_info_cache *cache, gfp_t gfp)
{
	int nid;
	int err;

	if (room->group != group || room->id != cache->id)
		share_room_put(room);
	room->group = group;
	room->id = cache->id;
	for_each_node(nid) {
		if (nid < room->nodes)
			continue;
		err = unit_get(group, nid, room->id, gfp);
		if (err)
			return err;
		room->nodes = nid + 1;
	}
	room->nodes = nr_node_ids;
	return 0;
}

static bool room_is_for(const struct share_room *room,
			struct shrinker_info_group *group, int id)
{
	return room->nodes == (int)nr_node_ids && room->group == group &&
	       room->id == id;
}

/* ---- Shares ----------------------------------------------------------------------- */

/* The holds of the room are the share's from now on. */
int share_get(struct shrinker_share *share, struct shrinker_info_group *group,
	      struct shrinker_info_cache *cache, struct share_room *room)
{
	int id = cache->id;
	int nid;

	if (!room_is_for(room, group, id))
		return -EAGAIN;
	rcu_read_lock();
	for_each_node(nid)
		share_reset(unit_find(group, nid, id), id);
	rcu_read_unlock();
	room->nodes = 0;
	share->id = id;
	WRITE_ONCE(share->group, group);
	return 0;
}

static void share_end(struct shrinker_share *share)
{
	int nid;

	for_each_node(nid)
		unit_put(share->group, nid, share->id);
	share_forget(share);
}

void share_put(struct shrinker_share *share)
{
	int nid;

	rcu_read_lock();
	for_each_node(nid)
		share_reset(unit_find(share->group, nid, share->id), share->id);
	rcu_read_unlock();
	share_end(share);
}

/*
 * Not reset after it has moved: who adds to it now sees the heir, but has to
 * find what it added in order to bring it there (B3).
 */
void share_retire(struct shrinker_share *share,
		  const struct shrinker_share *heir)
{
	int nid;

	if (share_is_none(heir)) {
		share_put(share);
		return;
	}
	smp_store_mb(share->group->heir, heir->group); /* B3 */
	for_each_node(nid)
		share_move(share, heir, nid);
	share_end(share);
}

static bool set_here(struct shrinker_info_group *group, int nid, int id)
{
	struct shrinker_info_unit *unit = unit_find(group, nid, id);

	if (!unit) {
		smp_rmb(); /* B3 */
		return false;
	}
	smp_mb__before_atomic(); /* B1 */
	set_bit(bit_of(id), &unit->map);
	smp_mb__after_atomic(); /* B3 */
	return true;
}

static void clear_here(struct shrinker_info_group *group, int nid, int id)
{
	struct shrinker_info_unit *unit = unit_find(group, nid, id);

	if (!unit)
		return;
	clear_bit(bit_of(id), &unit->map);
	smp_mb__after_atomic(); /* B1 */
}

bool share_set(const struct shrinker_share *share, int nid)
{
	struct shrinker_info_group *group = share->group;
	struct shrinker_info_group *heir;
	bool set = false;

	rcu_read_lock();
	for (; group; group = heir) {
		set |= set_here(group, nid, share->id);
		heir = READ_ONCE(group->heir);
		if (heir)
			clear_here(group, nid, share->id);
	}
	rcu_read_unlock();
	return set;
}

void share_clear(const struct shrinker_share *share, int nid)
{
	rcu_read_lock();
	clear_here(share->group, nid, share->id);
	rcu_read_unlock();
}

bool share_test(const struct shrinker_share *share, int nid)
{
	struct shrinker_info_unit *unit;
	bool set;

	rcu_read_lock();
	unit = unit_find(share->group, nid, share->id);
	set = unit && test_bit(bit_of(share->id), &unit->map);
	rcu_read_unlock();
	return set;
}

/* ---- Deferred work -------------------------------------------------------------- */

long share_take_deferred(const struct shrinker_share *share, int nid)
{
	struct shrinker_info_unit *unit;
	long nr = 0;

	rcu_read_lock();
	unit = unit_find(share->group, nid, share->id);
	if (unit)
		nr = atomic_long_xchg(&unit->deferred[bit_of(share->id)], 0);
	rcu_read_unlock();
	return nr;
}

/*
 * Add in one group.  Returns the new value there; or, when it is retired,
 * leaves in *@nr what its heir has to take, and sets *@heir.
 */
static long add_here(struct shrinker_info_group *group, int id, int nid,
		     long *nr, struct shrinker_info_group **heir)
{
	struct shrinker_info_unit *unit = unit_find(group, nid, id);
	long new = 0;

	if (unit) {
		new = atomic_long_add_return(*nr, &unit->deferred[bit_of(id)]);
		smp_mb__after_atomic(); /* B3 */
	} else {
		smp_rmb(); /* B3 */
	}
	*heir = READ_ONCE(group->heir);
	if (*heir && unit)
		*nr = atomic_long_xchg(&unit->deferred[bit_of(id)], 0);
	return new;
}

long share_add_deferred(const struct shrinker_share *share, int nid, long nr)
{
	struct shrinker_info_group *group = share->group;
	struct shrinker_info_group *heir;
	long new;

	rcu_read_lock();
	do {
		new = add_here(group, share->id, nid, &nr, &heir);
		group = heir;
	} while (heir && nr);
	rcu_read_unlock();
	return new;
}

/* ---- The walk ---------------------------------------------------------------------- */

/* The first startable shrinker of @unit from *@bit on, pinned. */
static struct shrinker_info_cache *pin_next(struct shrinker_info_unit *unit,
					    unsigned long first_id, int *bit)
{
	struct shrinker_info_cache *cache;

	for_each_set_bit_from(*bit, &unit->map, SHRINKER_UNIT_BITS) {
		cache = xa_load(&caches, first_id + *bit);
		if (cache && shrinker_info_pin(cache))
			return cache;
	}
	return NULL;
}

struct shrinker_info_cache *share_next(struct shrinker_info_group *group,
				       int nid, struct share_cursor *cursor)
{
	UNIT_WALK(walk, group, nid, cursor->id / SHRINKER_UNIT_BITS);
	struct shrinker_info_cache *cache = NULL;
	struct shrinker_info_unit *unit;
	unsigned long first_id;
	int bit;

	rcu_read_lock();
	while ((unit = unit_next(&walk))) {
		first_id = unit_walk_index(&walk) * SHRINKER_UNIT_BITS;
		bit = cursor->id > first_id ? (int)(cursor->id - first_id) : 0;
		cache = pin_next(unit, first_id, &bit);
		if (!cache)
			continue;
		cursor->id = first_id + bit + 1;
		cursor->share.group = group;
		cursor->share.id = (int)first_id + bit;
		break;
	}
	rcu_read_unlock();
	return cache;
}
