/* SPDX-License-Identifier: MIT */
/*
 * Hierarchical bytes: all levels or none, limits, peaks, protection.
 */
#include "../cache.h"

#include <pthread.h>
#include <sched.h>

#include "counter.h"

#define MIB ((size_t)1 << 20)

/* A chain, the top first. */
static void chain(struct counter *counter, int nr)
{
	for (int i = 0; i < nr; i++)
		counter_init(&counter[i], i ? &counter[i - 1] : NULL);
}

static void charge_ok(struct counter *counter, size_t bytes)
{
	assert_null(counter_try_charge(counter, bytes));
}

/* Invariants 7 and 53: at rest, each level is the sum of what is below. */
static void assert_guarded(const struct counter *counter, enum wane_limit which)
{
	assert_int_equal(counter->guarded[which],
			 min_of(counter->usage, counter->limit[which]));
}

/* ---- Charge and uncharge ------------------------------------------------------ */

static void test_all_levels(void **state)
{
	struct counter c[4];

	(void)state;
	chain(c, 4);
	charge_ok(&c[3], 10);
	charge_ok(&c[1], 5);
	assert_int_equal(c[0].usage, 15);
	assert_int_equal(c[1].usage, 15);
	assert_int_equal(c[2].usage, 10);
	assert_int_equal(c[3].usage, 10);
	counter_uncharge(&c[3], 4);
	counter_uncharge(&c[1], 5);
	assert_int_equal(c[0].usage, 6);
	assert_int_equal(c[1].usage, 6);
	assert_int_equal(c[3].usage, 6);
}

/* Bug 55: the limit of any ancestor counts; invariant 8: all or none. */
static void test_limit_of_each_level(void **state)
{
	(void)state;
	for (int level = 0; level < 4; level++) {
		struct counter c[4];

		chain(c, 4);
		charge_ok(&c[3], 10);
		counter_set_limit(&c[level], WANE_MAX, 15);
		assert_ptr_equal(counter_try_charge(&c[3], 6), &c[level]);
		for (int i = 0; i < 4; i++)
			assert_int_equal(c[i].usage, 10);
		for (int i = 0; i <= level; i++)
			assert_int_equal(c[i].peak, 10);
		charge_ok(&c[3], 5);
		assert_ptr_equal(counter_try_charge(&c[3], 1), &c[level]);
	}
}

static void test_lowest_level_is_named(void **state)
{
	struct counter c[3];

	(void)state;
	chain(c, 3);
	counter_set_limit(&c[0], WANE_MAX, 5);
	counter_set_limit(&c[1], WANE_MAX, 5);
	assert_ptr_equal(counter_try_charge(&c[2], 6), &c[1]);
}

static void test_no_wrap(void **state)
{
	struct counter c[2];

	(void)state;
	chain(c, 2);
	charge_ok(&c[1], 100);
	assert_ptr_equal(counter_try_charge(&c[1], SIZE_MAX), &c[1]);
	assert_ptr_equal(counter_try_charge(&c[1], SIZE_MAX - 99), &c[1]);
	assert_int_equal(c[0].usage, 100);
	assert_int_equal(c[1].usage, 100);
}

static void test_limit_zero_and_below_usage(void **state)
{
	struct counter c;

	(void)state;
	counter_init(&c, NULL);
	counter_set_limit(&c, WANE_MAX, 0);
	assert_ptr_equal(counter_try_charge(&c, 1), &c);
	charge_ok(&c, 0);
	counter_set_limit(&c, WANE_MAX, 100);
	charge_ok(&c, 100);
	counter_set_limit(&c, WANE_MAX, 50);
	assert_ptr_equal(counter_try_charge(&c, 1), &c);
	counter_uncharge(&c, 60);
	charge_ok(&c, 10);
}

static void test_peak_never_falls(void **state)
{
	struct counter c[2];

	(void)state;
	chain(c, 2);
	charge_ok(&c[1], 70);
	counter_uncharge(&c[1], 70);
	charge_ok(&c[1], 30);
	charge_ok(&c[0], 50);
	assert_int_equal(c[1].peak, 70);
	assert_int_equal(c[0].peak, 80);
}

static void too_much_back(void *arg)
{
	counter_uncharge(arg, 11);
}

static void test_misuse_uncharge(void **state)
{
	struct counter c;

	(void)state;
	counter_init(&c, NULL);
	charge_ok(&c, 10);
	test_expect_abort(too_much_back, &c);
}

