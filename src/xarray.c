// SPDX-License-Identifier: MIT
/*
 * xarray.c - a radix tree that is never higher than its highest index needs
 *
 * Indices 0, 2 and 195 with 64 slots to a node:
 *
 *	head --> node, shift 6             one slot for each 64 indices
 *	         [0] --> node, shift 0     indices 0 to 63
 *	         |       [0] entry
 *	         |       [2] entry
 *	         [3] --> node, shift 0     indices 192 to 255
 *	                 [3] entry
 *
 * An entry at index 0 with no other stands in the head itself, without a node.
 * Per node there is a bit for each slot that is not NULL, and for each mark a
 * bit for each slot that has it somewhere below.
 *
 * What always holds, but for readers in the middle of a change:
 *
 *	no node is empty
 *	the top node has more than its slot 0, else it would be one too many
 *	bit in the parent  <=>  some bit in the child, of presence and each mark
 *
 * Readers take no lock, so what they can reach is whole at each moment:
 *
 * Store    builds the missing nodes bottom up around the entry, and publishes
 *          all of them by one write.  Memory for them is taken before the
 *          first change, so a store that fails has changed nothing.
 * Grow     a new top node has the old one in slot 0.  Who still holds the old
 *          one finds there what was in the array when it looked at the head.
 * Erase    clears the entry, then unlinks the nodes that became empty.  Who
 *          still holds one sees an empty node, which is true of its range at
 *          the moment it was unlinked.
 * Shrink   a top node with slot 0 alone gives way to what is in that slot.
 *          It keeps the pointer: who still holds it goes on down from it, and
 *          never misses an entry that stays.
 *
 * So a node never moves within the tree, and what it is unlinked with stays in
 * it until the grace period is over.  Bits are set before the slot they speak
 * of and cleared after it, top down and bottom up: a reader that sees an entry
 * sees its bits.
 */
#include "xarray_node.h"

#include <string.h>

#include "slab_cache.h"

struct wane_slab *xarray_node_slab;

int xarray_start(void)
{
	const struct wane_slab_config config = {
		.size = sizeof(config),
		.name = "xarray_node",
		.object_size = sizeof(struct node),
	};

	_Static_assert(sizeof(struct node) <= 576, "a node is too large");
	return slab_create(&xarray_node_slab, &config);
}

void xarray_init(struct xarray *xa)
{
	lock_init(&xa->lock, RANK_XARRAY);
	xa->marks = 0;
	xa->head = NULL;
}

/* ---- Nodes --------------------------------------------------------------- */

static void node_free(struct rcu_head *head)
{
	slab_give(xarray_node_slab, rcu_deferred(head, struct node, rcu));
}

/* Readers may be in it. */
static void node_retire(struct node *node)
{
	rcu_defer(&node->rcu, node_free);
}

/* Nodes that were taken for a store, linked by their parent. */
struct spare {
	struct node *first;
};

static void spare_give(struct spare *spare)
{
	while (spare->first) {
		struct node *node = spare->first;

		spare->first = node->parent;
		slab_give(xarray_node_slab, node);
	}
}

static int spare_take(struct spare *spare, unsigned int nr)
{
	while (nr--) {
		struct node *node = slab_take(xarray_node_slab, NODE_HERE);

		if (!node) {
			spare_give(spare);
			return -ENOMEM;
		}
		node->parent = spare->first;
		spare->first = node;
	}
	return 0;
}

static struct node *node_new(struct spare *spare, unsigned int level)
{
	struct node *node = spare->first;

	spare->first = node->parent;
	memset(node, 0, sizeof(*node));
	node->shift = (uint8_t)(level * XARRAY_SHIFT);
	return node;
}

/* ---- Bits ---------------------------------------------------------------- */

static void bit_set(struct node *node, unsigned int offset,
		    enum xarray_mark mark)
{
	store_release(&node->bits[mark], node->bits[mark] | 1ull << offset);
}

static void bit_clear(struct node *node, unsigned int offset,
		      enum xarray_mark mark)
{
	store_release(&node->bits[mark], node->bits[mark] & ~(1ull << offset));
}

/* Clear @mark at @offset, and above where nothing is left below. */
static void mark_clear(struct node *node, unsigned int offset,
		       enum xarray_mark mark)
{
	while (node && bit_is_set(node, offset, mark)) {
		bit_clear(node, offset, mark);
		if (node->bits[mark])
			return;
		offset = node->offset;
		node = node->parent;
	}
}

