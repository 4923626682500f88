/* SPDX-License-Identifier: MIT */
/*
 * Bytes charged ahead: how far usage is off, and who takes them back.
 */
#include "with_root.h"

#include <pthread.h>

/* What is charged ahead. */
static size_t ahead(size_t used)
{
	assert_true(wane_group_usage(root) >= used);
	return wane_group_usage(root) - used;
}

/* ---- One thread ------------------------------------------------------------------ */

static void test_large_charges_are_exact(void **state)
{
	(void)state;
	charge(root, STOCK_BATCH + 1);
	assert_int_equal(ahead(STOCK_BATCH + 1), 0);
	wane_uncharge(root, STOCK_BATCH + 1);
	assert_int_equal(ahead(0), 0);
}

static void test_error_is_bounded(void **state)
{
	struct wane_group *group[2 * STOCK_SLOTS];
	struct test_random random = { test_seed() };
	size_t used[2 * STOCK_SLOTS] = { 0 };
	size_t sum = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(group); i++)
		group[i] = group_make(root, NULL);
	for (int i = 0; i < 20000; i++) {
		size_t which = test_random_below(&random, ARRAY_SIZE(group));
		size_t bytes = test_random_below(&random, 3 * STOCK_BATCH / 2);

		if (test_random_one_in(&random, 2)) {
			charge(group[which], bytes);
			used[which] += bytes;
			sum += bytes;
		} else {
			bytes = min_of(bytes, used[which]);
			wane_uncharge(group[which], bytes);
			used[which] -= bytes;
			sum -= bytes;
		}
		assert_true(ahead(sum) <= WANE_STOCK_MAX);
		assert_true(wane_group_usage(group[which]) >= used[which]);
	}
	stock_drain(NULL);
	assert_int_equal(ahead(sum), 0);
	for (size_t i = 0; i < ARRAY_SIZE(group); i++) {
		assert_int_equal(wane_group_usage(group[i]), used[i]);
		wane_uncharge(group[i], used[i]);
		wane_group_put(group[i]);
	}
}

static void test_drain_is_by_subtree(void **state)
{
	struct wane_group *a = group_make(root, "a");
	struct wane_group *in_a = group_make(a, "in a");
	struct wane_group *b = group_make(root, "b");

	(void)state;
	charge(in_a, 1);
	charge(b, 1);
	assert_true(wane_group_usage(in_a) > 1);
	stock_drain(a);
	assert_int_equal(wane_group_usage(a), 1);
	assert_true(wane_group_usage(b) > 1);
	stock_drain(NULL);
	assert_int_equal(ahead(2), 0);
	wane_uncharge(in_a, 1);
	wane_uncharge(b, 1);
	wane_group_put(b);
	wane_group_put(in_a);
	wane_group_put(a);
}

static void test_nothing_is_kept_for_retired(void **state)
{
	struct wane_group *group = group_make(root, "a");

	(void)state;
	charge(group, 100);
	assert_true(ahead(100) > 0);
	assert_int_equal(wane_group_retire(group), 0);
	assert_int_equal(ahead(100), 0);
	charge(group, 100);
	assert_int_equal(ahead(200), 0);
	wane_uncharge(group, 150);
	assert_int_equal(ahead(50), 0);
	wane_uncharge(group, 50);
	wane_group_put(group);
}

/* ---- Misuse ------------------------------------------------------------------------ */

static void uncharge_nothing_charged(void *arg)
{
	wane_uncharge(arg, 1);
}

static void uncharge_too_much(void *arg)
{
	charge(arg, 100);
	wane_uncharge(arg, 101);
}

static void uncharge_much_too_much(void *arg)
{
	charge(arg, 100);
	wane_uncharge(arg, EXACT);
}

static void test_misuse_uncharge(void **state)
{
	(void)state;
	test_expect_abort(uncharge_nothing_charged, root);
	test_expect_abort(uncharge_too_much, root);
	test_expect_abort(uncharge_much_too_much, root);
}

/* Without assertions the usage stops at 0, and the group goes as ever. */
static void test_too_much_stops_at_zero(void **state)
{
	static const size_t bytes[] = { 1, 1000, STOCK_BATCH, EXACT };

	(void)state;
#ifdef WANE_DEBUG
	skip();
#endif
	for (size_t i = 0; i < 2 * ARRAY_SIZE(bytes); i++) {
		struct wane_group *group = group_make(root, "a");
		uint64_t id = wane_group_id(group);

		if (i % 2)
			charge(group, 100);
		wane_uncharge(group, bytes[i / 2] + 100);
		wane_uncharge(group, bytes[i / 2] + 100);
		wane_group_put(group);
		/* What is in the stock may keep it, and nothing else does. */
		wane_barrier();
		stock_drain(NULL);
		assert_int_equal(wane_group_usage(root), 0);
		wane_barrier();
		assert_null(wane_group_find_id(id));
	}
}