/* ---- Protection ---------------------------------------------------------------- */

static void test_guarded_sums(void **state)
{
	struct counter top, a, b;

	(void)state;
	counter_init(&top, NULL);
	counter_init(&a, &top);
	counter_init(&b, &top);
	charge_ok(&a, 30);
	counter_set_limit(&a, WANE_MIN, 20); /* after the charge */
	counter_set_limit(&b, WANE_MIN, 20); /* before it */
	charge_ok(&b, 15);
	assert_int_equal(top.guarded_below[WANE_MIN], 35);
	charge_ok(&b, 15);
	assert_int_equal(top.guarded_below[WANE_MIN], 40);
	counter_uncharge(&a, 25);
	assert_int_equal(top.guarded_below[WANE_MIN], 25);
	counter_set_limit(&b, WANE_MIN, 0);
	assert_int_equal(top.guarded_below[WANE_MIN], 5);
	assert_int_equal(top.guarded_below[WANE_LOW], 0);
	assert_guarded(&a, WANE_MIN);
	assert_guarded(&b, WANE_MIN);
}

static void test_root_is_not_protected(void **state)
{
	struct counter c[3];

	(void)state;
	chain(c, 3);
	for (int i = 0; i < 3; i++)
		counter_set_limit(&c[i], WANE_MIN, 10);
	charge_ok(&c[2], 100);
	assert_int_equal(counter_protection(&c[0], &c[0], WANE_MIN), 0);
	assert_int_equal(counter_protection(&c[2], &c[2], WANE_MIN), 0);
	assert_int_equal(counter_protection(&c[1], &c[0], WANE_MIN), 10);
	assert_int_equal(counter_protection(&c[1], &c[0], WANE_LOW), 0);
}

/* Invariant 9: not more than the usage, nor than was asked for. */
static void test_own_bounds(void **state)
{
	struct counter c[2];

	(void)state;
	chain(c, 2);
	counter_set_limit(&c[1], WANE_LOW, 50);
	charge_ok(&c[1], 20);
	assert_int_equal(counter_protection(&c[1], &c[0], WANE_LOW), 20);
	charge_ok(&c[1], 80);
	assert_int_equal(counter_protection(&c[1], &c[0], WANE_LOW), 50);
}

/* A parent without protection of its own has none to grant. */
static void test_parent_grants(void **state)
{
	struct counter c[3];

	(void)state;
	chain(c, 3);
	counter_set_limit(&c[2], WANE_MIN, 50);
	charge_ok(&c[2], 100);
	assert_int_equal(counter_protection(&c[2], &c[0], WANE_MIN), 0);
	counter_set_limit(&c[1], WANE_MIN, 30);
	assert_int_equal(counter_protection(&c[2], &c[0], WANE_MIN), 30);
	counter_set_limit(&c[1], WANE_MIN, 80);
	assert_int_equal(counter_protection(&c[2], &c[0], WANE_MIN), 50);
}

/*
 * The case that cgroup v2's own tests use: the parent has 50 MiB, its children
 * hold 50 each and ask for 75, 25, 0, and one that holds none asks for 500.
 */
static void test_children_ask_for_more(void **state)
{
	static const size_t asks[4] = { 75, 25, 0, 500 };
	struct counter top, parent, child[4];

	(void)state;
	counter_init(&top, NULL);
	counter_init(&parent, &top);
	counter_set_limit(&parent, WANE_MIN, 50 * MIB);
	for (int i = 0; i < 4; i++) {
		counter_init(&child[i], &parent);
		counter_set_limit(&child[i], WANE_MIN, asks[i] * MIB);
		charge_ok(&child[i], i < 3 ? 50 * MIB : 0);
	}
	assert_int_equal(parent.guarded_below[WANE_MIN], 75 * MIB);
	assert_int_equal(counter_protection(&parent, &top, WANE_MIN), 50 * MIB);
	assert_int_equal(counter_protection(&child[0], &top, WANE_MIN),
			 50 * MIB * 50 / 75);
	assert_int_equal(counter_protection(&child[1], &top, WANE_MIN),
			 50 * MIB * 25 / 75);
	assert_int_equal(counter_protection(&child[2], &top, WANE_MIN), 0);
	assert_int_equal(counter_protection(&child[3], &top, WANE_MIN), 0);
}

