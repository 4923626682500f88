/* SPDX-License-Identifier: MIT */
/*
 * Reclaim: who is asked, and how much goes.
 */
#include "with_groups.h"

/* ---- How much ------------------------------------------------------------------------- */

static void test_nothing_to_free(void **state)
{
	(void)state;
	assert_int_equal(wane_group_reclaim(NULL, WANE_ALL), 0);
	assert_int_equal(wane_group_reclaim(root, WANE_ALL), 0);
	assert_int_equal(wane_reclaim_all(), 0);
	cache_fill(&cache, root, 10);
	assert_int_equal(wane_group_reclaim(root, 0), 0);
	assert_int_equal(cache_holds(&cache, root), 10);
}

static void test_about_what_was_asked_for(void **state)
{
	size_t freed;

	(void)state;
	groups_fill(1000);
	for (int i = 1; i < 50; i++) {
		freed = wane_group_reclaim(root, (size_t)i * EXACT);
		assert_true(freed >= (size_t)i * EXACT);
		assert_true(freed <= (size_t)(i + 100) * EXACT);
	}
}

static void test_all_of_it(void **state)
{
	(void)state;
	groups_fill(100);
	cache_fill(&cache, root, 1);
	assert_int_equal(wane_group_reclaim(root, WANE_ALL), 1001 * EXACT);
	assert_int_equal(wane_group_usage(root), 0);
}

static void test_less_than_was_asked_for(void **state)
{
	(void)state;
	groups_fill(1);
	assert_int_equal(wane_group_reclaim(root, 11 * EXACT), 10 * EXACT);
}

/* The subtree, not its surroundings; that of a retired group is its parent's. */
static void test_subtree(void **state)
{
	struct wane_group *child = group_make(group[0], "child");

	(void)state;
	groups_fill(10);
	cache_fill(&cache, child, 10);
	assert_int_equal(wane_group_reclaim(group[0], WANE_ALL), 20 * EXACT);
	assert_int_equal(wane_group_usage(root), 90 * EXACT);
	cache_fill(&cache, group[0], 5);
	assert_int_equal(wane_group_retire(child), 0);
	assert_int_equal(wane_group_reclaim(child, WANE_ALL), 5 * EXACT);
	assert_int_equal(wane_group_usage(root), 90 * EXACT);
	wane_group_put(child);
}

/* Bug 42, invariant 12: at priority 0 the smallest of caches is reached. */
static void test_many_small_caches(void **state)
{
	const struct wane_shrinker_ops ops = { .size = sizeof(ops) };
	struct cache small[70];

	(void)state;
	for (int i = 0; i < 70; i++) {
		cache_open_with(&small[i], EXACT, &ops); /* batches of 128 */
		cache_fill(&small[i], group[i % 10], 1 + i % 3);
	}
	wane_group_reclaim(root, WANE_ALL);
	assert_int_equal(wane_group_usage(root), 0);
	for (int i = 0; i < 70; i++)
		cache_close(&small[i]);
}

/* A hard reclaim leaves no mark: the next ones begin gently again. */
static void test_pressure_eases(void **state)
{
	size_t freed = 0;

	(void)state;
	groups_fill(10);
	assert_int_equal(wane_group_reclaim(root, 100 * EXACT), 100 * EXACT);
	groups_fill(1000);
	for (int i = 0; i < 9; i++)
		freed = wane_group_reclaim(root, EXACT);
	assert_true(freed > 0);
	assert_true(freed <= 20 * EXACT);
}

/* ---- Fairness ------------------------------------------------------------------------------ */

static void test_fair_among_groups(void **state)
{
	long least = LONG_MAX, most = 0;

	(void)state;
	groups_fill(1000);
	for (int i = 0; i < 500; i++)
		assert_true(wane_group_reclaim(root, EXACT) > 0);
	for (size_t i = 0; i < ARRAY_SIZE(group); i++) {
		least = min_of(least, 1000 - cache_holds(&cache, group[i]));
		most = max_of(most, 1000 - cache_holds(&cache, group[i]));
	}
	assert_true(least > 0);
	assert_true(most - least <= most / 4);
}

static void test_fair_among_caches(void **state)
{
	struct cache other;
	long from_one, from_other;

	(void)state;
	cache_open(&other, EXACT);
	cache_fill(&cache, group[0], 1000);
	cache_fill(&other, group[0], 1000);
	for (int i = 0; i < 100; i++)
		wane_group_reclaim(root, EXACT);
	from_one = 1000 - cache_holds(&cache, group[0]);
	from_other = 1000 - cache_holds(&other, group[0]);
	assert_true(from_one > 0);
	assert_true(labs(from_one - from_other) <= from_one / 4);
	cache_empty(&other, group[0]);
	cache_close(&other);
}

/* ---- Protection ------------------------------------------------------------------------------ */

static void test_min_stays(void **state)
{
	(void)state;
	groups_fill(100);
	set_limit(group[0], WANE_MIN, 50 * EXACT);
	set_limit(group[1], WANE_MIN, 200 * EXACT);
	wane_group_reclaim(root, WANE_ALL);
	assert_int_equal(cache_holds(&cache, group[0]), 50);
	assert_int_equal(cache_holds(&cache, group[1]), 100);
	assert_int_equal(wane_group_usage(root), 150 * EXACT);
	/* Its own reclaim is another matter. */
	wane_group_reclaim(group[0], WANE_ALL);
	assert_int_equal(wane_group_usage(group[0]), 0);
}

