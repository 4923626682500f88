// SPDX-License-Identifier: MIT
/*
 * xarray_find.c - reading an xarray: load, find, walk, and the check of all
 *
 * Nothing here takes a lock but the check.  A search goes down from the head,
 * and in each node from slot to slot by that node's bits:
 *
 *	search 3, in	[0] [1]     the way to index 3: nothing from there on
 *	                 |   '----- the next slot with the bit: from its first
 *	                 |          index on, 64
 *	                 '--------- done with it
 *
 * A bit whose slot holds nothing is a change in the middle: the search passes
 * over it.  No reader looks at a parent, as that of the top node changes.
 *
 * The cursor stays in the leaf it found its last entry in.  A leaf may have
 * left the tree meanwhile, but then it has nothing behind its slot 0 any more
 * (see xarray.c), so the cursor comes to its end and goes down from the head
 * again.
 */
#include "xarray_node.h"

/* ---- Load ---------------------------------------------------------------- */

/* Return the entry at @index, and in *@leaf its node, NULL for the head. */
static void *descend(struct xarray *xa, unsigned long index, struct node **leaf)
{
	void *slot = rcu_read(&xa->head);

	*leaf = NULL;
	if (is_node(slot) ? !node_covers(to_node(slot), index) : index > 0)
		return NULL;
	while (is_node(slot)) {
		*leaf = to_node(slot);
		slot = rcu_read(&(*leaf)->slot[offset_of(*leaf, index)]);
	}
	return slot;
}

void *xarray_load(struct xarray *xa, unsigned long index)
{
	struct node *leaf;

	return descend(xa, index, &leaf);
}

bool xarray_get_mark(struct xarray *xa, unsigned long index,
		     enum xarray_mark mark)
{
	struct node *leaf;

	if (!descend(xa, index, &leaf))
		return false;
	if (leaf)
		return bit_is_set(leaf, offset_of(leaf, index), mark);
	return load_relaxed(&xa->marks) >> mark & 1;
}

/* ---- Find ---------------------------------------------------------------- */

/**
 * struct search - A search for the next entry.
 * @index: Nothing before it is of interest; in the end the entry's index.
 * @max: Nothing after it is.
 * @mark: The bits to follow.
 * @leaf: In the end the entry's node, NULL for the head.
 */
struct search {
	unsigned long index;
	unsigned long max;
	enum xarray_mark mark;
	struct node *leaf;
};

/* The first index of slot @offset in @node, which has @index below it. */
static unsigned long first_index(const struct node *node, unsigned long index,
				 unsigned int offset)
{
	unsigned long slots = index >> node->shift;

	slots &= ~(unsigned long)(XARRAY_SLOTS - 1);
	return (slots | offset) << node->shift;
}

static void *find_below(struct node *node, struct search *search)
{
	unsigned int first = offset_of(node, search->index);
	uint64_t bits = load_acquire(&node->bits[search->mark]);

	for (bits &= ~0ull << first; bits; bits &= bits - 1) {
		unsigned int offset = (unsigned int)__builtin_ctzll(bits);
		void *slot;

		if (offset > first)
			search->index =
				first_index(node, search->index, offset);
		if (search->index > search->max)
			return NULL;
		slot = rcu_read(&node->slot[offset]);
		if (is_node(slot))
			slot = find_below(to_node(slot), search);
		else
			search->leaf = node;
		if (slot)
			return slot;
	}
	return NULL;
}

static void *find(struct xarray *xa, struct search *search)
{
	void *head = rcu_read(&xa->head);

	search->leaf = NULL;
	if (is_node(head)) {
		if (!node_covers(to_node(head), search->index))
			return NULL;
		return find_below(to_node(head), search);
	}
	if (!head || search->index > 0)
		return NULL;
	if (search->mark == XARRAY_PRESENT)
		return head;
	return load_relaxed(&xa->marks) >> search->mark & 1 ? head : NULL;
}

void *xarray_find(struct xarray *xa, unsigned long *index, unsigned long max,
		  enum xarray_mark mark)
{
	struct search search = { .index = *index, .max = max, .mark = mark };
	void *entry = find(xa, &search);

	if (entry)
		*index = search.index;
	return entry;
}

void *xarray_find_after(struct xarray *xa, unsigned long *index,
			unsigned long max, enum xarray_mark mark)
{
	unsigned long next = *index + 1;
	void *entry;

	if (next == 0)
		return NULL;
	entry = xarray_find(xa, &next, max, mark);
	if (entry)
		*index = next;
	return entry;
}

/* ---- Cursor -------------------------------------------------------------- */

void *xarray_cursor_next(struct xarray_cursor *cursor)
{
	struct search search = {
		.index = cursor->index + cursor->begun,
		.max = ULONG_MAX,
		.mark = XARRAY_PRESENT,
		.leaf = cursor->leaf,
	};
	void *entry = NULL;

	if (search.index < cursor->index)
		return NULL;
	if (search.leaf && offset_of(search.leaf, search.index) > 0)
		entry = find_below(search.leaf, &search);
	if (!entry)
		entry = find(cursor->xa, &search);
	if (!entry)
		return NULL;
	cursor->index = search.index;
	cursor->leaf = search.leaf;
	cursor->begun = true;
	return entry;
}

void xarray_cursor_pause(struct xarray_cursor *cursor)
{
	cursor->leaf = NULL;
}

/* ---- Check --------------------------------------------------------------- */

static void check_child(const struct node *node, unsigned int offset,
			const struct node *child)
{
	wane_assert(child->parent == node);
	wane_assert(child->offset == offset);
	wane_assert(child->shift + XARRAY_SHIFT == node->shift);
	for (int mark = 0; mark <= XARRAY_PRESENT; mark++)
		wane_assert(bit_is_set(node, offset, mark) ==
			    (child->bits[mark] != 0));
}

static void check_node(const struct node *node)
{
	wane_assert(node->bits[XARRAY_PRESENT] != 0);
	for (unsigned int i = 0; i < XARRAY_SLOTS; i++) {
		void *slot = node->slot[i];

		wane_assert(bit_is_set(node, i, XARRAY_PRESENT) == !!slot);
		for (int mark = 0; mark < XARRAY_NR_MARKS; mark++)
			wane_assert(slot || !bit_is_set(node, i, mark));
		wane_assert(!slot || is_node(slot) == (node->shift > 0));
		if (!is_node(slot))
			continue;
		check_child(node, i, to_node(slot));
		check_node(to_node(slot));
	}
}

void xarray_assert_valid(struct xarray *xa)
{
	lock_take(&xa->lock);
	if (is_node(xa->head)) {
		wane_assert(!to_node(xa->head)->parent);
		wane_assert(to_node(xa->head)->bits[XARRAY_PRESENT] > 1);
		check_node(to_node(xa->head));
	} else {
		wane_assert(xa->head || !xa->marks);
	}
	lock_drop(&xa->lock);
}
