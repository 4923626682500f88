/* SPDX-License-Identifier: MIT */
/*
 * The thread that reclaims groups over their high.
 */
#include "../cache.h"

#include <pthread.h>
#include <sched.h>

static struct wane_group *root;
static struct wane_group *group;
static struct cache cache;
static size_t base;

/* Scans, by the thread of the test and by any other: atomic. */
static pthread_t self;
static long scans_here, scans_elsewhere;

static long scan_and_note_thread(void *arg, struct wane_shrink *sc)
{
	if (pthread_equal(pthread_self(), self))
		add_relaxed(&scans_here, 1);
	else
		add_relaxed(&scans_elsewhere, 1);
	return cache_scan(arg, sc);
}

static const struct wane_shrinker_ops noting = {
	.size = sizeof(noting),
	.scan = scan_and_note_thread,
	.batch = CACHE_BATCH,
};

static int make_all(void **state)
{
	(void)state;
	base = base_now();
	root = group_make(NULL, NULL);
	group = group_make(root, "group");
	cache_create(&cache, EXACT, &noting);
	self = pthread_self();
	scans_here = scans_elsewhere = 0;
	return wane_shrinker_start(cache.shrinker);
}

static int put_all(void **state)
{
	(void)state;
	wane_background_stop();
	cache_empty(&cache, group);
	cache_close(&cache);
	wane_group_put(group);
	wane_group_put(root);
	return base_now() == base ? 0 : -1;
}

static void wait_until_under(size_t bytes)
{
	while (wane_group_usage(group) > bytes)
		sched_yield();
}

static void test_start_and_stop(void **state)
{
	(void)state;
	wane_background_stop(); /* does not run */
	for (int i = 0; i < 3; i++) {
		assert_int_equal(wane_background_start(), 0);
		assert_int_equal(wane_background_start(), -EALREADY);
		wane_background_stop();
		wane_background_stop();
	}
}

static void test_caller_reclaims_without_it(void **state)
{
	(void)state;
	set_limit(group, WANE_HIGH, 10 * EXACT);
	cache_fill(&cache, group, 20);
	assert_true(scans_here > 0);
	assert_int_equal(scans_elsewhere, 0);
}

static void test_nowait_leaves_it_to_others(void **state)
{
	(void)state;
	set_limit(group, WANE_HIGH, 10 * EXACT);
	cache_fill(&cache, group, 10);
	assert_int_equal(wane_charge(group, EXACT, WANE_NOWAIT), 0);
	assert_int_equal(scans_here, 0);
	wane_uncharge(group, EXACT);
}

static void test_thread_reclaims(void **state)
{
	(void)state;
	assert_int_equal(wane_background_start(), 0);
	set_limit(group, WANE_HIGH, 10 * EXACT);
	for (int round = 0; round < 10; round++) {
		cache_fill(&cache, group, 20);
		wait_until_under(10 * EXACT);
	}
	wane_background_stop();
	assert_true(load_relaxed(&scans_elsewhere) > 0);
	assert_int_equal(scans_here, 0);
	assert_true(wane_group_events(group, WANE_EVENT_HIGH) > 0);
}

/* With WANE_NOWAIT, too: that is what it is for. */
static void test_thread_reclaims_after_nowait(void **state)
{
	(void)state;
	assert_int_equal(wane_background_start(), 0);
	cache_fill(&cache, group, 20);
	set_limit(group, WANE_HIGH, 25 * EXACT);
	assert_int_equal(wane_charge(group, 10 * EXACT, WANE_NOWAIT), 0);
	wait_until_under(25 * EXACT);
	wane_uncharge(group, 10 * EXACT);
}

static void test_setting_high_wakes_it(void **state)
{
	(void)state;
	assert_int_equal(wane_background_start(), 0);
	cache_fill(&cache, group, 20);
	set_limit(group, WANE_HIGH, 5 * EXACT);
	wait_until_under(5 * EXACT);
	assert_true(load_relaxed(&scans_elsewhere) > 0);
	assert_int_equal(scans_here, 0);
}

/* An ancestor's high is its own affair: its whole subtree is reclaimed. */
static void test_high_of_an_ancestor(void **state)
{
	struct wane_group *other = group_make(root, "other");

	(void)state;
	assert_int_equal(wane_background_start(), 0);
	set_limit(root, WANE_HIGH, 10 * EXACT);
	for (int i = 0; i < 20; i++) {
		cache_fill(&cache, group, 1);
		cache_fill(&cache, other, 1);
	}
	while (wane_group_usage(root) > 10 * EXACT)
		sched_yield();
	assert_int_equal(wane_group_events(group, WANE_EVENT_HIGH), 0);
	wane_background_stop();
	cache_empty(&cache, other);
	wane_group_put(other);
}

/* What waits in its queue when it stops is dropped, not leaked. */
static void test_stop_with_groups_waiting(void **state)
{
	(void)state;
	for (int round = 0; round < 100; round++) {
		struct wane_group *many[8];

		assert_int_equal(wane_background_start(), 0);
		for (int i = 0; i < 8; i++) {
			many[i] = group_make(root, NULL);
			set_limit(many[i], WANE_HIGH, 0);
			cache_fill(&cache, many[i], 2);
		}
		wane_background_stop();
		for (int i = 0; i < 8; i++) {
			cache_empty(&cache, many[i]);
			wane_group_put(many[i]);
		}
	}
	/* A group that was dropped there is queued anew. */
	assert_int_equal(wane_background_start(), 0);
	set_limit(group, WANE_HIGH, EXACT);
	cache_fill(&cache, group, 10);
	wait_until_under(EXACT);
}

static void test_group_retires_while_it_waits(void **state)
{
	(void)state;
	assert_int_equal(wane_background_start(), 0);
	for (int round = 0; round < 100; round++) {
		struct wane_group *child = group_make(group, NULL);

		set_limit(child, WANE_HIGH, 0);
		cache_fill(&cache, child, 3);
		assert_int_equal(wane_group_retire(child), 0);
		wane_group_put(child);
	}
	wane_background_stop();
}

#define BACKGROUND_TEST(fn) \
	cmocka_unit_test_setup_teardown(fn, make_all, put_all)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BACKGROUND_TEST(test_start_and_stop),
		BACKGROUND_TEST(test_caller_reclaims_without_it),
		BACKGROUND_TEST(test_nowait_leaves_it_to_others),
		BACKGROUND_TEST(test_thread_reclaims),
		BACKGROUND_TEST(test_thread_reclaims_after_nowait),
		BACKGROUND_TEST(test_setting_high_wakes_it),
		BACKGROUND_TEST(test_high_of_an_ancestor),
		BACKGROUND_TEST(test_stop_with_groups_waiting),
		BACKGROUND_TEST(test_group_retires_while_it_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
