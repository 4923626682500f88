/* SPDX-License-Identifier: MIT */
/*
 * Events: counted, told to a callback, and the last word it has on an oom.
 */
#include "../cache.h"

#include <pthread.h>

static struct wane_group *root;
static struct wane_group *group;
static size_t base;

/* What the callback was told, and what it is to answer. */
static struct told {
	struct wane_group *group;
	int nr[WANE_NR_EVENTS];
	bool answer;
	size_t give_back;
} told;

static bool tell(struct wane_group *of, enum wane_event event, void *arg)
{
	struct told *t = arg;

	t->group = of;
	t->nr[event]++;
	if (event == WANE_EVENT_OOM && t->give_back) {
		wane_uncharge(of, t->give_back);
		t->give_back = 0;
	}
	return t->answer;
}

static int make_group(void **state)
{
	(void)state;
	base = base_now();
	root = group_make(NULL, NULL);
	group = group_make(root, "group");
	told = (struct told){ 0 };
	return wane_group_set_callback(group, tell, &told);
}

static int put_group(void **state)
{
	(void)state;
	wane_group_put(group);
	wane_group_put(root);
	return base_now() == base ? 0 : -1;
}

static void test_none_at_first(void **state)
{
	(void)state;
	for (int event = 0; event < WANE_NR_EVENTS; event++) {
		assert_int_equal(
			wane_group_events(group, (enum wane_event)event), 0);
		assert_int_equal(told.nr[event], 0);
	}
}

static void test_oom_is_told(void **state)
{
	(void)state;
	set_limit(group, WANE_MAX, EXACT);
	assert_int_equal(wane_charge(group, 2 * EXACT, 0), -ENOMEM);
	assert_ptr_equal(told.group, group);
	assert_int_equal(told.nr[WANE_EVENT_MAX], 1);
	assert_int_equal(told.nr[WANE_EVENT_OOM], 1);
	assert_int_equal(wane_group_events(group, WANE_EVENT_OOM), 1);
	assert_int_equal(wane_group_events(root, WANE_EVENT_OOM), 0);
}

static void test_nowait_is_no_oom(void **state)
{
	(void)state;
	set_limit(group, WANE_MAX, EXACT);
	assert_int_equal(wane_charge(group, 2 * EXACT, WANE_NOWAIT), -EAGAIN);
	assert_int_equal(told.nr[WANE_EVENT_MAX], 1);
	assert_int_equal(told.nr[WANE_EVENT_OOM], 0);
}

static void fill_and_charge(bool answer, size_t give_back, int expected)
{
	set_limit(group, WANE_MAX, 2 * EXACT);
	charge(group, 2 * EXACT);
	told.answer = answer;
	told.give_back = give_back;
	assert_int_equal(wane_charge(group, EXACT, 0), expected);
	assert_int_equal(told.nr[WANE_EVENT_OOM], 1); /* once in any case */
}

static void test_true_gets_one_more_try(void **state)
{
	(void)state;
	fill_and_charge(true, EXACT, 0);
	wane_uncharge(group, 2 * EXACT);
}

static void test_true_without_room_fails(void **state)
{
	(void)state;
	fill_and_charge(true, 0, -ENOMEM);
	wane_uncharge(group, 2 * EXACT);
}

static void test_false_fails(void **state)
{
	(void)state;
	fill_and_charge(false, EXACT, -ENOMEM);
	wane_uncharge(group, EXACT);
}

/* Small ones: what is given back goes into the thread's stock first. */
static void test_one_more_try_sees_the_stock(void **state)
{
	size_t nr = 0;

	(void)state;
	set_limit(group, WANE_MAX, STOCK_BATCH);
	while (wane_charge(group, 512, WANE_NOWAIT) == 0)
		nr++;
	told.answer = true;
	told.give_back = 1024;
	charge(group, 1024);
	assert_int_equal(told.nr[WANE_EVENT_OOM], 1);
	wane_uncharge(group, nr * 512);
}

static void test_high_is_told(void **state)
{
	(void)state;
	set_limit(group, WANE_HIGH, EXACT);
	charge(group, EXACT);
	assert_int_equal(told.nr[WANE_EVENT_HIGH], 0);
	charge(group, EXACT);
	assert_int_equal(told.nr[WANE_EVENT_HIGH], 1);
	wane_uncharge(group, 2 * EXACT);
}

