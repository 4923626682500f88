/* SPDX-License-Identifier: MIT */
/*
 * Shrinkers: ids, the way from create to destroy, and what may outlive what.
 */
#include "with_root.h"

#include <string.h>

static long count_none(void *cache, struct wane_shrink *sc)
{
	(void)cache, (void)sc;
	return 0;
}

static const struct wane_shrinker_ops plain = {
	.size = sizeof(plain),
	.count = count_none,
	.scan = count_none,
};

static struct wane_shrinker *make(const struct wane_shrinker_ops *ops,
				  void *cache)
{
	struct wane_shrinker *shrinker;

	assert_int_equal(wane_shrinker_create(&shrinker, ops, cache), 0);
	return shrinker;
}

/* ---- Create ------------------------------------------------------------------------ */

static void assert_bad(const struct wane_shrinker_ops *ops)
{
	struct wane_shrinker *shrinker = (void *)root;

	assert_int_equal(wane_shrinker_create(&shrinker, ops, NULL), -EINVAL);
	assert_ptr_equal(shrinker, root); /* not written */
}

/* Bug 16: what lacks a callback is refused here, not met when it is called. */
static void test_bad_ops(void **state)
{
	struct wane_shrinker_ops ops;

	(void)state;
	assert_bad(NULL);
	ops = plain, ops.count = NULL, assert_bad(&ops);
	ops = plain, ops.scan = NULL, assert_bad(&ops);
	ops = plain, ops.cost = WANE_COST_NONE - 1, assert_bad(&ops);
	ops = plain, ops.flags = WANE_SHRINKER_GLOBAL << 1, assert_bad(&ops);
	ops = plain, ops.size = 0, assert_bad(&ops);
	ops = plain, ops.size = offsetof(struct wane_shrinker_ops, scan);
	assert_bad(&ops);
}

static void test_older_and_newer_programs(void **state)
{
	struct {
		struct wane_shrinker_ops ops;
		char more[64];
	} newer;
	struct wane_shrinker_ops older;
	struct wane_shrinker *shrinker;

	(void)state;
	memset(&older, 0xff, sizeof(older)); /* what it does not know of */
	older.size = offsetof(struct wane_shrinker_ops, batch);
	older.name = "older";
	older.count = count_none;
	older.scan = count_none;
	shrinker = make(&older, NULL);
	assert_string_equal(wane_shrinker_name(shrinker), "older");
	assert_true(wane_shrinker_id(shrinker) >= 0); /* not GLOBAL */
	wane_shrinker_destroy(shrinker);

	memset(&newer, 0xff, sizeof(newer));
	newer.ops = plain;
	newer.ops.size = sizeof(newer);
	wane_shrinker_destroy(make(&newer.ops, NULL));
}

static void test_name_is_copied(void **state)
{
	struct wane_shrinker_ops ops = plain;
	struct wane_shrinker *named, *unnamed = make(&plain, NULL);
	char name[] = "page";

	(void)state;
	ops.name = name;
	named = make(&ops, NULL);
	name[0] = 'X';
	assert_string_equal(wane_shrinker_name(named), "page");
	assert_string_equal(wane_shrinker_name(unnamed), "");
	wane_shrinker_destroy(named);
	wane_shrinker_destroy(unnamed);
}

/* Bugs 8 and 9: who has no id has -1, and takes no one else's. */
static void test_ids(void **state)
{
	struct wane_shrinker_ops ops = plain;
	struct wane_shrinker *shrinker[200], *global;

	(void)state;
	for (int i = 0; i < 200; i++) {
		shrinker[i] = make(&plain, NULL);
		assert_int_equal(wane_shrinker_id(shrinker[i]), i);
	}
	ops.flags = WANE_SHRINKER_GLOBAL;
	global = make(&ops, NULL);
	assert_int_equal(wane_shrinker_id(global), -1);
	wane_shrinker_destroy(shrinker[7]);
	wane_shrinker_destroy(shrinker[130]);
	shrinker[7] = make(&plain, NULL);
	assert_int_equal(wane_shrinker_id(shrinker[7]), 7);
	shrinker[130] = make(&plain, NULL);
	assert_int_equal(wane_shrinker_id(shrinker[130]), 130);
	for (int i = 0; i < 200; i++)
		wane_shrinker_destroy(shrinker[i]);
	wane_shrinker_destroy(global);
	wane_shrinker_destroy(NULL);
}

/* ---- Start --------------------------------------------------------------------------- */

static void test_start_once(void **state)
{
	struct wane_shrinker_ops ops = plain;

	(void)state;
	for (int global = 0; global < 2; global++) {
		struct wane_shrinker *shrinker;

		ops.flags = global ? WANE_SHRINKER_GLOBAL : 0;
		shrinker = make(&ops, NULL);
		assert_int_equal(wane_shrinker_start(shrinker), 0);
		assert_int_equal(wane_shrinker_start(shrinker), -EALREADY);
		wane_shrinker_destroy(shrinker);
	}
}