/* Whether the top of the tree, node or entry, has a mark. */
static bool head_marked(const struct xarray *xa, const void *head,
			enum xarray_mark mark)
{
	if (is_node(head))
		return to_node((void *)head)->bits[mark];
	return xa->marks >> mark & 1;
}

/* ---- Places -------------------------------------------------------------- */

/* How many levels of nodes an index needs. */
static unsigned int levels_for(unsigned long index)
{
	unsigned int levels = 0;

	for (; index; index >>= XARRAY_SHIFT)
		levels++;
	return levels;
}

/* How many there are; only without any can the head be an entry or NULL. */
static unsigned int levels_of(const struct xarray *xa)
{
	if (!is_node(xa->head))
		return 0;
	return to_node(xa->head)->shift / XARRAY_SHIFT + 1;
}

/**
 * struct place - Where the way down to an index ends.
 * @node: The lowest node on it, or NULL for the head.
 * @slot: In that node, or the head: an entry or NULL.
 * @offset: Of @slot.
 */
struct place {
	struct node *node;
	void **slot;
	unsigned int offset;
};

/* The tree must be high enough for @index, or without nodes. */
static struct place place_of(struct xarray *xa, unsigned long index)
{
	struct place place = { .slot = &xa->head };

	while (is_node(*place.slot)) {
		place.node = to_node(*place.slot);
		place.offset = offset_of(place.node, index);
		place.slot = &place.node->slot[place.offset];
	}
	return place;
}

/* The entry at @index and its place, for a writer. */
static void *entry_at(struct xarray *xa, unsigned long index,
		      struct place *place)
{
	lock_assert_held(&xa->lock);
	if (levels_for(index) > levels_of(xa))
		return NULL;
	*place = place_of(xa, index);
	return *place->slot;
}

/* ---- Store --------------------------------------------------------------- */

static void head_publish(struct xarray *xa, void *head, uint8_t marks)
{
	/* Readers look at marks only where they found an entry in the head. */
	if (!is_node(head))
		store_relaxed(&xa->marks, marks);
	else
		to_node(head)->parent = NULL;
	rcu_publish(&xa->head, head);
}

static void slot_publish(struct node *node, unsigned int offset, void *child)
{
	if (is_node(child)) {
		to_node(child)->parent = node;
		to_node(child)->offset = (uint8_t)offset;
	}
	bit_set(node, offset, XARRAY_PRESENT);
	rcu_publish(&node->slot[offset], child);
}

/* How many nodes a store needs at @index, where nothing is. */
static unsigned int nodes_missing(struct xarray *xa, unsigned long index)
{
	unsigned int want = levels_for(index);
	unsigned int have = levels_of(xa);

	if (!xa->head)
		return want;
	if (want > have) /* those above the head, and those beside it */
		return want - have + want - 1;
	return place_of(xa, index).node->shift / XARRAY_SHIFT;
}

/* Put new nodes on top until there are @levels. */
static void grow(struct xarray *xa, unsigned int levels, struct spare *spare)
{
	for (unsigned int level = levels_of(xa); level < levels; level++) {
		struct node *top = node_new(spare, level);

		for (int mark = 0; mark < XARRAY_NR_MARKS; mark++)
			if (head_marked(xa, xa->head, mark))
				bit_set(top, 0, mark);
		slot_publish(top, 0, xa->head);
		head_publish(xa, from_node(top), 0);
	}
}

/* Put @entry where nothing is, with as many nodes as nodes_missing() said. */
static void attach(struct xarray *xa, unsigned long index, void *entry,
		   struct spare *spare)
{
	struct place place;
	unsigned int missing;

	if (xa->head)
		grow(xa, levels_for(index), spare);
	missing = nodes_missing(xa, index);
	place = place_of(xa, index);
	for (unsigned int level = 0; level < missing; level++) {
		struct node *node = node_new(spare, level);

		slot_publish(node, offset_of(node, index), entry);
		entry = from_node(node);
	}
	if (place.node)
		slot_publish(place.node, place.offset, entry);
	else
		head_publish(xa, entry, 0);
}

static int add(struct xarray *xa, unsigned long index, void *entry)
{
	struct spare spare = { NULL };

	if (spare_take(&spare, nodes_missing(xa, index)))
		return -ENOMEM;
	attach(xa, index, entry, &spare);
	wane_assert(!spare.first);
	return 0;
}

static void replace(struct xarray *xa, const struct place *place, void *entry)
{
	if (!place->node) {
		head_publish(xa, entry, 0);
		return;
	}
	for (int mark = 0; mark < XARRAY_NR_MARKS; mark++)
		mark_clear(place->node, place->offset, mark);
	rcu_publish(place->slot, entry);
}