/* Not even by the smallest steps, nor by one large batch. */
static void test_min_is_not_undercut(void **state)
{
	static const size_t batches[] = { 1, 128 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(batches); i++) {
		const struct wane_shrinker_ops ops = {
			.size = sizeof(ops),
			.batch = batches[i],
		};
		struct cache other;

		cache_open_with(&other, EXACT, &ops);
		cache_fill(&other, group[0], 300);
		set_limit(group[0], WANE_MIN, 100 * EXACT + EXACT / 2);
		while (wane_group_reclaim(root, EXACT) > 0)
			assert_true(cache_holds(&other, group[0]) >= 100);
		assert_in_range(cache_holds(&other, group[0]), 100, 101);
		cache_empty(&other, group[0]);
		cache_close(&other);
	}
}

/* What a parent grants is shared out by what its children ask for. */
static void test_min_through_levels(void **state)
{
	struct wane_group *child[2];

	(void)state;
	set_limit(group[0], WANE_MIN, 60 * EXACT);
	for (int i = 0; i < 2; i++) {
		child[i] = group_make(group[0], NULL);
		set_limit(child[i], WANE_MIN, i ? 30 * EXACT : 60 * EXACT);
		cache_fill(&cache, child[i], 100);
	}
	wane_group_reclaim(root, WANE_ALL);
	/*
	 * 40 and 20 to begin with.  Who shrinks below what it asks for then
	 * asks for less, so the other's part grows while both shrink.
	 */
	assert_in_range(cache_holds(&cache, child[0]), 30, 45);
	assert_in_range(cache_holds(&cache, child[1]), 15, 30);
	assert_true(wane_group_usage(group[0]) >= 60 * EXACT);
	assert_true(wane_group_usage(group[0]) <= 62 * EXACT);
	for (int i = 0; i < 2; i++) {
		cache_empty(&cache, child[i]);
		wane_group_put(child[i]);
	}
}

static void test_low_stays_while_there_is_more(void **state)
{
	(void)state;
	cache_fill(&cache, group[0], 100);
	cache_fill(&cache, group[1], 100);
	set_limit(group[0], WANE_LOW, 50 * EXACT);
	set_limit(group[0], WANE_MIN, 10 * EXACT);
	assert_true(wane_group_reclaim(root, 140 * EXACT) >= 140 * EXACT);
	assert_int_equal(cache_holds(&cache, group[0]), 50);
	assert_int_equal(wane_group_events(group[0], WANE_EVENT_LOW), 0);
	/* Nothing else is left: then low goes, and min stays. */
	wane_group_reclaim(root, WANE_ALL);
	assert_int_equal(cache_holds(&cache, group[0]), 10);
	assert_true(wane_group_events(group[0], WANE_EVENT_LOW) > 0);
	assert_int_equal(wane_group_events(group[1], WANE_EVENT_LOW), 0);
}

/* Bug 47: nothing but protected groups; it ends, and frees nothing. */
static void test_all_are_protected(void **state)
{
	(void)state;
	groups_fill(10);
	for (size_t i = 0; i < ARRAY_SIZE(group); i++)
		set_limit(group[i], WANE_MIN, 10 * EXACT);
	assert_int_equal(wane_group_reclaim(root, WANE_ALL), 0);
	assert_int_equal(cache.scans, 0);
	/* With the limit of the root in the way, a charge fails. */
	set_limit(root, WANE_MAX, 100 * EXACT);
	assert_int_equal(wane_charge(group[0], EXACT, 0), -ENOMEM);
	/* Everything is everything. */
	assert_int_equal(wane_reclaim_all(), 100);
}

/* ---- Idle groups -------------------------------------------------------------------------------------- */

/* Bugs 7 and 45, invariant 23: they cost no call. */
static void test_idle_groups_are_not_asked(void **state)
{
	struct wane_group *idle[500];

	(void)state;
	for (int i = 0; i < 500; i++) {
		idle[i] = group_make(group[i % 10], NULL);
		if (i % 2)
			assert_int_equal(wane_lru_prepare(cache.lru, idle[i]),
					 0);
	}
	assert_int_equal(wane_group_reclaim(root, WANE_ALL), 0);
	assert_int_equal(wane_reclaim_all(), 0);
	assert_int_equal(cache.counts, 0);
	for (int i = 0; i < 500; i += 2)
		cache_fill(&cache, idle[i], 1);
	assert_int_equal(wane_reclaim_all(), 250);
	/* One call for what it had, two to hear of 0, and none any more. */
	assert_in_range(cache.counts, 250, 250 * 3);
	cache.counts = 0;
	assert_int_equal(wane_group_reclaim(root, WANE_ALL), 0);
	assert_in_range(cache.counts, 0, 250 * 2);
	cache.counts = 0;
	assert_int_equal(wane_group_reclaim(root, WANE_ALL), 0);
	assert_int_equal(wane_reclaim_all(), 0);
	assert_int_equal(cache.counts, 0);
	for (int i = 0; i < 500; i++)
		wane_group_put(idle[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		GROUPS_TEST(test_nothing_to_free),
		GROUPS_TEST(test_about_what_was_asked_for),
		GROUPS_TEST(test_all_of_it),
		GROUPS_TEST(test_less_than_was_asked_for),
		GROUPS_TEST(test_subtree),
		GROUPS_TEST(test_many_small_caches),
		GROUPS_TEST(test_pressure_eases),
		GROUPS_TEST(test_fair_among_groups),
		GROUPS_TEST(test_fair_among_caches),
		GROUPS_TEST(test_min_stays),
		GROUPS_TEST(test_min_is_not_undercut),
		GROUPS_TEST(test_min_through_levels),
		GROUPS_TEST(test_low_stays_while_there_is_more),
		GROUPS_TEST(test_all_are_protected),
		GROUPS_TEST(test_idle_groups_are_not_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
