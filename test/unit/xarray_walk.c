// SPDX-License-Identifier: MIT
/*
 * xarray_walk.c - tests of the xarray's cursor, and random operations
 */
#include "xarray_edges.h"

#include <stdlib.h>

/* ---- Cursor -------------------------------------------------------------- */

static void test_cursor_starts_anywhere(void **state)
{
	struct xarray xa;

	(void)state;
	xarray_init(&xa);
	for (size_t i = 0; i < EDGES; i++)
		put(&xa, i);
	for (size_t first = 0; first < EDGES; first++) {
		for (int pause = 0; pause < 2; pause++) {
			struct xarray_cursor cursor =
				XARRAY_CURSOR(&xa, edges[first]);
			size_t i = first;
			void *entry;

			while ((entry = xarray_cursor_next(&cursor))) {
				assert_ptr_equal(entry, &items[i]);
				assert_int_equal(cursor.index, edges[i++]);
				if (pause)
					xarray_cursor_pause(&cursor);
			}
			assert_int_equal(i, EDGES);
		}
	}
	xarray_destroy(&xa);
}

/* Erase each entry the cursor is at, and the one before it. */
static void test_cursor_beside_erase(void **state)
{
	struct xarray xa;
	struct xarray_cursor cursor = XARRAY_CURSOR(&xa, 0);

	(void)state;
	xarray_init(&xa);
	for (size_t i = 0; i < EDGES; i++)
		put(&xa, i);
	rcu_enter();
	for (size_t i = 0; i < EDGES; i++) {
		assert_ptr_equal(xarray_cursor_next(&cursor), &items[i]);
		drop(&xa, i);
	}
	assert_null(xarray_cursor_next(&cursor));
	rcu_leave();
	assert_true(xarray_empty(&xa));
}

/* A leaf that left the tree must not hide what came in its place. */
static void test_cursor_in_dead_leaf(void **state)
{
	struct xarray xa;
	struct xarray_cursor cursor = XARRAY_CURSOR(&xa, 0);

	(void)state;
	xarray_init(&xa);
	put(&xa, 0);
	put(&xa, 1);
	rcu_enter();
	assert_ptr_equal(xarray_cursor_next(&cursor), &items[0]);
	drop(&xa, 1);
	drop(&xa, 0);
	put(&xa, 2);
	put(&xa, EDGES - 1);
	assert_ptr_equal(xarray_cursor_next(&cursor), &items[2]);
	assert_ptr_equal(xarray_cursor_next(&cursor), &items[EDGES - 1]);
	assert_null(xarray_cursor_next(&cursor));
	rcu_leave();
	xarray_destroy(&xa);
}

/* ---- Random operations against a model ----------------------------------- */

#define KEYS 40

/**
 * struct model - What the array should hold.
 * @index: Of each key, rising.
 * @item: Its entry, or NULL.
 * @marks: Of that entry, a bit each.
 */
struct model {
	struct xarray xa;
	struct test_random random;
	unsigned long index[KEYS];
	long *item[KEYS];
	unsigned int marks[KEYS];
};

static long pool[KEYS][3];

