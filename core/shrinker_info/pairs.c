// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * pairs.c - one small object per share, and no units at all
 *
 *	group   word, node 0     1 0 0 1 0 ...      bit = slot
 *	        word, node 1     0 0 0 1 0 ...
 *	        slots            | |   |
 *	                         v v   v
 *	                         A B   C            pairs: (group, shrinker)
 *	                         '---- deferred, per node
 *
 * A pair has a slot of its group's own, counted from 0, so a group that uses
 * k shrinkers has k bits, wherever their ids are: its walk looks at one word,
 * and what it finds there leads to the shrinker with one load.  Registering a
 * shrinker and making a group need nothing at all.
 *
 * Slots      grow by doubling into a copy, for which whoever finds all taken
 *            has got room; the words with the bits never move, so a bit that
 *            is set meanwhile is never lost.  The first 64 are in
 *            the group; those of slots [64 << s, 128 << s) are segment s, one
 *            allocation for all nodes.
 *
 *	slots   pair 0 .. pair 255   segment 0   segment 1
 *	                             64..127     128..255
 *
 * Reuse      A slot is free again when its pair ends.  Whoever holds a pair
 *            longer, because it sleeps in a scan, asks first whether the slot
 *            is still the pair's.  That alone is not enough to clear a bit (B5).
 * Lifetime   A pair is referenced by its place in the slots, by walks, and by
 *            the pairs whose heir it is; it goes a grace period after the last.
 * Locks      None to read, to set and clear bits, or for deferred work.
 *            Making and ending shares of a group is serialised by the caller.
 *
 * B5	share_clear(A)			share_put(A), then share_get(B), same slot
 *	the slot is A's			the slot is B's
 *	clear bit			make item visible
 *	full barrier			full barrier
 *	is the slot another's?		set bit
 *	yes: set bit
 *	Either the clear came before B's set, or A's holder sees B and sets it.
 */
#include "../shrinker_info.h"

#include "slots.h"

/* Nothing needs an id. */
static int ids_register(struct shrinker_info_cache *cache, gfp_t gfp)
{
	(void)cache;
	(void)gfp;
	return 0;
}

static void ids_unregister(struct shrinker_info_cache *cache)
{
	(void)cache;
}

#include "pins.h"

static struct kmem_cache *pair_cache;

int shrinker_info_init(void)
{
	pair_cache = kmem_cache_create("shrinker_pair",
				       sizeof(struct shrinker_pair) +
					       (unsigned int)nr_node_ids *
						       sizeof(atomic_long_t),
				       0, 0, NULL);
	return pair_cache ? 0 : -ENOMEM;
}

/* ---- Groups --------------------------------------------------------------------- */

size_t shrinker_info_group_size(void)
{
	return sizeof(struct shrinker_info_group) +
	       (size_t)nr_node_ids * sizeof(unsigned long);
}

int shrinker_info_group_init(struct shrinker_info_group *group, gfp_t gfp)
{
	(void)gfp;
	memset(group, 0, shrinker_info_group_size());
	return 0;
}

void shrinker_info_group_exit(struct shrinker_info_group *group)
{
	WARN_ON_ONCE(group->slots);
	(void)group;
}

bool shrinker_info_idle(struct shrinker_info_group *group, int nid)
{
	return !READ_ONCE(group->word[nid]) &&
	       READ_ONCE(group->nr_slots) <= WORD_BITS;
}

/* ---- Pairs ---------------------------------------------------------------------- */

static void pair_free_rcu(struct rcu_head *head);

static void pair_put(struct shrinker_pair *pair)
{
	if (pair && refcount_dec_and_test(&pair->refs))
		call_rcu(&pair->rcu, pair_free_rcu);
}

static void pair_free_rcu(struct rcu_head *head)
{
	struct shrinker_pair *pair =
		rcu_container(head, struct shrinker_pair, rcu);

	pair_put(pair->heir);
	kmem_cache_free(pair_cache, pair);
}

/* ---- Room ------------------------------------------------------------------------ */

