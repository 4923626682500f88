/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
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
 * Slots      grow by doubling into a copy; the words with the bits never move,
 *            so a bit that is set meanwhile is never lost.  The first 64 are in
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

/* Nothing depends on the id: it is a name. */
static int ids_register(struct shrinker_info_cache *cache, gfp_t gfp)
{
	(void)cache, (void)gfp;
	return 0;
}

static void ids_unregister(struct shrinker_info_cache *cache)
{
	(void)cache;
}

#include "pins.h"

#define FIRST_SLOTS 4u
#ifdef WANE_TINY
#define WORD_BITS 4u
#else
#define WORD_BITS ((unsigned int)BITS_PER_LONG)
#endif

/**
 * struct shrinker_pair - A share.
 * @group: Fixed.
 * @cache: Fixed: the shrinker.
 * @word: Fixed: of its bit, on node 0.
 * @stride: Fixed: words from one node to the next.
 * @slot: Fixed.
 * @refs: See above.
 * @heir: Who has what was deferred here, once the group is retired.
 * @rcu: For the free.
 * @deferred: Per node: work put off.
 */
struct shrinker_pair {
	struct shrinker_info_group *group;
	struct shrinker_info_cache *cache;
	unsigned long *word;
	unsigned int stride;
	unsigned int slot;
	refcount_t refs;
	struct shrinker_pair *heir;
	struct rcu_head rcu;
	atomic_long_t deferred[];
};

/**
 * struct shrinker_slots - Who has which slot.
 * @rcu: For the free.
 * @nr: Slots, a power of two.
 * @keep: Freed because it has grown: the segments live on in the next one.
 * @entry: @nr pairs or NULL, then a segment of words for each doubling over 64.
 */
struct shrinker_slots {
	struct rcu_head rcu;
	unsigned int nr;
	bool keep;
	void *entry[];
};

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

/* ---- Words -------------------------------------------------------------------- */

static unsigned int nr_segments(unsigned int nr_slots)
{
	return nr_slots > WORD_BITS ? ilog2(nr_slots / WORD_BITS) : 0;
}

/* Words per node of a segment. */
static unsigned int segment_words(unsigned int segment)
{
	return 1u << segment;
}

static size_t segment_size(unsigned int segment)
{
	return (size_t)nr_node_ids * segment_words(segment) *
	       sizeof(unsigned long);
}

/* The word of @index (slot / WORD_BITS) on node 0, and the step to the next. */
static unsigned long *find_word(struct shrinker_info_group *group,
				struct shrinker_slots *slots,
				unsigned int index, unsigned int *stride)
{
	unsigned int segment;
	unsigned long *words;

	if (index == 0) {
		*stride = 1;
		return group->word;
	}
	segment = ilog2(index);
	words = slots->entry[slots->nr + segment];
	*stride = segment_words(segment);
	return words + (index - *stride);
}

static unsigned long *pair_word(const struct shrinker_pair *pair, int nid)
{
	return pair->word + (size_t)nid * pair->stride;
}

static int pair_bit(const struct shrinker_pair *pair)
{
	return (int)(pair->slot % WORD_BITS);
}

/* ---- Slots --------------------------------------------------------------------- */

static size_t slots_size(unsigned int nr)
{
	return sizeof(struct shrinker_slots) +
	       (nr + nr_segments(nr)) * sizeof(void *);
}

static void slots_free(struct shrinker_slots *slots)
{
	unsigned int i;

	for (i = 0; !slots->keep && i < nr_segments(slots->nr); i++)
		info_free(slots->entry[slots->nr + i], segment_size(i));
	info_free(slots, slots_size(slots->nr));
}

static void slots_free_rcu(struct rcu_head *head)
{
	slots_free(rcu_container(head, struct shrinker_slots, rcu));
}

static void slots_replace(struct shrinker_info_group *group,
			  struct shrinker_slots *new)
{
	struct shrinker_slots *old = group->slots;