/* ---- Erase --------------------------------------------------------------- */

/* Unlink @node and those above it, as far as they are empty. */
static void prune(struct xarray *xa, struct node *node)
{
	while (node && !node->bits[XARRAY_PRESENT]) {
		struct node *parent = node->parent;

		if (parent) {
			rcu_publish(&parent->slot[node->offset], NULL);
			bit_clear(parent, node->offset, XARRAY_PRESENT);
		} else {
			head_publish(xa, NULL, 0);
		}
		node_retire(node);
		node = parent;
	}
}

static void shrink(struct xarray *xa)
{
	while (is_node(xa->head)) {
		struct node *top = to_node(xa->head);
		uint8_t marks = 0;

		if (top->bits[XARRAY_PRESENT] != 1)
			return;
		for (int mark = 0; mark < XARRAY_NR_MARKS; mark++)
			marks |= (uint8_t)(top->bits[mark] << mark);
		head_publish(xa, top->slot[0], marks);
		node_retire(top);
	}
}

static void erase(struct xarray *xa, const struct place *place)
{
	replace(xa, place, NULL);
	if (!place->node)
		return;
	bit_clear(place->node, place->offset, XARRAY_PRESENT);
	prune(xa, place->node);
	shrink(xa);
}

/* ---- What writers call --------------------------------------------------- */

/* Put @entry or NULL at @index, where @old or NULL is, at @place. */
static int change(struct xarray *xa, unsigned long index, void *old,
		  const struct place *place, void *entry)
{
	wane_assert(((uintptr_t)entry & 3) == 0);
	if (!old)
		return entry ? add(xa, index, entry) : 0;
	if (entry)
		replace(xa, place, entry);
	else
		erase(xa, place);
	return 0;
}

int xarray_store(struct xarray *xa, unsigned long index, void *entry,
		 void **old)
{
	struct place place;
	void *was;
	int err;

	lock_take(&xa->lock);
	was = entry_at(xa, index, &place);
	err = change(xa, index, was, &place, entry);
	lock_drop(&xa->lock);
	if (!err && old)
		*old = was;
	return err;
}

int xarray_insert(struct xarray *xa, unsigned long index, void *entry)
{
	struct place place;
	int err = -EBUSY;

	lock_take(&xa->lock);
	if (!entry_at(xa, index, &place))
		err = change(xa, index, NULL, &place, entry);
	lock_drop(&xa->lock);
	return err;
}

int xarray_compare_exchange(struct xarray *xa, unsigned long index,
			    void *expected, void *entry, void **found)
{
	struct place place;
	void *was;
	int err = 0;

	lock_take(&xa->lock);
	was = entry_at(xa, index, &place);
	if (was == expected)
		err = change(xa, index, was, &place, entry);
	lock_drop(&xa->lock);
	if (!err)
		*found = was;
	return err;
}

void *xarray_erase(struct xarray *xa, unsigned long index)
{
	void *old;

	(void)xarray_store(xa, index, NULL, &old);
	return old;
}

static void free_below(void *slot)
{
	struct node *node;

	if (!is_node(slot))
		return;
	node = to_node(slot);
	for (unsigned int i = 0; i < XARRAY_SLOTS; i++)
		free_below(node->slot[i]);
	slab_give(xarray_node_slab, node);
}

void xarray_destroy(struct xarray *xa)
{
	free_below(xa->head);
	xa->head = NULL;
	xa->marks = 0;
}

/* ---- Marks --------------------------------------------------------------- */

void xarray_set_mark(struct xarray *xa, unsigned long index,
		     enum xarray_mark mark)
{
	struct place place;
	void *slot;

	lock_take(&xa->lock);
	if (!entry_at(xa, index, &place))
		goto out;
	if (!place.node)
		store_relaxed(&xa->marks, xa->marks | 1u << mark);
	for (slot = xa->head; is_node(slot);
	     slot = to_node(slot)->slot[offset_of(to_node(slot), index)])
		bit_set(to_node(slot), offset_of(to_node(slot), index), mark);
out:
	lock_drop(&xa->lock);
}

void xarray_clear_mark(struct xarray *xa, unsigned long index,
		       enum xarray_mark mark)
{
	struct place place;

	lock_take(&xa->lock);
	if (!entry_at(xa, index, &place))
		goto out;
	if (place.node)
		mark_clear(place.node, place.offset, mark);
	else
		store_relaxed(&xa->marks, xa->marks & ~(1u << mark));
out:
	lock_drop(&xa->lock);
}
