/* SPDX-License-Identifier: MIT */
/*
 * Charges and limits, seen from outside.
 */
#include "with_cache.h"

#include <pthread.h>

/* ---- Results --------------------------------------------------------------------- */

static void test_bad_arguments(void **state)
{
	(void)state;
	assert_int_equal(wane_charge(NULL, 1, 0), -EINVAL);
	assert_int_equal(wane_charge(group, 1, 1u << 5), -EINVAL);
	assert_int_equal(wane_charge(group, 1, WANE_NOWAIT | 1u << 31),
			 -EINVAL);
	assert_int_equal(wane_charge(group, 0, 0), 0);
	assert_int_equal(wane_charge(group, 0, WANE_NOWAIT), 0);
	assert_int_equal(wane_charge(group, SIZE_MAX, 0), -ENOMEM);
	assert_int_equal(wane_charge(group, SIZE_MAX / 2 + 1, WANE_NOWAIT),
			 -ENOMEM);
	wane_uncharge(NULL, 1);
	wane_uncharge(group, 0);
	assert_int_equal(wane_group_usage(root), 0);
}

static void test_charge_counts_in_ancestors(void **state)
{
	(void)state;
	charge(group, EXACT);
	charge(root, EXACT);
	assert_int_equal(wane_group_usage(group), EXACT);
	assert_int_equal(wane_group_usage(root), 2 * EXACT);
	assert_int_equal(wane_group_peak(root), 2 * EXACT);
	wane_uncharge(group, EXACT / 4); /* in parts, as one likes */
	wane_uncharge(group, EXACT - EXACT / 4);
	wane_uncharge(root, EXACT);
	stock_drain(NULL);
	assert_int_equal(wane_group_usage(root), 0);
	assert_int_equal(wane_group_peak(root), 2 * EXACT);
}

/* Bug 55, invariant 8: refused by an ancestor, charged nowhere. */
static void test_refused_by_ancestor(void **state)
{
	(void)state;
	set_limit(root, WANE_MAX, 2 * EXACT);
	charge(group, EXACT);
	assert_int_equal(wane_charge(group, EXACT + 1, 0), -ENOMEM);
	assert_int_equal(wane_charge(group, EXACT + 1, WANE_NOWAIT), -EAGAIN);
	assert_int_equal(wane_group_usage(group), EXACT);
	assert_int_equal(wane_group_usage(root), EXACT);
	/* The event is the one's whose limit it was. */
	assert_int_equal(wane_group_events(group, WANE_EVENT_MAX), 0);
	assert_int_equal(wane_group_events(group, WANE_EVENT_OOM), 0);
	assert_int_equal(wane_group_events(root, WANE_EVENT_MAX), 2);
	assert_int_equal(wane_group_events(root, WANE_EVENT_OOM), 1);
	charge(group, EXACT);
	wane_uncharge(group, 2 * EXACT);
}

static void test_small_charges_fill_up_to_max(void **state)
{
	size_t nr = 0;

	(void)state;
	set_limit(group, WANE_MAX, 3 * STOCK_BATCH);
	while (wane_charge(group, 100, 0) == 0)
		nr++;
	assert_int_equal(nr, 3 * STOCK_BATCH / 100);
	assert_true(wane_group_usage(group) <= 3 * STOCK_BATCH);
	wane_uncharge(group, nr * 100);
}

static void test_charge_reclaims(void **state)
{
	(void)state;
	set_limit(group, WANE_MAX, 10 * EXACT);
	cache_fill(&cache, group, 100);
	assert_true(wane_group_usage(group) <= 10 * EXACT);
	assert_true(wane_group_peak(group) <= 10 * EXACT);
	assert_true(wane_group_events(group, WANE_EVENT_MAX) > 0);
	assert_int_equal(wane_group_events(group, WANE_EVENT_OOM), 0);
	assert_int_equal(cache.freed + cache_holds(&cache, group), 100);
	charge(group, 10 * EXACT); /* all of it at once */
	assert_int_equal(cache_holds(&cache, group), 0);
	wane_uncharge(group, 10 * EXACT);
}

static void test_nowait_does_not_reclaim(void **state)
{
	(void)state;
	set_limit(group, WANE_MAX, 10 * EXACT);
	cache_fill(&cache, group, 10);
	assert_int_equal(wane_charge(group, EXACT, WANE_NOWAIT), -EAGAIN);
	assert_int_equal(cache_holds(&cache, group), 10);
	assert_int_equal(cache.counts, 0);
	assert_int_equal(wane_group_events(group, WANE_EVENT_MAX), 1);
	assert_int_equal(wane_group_events(group, WANE_EVENT_OOM), 0);
}