/* ---- Threads ----------------------------------------------------------------------- */

#define THREADS 4

struct worker {
	pthread_t thread;
	pthread_barrier_t *parked;
	struct wane_group *group;
	size_t bytes;
};

static void *charge_and_park(void *arg)
{
	struct worker *w = arg;

	if (wane_charge(w->group, w->bytes, 0))
		abort();
	pthread_barrier_wait(w->parked); /* all have charged */
	pthread_barrier_wait(w->parked); /* the test has looked */
	return NULL;
}

static void park(struct worker *worker, pthread_barrier_t *parked)
{
	pthread_barrier_init(parked, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++) {
		worker[i] = (struct worker){
			.parked = parked,
			.group = root,
			.bytes = 100,
		};
		assert_int_equal(pthread_create(&worker[i].thread, NULL,
						charge_and_park, &worker[i]),
				 0);
	}
	pthread_barrier_wait(parked);
}

static void unpark(struct worker *worker, pthread_barrier_t *parked)
{
	pthread_barrier_wait(parked);
	for (int i = 0; i < THREADS; i++)
		pthread_join(worker[i].thread, NULL);
	pthread_barrier_destroy(parked);
}

static void test_threads_leave_nothing(void **state)
{
	struct worker worker[THREADS];
	pthread_barrier_t parked;

	(void)state;
	park(worker, &parked);
	assert_true(ahead(THREADS * 100) > 0);
	assert_true(ahead(THREADS * 100) <= THREADS * WANE_STOCK_MAX);
	unpark(worker, &parked);
	assert_int_equal(ahead(THREADS * 100), 0);
	wane_uncharge(root, THREADS * 100);
}

/* Others' stocks are no reason to fail, not even with WANE_NOWAIT. */
static void test_failing_charge_drains_others(void **state)
{
	struct worker worker[THREADS];
	pthread_barrier_t parked;
	size_t max = THREADS * 100 + EXACT;

	(void)state;
	park(worker, &parked);
	/* Setting it takes stocks back, too: so give each thread some anew. */
	set_limit(root, WANE_MAX, wane_group_usage(root));
	unpark(worker, &parked);
	park(worker, &parked);
	assert_true(wane_group_usage(root) > 2 * THREADS * 100);
	max = wane_group_limit(root, WANE_MAX);
	assert_int_equal(
		wane_charge(root, max - 2 * THREADS * 100, WANE_NOWAIT), 0);
	assert_int_equal(wane_group_usage(root), max);
	assert_int_equal(wane_charge(root, 1, WANE_NOWAIT), -EAGAIN);
	unpark(worker, &parked);
	wane_uncharge(root, max);
}

static void test_limit_drains_others(void **state)
{
	struct worker worker[THREADS];
	pthread_barrier_t parked;

	(void)state;
	park(worker, &parked);
	set_limit(root, WANE_MAX, THREADS * 100);
	assert_int_equal(ahead(THREADS * 100), 0);
	unpark(worker, &parked);
	wane_uncharge(root, THREADS * 100);
}

static void test_retire_drains_others(void **state)
{
	struct wane_group *group = group_make(root, "a");
	struct wane_group *up = root;
	struct worker worker[THREADS];
	pthread_barrier_t parked;

	(void)state;
	root = group;
	park(worker, &parked);
	assert_true(ahead(THREADS * 100) > 0);
	assert_int_equal(wane_group_retire(group), 0);
	assert_int_equal(ahead(THREADS * 100), 0);
	unpark(worker, &parked);
	root = up;
	assert_int_equal(ahead(THREADS * 100), 0);
	wane_uncharge(group, THREADS * 100);
	wane_group_put(group);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ROOT_TEST(test_large_charges_are_exact),
		ROOT_TEST(test_error_is_bounded),
		ROOT_TEST(test_drain_is_by_subtree),
		ROOT_TEST(test_nothing_is_kept_for_retired),
		ROOT_TEST(test_misuse_uncharge),
		ROOT_TEST(test_too_much_stops_at_zero),
		ROOT_TEST(test_threads_leave_nothing),
		ROOT_TEST(test_failing_charge_drains_others),
		ROOT_TEST(test_limit_drains_others),
		ROOT_TEST(test_retire_drains_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
