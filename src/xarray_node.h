/* SPDX-License-Identifier: MIT */
/*
 * xarray_node.h - the nodes of an xarray: for xarray.c and xarray_find.c alone
 */
#ifndef WANE_XARRAY_NODE_H
#define WANE_XARRAY_NODE_H

#include "xarray.h"

/**
 * struct node - One level of the tree.
 * @shift: Fixed: an index has its slot in bits @shift to @shift + 5.
 * @offset: This node's slot in @parent.  Writers only.
 * @parent: NULL for the top node.  Writers only.
 * @rcu: For the deferred free.
 * @bits: [mark] which slots have the mark, or an entry that has it below;
 *        [XARRAY_PRESENT] which slots are not NULL.
 * @slot: NULL, a node, or, with @shift 0, an entry.
 */
struct node {
	uint8_t shift;
	uint8_t offset;
	struct node *parent;
	struct rcu_head rcu;
	uint64_t bits[XARRAY_PRESENT + 1];
	void *slot[XARRAY_SLOTS];
};

/* A pointer to a node is told from an entry by its lowest bit. */
static inline bool is_node(const void *slot)
{
	return (uintptr_t)slot & 1;
}

static inline struct node *to_node(void *slot)
{
	return (struct node *)((char *)slot - 1);
}

static inline void *from_node(struct node *node)
{
	return (char *)node + 1;
}

static inline unsigned int offset_of(const struct node *node,
				     unsigned long index)
{
	return (index >> node->shift) & (XARRAY_SLOTS - 1);
}

/* Whether @index lies below @node, where @node is a top node. */
static inline bool node_covers(const struct node *node, unsigned long index)
{
	return index >> node->shift < XARRAY_SLOTS;
}

static inline bool bit_is_set(const struct node *node, unsigned int offset,
			      enum xarray_mark mark)
{
	return load_acquire(&node->bits[mark]) >> offset & 1;
}

#endif /* WANE_XARRAY_NODE_H */
