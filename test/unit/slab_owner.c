/* SPDX-License-Identifier: MIT */
/*
 * Slabs: who pays for an object, and where it lies.
 */
#include "slab.h"

/* ---- Groups and nodes ---------------------------------------------------------- */

static void test_owner(void **state)
{
	struct wane_slab *slab = slab_make(520, 0, WANE_SLAB_CHARGED);
	struct wane_group *group = group_make(NULL, NULL);
	size_t charge = wane_slab_charge(slab);
	struct wane_group *before;
	void *object[100], *free_one, *current;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(object); i++) {
		object[i] = wane_slab_alloc(slab, group, 0);
		assert_ptr_equal(wane_slab_group(object[i]), group);
	}
	assert_in_range(wane_group_usage(group), 100 * charge,
			100 * charge + WANE_STOCK_MAX);

	/* Also where the stock would have it. */
	assert_null(wane_slab_alloc(slab, group, 1u << 31));
	assert_int_equal(info_of(slab).active, 100);

	free_one = wane_slab_alloc(slab, NULL, 0);
	assert_null(wane_slab_group(free_one));
	before = wane_group_enter(group);
	current = wane_slab_alloc(slab, NULL, WANE_NOWAIT);
	assert_ptr_equal(wane_slab_group(current), group);
	wane_group_leave(before);

	wane_slab_free(slab, current);
	wane_slab_free(slab, free_one);
	for (size_t i = 0; i < ARRAY_SIZE(object); i++)
		wane_slab_free(slab, object[i]);
	/* What was charged has no owner left behind. */
	for (size_t i = 0; i < ARRAY_SIZE(object); i++) {
		object[i] = wane_slab_alloc(slab, NULL, 0);
		assert_null(wane_slab_group(object[i]));
	}
	assert_in_range(wane_group_usage(group), 0, WANE_STOCK_MAX);
	for (size_t i = 0; i < ARRAY_SIZE(object); i++)
		wane_slab_free(slab, object[i]);
	assert_int_equal(wane_slab_destroy(slab), 0);
	wane_group_put(group);
}

static void test_refused(void **state)
{
	struct wane_slab *slab = slab_make(1000, 0, WANE_SLAB_CHARGED);
	struct wane_group *group = group_make(NULL, NULL);
	size_t charge = wane_slab_charge(slab), nr = 0;
	void *object[20];

	(void)state;
	assert_int_equal(wane_group_set_limit(group, WANE_MAX, 10 * charge), 0);
	while ((object[nr] = wane_slab_alloc(slab, group, WANE_NOWAIT)))
		nr++;
	assert_int_equal(nr, 10);
	assert_int_equal(info_of(slab).active, 10);
	assert_null(wane_slab_alloc(slab, group, 1u << 31));
	assert_int_equal(wane_group_usage(group), 10 * charge);
	while (nr > 0)
		wane_slab_free(slab, object[--nr]);
	assert_int_equal(wane_slab_destroy(slab), 0);
	wane_group_put(group);
}

/* ---- In a reclaim ---------------------------------------------------------------- */

static struct wane_slab *listed;

static enum wane_verdict take_it(struct wane_item *item, void *unused)
{
	(void)item, (void)unused;
	return WANE_TAKE;
}

/* The items are the objects. */
static long free_listed(void *of, struct wane_shrink *sc)
{
	struct cache *cache = of;
	struct wane_item taken, *item;
	long freed = 0;

	wane_item_init(&taken);
	wane_lru_take(cache->lru, sc, take_it, NULL, &taken);
	while ((item = wane_item_pop(&taken))) {
		wane_slab_free(listed, item);
		freed++;
	}
	return freed;
}

