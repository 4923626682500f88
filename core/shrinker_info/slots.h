/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The slots of a group, and the words with their bits: what pairs.c, which
 * includes this once, says of them.
 */

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

/* How many slots a group needs next: 0, unless it has no free one. */
static unsigned int slots_wanted(const struct shrinker_info_group *group)
{
	unsigned int nr = READ_ONCE(group->nr_slots);

	if (READ_ONCE(group->nr_pairs) < nr)
		return 0;
	return nr ? 2 * nr : FIRST_SLOTS;
}

/* @nr slots, with the one segment that half of them does without. */
static struct shrinker_slots *slots_alloc(unsigned int nr, gfp_t gfp)
{
	unsigned int segments = nr_segments(nr);
	struct shrinker_slots *new = info_alloc(slots_size(nr), gfp);
	void *words;

	if (!new)
		return NULL;
	new->nr = nr;
	if (segments == 0)
		return new;
	words = info_alloc(segment_size(segments - 1), gfp);
	if (!words) {
		slots_free(new);
		return NULL;
	}
	new->entry[nr + segments - 1] = words;
	return new;
}

/* Twice as many slots, with the same pairs and the same words. */
static void slots_grow(struct shrinker_info_group *group,
		       struct shrinker_slots *new)
{
	struct shrinker_slots *old = group->slots;

	if (old) {
		memcpy(new->entry, old->entry, old->nr * sizeof(void *));
		memcpy(new->entry + new->nr, old->entry + old->nr,
		       nr_segments(old->nr) * sizeof(void *));
	}
	slots_replace(group, new);
}

/* The lowest free slot, so that they stay dense.  There is one. */
static unsigned int slot_find(struct shrinker_info_group *group)
{
	unsigned int slot = group->first_free;

	while (group->slots->entry[slot])
		slot++;
	group->first_free = slot;
	return slot;
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