int share_room_get(struct share_room *room, struct shrinker_info_group *group,
		   struct shrinker_info_cache *cache, gfp_t gfp)
{
	unsigned int wanted = slots_wanted(group);

	(void)cache;
	if (!room->pair)
		room->pair = kmem_cache_alloc_node(pair_cache, gfp | __GFP_ZERO,
						   numa_node_id());
	if (!room->pair)
		return -ENOMEM;
	if (!wanted || (room->slots && room->slots->nr == wanted))
		return 0;
	if (room->slots)
		slots_free(room->slots);
	room->slots = slots_alloc(wanted, gfp);
	return room->slots ? 0 : -ENOMEM;
}

void share_room_put(struct share_room *room)
{
	if (room->pair)
		kmem_cache_free(pair_cache, room->pair);
	if (room->slots)
		slots_free(room->slots);
	room->pair = NULL;
	room->slots = NULL;
}

/* See to it that there is a free slot. */
static int room_use_slots(struct share_room *room,
			  struct shrinker_info_group *group)
{
	unsigned int wanted = slots_wanted(group);

	if (!wanted)
		return 0;
	if (!room->slots || room->slots->nr != wanted)
		return -EAGAIN;
	slots_grow(group, room->slots);
	room->slots = NULL;
	return 0;
}

/* ---- Shares ----------------------------------------------------------------------- */

int share_get(struct shrinker_share *share, struct shrinker_info_group *group,
	      struct shrinker_info_cache *cache, struct share_room *room)
{
	struct shrinker_pair *pair = room->pair;
	int nid;

	if (!pair || room_use_slots(room, group))
		return -EAGAIN;
	room->pair = NULL;
	pair->group = group;
	pair->cache = cache;
	pair->slot = slot_find(group);
	pair->word = find_word(group, group->slots, pair->slot / WORD_BITS,
			       &pair->stride);
	refcount_set(&pair->refs, 1);
	for_each_node(nid)
		clear_bit(pair_bit(pair), pair_word(pair, nid));
	rcu_assign_pointer(group->slots->entry[pair->slot], pair);
	WRITE_ONCE(group->nr_pairs, group->nr_pairs + 1);
	WRITE_ONCE(share->pair, pair);
	return 0;
}

void share_put(struct shrinker_share *share)
{
	struct shrinker_pair *pair = share->pair;
	struct shrinker_info_group *group = pair->group;
	int nid;

	rcu_assign_pointer(group->slots->entry[pair->slot], NULL);
	for_each_node(nid)
		clear_bit(pair_bit(pair), pair_word(pair, nid));
	group->first_free = min(group->first_free, pair->slot);
	WRITE_ONCE(group->nr_pairs, group->nr_pairs - 1);
	if (group->nr_pairs == 0)
		slots_replace(group, NULL);
	share_forget(share);
	pair_put(pair);
}

void share_retire(struct shrinker_share *share,
		  const struct shrinker_share *heir)
{
	int nid;

	/* The heir may be ending, too, with its shrinker: then there is none. */
	if (!share_is_none(heir) && refcount_inc_not_zero(&heir->pair->refs)) {
		rcu_assign_pointer(share->pair->heir, heir->pair);
		smp_mb(); /* B3 */
		for_each_node(nid)
			share_move(share, heir, nid);
	}
	share_put(share);
}

/* ---- Bits ----------------------------------------------------------------------- */

bool share_set(const struct shrinker_share *share, int nid)
{
	struct shrinker_pair *pair = share->pair;
	bool set = false;

	rcu_read_lock();
	for (; pair; pair = rcu_dereference(pair->heir)) {
		if (!slot_is(pair)) {
			smp_rmb(); /* B3 */
			continue;
		}
		smp_mb__before_atomic(); /* B1, B5 */
		set_bit(pair_bit(pair), pair_word(pair, nid));
		smp_mb__after_atomic(); /* B3 */
		set = true;
	}
	rcu_read_unlock();
	return set;
}