/* The group that is full is reclaimed, not its neighbours. */
static void test_only_the_full_subtree_is_reclaimed(void **state)
{
	struct wane_group *other = group_make(root, "other");
	struct wane_group *child = group_make(group, "child");

	(void)state;
	cache_fill(&cache, other, 10);
	cache_fill(&cache, child, 10);
	set_limit(group, WANE_MAX, 10 * EXACT);
	charge(group, 5 * EXACT);
	assert_int_equal(cache_holds(&cache, other), 10);
	assert_true(cache_holds(&cache, child) <= 5);
	wane_uncharge(group, 5 * EXACT);
	cache_empty(&cache, other);
	cache_empty(&cache, child);
	wane_group_put(child);
	wane_group_put(other);
}

/* ---- From a callback ---------------------------------------------------------------- */

static struct inner {
	struct wane_group *group;
	int calls;
	int result;
	size_t reclaimed;
} inner;

static long scan_and_charge(void *arg, struct wane_shrink *sc)
{
	inner.calls++;
	inner.result = wane_charge(inner.group, 10 * EXACT, 0);
	inner.reclaimed += wane_group_reclaim(sc->group, WANE_ALL);
	inner.reclaimed += wane_reclaim_all();
	if (inner.result == 0)
		wane_uncharge(inner.group, 10 * EXACT);
	return cache_scan(arg, sc);
}

/* As with WANE_NOWAIT: what fits is granted, and reclaim enters no reclaim. */
static void test_charge_from_a_callback(void **state)
{
	struct wane_shrinker_ops ops = {
		.size = sizeof(ops),
		.scan = scan_and_charge,
	};
	struct cache other;

	(void)state;
	cache_open_with(&other, EXACT, &ops);
	set_limit(group, WANE_MAX, 10 * EXACT);
	cache_fill(&other, group, 10);
	inner = (struct inner){ .group = group };
	charge(group, EXACT);
	assert_true(inner.calls > 0);
	assert_int_equal(inner.result, -EAGAIN);
	assert_int_equal(inner.reclaimed, 0);
	wane_uncharge(group, EXACT);
	cache_fill(&other, group, 1);
	inner.group = root;
	assert_true(wane_group_reclaim(group, EXACT) >= EXACT);
	assert_int_equal(inner.result, 0);
	cache_empty(&other, group);
	cache_close(&other);
}

/* ---- Limits ---------------------------------------------------------------------------- */

static void test_set_limit_arguments(void **state)
{
	(void)state;
	assert_int_equal(wane_group_set_limit(group, (enum wane_limit)4, 1),
			 -EINVAL);
	assert_int_equal(wane_group_set_limit(group, (enum wane_limit) - 1, 1),
			 -EINVAL);
	for (int which = WANE_MIN; which <= WANE_MAX; which++) {
		set_limit(group, (enum wane_limit)which, 12345);
		assert_int_equal(
			wane_group_limit(group, (enum wane_limit)which), 12345);
	}
	assert_true(wane_group_limit(root, WANE_MAX) == WANE_UNLIMITED);
	assert_true(wane_group_limit(root, WANE_HIGH) == WANE_UNLIMITED);
}

static void test_max_below_usage_reclaims(void **state)
{
	(void)state;
	cache_fill(&cache, group, 100);
	set_limit(group, WANE_MAX, 80 * EXACT);
	assert_true(wane_group_usage(group) <= 80 * EXACT);
	assert_true(cache_holds(&cache, group) > 0);
	set_limit(group, WANE_MAX, 0);
	assert_int_equal(wane_group_usage(group), 0);
	assert_int_equal(wane_charge(group, 1, 0), -ENOMEM);
}

/* In force whatever it returns: growth stops first. */
static void test_max_below_what_must_stay(void **state)
{
	(void)state;
	charge(group, 10 * EXACT);
	cache_fill(&cache, group, 10);
	assert_int_equal(wane_group_set_limit(group, WANE_MAX, 5 * EXACT),
			 -EBUSY);
	assert_int_equal(wane_group_limit(group, WANE_MAX), 5 * EXACT);
	assert_int_equal(cache_holds(&cache, group), 0);
	assert_int_equal(wane_charge(group, 1, 0), -ENOMEM);
	wane_uncharge(group, 6 * EXACT);
	charge(group, EXACT);
	wane_uncharge(group, 5 * EXACT);
}

static void test_limits_of_retired(void **state)
{
	(void)state;
	set_limit(group, WANE_MAX, 10 * EXACT);
	set_limit(group, WANE_MIN, EXACT);
	charge(group, 2 * EXACT);
	assert_int_equal(wane_group_retire(group), 0);
	assert_int_equal(wane_group_set_limit(group, WANE_MAX, EXACT), -ESTALE);
	assert_true(wane_group_limit(group, WANE_MAX) == WANE_UNLIMITED);
	assert_int_equal(wane_group_limit(group, WANE_MIN), 0);
	wane_uncharge(group, 2 * EXACT);
}

