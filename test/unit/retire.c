/* SPDX-License-Identifier: MIT */
/*
 * Retire: what a group holds becomes its parent's, and nothing is left.
 */
#include "with_cache.h"

#include <pthread.h>
#include <sched.h>

#include "group.h"
#include "scan.h"

static void retire(struct wane_group *which)
{
	assert_int_equal(wane_group_retire(which), 0);
}

static bool is_idle(struct wane_group *which)
{
	for (int node = 0; node < wane_nodes(); node++)
		if (!shrinker_info_idle(&which->info, node))
			return false;
	return true;
}

/* A retired group holds no list, no share and, if it can, no unit. */
static void assert_nothing_left(struct wane_group *which)
{
	assert_true(wane_group_retired(which));
	assert_int_equal(table_count(&which->lists), 0);
	assert_true(SHRINKER_INFO_KEEPS_UNITS || is_idle(which));
}

/* ---- Results ------------------------------------------------------------------------- */

static void test_results(void **state)
{
	struct wane_group *child = group_make(group, "child");

	(void)state;
	assert_int_equal(wane_group_retire(NULL), -EINVAL);
	assert_int_equal(wane_group_retire(root), -EINVAL);
	assert_int_equal(wane_group_retire(group), -EBUSY);
	assert_false(wane_group_retired(group));
	retire(child);
	retire(child);
	assert_true(wane_group_retired(child));
	retire(group);
	retire(group);
	wane_group_put(child);
}

/* Busy changes nothing: it goes on as before. */
static void test_busy_is_harmless(void **state)
{
	struct wane_group *child = group_make(group, "child");
	struct wane_group *found;

	(void)state;
	set_limit(group, WANE_MAX, 10 * EXACT);
	cache_fill(&cache, group, 2);
	assert_int_equal(wane_group_retire(group), -EBUSY);
	assert_int_equal(cache_holds(&cache, group), 2);
	assert_int_equal(wane_group_limit(group, WANE_MAX), 10 * EXACT);
	found = wane_group_find(root, "/group/child");
	assert_ptr_equal(found, child);
	wane_group_put(found);
	/* A child that is put goes by itself: then its parent can. */
	wane_group_put(child);
	wane_barrier();
	retire(group);
}

/* ---- What moves ------------------------------------------------------------------------ */

/* Invariants 1 to 3, bug 1: the parent's list was empty, its bit clear. */
static void test_items_move(void **state)
{
	int nodes = wane_nodes();

	(void)state;
	for (int node = 0; node < nodes; node++)
		for (int i = 0; i <= node; i++)
			cache_add_on(&cache, group, node);
	wane_group_reclaim(root, 0);
	retire(group);
	assert_nothing_left(group);
	for (int node = 0; node < nodes; node++) {
		assert_int_equal(wane_lru_count(cache.lru, group, node), 0);
		assert_int_equal(wane_lru_count(cache.lru, root, node),
				 node + 1);
		assert_int_equal(wane_lru_count_node(cache.lru, node),
				 node + 1);
		assert_true(has_bit(cache.lru, root, node));
	}
	assert_int_equal(wane_group_usage(root),
			 (size_t)(nodes * (nodes + 1) / 2) * EXACT);
	assert_int_equal(wane_group_reclaim(root, WANE_ALL),
			 (size_t)(nodes * (nodes + 1) / 2) * EXACT);
	assert_int_equal(wane_group_usage(group), 0);
}

/* Bug 1: whatever the parent's count was, the bit is set when items come. */
static void test_bit_is_set_whatever_was_there(void **state)
{
	struct shrinker_share share;

	(void)state;
	cache_fill(&cache, root, 3);
	cache_fill(&cache, group, 1);
	share = share_of(cache.lru, root);
	share_clear(&share, 0);
	share = share_of(cache.lru, group);
	share_clear(&share, 0);
	retire(group);
	assert_true(has_bit(cache.lru, root, 0));
}

static void test_empty_list_sets_no_bit(void **state)
{
	(void)state;
	cache_fill(&cache, group, 1);
	cache_empty(&cache, group);
	assert_int_equal(wane_group_reclaim(root, WANE_ALL), 0);
	cache.counts = 0; /* it has heard that there is none */
	retire(group);
	assert_false(has_bit(cache.lru, root, 0));
	assert_int_equal(wane_group_reclaim(root, WANE_ALL), 0);
	assert_int_equal(cache.counts, 0);
}

static void test_order_is_kept(void **state)
{
	struct wane_shrink sc = { .group = root, .to_scan = 10 };
	struct wane_item taken;

	(void)state;
	for (int i = 0; i < 3; i++)
		cache_add(&cache, root)->number = i;
	for (int i = 3; i < 6; i++)
		cache_add(&cache, group)->number = i;
	retire(group);
	cache_add(&cache, root)->number = 6;
	wane_item_init(&taken);
	wane_lru_take(cache.lru, &sc, NULL, NULL, &taken);
	for (int i = 0; i < 7; i++) {
		struct object *object = object_of(wane_item_pop(&taken));

		assert_int_equal(object->number, i);
		object_free(&cache, object);
	}
	assert_null(wane_item_pop(&taken));
}

