// SPDX-License-Identifier: MIT
/*
 * xarray.c - tests of the xarray at the edges of its indices, case by case
 */
#include "xarray_edges.h"

#include "xarray_node.h"

/* A second entry for each edge, to see which one is there. */
static long others[EDGES];

static size_t nodes_below(void *slot)
{
	size_t nr = 1;

	if (!is_node(slot))
		return 0;
	for (unsigned int i = 0; i < XARRAY_SLOTS; i++)
		nr += nodes_below(to_node(slot)->slot[i]);
	return nr;
}

static size_t nodes_of(struct xarray *xa)
{
	return nodes_below(xa->head);
}

static void *find(struct xarray *xa, unsigned long first, unsigned long max,
		  enum xarray_mark mark, unsigned long *index)
{
	*index = first;
	return xarray_find(xa, index, max, mark);
}

/* ---- One entry ----------------------------------------------------------- */

static void test_empty(void **state)
{
	struct xarray xa;
	unsigned long index = 0;

	(void)state;
	xarray_init(&xa);
	assert_true(xarray_empty(&xa));
	for (size_t i = 0; i < EDGES; i++) {
		struct xarray_cursor cursor = XARRAY_CURSOR(&xa, edges[i]);

		index = edges[i];
		assert_null(xarray_load(&xa, index));
		assert_null(xarray_erase(&xa, index));
		assert_int_equal(xarray_store(&xa, index, NULL, NULL), 0);
		xarray_set_mark(&xa, index, XARRAY_MARK_0);
		assert_false(xarray_get_mark(&xa, index, XARRAY_MARK_0));
		for (int mark = 0; mark <= XARRAY_PRESENT; mark++) {
			assert_null(xarray_find(&xa, &index, ULONG_MAX, mark));
			assert_null(xarray_find_after(&xa, &index, ULONG_MAX,
						      mark));
		}
		assert_int_equal(index, edges[i]);
		assert_null(xarray_cursor_next(&cursor));
		assert_null(xarray_cursor_next(&cursor));
	}
	xarray_assert_valid(&xa);
	xarray_destroy(&xa);
}

/* What the finding functions say about the one entry at @edge. */
static void find_one(struct xarray *xa, size_t edge)
{
	unsigned long at = edges[edge];
	unsigned long index;

	for (size_t i = 0; i < EDGES; i++) {
		bool in = edges[i] <= at;
		void *entry =
			find(xa, edges[i], ULONG_MAX, XARRAY_PRESENT, &index);

		assert_ptr_equal(entry, in ? &items[edge] : NULL);
		assert_int_equal(index, in ? at : edges[i]);
		index = edges[i];
		in = edges[i] < at;
		entry = xarray_find_after(xa, &index, ULONG_MAX,
					  XARRAY_PRESENT);
		assert_ptr_equal(entry, in ? &items[edge] : NULL);
		assert_int_equal(index, in ? at : edges[i]);

		in = edges[i] >= at;
		entry = find(xa, 0, edges[i], XARRAY_PRESENT, &index);
		assert_ptr_equal(entry, in ? &items[edge] : NULL);
		assert_int_equal(index, in ? at : 0);
		assert_ptr_equal(xarray_load(xa, edges[i]),
				 edges[i] == at ? &items[edge] : NULL);
	}
	if (at > 0)
		assert_null(find(xa, 0, at - 1, XARRAY_PRESENT, &index));
	assert_ptr_equal(find(xa, at, at, XARRAY_PRESENT, &index),
			 &items[edge]);
}

static void walk_one(struct xarray *xa, size_t edge, bool pause)
{
	struct xarray_cursor cursor = XARRAY_CURSOR(xa, 0);
	unsigned long index;
	void *entry;
	int nr = 0;

	xarray_for_each(xa, index, entry) {
		assert_int_equal(index, edges[edge]);
		nr++;
	}
	assert_int_equal(nr, 1);
	assert_ptr_equal(xarray_cursor_next(&cursor), &items[edge]);
	assert_int_equal(cursor.index, edges[edge]);
	for (int i = 0; i < 2; i++) {
		if (pause)
			xarray_cursor_pause(&cursor);
		assert_null(xarray_cursor_next(&cursor));
		assert_int_equal(cursor.index, edges[edge]);
	}
}

static void test_one(void **state)
{
	struct xarray xa;

	(void)state;
	xarray_init(&xa);
	for (size_t i = 0; i < EDGES; i++) {
		put(&xa, i);
		assert_false(xarray_empty(&xa));
		if (edges[i] == 0)
			assert_int_equal(nodes_of(&xa), 0);
		find_one(&xa, i);
		walk_one(&xa, i, false);
		walk_one(&xa, i, true);
		drop(&xa, i);
		assert_true(xarray_empty(&xa));
	}
}