/* Bug 57: charge and uncharge find the same groups, retired or not. */
static void test_retired_charges_reach_the_parent(void **state)
{
	struct wane_group *child = group_make(group, "child");

	(void)state;
	charge(child, EXACT);
	assert_int_equal(wane_group_retire(child), 0);
	assert_int_equal(wane_group_usage(group), EXACT);
	charge(child, EXACT);
	assert_int_equal(wane_group_usage(group), 2 * EXACT);
	set_limit(group, WANE_MAX, 2 * EXACT);
	assert_int_equal(wane_charge(child, 1, 0), -ENOMEM);
	assert_int_equal(wane_group_events(group, WANE_EVENT_OOM), 1);
	wane_uncharge(child, 2 * EXACT);
	assert_int_equal(wane_group_usage(root), 0);
	wane_group_put(child);
}

/* ---- High ------------------------------------------------------------------------------- */

static void test_high_reclaims_in_the_caller(void **state)
{
	(void)state;
	set_limit(group, WANE_HIGH, 10 * EXACT);
	cache_fill(&cache, group, 50);
	assert_true(wane_group_usage(group) <= 11 * EXACT);
	assert_true(wane_group_events(group, WANE_EVENT_HIGH) > 0);
	assert_int_equal(wane_group_events(group, WANE_EVENT_MAX), 0);
}

static void test_high_never_refuses(void **state)
{
	(void)state;
	set_limit(group, WANE_HIGH, EXACT);
	charge(group, 10 * EXACT);
	assert_int_equal(wane_charge(group, EXACT, WANE_NOWAIT), 0);
	assert_int_equal(wane_group_events(group, WANE_EVENT_HIGH), 2);
	assert_int_equal(wane_group_events(group, WANE_EVENT_OOM), 0);
	wane_uncharge(group, 11 * EXACT);
}

static void test_setting_high_reclaims(void **state)
{
	(void)state;
	cache_fill(&cache, group, 50);
	set_limit(group, WANE_HIGH, 10 * EXACT);
	assert_true(wane_group_usage(group) <= 10 * EXACT);
}

/* ---- Threads ------------------------------------------------------------------------------ */

#define THREADS 4
#define MAX (20 * EXACT)

static size_t held; /* what was granted and not given back: atomic */

static void *charge_at_random(void *arg)
{
	struct test_random random = { test_seed() + *(unsigned int *)arg };
	size_t owned = 0;
	size_t bytes;

	for (int i = 0; i < (SANITIZED ? 2000 : 20000); i++) {
		bytes = 1 + test_random_below(&random, MAX / 4);
		if (owned >= bytes) {
			sub_full(&held, bytes);
			wane_uncharge(group, bytes);
			owned -= bytes;
		} else if (wane_charge(group, bytes, 0) == 0) {
			/* Invariant 8. */
			if (add_full(&held, bytes) > MAX)
				abort();
			owned += bytes;
		}
	}
	sub_full(&held, owned);
	wane_uncharge(group, owned);
	return NULL;
}

static void test_threads_never_pass_max(void **state)
{
	unsigned int number[THREADS];
	pthread_t thread[THREADS];

	(void)state;
	test_seed();
	set_limit(root, WANE_MAX, MAX);
	for (unsigned int i = 0; i < THREADS; i++) {
		number[i] = i;
		assert_int_equal(pthread_create(&thread[i], NULL,
						charge_at_random, &number[i]),
				 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(wane_group_usage(root), 0);
	assert_int_equal(wane_group_usage(group), 0);
	assert_true(wane_group_peak(root) <= MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CACHE_TEST(test_bad_arguments),
		CACHE_TEST(test_charge_counts_in_ancestors),
		CACHE_TEST(test_refused_by_ancestor),
		CACHE_TEST(test_small_charges_fill_up_to_max),
		CACHE_TEST(test_charge_reclaims),
		CACHE_TEST(test_nowait_does_not_reclaim),
		CACHE_TEST(test_only_the_full_subtree_is_reclaimed),
		CACHE_TEST(test_charge_from_a_callback),
		CACHE_TEST(test_set_limit_arguments),
		CACHE_TEST(test_max_below_usage_reclaims),
		CACHE_TEST(test_max_below_what_must_stay),
		CACHE_TEST(test_limits_of_retired),
		CACHE_TEST(test_retired_charges_reach_the_parent),
		CACHE_TEST(test_high_reclaims_in_the_caller),
		CACHE_TEST(test_high_never_refuses),
		CACHE_TEST(test_setting_high_reclaims),
		CACHE_TEST(test_threads_never_pass_max),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