/* Bugs 4 and 0.2a, invariants 13 and 14. */
static void test_listed_before_the_start(void **state)
{
	struct wane_group *group = group_make(root, "a");
	struct cache cache;

	(void)state;
	cache_create(&cache, EXACT, NULL);
	cache_fill(&cache, group, 10);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(wane_group_reclaim(root, WANE_ALL), 0);
		assert_int_equal(wane_reclaim_all(), 0);
	}
	assert_int_equal(cache.counts, 0);
	assert_true(has_bit(cache.lru, group, 0));
	assert_int_equal(wane_shrinker_start(cache.shrinker), 0);
	assert_int_equal(wane_group_reclaim(root, WANE_ALL), 10 * EXACT);
	cache_close(&cache);
	wane_group_put(group);
}

/* ---- Destroy --------------------------------------------------------------------------- */

/* Bug 0.2b, invariant 11. */
static void test_reused_id_starts_anew(void **state)
{
	struct wane_group *group = group_make(root, "a");
	struct cache old, new, other;
	int id;

	(void)state;
	cache_open(&other, EXACT); /* keeps what both share alive */
	cache_open(&old, EXACT);
	cache_fill(&other, group, 1);
	cache_fill(&old, group, 10);
	for (int node = 0; node < wane_nodes(); node++)
		add_deferred(old.lru, group, node, 1000);
	id = wane_shrinker_id(old.shrinker);
	wane_shrinker_destroy(old.shrinker);

	cache_open(&new, EXACT);
	assert_int_equal(wane_shrinker_id(new.shrinker), id);
	assert_int_equal(wane_lru_prepare(new.lru, group), 0);
	for (int node = 0; node < wane_nodes(); node++) {
		assert_false(has_bit(new.lru, group, node));
		assert_int_equal(deferred(new.lru, group, node), 0);
	}
	/* The old one's list sets no bit of the new one. */
	cache_fill(&old, group, 1);
	cache_empty(&old, group);
	cache_fill(&old, group, 1);
	assert_false(has_bit(new.lru, group, 0));
	assert_int_equal(wane_group_reclaim(root, WANE_ALL), EXACT);
	assert_int_equal(new.counts, 0);

	cache_empty(&old, group);
	wane_lru_destroy(old.lru);
	cache_close(&new);
	cache_close(&other);
	wane_group_put(group);
}

/* Not called after destroy, with items listed and the bit set. */
static void test_destroy_before_the_lists(void **state)
{
	struct wane_group *group = group_make(root, "a");
	struct cache cache;
	struct object *object;

	(void)state;
	cache_open(&cache, EXACT);
	cache_fill(&cache, group, 3);
	object = cache_add(&cache, group);
	wane_shrinker_destroy(cache.shrinker);
	assert_int_equal(wane_group_reclaim(root, WANE_ALL), 0);
	assert_int_equal(cache.counts, 0);
	assert_int_equal(cache_holds(&cache, group), 4);
	/* The lists work on, also new ones, and when their group goes. */
	assert_true(wane_lru_del(cache.lru, &object->item, group, 0));
	object_free(&cache, object);
	cache_fill(&cache, root, 1);
	assert_int_equal(wane_group_retire(group), 0);
	assert_int_equal(cache_holds(&cache, root), 4);
	cache_empty(&cache, root);
	wane_lru_destroy(cache.lru);
	wane_group_put(group);
}

static void test_destroy_after_the_lists(void **state)
{
	struct wane_group *group = group_make(root, "a");
	struct cache cache;

	(void)state;
	cache_open(&cache, EXACT);
	cache_fill(&cache, group, 3);
	cache_empty(&cache, group);
	wane_lru_destroy(cache.lru);
	assert_int_equal(wane_group_reclaim(root, WANE_ALL), 0);
	assert_int_equal(cache.counts, 0); /* no list, no bit */
	wane_shrinker_destroy(cache.shrinker);
	wane_group_put(group);
}

static void test_destroy_before_start(void **state)
{
	struct cache cache;

	(void)state;
	cache_create(&cache, EXACT, NULL);
	cache_fill(&cache, root, 3);
	wane_shrinker_destroy(cache.shrinker);
	cache_empty(&cache, root);
	wane_lru_destroy(cache.lru);
	wane_lru_destroy(NULL);
}

/* ---- Several lrus ------------------------------------------------------------------------ */

static struct cache pair[2];

static long count_pair(void *unused, struct wane_shrink *sc)
{
	(void)unused;
	return wane_lru_count(pair[0].lru, sc->group, sc->node) +
	       (pair[1].lru ? wane_lru_count(pair[1].lru, sc->group, sc->node)
			    : 0);
}

static long scan_pair(void *unused, struct wane_shrink *sc)
{
	long freed = cache_scan(&pair[0], sc);

	(void)unused;
	if (pair[1].lru)
		freed += cache_scan(&pair[1], sc);
	return freed;
}