/* ---- Several entries ----------------------------------------------------- */

/* Each pair, both orders of storing: the second erased leaves the first. */
static void pair(size_t i, size_t j)
{
	struct xarray xa;
	size_t alone;

	xarray_init(&xa);
	put(&xa, i);
	alone = nodes_of(&xa);
	put(&xa, j);
	assert_ptr_equal(xarray_load(&xa, edges[i]), &items[i]);
	assert_ptr_equal(xarray_load(&xa, edges[j]), &items[j]);
	drop(&xa, j);
	assert_ptr_equal(xarray_load(&xa, edges[i]), &items[i]);
	assert_int_equal(nodes_of(&xa), alone);
	put(&xa, j);
	drop(&xa, i);
	assert_ptr_equal(xarray_load(&xa, edges[j]), &items[j]);
	find_one(&xa, j);
	drop(&xa, j);
	assert_true(xarray_empty(&xa));
}

static void test_pairs(void **state)
{
	(void)state;
	for (size_t i = 0; i < EDGES; i++)
		for (size_t j = 0; j < EDGES; j++)
			if (i != j)
				pair(i, j);
}

static void test_all(void **state)
{
	struct xarray xa;
	unsigned long index;
	void *entry;
	size_t nr = 0;

	(void)state;
	xarray_init(&xa);
	for (size_t i = EDGES; i-- > 0;)
		put(&xa, i);
	xarray_for_each(&xa, index, entry) {
		assert_int_equal(index, edges[nr]);
		assert_ptr_equal(entry, &items[nr]);
		nr++;
	}
	assert_int_equal(nr, EDGES);
	xarray_destroy(&xa);
	/* Without a wait for readers: there are none. */
	assert_int_equal(nodes(), nodes_base);
	assert_true(xarray_empty(&xa));
	assert_null(xarray_load(&xa, 0));
	put(&xa, 1);
	drop(&xa, 1);
}

static void test_store_and_exchange(void **state)
{
	struct xarray xa;
	void *was;

	(void)state;
	xarray_init(&xa);
	for (size_t i = 0; i < EDGES; i++) {
		unsigned long at = edges[i];

		assert_int_equal(xarray_insert(&xa, at, &items[i]), 0);
		assert_int_equal(xarray_insert(&xa, at, &others[i]), -EBUSY);
		assert_ptr_equal(xarray_load(&xa, at), &items[i]);
		assert_int_equal(xarray_store(&xa, at, &others[i], &was), 0);
		assert_ptr_equal(was, &items[i]);
		assert_int_equal(xarray_compare_exchange(&xa, at, &items[i],
							 NULL, &was),
				 0);
		assert_ptr_equal(was, &others[i]);
		assert_ptr_equal(xarray_load(&xa, at), &others[i]);
		assert_int_equal(xarray_compare_exchange(&xa, at, &others[i],
							 &items[i], &was),
				 0);
		assert_ptr_equal(was, &others[i]);
		assert_ptr_equal(xarray_load(&xa, at), &items[i]);
		xarray_assert_valid(&xa);
	}
	for (size_t i = 0; i < EDGES; i++) {
		assert_int_equal(xarray_compare_exchange(&xa, edges[i],
							 &items[i], NULL, &was),
				 0);
		assert_ptr_equal(was, &items[i]);
		assert_int_equal(xarray_compare_exchange(&xa, edges[i], NULL,
							 NULL, &was),
				 0);
		assert_null(was);
		xarray_assert_valid(&xa);
	}
	assert_true(xarray_empty(&xa));
	assert_int_equal(xarray_compare_exchange(&xa, 5, NULL, &items[5], &was),
			 0);
	assert_null(was);
	assert_ptr_equal(xarray_erase(&xa, 5), &items[5]);
}

/* ---- Marks --------------------------------------------------------------- */