static int compare(const void *a, const void *b)
{
	const unsigned long *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Indices of a random magnitude, some beside each other. */
static void choose_indices(struct model *model)
{
	unsigned int nr = 0;

	while (nr < KEYS) {
		uint64_t bits = test_random_below(&model->random, 65);
		unsigned long next = test_random_next(&model->random);
		bool fresh = true;

		next = bits ? next >> (64 - bits) : 0;
		if (nr && test_random_one_in(&model->random, 2))
			next = model->index[nr - 1] + 1;
		for (unsigned int i = 0; i < nr; i++)
			fresh &= model->index[i] != next;
		if (fresh)
			model->index[nr++] = next;
	}
	qsort(model->index, KEYS, sizeof(model->index[0]), compare);
}

static void model_put(struct model *model, unsigned int key, long *item)
{
	model->item[key] = item;
	model->marks[key] = 0;
}

static void random_change(struct model *model, unsigned int key, long *item)
{
	struct xarray *xa = &model->xa;
	unsigned long index = model->index[key];
	long *was = model->item[key];
	long *guess = test_random_one_in(&model->random, 2) ? was : item;
	void *old;

	switch (test_random_below(&model->random, 4)) {
	case 0:
		assert_int_equal(xarray_store(xa, index, item, &old), 0);
		assert_ptr_equal(old, was);
		break;
	case 1:
		assert_int_equal(xarray_insert(xa, index, item),
				 was ? -EBUSY : 0);
		if (was)
			return;
		break;
	case 2:
		assert_int_equal(xarray_compare_exchange(xa, index, guess, item,
							 &old),
				 0);
		assert_ptr_equal(old, was);
		if (guess != was)
			return;
		break;
	default:
		assert_ptr_equal(xarray_erase(xa, index), was);
		item = NULL;
	}
	model_put(model, key, item);
}

static void random_mark(struct model *model, unsigned int key)
{
	enum xarray_mark mark = (enum xarray_mark)test_random_below(
		&model->random, XARRAY_NR_MARKS);

	if (test_random_one_in(&model->random, 3)) {
		xarray_clear_mark(&model->xa, model->index[key], mark);
		model->marks[key] &= ~(1u << mark);
	} else {
		xarray_set_mark(&model->xa, model->index[key], mark);
		if (model->item[key])
			model->marks[key] |= 1u << mark;
	}
}

/* The model's answer to find: a key, or KEYS for none. */
static unsigned int model_find(const struct model *model, unsigned long first,
			       unsigned long max, enum xarray_mark mark)
{
	for (unsigned int key = 0; key < KEYS; key++) {
		unsigned int has = model->marks[key] | 1u << XARRAY_PRESENT;

		if (model->item[key] && has >> mark & 1 &&
		    model->index[key] >= first && model->index[key] <= max)
			return key;
	}
	return KEYS;
}

static void check_find(struct model *model, bool after)
{
	struct test_random *random = &model->random;
	unsigned long first = model->index[test_random_below(random, KEYS)];
	unsigned long max = model->index[test_random_below(random, KEYS)];
	enum xarray_mark mark =
		(enum xarray_mark)test_random_below(random, XARRAY_PRESENT + 1);
	unsigned long index = first;
	unsigned int key = KEYS;
	void *entry;

	if (test_random_one_in(random, 4))
		max = ULONG_MAX;
	if (after)
		entry = xarray_find_after(&model->xa, &index, max, mark);
	else
		entry = xarray_find(&model->xa, &index, max, mark);
	if (!after || first < ULONG_MAX)
		key = model_find(model, first + after, max, mark);
	assert_ptr_equal(entry, key < KEYS ? model->item[key] : NULL);
	assert_int_equal(index, key < KEYS ? model->index[key] : first);
}

static void check_all(struct model *model)
{
	struct xarray_cursor cursor = XARRAY_CURSOR(&model->xa, 0);
	enum xarray_mark mark;

	for (unsigned int key = 0; key < KEYS; key++) {
		unsigned long index = model->index[key];

		assert_ptr_equal(xarray_load(&model->xa, index),
				 model->item[key]);
		for (mark = 0; mark < XARRAY_NR_MARKS; mark++)
			assert_int_equal(xarray_get_mark(&model->xa, index,
							 mark),
					 model->marks[key] >> mark & 1);
		if (!model->item[key])
			continue;
		assert_ptr_equal(xarray_cursor_next(&cursor), model->item[key]);
		assert_int_equal(cursor.index, index);
		if (test_random_one_in(&model->random, 4))
			xarray_cursor_pause(&cursor);
	}
	assert_null(xarray_cursor_next(&cursor));
}

static void random_run(struct model *model)
{
	xarray_init(&model->xa);
	choose_indices(model);
	for (int step = 0; step < 600; step++) {
		/* Now few of the keys, now all. */
		uint64_t range = step / 100 % 2 ? KEYS : 4;
		unsigned int key =
			(unsigned int)test_random_below(&model->random, range);

		if (test_random_one_in(&model->random, 3))
			random_mark(model, key);
		else
			random_change(model, key, &pool[key][step % 3]);
		xarray_assert_valid(&model->xa);
		check_find(model, false);
		check_find(model, true);
		if (step % 10 == 0)
			check_all(model);
	}
	check_all(model);
	xarray_destroy(&model->xa);
}

static void test_random_operations(void **state)
{
	(void)state;
	for (uint64_t run = 0; run < 20; run++) {
		struct model model = { .random = { test_seed() + run } };

		random_run(&model);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_cursor_starts_anywhere),
		TEST(test_cursor_beside_erase),
		TEST(test_cursor_in_dead_leaf),
		TEST(test_random_operations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