void share_clear(const struct shrinker_share *share, int nid)
{
	struct shrinker_pair *pair = share->pair;

	rcu_read_lock();
	if (slot_is(pair)) {
		clear_bit(pair_bit(pair), pair_word(pair, nid));
		smp_mb__after_atomic(); /* B1, B5 */
		if (slot_is_others(pair))
			set_bit(pair_bit(pair), pair_word(pair, nid));
	}
	rcu_read_unlock();
}

bool share_test(const struct shrinker_share *share, int nid)
{
	struct shrinker_pair *pair = share->pair;
	bool set;

	rcu_read_lock();
	set = slot_is(pair) && test_bit(pair_bit(pair), pair_word(pair, nid));
	rcu_read_unlock();
	return set;
}

/* ---- Deferred work ----------------------------------------------------------------- */

/* Mostly there is none, and a load that tells so costs less than an exchange. */
long share_take_deferred(const struct shrinker_share *share, int nid)
{
	atomic_long_t *deferred = &share->pair->deferred[nid];

	return atomic_long_read(deferred) ? atomic_long_xchg(deferred, 0) : 0;
}

long share_add_deferred(const struct shrinker_share *share, int nid, long nr)
{
	struct shrinker_pair *pair = share->pair;
	struct shrinker_pair *heir;
	long new;

	if (!nr)
		return atomic_long_read(&pair->deferred[nid]);
	rcu_read_lock();
	for (;;) {
		new = atomic_long_add_return(nr, &pair->deferred[nid]);
		smp_mb__after_atomic(); /* B3 */
		heir = rcu_dereference(pair->heir);
		if (!heir)
			break;
		nr = atomic_long_xchg(&pair->deferred[nid], 0);
		pair = heir;
	}
	rcu_read_unlock();
	return new;
}

/* ---- The walk ------------------------------------------------------------------------ */

/* The pair of a slot, referenced, with its shrinker pinned; or NULL. */
static struct shrinker_pair *slot_pin(struct shrinker_slots *slots,
				      unsigned int slot)
{
	struct shrinker_pair *pair = rcu_dereference(slots->entry[slot]);

	if (!pair || !refcount_inc_not_zero(&pair->refs))
		return NULL;
	if (shrinker_info_pin(pair->cache))
		return pair;
	pair_put(pair);
	return NULL;
}

/* The first of a word, from *@slot on, that can be pinned. */
static struct shrinker_pair *word_next(struct shrinker_slots *slots,
				       const unsigned long *word,
				       unsigned int *slot)
{
	unsigned int first = *slot - *slot % WORD_BITS;
	int bit = (int)(*slot % WORD_BITS);
	struct shrinker_pair *pair;

	for_each_set_bit_from(bit, word, (int)WORD_BITS) {
		*slot = first + (unsigned int)bit;
		/* Of a slot made since: for the next walk. */
		if (*slot >= slots->nr)
			break;
		pair = slot_pin(slots, *slot);
		if (pair)
			return pair;
	}
	*slot = first + WORD_BITS;
	return NULL;
}

static struct shrinker_pair *slots_next(struct shrinker_info_group *group,
					int nid, unsigned int *slot)
{
	struct shrinker_slots *slots = rcu_dereference(group->slots);
	struct shrinker_pair *pair = NULL;
	unsigned long *word;
	unsigned int stride;

	while (slots && !pair && *slot < slots->nr) {
		word = find_word(group, slots, *slot / WORD_BITS, &stride);
		pair = word_next(slots, word + (size_t)nid * stride, slot);
	}
	return pair;
}

struct shrinker_info_cache *share_next(struct shrinker_info_group *group,
				       int nid, struct share_cursor *cursor)
{
	struct shrinker_pair *pair;

	pair_put(cursor->share.pair);
	rcu_read_lock();
	pair = slots_next(group, nid, &cursor->slot);
	rcu_read_unlock();
	cursor->share.pair = pair;
	cursor->slot++;
	return pair ? pair->cache : NULL;
}