/* The scarcity of one level goes on to those below it. */
static void test_proportion_through_levels(void **state)
{
	struct counter top, parent, child[2], leaf[2];

	(void)state;
	counter_init(&top, NULL);
	counter_init(&parent, &top);
	counter_set_limit(&parent, WANE_LOW, 60);
	for (int i = 0; i < 2; i++) {
		counter_init(&child[i], &parent);
		counter_set_limit(&child[i], WANE_LOW, 60);
	}
	for (int i = 0; i < 2; i++) {
		counter_init(&leaf[i], &child[0]);
		counter_set_limit(&leaf[i], WANE_LOW, i ? 20 : 40);
		charge_ok(&leaf[i], 50);
	}
	charge_ok(&child[1], 60);
	/* The children ask for 60 each and get 30; the leaves for 40 and 20. */
	assert_int_equal(counter_protection(&child[0], &top, WANE_LOW), 30);
	assert_int_equal(counter_protection(&leaf[0], &top, WANE_LOW), 20);
	assert_int_equal(counter_protection(&leaf[1], &top, WANE_LOW), 10);
	/* Seen from the parent itself there is nothing to share out. */
	assert_int_equal(counter_protection(&child[0], &parent, WANE_LOW), 60);
}

/* Bug 52: what is read one by one may not add up; nothing traps. */
static void test_torn_reads(void **state)
{
	struct counter c[3];

	(void)state;
	chain(c, 3);
	counter_set_limit(&c[1], WANE_MIN, SIZE_MAX / 4);
	counter_set_limit(&c[2], WANE_MIN, SIZE_MAX / 2);
	charge_ok(&c[2], SIZE_MAX / 2);
	/* A product of 125 bits. */
	assert_int_equal(counter_protection(&c[2], &c[0], WANE_MIN),
			 SIZE_MAX / 4);
	/* The part looks larger than the whole, or there is no whole. */
	c[1].guarded_below[WANE_MIN] = SIZE_MAX / 3;
	assert_true(counter_protection(&c[2], &c[0], WANE_MIN) <= SIZE_MAX / 4);
	c[1].guarded_below[WANE_MIN] = 0;
	assert_true(counter_protection(&c[2], &c[0], WANE_MIN) <= SIZE_MAX / 2);
	c[1].usage = 0;
	assert_int_equal(counter_protection(&c[2], &c[0], WANE_MIN),
			 SIZE_MAX / 2);
	c[1].guarded_below[WANE_MIN] = SIZE_MAX;
	assert_int_equal(counter_protection(&c[2], &c[0], WANE_MIN), 0);
}

/* ---- Threads -------------------------------------------------------------------- */

#define THREADS 3
#define MAX 1000
#define STEPS 4

struct tree {
	struct counter top;
	struct counter child[2];
	size_t held; /* what was granted and not given back: atomic */
	int rounds;
	pthread_barrier_t round;
};

struct worker {
	pthread_t thread;
	struct tree *tree;
	struct test_random random;
	size_t owned[2];
};

static void step(struct worker *w)
{
	int which = (int)test_random_below(&w->random, 2);
	size_t bytes = test_random_below(&w->random, MAX / 2);
	struct counter *child = &w->tree->child[which];

	if (test_random_one_in(&w->random, 2)) {
		bytes = min_of(bytes, w->owned[which]);
		w->owned[which] -= bytes;
		sub_full(&w->tree->held, bytes);
		counter_uncharge(child, bytes);
	} else if (!counter_try_charge(child, bytes)) {
		w->owned[which] += bytes;
		/* Invariant 8. */
		if (add_full(&w->tree->held, bytes) > MAX)
			abort();
	}
}

static void *work(void *arg)
{
	struct worker *w = arg;

	for (int i = 0; i < w->tree->rounds; i++) {
		pthread_barrier_wait(&w->tree->round);
		for (int j = 0; j < STEPS; j++)
			step(w);
		pthread_barrier_wait(&w->tree->round);
	}
	return NULL;
}

static void assert_tree_at_rest(struct tree *tree)
{
	assert_int_equal(tree->top.usage, tree->held);
	assert_int_equal(tree->child[0].usage + tree->child[1].usage,
			 tree->held);
	assert_true(tree->top.peak <= MAX);
	for (int i = 0; i < 2; i++) {
		assert_true(tree->child[i].peak <= MAX * 2 / 3);
		assert_guarded(&tree->child[i], WANE_MIN);
		assert_guarded(&tree->child[i], WANE_LOW);
	}
	for (int which = WANE_MIN; which <= WANE_LOW; which++)
		assert_int_equal(tree->top.guarded_below[which],
				 tree->child[0].guarded[which] +
					 tree->child[1].guarded[which]);
}