	rcu_assign_pointer(group->slots, new);
	WRITE_ONCE(group->nr_slots, new ? new->nr : 0);
	if (!old)
		return;
	old->keep = new;
	call_rcu(&old->rcu, slots_free_rcu);
}

/* Twice as many slots, with the same pairs and the same words. */
static int slots_grow(struct shrinker_info_group *group, gfp_t gfp)
{
	struct shrinker_slots *old = group->slots;
	unsigned int nr = old ? 2 * old->nr : FIRST_SLOTS;
	unsigned int had = old ? nr_segments(old->nr) : 0;
	unsigned int has = nr_segments(nr);
	struct shrinker_slots *new = info_alloc(slots_size(nr), gfp);

	if (!new)
		return -ENOMEM;
	new->nr = nr;
	if (old) {
		memcpy(new->entry, old->entry, old->nr * sizeof(void *));
		memcpy(new->entry + nr, old->entry + old->nr,
		       had * sizeof(void *));
	}
	if (has > had) {
		new->entry[nr + had] = info_alloc(segment_size(had), gfp);
		if (!new->entry[nr + had]) {
			info_free(new, slots_size(nr));
			return -ENOMEM;
		}
	}
	slots_replace(group, new);
	return 0;
}

/* The lowest free slot, made if need be: so that they stay dense. */
static int slot_find(struct shrinker_info_group *group, gfp_t gfp)
{
	unsigned int slot = group->first_free;

	while (slot < group->nr_slots && group->slots->entry[slot])
		slot++;
	group->first_free = slot;
	return slot < group->nr_slots ? 0 : slots_grow(group, gfp);
}

/* Who has the pair's slot now, or NULL.  In a read section. */
static struct shrinker_pair *slot_owner(const struct shrinker_pair *pair)
{
	struct shrinker_slots *slots = rcu_dereference(pair->group->slots);

	if (!slots || pair->slot >= slots->nr)
		return NULL;
	return rcu_dereference(slots->entry[pair->slot]);
}

static bool slot_is(const struct shrinker_pair *pair)
{
	return slot_owner(pair) == pair;
}

static bool slot_is_others(const struct shrinker_pair *pair)
{
	struct shrinker_pair *owner = slot_owner(pair);

	return owner && owner != pair;
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

int share_get(struct shrinker_share *share, struct shrinker_info_group *group,
	      struct shrinker_info_cache *cache, gfp_t gfp)
{
	struct shrinker_pair *pair;
	int nid;

	pair = kmem_cache_alloc_node(pair_cache, gfp | __GFP_ZERO,
				     numa_node_id());
	if (!pair)
		return -ENOMEM;
	if (slot_find(group, gfp)) {
		kmem_cache_free(pair_cache, pair);
		return -ENOMEM;
	}
	pair->group = group;
	pair->cache = cache;
	pair->slot = group->first_free;
	pair->word = find_word(group, group->slots, pair->slot / WORD_BITS,
			       &pair->stride);
	refcount_set(&pair->refs, 1);
	for_each_node(nid)
		clear_bit(pair_bit(pair), pair_word(pair, nid));
	rcu_assign_pointer(group->slots->entry[pair->slot], pair);
	group->nr_pairs++;
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
	if (--group->nr_pairs == 0)
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
		if (!slot_is(pair))
			continue;
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

long share_take_deferred(const struct shrinker_share *share, int nid)
{
	return atomic_long_xchg(&share->pair->deferred[nid], 0);
}

long share_add_deferred(const struct shrinker_share *share, int nid, long nr)
{
	struct shrinker_pair *pair = share->pair;
	struct shrinker_pair *heir;
	long new;

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
	/* A bit over the end is of a slot made since: for the next walk. */
	int end = (int)min(WORD_BITS, slots->nr - first);
	int bit = (int)(*slot % WORD_BITS);
	struct shrinker_pair *pair;

	for_each_set_bit_from(bit, word, end) {
		pair = slot_pin(slots, first + (unsigned int)bit);
		if (pair) {
			*slot = first + (unsigned int)bit;
			return pair;
		}
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