/* What is freed counts, whether or not the stock keeps the bytes. */
static void test_reclaimed(void **state)
{
	const struct wane_shrinker_ops ops = {
		.size = sizeof(ops),
		.scan = free_listed,
	};
	struct wane_group *group = group_make(NULL, NULL);
	struct cache cache;
	size_t charge;

	(void)state;
	listed = slab_make(sizeof(struct wane_item), 0, WANE_SLAB_CHARGED);
	charge = wane_slab_charge(listed);
	cache_open_with(&cache, charge, &ops);
	assert_int_equal(wane_lru_prepare(cache.lru, group), 0);
	for (int i = 0; i < 20; i++) {
		struct wane_item *item = wane_slab_alloc(listed, group, 0);

		wane_item_init(item);
		assert_true(wane_lru_add(cache.lru, item, group,
					 wane_slab_node(item)));
	}
	assert_int_equal(wane_group_reclaim(group, WANE_ALL), 20 * charge);
	assert_int_equal(info_of(listed).active, 0);
	cache_close(&cache);
	wane_group_put(group);
	assert_int_equal(wane_slab_destroy(listed), 0);
}

/* ---- Shares and nodes -------------------------------------------------------------- */

static void test_true_share(void **state)
{
	static const size_t size[] = { 1, 8, 100, 520, 4368, 60000, 65536 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(size); i++) {
		struct wane_slab *slab =
			slab_make(size[i], 0, WANE_SLAB_CHARGED);
		void *object = wane_slab_alloc(slab, NULL, 0);
		struct wane_slab_info info = info_of(slab);
		size_t paid = wane_slab_charge(slab) * info.slab_objects;

		assert_int_equal(info.bytes,
				 info.slab_bytes +
					 info.slab_objects * sizeof(void *));
		assert_in_range(paid, info.bytes,
				info.bytes + info.slab_objects - 1);
		wane_slab_free(slab, object);
		assert_int_equal(wane_slab_destroy(slab), 0);
		slab = slab_make(size[i], 0, 0);
		assert_int_equal(wane_slab_charge(slab), 0);
		assert_int_equal(wane_slab_destroy(slab), 0);
	}
}

static void test_node(void **state)
{
	struct wane_slab *slab = slab_make(200, 0, 0);
	void *object[WANE_MAX_NODES][100];

	(void)state;
	for (int i = 0; i < 100; i++)
		for (int node = 0; node < wane_nodes(); node++) {
			object[node][i] = slab_take(slab, node);
			assert_int_equal(wane_slab_node(object[node][i]), node);
		}
	slab_assert_valid(slab);
	for (int i = 0; i < 100; i++)
		for (int node = 0; node < wane_nodes(); node++)
			wane_slab_free(slab, object[node][i]);
	object[0][0] = wane_slab_alloc(slab, NULL, 0);
	assert_int_equal(wane_slab_node(object[0][0]), wane_node_current());
	wane_slab_free(slab, object[0][0]);
	slab_assert_valid(slab);
	assert_int_equal(wane_slab_destroy(slab), 0);
}

/* A thread that has moved: what it has at hand goes back where it belongs. */
static void test_moved(void **state)
{
	struct wane_slab *slab = slab_make(200, 0, 0);
	void *object[300];
	int last = 0;

	(void)state;
	if (wane_nodes() == 1 || port_nodes_are_real())
		skip();
	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < ARRAY_SIZE(object); i++)
			object[i] = wane_slab_alloc(slab, NULL, 0);
		last = wane_slab_node(object[ARRAY_SIZE(object) - 1]);
		assert_int_equal(last, wane_node_current());
		/* A pretended node follows from the number. */
		thread_self()->number++;
		assert_true(last != wane_node_current());
		for (size_t i = 0; i < ARRAY_SIZE(object); i++)
			wane_slab_free(slab, object[i]);
		slab_assert_valid(slab);
	}
	assert_int_equal(wane_slab_destroy(slab), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_owner),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_reclaimed),
		cmocka_unit_test(test_true_share),
		cmocka_unit_test(test_node),
		cmocka_unit_test(test_moved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