/* A mark of one of two entries, however the tree grows and shrinks. */
static void mark_pair(size_t i, size_t j, enum xarray_mark mark)
{
	enum xarray_mark other = 1 - mark;
	struct xarray xa;
	unsigned long index;

	xarray_init(&xa);
	put(&xa, i);
	xarray_set_mark(&xa, edges[i], mark);
	put(&xa, j);
	xarray_set_mark(&xa, edges[j], other);
	xarray_assert_valid(&xa);
	assert_true(xarray_get_mark(&xa, edges[i], mark));
	assert_false(xarray_get_mark(&xa, edges[i], other));
	assert_false(xarray_get_mark(&xa, edges[j], mark));
	assert_ptr_equal(find(&xa, 0, ULONG_MAX, mark, &index), &items[i]);
	assert_int_equal(index, edges[i]);
	assert_null(xarray_find_after(&xa, &index, ULONG_MAX, mark));
	xarray_clear_mark(&xa, edges[j], other);
	assert_null(find(&xa, 0, ULONG_MAX, other, &index));
	drop(&xa, j);
	assert_true(xarray_get_mark(&xa, edges[i], mark));
	assert_ptr_equal(find(&xa, 0, ULONG_MAX, mark, &index), &items[i]);

	/* A new entry has no mark, also where a marked one was. */
	assert_int_equal(xarray_store(&xa, edges[i], &others[i], NULL), 0);
	assert_false(xarray_get_mark(&xa, edges[i], mark));
	xarray_set_mark(&xa, edges[i], mark);
	assert_ptr_equal(xarray_erase(&xa, edges[i]), &others[i]);
	put(&xa, i);
	assert_null(find(&xa, 0, ULONG_MAX, mark, &index));
	drop(&xa, i);
}

static void test_marks(void **state)
{
	(void)state;
	for (size_t i = 0; i < EDGES; i++)
		for (size_t j = 0; j < EDGES; j++)
			if (i != j)
				mark_pair(i, j, (i + j) & 1);
}

/* ---- Failed stores ------------------------------------------------------- */

/* Nodes that no one else shall get, linked by their first word. */
static void **kept;
static size_t nr_kept;

static bool keep_node(void)
{
	void **node = slab_take(xarray_node_slab, NODE_HERE);

	if (!node)
		return false;
	*node = kept;
	kept = node;
	nr_kept++;
	return true;
}

static void give_nodes(size_t nr)
{
	while (nr--) {
		void **node = kept;

		kept = *node;
		nr_kept--;
		slab_give(xarray_node_slab, node);
	}
}

/* From now on there is memory for @spares nodes and no more. */
static void leave_nodes(size_t spares)
{
	fault_inject(1, true);
	while (keep_node())
		;
	give_nodes(spares);
}

static void end_shortage(void)
{
	fault_inject(0, false);
	give_nodes(nr_kept);
}

/* Store at edge @j with memory for @spares nodes: true when it was enough. */
static bool store_with(struct xarray *xa, size_t i, size_t j, size_t spares)
{
	void *was = xa;
	size_t before = nodes_of(xa);
	size_t free;
	int err;

	leave_nodes(spares);
	free = nr_kept + spares;
	err = xarray_store(xa, edges[j], &items[j], &was);
	leave_nodes(0);
	xarray_assert_valid(xa);
	assert_ptr_equal(xarray_load(xa, edges[i]), &items[i]);
	assert_true(xarray_get_mark(xa, edges[i], XARRAY_MARK_1));
	if (!err) {
		assert_null(was);
		assert_ptr_equal(xarray_load(xa, edges[j]), &items[j]);
		assert_int_equal(nodes_of(xa), before + spares);
		return true;
	}
	assert_int_equal(err, -ENOMEM);
	assert_ptr_equal(was, xa);
	assert_null(xarray_load(xa, edges[j]));
	assert_int_equal(nodes_of(xa), before);
	assert_int_equal(nr_kept, free);
	return false;
}

/* With no spare node, with one, ... with as many as the store takes. */
static void failing_pair(size_t i, size_t j)
{
	struct xarray xa;
	size_t spares = 0;

	xarray_init(&xa);
	leave_nodes(32);
	put(&xa, i);
	xarray_set_mark(&xa, edges[i], XARRAY_MARK_1);
	while (!store_with(&xa, i, j, spares))
		assert_true(++spares < 2 * 32);
	xarray_destroy(&xa);
}

static void test_failed_store(void **state)
{
	(void)state;
	for (int i = 0; i < 3 * 32; i++)
		assert_true(keep_node());
	for (size_t i = 0; i < EDGES; i++)
		for (size_t j = 0; j < EDGES; j++)
			if (i != j)
				failing_pair(i, j);
	end_shortage();
}

/* Erasing never needs memory. */
static void test_erase_without_memory(void **state)
{
	struct xarray xa;

	(void)state;
	xarray_init(&xa);
	for (size_t i = 0; i < EDGES; i++)
		put(&xa, i);
	leave_nodes(0);
	for (size_t i = 0; i < EDGES; i++)
		drop(&xa, i);
	end_shortage();
	assert_true(xarray_empty(&xa));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_empty),
		TEST(test_one),
		TEST(test_pairs),
		TEST(test_all),
		TEST(test_store_and_exchange),
		TEST(test_marks),
		TEST(test_failed_store),
		TEST(test_erase_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