static void tree_init(struct tree *tree)
{
	*tree = (struct tree){ .rounds = SANITIZED ? 1000 : 10000 };
	pthread_barrier_init(&tree->round, NULL, THREADS + 1);
	counter_init(&tree->top, NULL);
	counter_set_limit(&tree->top, WANE_MAX, MAX);
	for (int i = 0; i < 2; i++) {
		counter_init(&tree->child[i], &tree->top);
		counter_set_limit(&tree->child[i], WANE_MIN, SIZE_MAX);
		counter_set_limit(&tree->child[i], WANE_LOW, MAX / 3);
		counter_set_limit(&tree->child[i], WANE_MAX, MAX * 2 / 3);
	}
}

/*
 * Most charges are refused, so one that is taken back often meets another
 * thread that just brings the guarded bytes in line with the usage.
 */
static void test_threads(void **state)
{
	struct worker worker[THREADS];
	struct tree tree;

	(void)state;
	tree_init(&tree);
	for (unsigned int i = 0; i < THREADS; i++) {
		worker[i] = (struct worker){
			.tree = &tree,
			.random = { test_seed() + i },
		};
		assert_int_equal(pthread_create(&worker[i].thread, NULL, work,
						&worker[i]),
				 0);
	}
	for (int i = 0; i < tree.rounds; i++) {
		pthread_barrier_wait(&tree.round);
		pthread_barrier_wait(&tree.round);
		assert_tree_at_rest(&tree);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(worker[i].thread, NULL);
	pthread_barrier_destroy(&tree.round);
}

/* ---- Two threads, one step each, at the same time --------------------------------- */

#define MEETINGS (SANITIZED ? 20000 : 300000)

static struct {
	struct counter top;
	struct counter child;
	int round; /* atomic, and so is */
	int done;
} meeting;

static void wait_until(const int *word, int value)
{
	for (int i = 1; load_acquire(word) != value; i++) {
		cpu_relax();
		if (i % 1000 == 0)
			sched_yield();
	}
}

static void *go_up_and_down(void *unused)
{
	for (int i = 1; i <= MEETINGS; i++) {
		wait_until(&meeting.round, i);
		/* Refused with the large one, it may be: then once more. */
		while (i % 2 && counter_try_charge(&meeting.child, 1))
			cpu_relax();
		if (i % 2 == 0)
			counter_uncharge(&meeting.child, 1);
		store_release(&meeting.done, i);
	}
	return unused;
}

/* Invariant 53: bytes that are refused in the end are guarded by no one. */
static void test_refused_meets_granted(void **state)
{
	pthread_t thread;

	(void)state;
	counter_init(&meeting.top, NULL);
	counter_init(&meeting.child, &meeting.top);
	counter_set_limit(&meeting.child, WANE_MAX, SIZE_MAX / 2);
	counter_set_limit(&meeting.child, WANE_MIN, SIZE_MAX / 2);
	charge_ok(&meeting.child, 90);
	assert_int_equal(pthread_create(&thread, NULL, go_up_and_down, NULL),
			 0);
	for (int i = 1; i <= MEETINGS; i++) {
		store_release(&meeting.round, i);
		for (int j = 0; j < i % 8; j++)
			cpu_relax();
		assert_non_null(
			counter_try_charge(&meeting.child, SIZE_MAX / 2));
		wait_until(&meeting.done, i);
		assert_int_equal(meeting.child.usage, 90 + i % 2);
		assert_guarded(&meeting.child, WANE_MIN);
		assert_int_equal(meeting.top.guarded_below[WANE_MIN],
				 90 + i % 2);
	}
	pthread_join(thread, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_levels),
		cmocka_unit_test(test_limit_of_each_level),
		cmocka_unit_test(test_lowest_level_is_named),
		cmocka_unit_test(test_no_wrap),
		cmocka_unit_test(test_limit_zero_and_below_usage),
		cmocka_unit_test(test_peak_never_falls),
		cmocka_unit_test(test_misuse_uncharge),
		cmocka_unit_test(test_guarded_sums),
		cmocka_unit_test(test_root_is_not_protected),
		cmocka_unit_test(test_own_bounds),
		cmocka_unit_test(test_parent_grants),
		cmocka_unit_test(test_children_ask_for_more),
		cmocka_unit_test(test_proportion_through_levels),
		cmocka_unit_test(test_torn_reads),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_refused_meets_granted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
