/* SPDX-License-Identifier: MIT */
/*
 * Reclaim ends: when nothing can go, when more comes all the time, and when it
 * is told to.
 */
#include "with_groups.h"

#include <pthread.h>
#include <sched.h>

/* ---- It ends ------------------------------------------------------------------------------------ */

static long count_endless(void *arg, struct wane_shrink *sc)
{
	struct cache *c = arg;

	(void)sc;
	c->counts++;
	return 1000;
}

static long scan_endless(void *arg, struct wane_shrink *sc)
{
	struct cache *c = arg;

	c->scans++;
	return (long)sc->to_scan;
}

static const struct wane_shrinker_ops endless = {
	.size = sizeof(endless),
	.count = count_endless,
	.scan = scan_endless,
};

/* Bug 46, invariant 25: it says that it frees, for ever. */
static void test_passes_are_bounded(void **state)
{
	struct cache never;

	(void)state;
	cache_open_with(&never, EXACT, &endless);
	cache_fill(&never, group[0], 1);
	assert_int_equal(wane_group_reclaim(root, WANE_ALL), 0);
	assert_in_range(never.counts, 1, 100);
	never.counts = 0;
	assert_true(wane_reclaim_all() > 0);
	assert_in_range(never.counts, 1, 20);
	never.counts = 0;
	set_limit(group[0], WANE_MAX, EXACT);
	assert_int_equal(wane_charge(group[0], EXACT, 0), -ENOMEM);
	assert_in_range(never.counts, 1, 1000);
	cache_empty(&never, group[0]);
	cache_close(&never);
}

/* Bug 44: none can go now.  It is looked at, and given up. */
static enum wane_verdict skip_it(struct wane_item *item, void *arg)
{
	(void)item, (void)arg;
	return WANE_SKIP;
}

static void test_busy_objects(void **state)
{
	(void)state;
	groups_fill(10);
	cache.judge = skip_it;
	assert_int_equal(wane_group_reclaim(root, WANE_ALL), 0);
	assert_int_equal(wane_reclaim_all(), 0);
	cache.judge = NULL;
	assert_int_equal(wane_group_reclaim(root, WANE_ALL), 100 * EXACT);
}

static enum wane_verdict second_chance(struct wane_item *item, void *arg)
{
	struct object *object = object_of(item);

	(void)arg;
	if (!object->used)
		return WANE_TAKE;
	object->used = false;
	return WANE_ROTATE;
}

static void test_second_chance(void **state)
{
	(void)state;
	cache.judge = second_chance;
	for (int i = 0; i < 200; i++)
		cache_add(&cache, group[0])->used = i % 2;
	wane_group_reclaim(root, 50 * EXACT);
	assert_true(cache.freed < 200);
	wane_group_reclaim(root, WANE_ALL);
	assert_int_equal(cache.freed, 200);
}

/* ---- Cancelled ------------------------------------------------------------------------------------- */

static bool entered, cancelled; /* atomic */

static long scan_until_cancelled(void *arg, struct wane_shrink *sc)
{
	store_release(&entered, true);
	while (!load_acquire(&cancelled))
		sched_yield();
	return cache_scan(arg, sc);
}

static void *reclaim_root(void *unused)
{
	wane_group_reclaim(root, WANE_ALL);
	return unused;
}

static void *reclaim_everything(void *unused)
{
	wane_reclaim_all();
	return unused;
}

/* It ends after the group that it is in; the others are not asked. */
static void cancel(void *(*reclaim)(void *))
{
	const struct wane_shrinker_ops ops = {
		.size = sizeof(ops),
		.scan = scan_until_cancelled,
		.batch = 1000,
	};
	struct cache other;
	pthread_t thread;

	entered = cancelled = false;
	cache_open_with(&other, EXACT, &ops);
	for (int i = 0; i < 10; i++)
		cache_fill(&other, group[i], 10);
	assert_int_equal(pthread_create(&thread, NULL, reclaim, NULL), 0);
	while (!load_acquire(&entered))
		sched_yield();
	wane_reclaim_cancel();
	store_release(&cancelled, true);
	pthread_join(thread, NULL);
	assert_int_equal(other.freed, 10);
	/* The next one is not cancelled. */
	wane_group_reclaim(root, WANE_ALL);
	assert_int_equal(other.freed, 100);
	cache_close(&other);
}

static void test_cancel(void **state)
{
	(void)state;
	cancel(reclaim_root);
	cancel(reclaim_everything);
}

static long scan_and_cancel(void *arg, struct wane_shrink *sc)
{
	wane_reclaim_cancel();
	return cache_scan(arg, sc);
}

/* A charge goes on: it has no one to tell that it was cancelled. */
static void test_charge_is_not_cancelled(void **state)
{
	const struct wane_shrinker_ops ops = {
		.size = sizeof(ops),
		.scan = scan_and_cancel,
		.batch = 1,
	};
	struct cache other;

	(void)state;
	cache_open_with(&other, EXACT, &ops);
	for (int i = 0; i < 10; i++)
		cache_fill(&other, group[i], 1);
	set_limit(root, WANE_MAX, 10 * EXACT);
	charge(root, 10 * EXACT);
	wane_uncharge(root, 10 * EXACT);
	cache_close(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		GROUPS_TEST(test_passes_are_bounded),
		GROUPS_TEST(test_busy_objects),
		GROUPS_TEST(test_second_chance),
		GROUPS_TEST(test_cancel),
		GROUPS_TEST(test_charge_is_not_cancelled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