static void test_several_levels(void **state)
{
	struct wane_group *child = group_make(group, "child");

	(void)state;
	cache_fill(&cache, child, 5);
	cache_fill(&cache, group, 2);
	retire(child);
	assert_int_equal(cache_holds(&cache, group), 7);
	retire(group);
	assert_int_equal(cache_holds(&cache, root), 7);
	assert_nothing_left(child);
	assert_nothing_left(group);
	/* Each is still paid by its own; above them it is one sum. */
	assert_int_equal(wane_group_usage(child), 5 * EXACT);
	assert_int_equal(wane_group_usage(group), 7 * EXACT);
	assert_int_equal(wane_group_reclaim(child, WANE_ALL), 7 * EXACT);
	wane_group_put(child);
}

/* Invariant 10: by exchange, none lost, none doubled, on each node. */
static void test_deferred_moves(void **state)
{
	int nodes = wane_nodes();

	(void)state;
	assert_int_equal(wane_lru_prepare(cache.lru, group), 0);
	for (int node = 0; node < nodes; node++) {
		add_deferred(cache.lru, group, node, 100 + node);
		add_deferred(cache.lru, root, node, 1000);
	}
	retire(group);
	for (int node = 0; node < nodes; node++)
		assert_int_equal(deferred(cache.lru, root, node), 1100 + node);
}

static void test_put_without_retire(void **state)
{
	struct wane_group *child = group_make(group, "child");
	struct cache free_of_charge;

	(void)state;
	cache_open(&free_of_charge, 0);
	cache_fill(&free_of_charge, child, 10);
	add_deferred(free_of_charge.lru, child, 0, 5);
	wane_group_put(child);
	wane_barrier();
	assert_int_equal(cache_holds(&free_of_charge, group), 10);
	assert_true(has_bit(free_of_charge.lru, group, 0));
	assert_int_equal(deferred(free_of_charge.lru, group, 0), 5);
	wane_reclaim_all();
	assert_int_equal(free_of_charge.freed, 10);
	cache_close(&free_of_charge);
}

/* ---- What comes later ---------------------------------------------------------------------- */

static void test_add_and_del_for_retired(void **state)
{
	struct object *before, *after;

	(void)state;
	before = cache_add(&cache, group);
	retire(group);
	after = cache_add(&cache, group);
	assert_int_equal(cache_holds(&cache, root), 2);
	assert_true(wane_lru_del(cache.lru, &before->item, group, 0));
	assert_true(wane_lru_del(cache.lru, &after->item, group, 0));
	assert_false(wane_lru_del(cache.lru, &after->item, group, 0));
	assert_int_equal(cache_holds(&cache, root), 0);
	assert_int_equal(wane_lru_count_node(cache.lru, 0), 0);
	assert_true(wane_lru_add(cache.lru, &after->item, group, 0));
	assert_true(has_bit(cache.lru, root, 0));
	object_free(&cache, before);
	assert_nothing_left(group);
}

static void test_prepare_for_retired(void **state)
{
	struct cache other;

	(void)state;
	retire(group);
	cache_open(&other, EXACT);
	cache_fill(&other, group, 1);
	assert_int_equal(cache_holds(&other, root), 1);
	assert_nothing_left(group);
	cache_empty(&other, root);
	cache_close(&other);
}

/* Bugs 50 and 59, invariant 19: what it took for its caches is given back. */
static void test_memory_is_given_back(void **state)
{
	size_t before;

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct wane_group *child = group_make(group, "child");

		assert_int_equal(wane_lru_prepare(cache.lru, group), 0);
		before = base_now();
		cache_fill(&cache, child, 10);
		assert_true(base_now() > before);
		retire(child);
		assert_base(before); /* its struct is still there */
		cache_empty(&cache, group);
		wane_group_put(child);
	}
}

/* Bug 58: thousands come and go, and each makes room for the next. */
static void test_come_and_go(void **state)
{
	size_t before = 0;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		struct wane_group *child = group_make(group, "child");

		cache_fill(&cache, child, 1);
		retire(child);
		wane_group_put(child);
		wane_group_reclaim(group, WANE_ALL);
		if (i == 100)
			before = base_now();
	}
	assert_base(before);
}

/* ---- While others work --------------------------------------------------------------------------- */

static bool asleep, may_wake; /* atomic */

static long count_thousand(void *arg, struct wane_shrink *sc)
{
	(void)arg, (void)sc;
	return 1000;
}

static long sleep_and_refuse(void *arg, struct wane_shrink *sc)
{
	(void)arg, (void)sc;
	store_release(&asleep, true);
	while (!load_acquire(&may_wake))
		sched_yield();
	return -EAGAIN;
}

static void *scan_child(void *child)
{
	scan_group(child, 0, 1, 0);
	return NULL;
}