static void test_callback_is_replaced(void **state)
{
	struct told other = { 0 };

	(void)state;
	set_limit(group, WANE_MAX, EXACT);
	assert_int_equal(wane_group_set_callback(group, tell, &other), 0);
	assert_int_equal(wane_charge(group, 2 * EXACT, 0), -ENOMEM);
	assert_int_equal(told.nr[WANE_EVENT_OOM], 0);
	assert_int_equal(other.nr[WANE_EVENT_OOM], 1);
	assert_int_equal(wane_group_set_callback(group, NULL, NULL), 0);
	assert_int_equal(wane_group_set_callback(group, NULL, NULL), 0);
	assert_int_equal(wane_charge(group, 2 * EXACT, 0), -ENOMEM);
	assert_int_equal(other.nr[WANE_EVENT_OOM], 1);
	assert_int_equal(wane_group_events(group, WANE_EVENT_OOM), 2);
}

/* The event of a charge to a retired group is the one's whose limit it is. */
static void test_retired_has_no_limits(void **state)
{
	(void)state;
	set_limit(group, WANE_MAX, EXACT);
	set_limit(root, WANE_MAX, 4 * EXACT);
	assert_int_equal(wane_group_retire(group), 0);
	charge(group, 4 * EXACT);
	assert_int_equal(wane_charge(group, EXACT, 0), -ENOMEM);
	assert_int_equal(told.nr[WANE_EVENT_OOM], 0);
	assert_int_equal(wane_group_events(root, WANE_EVENT_OOM), 1);
	wane_uncharge(group, 4 * EXACT);
}

/* ---- Threads --------------------------------------------------------------------- */

/* Each of them comes with its own argument only. */
static bool stop;
static struct pair {
	int nr;
} pairs[2];

static bool tell_first(struct wane_group *of, enum wane_event event, void *arg)
{
	(void)of, (void)event;
	if (arg != &pairs[0])
		abort();
	add_relaxed(&pairs[0].nr, 1);
	return false;
}

static bool tell_second(struct wane_group *of, enum wane_event event, void *arg)
{
	(void)of, (void)event;
	if (arg != &pairs[1])
		abort();
	add_relaxed(&pairs[1].nr, 1);
	return false;
}

static void *charge_over_max(void *unused)
{
	while (!load_relaxed(&stop))
		if (wane_charge(group, 2 * EXACT, WANE_NOWAIT) != -EAGAIN)
			abort();
	return unused;
}

static void test_replaced_while_called(void **state)
{
	pthread_t thread;

	(void)state;
	store_relaxed(&stop, false);
	pairs[0].nr = pairs[1].nr = 0;
	set_limit(group, WANE_MAX, EXACT);
	assert_int_equal(pthread_create(&thread, NULL, charge_over_max, NULL),
			 0);
	for (int i = 0; i < 1000 || !load_relaxed(&pairs[0].nr) ||
			!load_relaxed(&pairs[1].nr);
	     i++)
		assert_int_equal(wane_group_set_callback(group,
							 i % 2 ? tell_first
							       : tell_second,
							 &pairs[i % 2 ? 0 : 1]),
				 0);
	store_relaxed(&stop, true);
	pthread_join(thread, NULL);
	/* After the barrier the one that was set last alone is called. */
	assert_int_equal(wane_group_set_callback(group, tell, &told), 0);
	wane_barrier();
	pairs[0].nr = pairs[1].nr = 0;
	told = (struct told){ 0 };
	assert_int_equal(wane_charge(group, 2 * EXACT, WANE_NOWAIT), -EAGAIN);
	assert_int_equal(pairs[0].nr + pairs[1].nr, 0);
	assert_int_equal(told.nr[WANE_EVENT_MAX], 1);
}

#define EVENT_TEST(fn) \
	cmocka_unit_test_setup_teardown(fn, make_group, put_group)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EVENT_TEST(test_none_at_first),
		EVENT_TEST(test_oom_is_told),
		EVENT_TEST(test_nowait_is_no_oom),
		EVENT_TEST(test_true_gets_one_more_try),
		EVENT_TEST(test_true_without_room_fails),
		EVENT_TEST(test_false_fails),
		EVENT_TEST(test_one_more_try_sees_the_stock),
		EVENT_TEST(test_high_is_told),
		EVENT_TEST(test_callback_is_replaced),
		EVENT_TEST(test_retired_has_no_limits),
		EVENT_TEST(test_replaced_while_called),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