static void swap_pair(void)
{
	struct wane_lru *first = pair[0].lru;

	pair[0].lru = pair[1].lru;
	pair[1].lru = first;
}

static void make_pair(void)
{
	const struct wane_shrinker_ops ops = {
		.size = sizeof(ops),
		.count = count_pair,
		.scan = scan_pair,
		.batch = 1,
	};

	cache_create(&pair[0], EXACT, &ops);
	pair[1] = pair[0];
	assert_int_equal(wane_lru_create(&pair[1].lru, pair[0].shrinker), 0);
	wane_shrinker_start(pair[0].shrinker);
}

static void destroy_pair(void)
{
	wane_shrinker_destroy(pair[0].shrinker);
	wane_lru_destroy(pair[0].lru);
	wane_lru_destroy(pair[1].lru);
}

/* Invariant 3: any list that is not empty needs the bit of the one shrinker. */
static void test_two_lrus_have_one_bit(void **state)
{
	struct wane_group *group = group_make(root, "a");

	(void)state;
	make_pair();
	cache_fill(&pair[0], group, 1);
	cache_empty(&pair[0], group);
	assert_int_equal(wane_group_reclaim(root, WANE_ALL), 0);
	cache_fill(&pair[1], group, 2);
	assert_true(has_bit(pair[0].lru, group, 0));
	assert_int_equal(wane_group_reclaim(root, WANE_ALL), 2 * EXACT);
	assert_false(has_bit(pair[1].lru, group, 0));
	destroy_pair();
	wane_group_put(group);
}

/* One of them goes, the first or the second: the share stays as it was. */
static void test_two_lrus_one_goes(void **state)
{
	(void)state;
	for (int first = 0; first < 2; first++) {
		struct wane_group *group = group_make(root, "a");

		make_pair();
		assert_int_equal(wane_lru_prepare(pair[0].lru, group), 0);
		assert_int_equal(wane_lru_prepare(pair[1].lru, group), 0);
		if (first)
			swap_pair();
		cache_fill(&pair[0], group, 1);
		add_deferred(pair[1].lru, group, 0, 7);
		wane_lru_destroy(pair[1].lru);
		pair[1].lru = NULL;
		assert_true(has_bit(pair[0].lru, group, 0));
		assert_int_equal(deferred(pair[0].lru, group, 0), 7);
		assert_int_equal(wane_group_reclaim(root, WANE_ALL), EXACT);
		destroy_pair();
		wane_group_put(group);
	}
}

/* ---- Not bound to groups ------------------------------------------------------------------ */

struct global {
	long held;
	long counts;
	unsigned int nodes; /* a bit per node it was asked about */
};

static long count_global(void *cache, struct wane_shrink *sc)
{
	struct global *global = cache;

	assert_null(sc->group);
	global->counts++;
	global->nodes |= 1u << sc->node;
	return sc->node == wane_nodes() - 1 ? global->held : 0;
}

static long scan_global_cache(void *cache, struct wane_shrink *sc)
{
	struct global *global = cache;
	long freed = min_of((long)sc->to_scan, global->held);

	assert_null(sc->group);
	global->held -= freed;
	return freed;
}

static void test_global(void **state)
{
	const struct wane_shrinker_ops ops = {
		.size = sizeof(ops),
		.count = count_global,
		.scan = scan_global_cache,
		.flags = WANE_SHRINKER_GLOBAL,
	};
	struct global global = { .held = 1000 };
	struct wane_shrinker *shrinker = make(&ops, &global);
	struct wane_lru *lru;

	(void)state;
	assert_int_equal(wane_lru_create(&lru, shrinker), -EINVAL);
	assert_int_equal(wane_shrinker_attach(shrinker, root), -EINVAL);
	assert_int_equal(wane_reclaim_all(), 0); /* not started */
	assert_int_equal(global.counts, 0);
	assert_int_equal(wane_shrinker_start(shrinker), 0);
	assert_int_equal(wane_group_reclaim(root, WANE_ALL), 0);
	assert_int_equal(global.counts, 0);
	assert_int_equal(wane_reclaim_all(), 1000);
	assert_int_equal(global.held, 0);
	assert_int_equal(global.nodes, (1ul << wane_nodes()) - 1);
	wane_shrinker_destroy(shrinker);
	global.counts = 0;
	wane_reclaim_all();
	assert_int_equal(global.counts, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ROOT_TEST(test_bad_ops),
		ROOT_TEST(test_older_and_newer_programs),
		ROOT_TEST(test_name_is_copied),
		ROOT_TEST(test_ids),
		ROOT_TEST(test_start_once),
		ROOT_TEST(test_listed_before_the_start),
		ROOT_TEST(test_reused_id_starts_anew),
		ROOT_TEST(test_destroy_before_the_lists),
		ROOT_TEST(test_destroy_after_the_lists),
		ROOT_TEST(test_destroy_before_start),
		ROOT_TEST(test_two_lrus_have_one_bit),
		ROOT_TEST(test_two_lrus_one_goes),
		ROOT_TEST(test_global),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