/* Bug 0.2c: what a scan leaves after the retire is the parent's, too. */
static void test_retire_during_a_scan(void **state)
{
	const struct wane_shrinker_ops ops = {
		.size = sizeof(ops),
		.count = count_thousand,
		.scan = sleep_and_refuse,
	};
	struct wane_group *child = group_make(group, "child");
	struct cache other;
	pthread_t thread;

	(void)state;
	asleep = may_wake = false;
	cache_open_with(&other, EXACT, &ops);
	cache_fill(&other, child, 1);
	add_deferred(other.lru, child, 0, 100);
	add_deferred(other.lru, group, 0, 7);
	assert_int_equal(pthread_create(&thread, NULL, scan_child, child), 0);
	while (!load_acquire(&asleep))
		sched_yield();
	retire(child);
	assert_nothing_left(child);
	assert_int_equal(deferred(other.lru, group, 0), 7);
	retire(group); /* and its heir's heir */
	wane_barrier(); /* what no one holds is freed */
	store_release(&may_wake, true);
	pthread_join(thread, NULL);
	assert_int_equal(deferred(other.lru, root, 0), 7 + 100 + 1000);
	assert_nothing_left(child);
	cache_empty(&other, root);
	cache_close(&other);
	wane_group_put(child);
}

static struct wane_group *meeting;
static pthread_barrier_t both;
#define MEETINGS (SANITIZED ? 1000 : 10000)

static void *prepare_and_add(void *unused)
{
	for (int i = 0; i < MEETINGS; i++) {
		struct wane_group *child;
		struct wane_item item;
		struct cache fresh;

		pthread_barrier_wait(&both);
		child = meeting;
		cache_open(&fresh, 0);
		wane_item_init(&item);
		pthread_barrier_wait(&both);
		if (wane_lru_prepare(fresh.lru, child) ||
		    !wane_lru_add(fresh.lru, &item, child, 0) ||
		    !wane_lru_del(fresh.lru, &item, child, 0))
			abort();
		pthread_barrier_wait(&both);
		cache_close(&fresh);
	}
	return unused;
}

/* Bug 31: whoever prepares may add, also when the group retires meanwhile. */
static void test_retire_meets_prepare(void **state)
{
	pthread_t thread;

	(void)state;
	pthread_barrier_init(&both, NULL, 2);
	assert_int_equal(pthread_create(&thread, NULL, prepare_and_add, NULL),
			 0);
	for (int i = 0; i < MEETINGS; i++) {
		meeting = group_make(group, NULL);
		pthread_barrier_wait(&both);
		pthread_barrier_wait(&both);
		for (int j = 0; j < i % 50; j++)
			cpu_relax();
		retire(meeting);
		pthread_barrier_wait(&both);
		wane_group_put(meeting);
	}
	pthread_join(thread, NULL);
	pthread_barrier_destroy(&both);
}

static void *add_and_del(void *child)
{
	struct wane_item item[4];

	for (int i = 0; i < 4; i++)
		wane_item_init(&item[i]);
	for (int i = 0; i < 2000; i++)
		if (!wane_lru_add(cache.lru, &item[i % 4], child, 0) ||
		    !wane_lru_del(cache.lru, &item[i % 4], child, 0))
			abort();
	return NULL;
}

/* Bugs 22 and 25: each finds its item on the list where it is by then. */
static void test_retire_meets_add_and_del(void **state)
{
	(void)state;
	for (int i = 0; i < 100; i++) {
		struct wane_group *child = group_make(group, NULL);
		pthread_t thread[2];

		assert_int_equal(wane_lru_prepare(cache.lru, child), 0);
		for (int j = 0; j < 2; j++)
			assert_int_equal(pthread_create(&thread[j], NULL,
							add_and_del, child),
					 0);
		for (int j = 0; j < i; j++)
			sched_yield();
		retire(child);
		for (int j = 0; j < 2; j++)
			pthread_join(thread[j], NULL);
		assert_nothing_left(child);
		assert_int_equal(cache_holds(&cache, group), 0);
		assert_int_equal(wane_lru_count_node(cache.lru, 0), 0);
		wane_group_put(child);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CACHE_TEST(test_results),
		CACHE_TEST(test_busy_is_harmless),
		CACHE_TEST(test_items_move),
		CACHE_TEST(test_bit_is_set_whatever_was_there),
		CACHE_TEST(test_empty_list_sets_no_bit),
		CACHE_TEST(test_order_is_kept),
		CACHE_TEST(test_several_levels),
		CACHE_TEST(test_deferred_moves),
		CACHE_TEST(test_put_without_retire),
		CACHE_TEST(test_add_and_del_for_retired),
		CACHE_TEST(test_prepare_for_retired),
		CACHE_TEST(test_memory_is_given_back),
		CACHE_TEST(test_come_and_go),
		CACHE_TEST(test_retire_during_a_scan),
		CACHE_TEST(test_retire_meets_prepare),
		CACHE_TEST(test_retire_meets_add_and_del),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
