/* SPDX-License-Identifier: MIT */
/*
 * xarray_edges.h - the indices that tests of the xarray are run at
 *
 * At each of them the tree changes its height, or the next one is in another
 * node, for 64 slots to a node or for 4.
 */
#ifndef WANE_TEST_XARRAY_EDGES_H
#define WANE_TEST_XARRAY_EDGES_H

#include "../test.h"

#include <errno.h>
#include <limits.h>

#include "slab_cache.h"
#include "xarray.h"

static const unsigned long edges[] = {
	0,
	1,
	2,
	3,
	4,
	5,
	15,
	16,
	17,
	62,
	63,
	64,
	65,
	4095,
	4096,
	4097,
	(1ul << 32) - 1,
	1ul << 32,
	(1ul << 32) + 1,
	LONG_MAX,
	1ul << 63,
	ULONG_MAX - 64,
	ULONG_MAX - 63,
	ULONG_MAX - 1,
	ULONG_MAX,
};

#define EDGES ARRAY_SIZE(edges)

/* An entry for each edge. */
static long items[EDGES];

/* Nodes in use, also those that wait for their readers. */
static size_t nodes(void)
{
	struct wane_slab_info info = { .size = sizeof(info) };

	wane_slab_info(xarray_node_slab, &info);
	return info.active;
}

static size_t nodes_base;

/* Around each test: no node is left behind. */
static inline int setup(void **state)
{
	(void)state;
	wane_barrier();
	nodes_base = nodes();
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	wane_barrier();
	return nodes() != nodes_base;
}

static inline void put(struct xarray *xa, size_t edge)
{
	assert_int_equal(xarray_store(xa, edges[edge], &items[edge], NULL), 0);
	xarray_assert_valid(xa);
}

static inline void drop(struct xarray *xa, size_t edge)
{
	assert_ptr_equal(xarray_erase(xa, edges[edge]), &items[edge]);
	assert_null(xarray_load(xa, edges[edge]));
	xarray_assert_valid(xa);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif /* WANE_TEST_XARRAY_EDGES_H */
