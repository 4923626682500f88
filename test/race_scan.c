/* SPDX-License-Identifier: MIT */
/*
 * race_scan.c - shrinkers that go, ids that come back, work put off
 */
#include <sched.h>
#include <semaphore.h>
#include <pthread.h>

#include "group.h"
#include "lru.h"
#include "race.h"
#include "scan.h"

/* ---- Deferred work: no scan is lost, none is done twice -------------------------------- */

static struct wane_group *middle;
static long scans;

static void make_work(void)
{
	struct shrinker_share share;

	scans = 0;
	middle = group_below(root);
	child = group_below(middle);
	prepare(child);
	share = share_of(lru, child);
	share_add_deferred(&share, 0, 100);
	share = share_of(lru, root);
	share_add_deferred(&share, 0, 10);
}

/* What a scan does that is refused, but that it adds a little. */
static void defer(const struct shrinker_share *share)
{
	long nr = share_take_deferred(share, 0);

	share_add_deferred(share, 0, nr + 1);
	add_relaxed(&scans, 1);
}

static void defer_some(void)
{
	struct shrinker_share share = share_of(lru, child);

	for (int i = 0; i < 20; i++)
		defer(&share);
}

/* All the time while it is retired, and once more: as a walk, it may. */
static void defer_until_retired(void)
{
	struct lru_lists *lists;
	struct shrinker_share share;

	rcu_enter();
	lists = lru_lists_find(lru, child);
	if (lists) {
		share = share_read(&lists->share);
		while (lru_lists_find(lru, child))
			defer(&share);
		defer(&share);
	}
	rcu_leave();
}

static void retire_both(void)
{
	invariant(wane_group_retire(child) == 0, "error");
	invariant(wane_group_retire(middle) == 0, "error");
}

static void check_work_moved(void)
{
	struct shrinker_share share = share_of(lru, root);
	long nr = share_take_deferred(&share, 0);

	invariant(nr == 100 + 10 + scans, "%ld is deferred, not %ld", nr,
		  100 + 10 + scans);
	check_listed(0);
	put_later(child);
	put_later(middle);
}

void scan_retire(void **state)
{
	(void)state;
	RACE(make_work, check_work_moved, defer_until_retired, retire_both);
}

static void check_kept(void)
{
	retire_both();
	check_work_moved();
}

void scan_scan(void **state)
{
	(void)state;
	RACE(make_work, check_kept, defer_some, defer_some);
}

/* ---- Nothing is called after destroy ----------------------------------------------------- */

static struct wane_shrinker *own;
static struct wane_lru *own_lru;
static struct wane_item own_item;
static int own_alive;

static void be_slow(void)
{
	for (int i = 0; i < 3; i++) {
		invariant(load_acquire(&own_alive), "called after destroy");
		sched_yield();
	}
}

static long own_count(void *unused, struct wane_shrink *sc)
{
	(void)unused;
	be_slow();
	return wane_lru_count(own_lru, sc->group, sc->node);
}

static long own_scan(void *unused, struct wane_shrink *sc)
{
	(void)unused;
	(void)sc;
	be_slow();
	return -EAGAIN;
}

static void make_own(void)
{
	const struct wane_shrinker_ops ops = {
		.size = sizeof(ops),
		.count = own_count,
		.scan = own_scan,
		.cost = WANE_COST_NONE,
		.batch = 1,
	};

	invariant(wane_shrinker_create(&own, &ops, NULL) == 0 &&
			  wane_lru_create(&own_lru, own) == 0 &&
			  wane_lru_prepare(own_lru, child) == 0,
		  "memory");
	wane_item_init(&own_item);
	store_release(&own_alive, 1);
}

static void make_own_and_child(void)
{
	make_child();
	make_own();
	wane_lru_add(own_lru, &own_item, child, 0);
	wane_shrinker_start(own);
}

static void walk_child_twice(void)
{
	walk(child);
	walk(child);
}

static void destroy_own(void)
{
	wane_shrinker_destroy(own);
	store_release(&own_alive, 0);
}

static void check_destroyed(void)
{
	check_listed(1);
	wane_lru_del(own_lru, &own_item, child, 0);
	wane_lru_destroy(own_lru);
	wane_group_retire(child);
	put_later(child);
}

void scan_destroy(void **state)
{
	(void)state;
	RACE(make_own_and_child, check_destroyed, walk_child_twice, destroy_own,
	     walk_child_twice);
}

/* ---- A list is made, or moved, while its shrinker goes --------------------------------------- */

static void make_own_unprepared(void)
{
	middle = group_below(root);
	child = middle;
	make_own();
	wane_shrinker_start(own);
	child = group_below(middle);
}

static void prepare_own(void)
{
	invariant(wane_lru_prepare(own_lru, child) == 0, "memory");
	wane_lru_add(own_lru, &own_item, child, 0);
}

static void check_prepared(void)
{
	check_destroyed();
	wane_group_retire(middle);
	put_later(middle);
}

void prepare_destroy(void **state)
{
	(void)state;
	RACE(make_own_unprepared, check_prepared, prepare_own, destroy_own);
}

void retire_destroy(void **state)
{
	(void)state;
	RACE(make_own_and_child, check_destroyed, retire_child, destroy_own,
	     walk_child_twice);
}

/* ---- A shrinker and its lists go at once ------------------------------------------------------- */

static void make_own_in_many(void)
{
	make_own_and_child();
	wane_lru_del(own_lru, &own_item, child, 0);
	prepare_others(own_lru);
}

static void destroy_own_lru(void)
{
	wane_lru_destroy(own_lru);
}

static void check_both_gone(void)
{
	check_listed(0);
	wane_group_retire(child);
	put_later(child);
}

void destroy_destroy(void **state)
{
	(void)state;
	make_others();
	RACE(make_own_in_many, check_both_gone, destroy_own, destroy_own_lru);
	retire_others();
}

/* ---- An id is given to the next shrinker ------------------------------------------------------- */

/* The first shrinker defers work and leaves its bit set, and goes. */
static void renew_own(void)
{
	struct shrinker_share share = share_of(own_lru, child);
	int id = wane_shrinker_id(own);

	share_add_deferred(&share, 0, 50);
	destroy_own();
	wane_lru_del(own_lru, &own_item, child, 0);
	wane_lru_destroy(own_lru);
	make_own();
	invariant(wane_shrinker_id(own) == id, "another id");
	share = share_of(own_lru, child);
	invariant(!share_test(&share, 0), "it was born with a bit");
	invariant(share_take_deferred(&share, 0) == 0, "it was born in debt");
	wane_lru_add(own_lru, &own_item, child, 0);
	wane_shrinker_start(own);
}

static void check_renewed(void)
{
	check_listed(1);
	destroy_own();
	check_destroyed();
}

void id_reused(void **state)
{
	(void)state;
	RACE(make_own_and_child, check_renewed, renew_own, walk_child_twice);
}

/* ---- While a callback sleeps, nothing else waits -------------------------------------------------- */

static sem_t entered, may_leave;

static long sleeping_scan(void *unused, struct wane_shrink *sc)
{
	(void)unused;
	(void)sc;
	sem_post(&entered);
	sem_wait(&may_leave);
	return -EAGAIN;
}

static long some(void *unused, struct wane_shrink *sc)
{
	(void)unused;
	(void)sc;
	return 10;
}

static void *reclaim(void *group)
{
	wane_group_reclaim(group, WANE_ALL);
	return NULL;
}

/* None of this returns before the callback does, if it waits for it. */
static void do_everything(void)
{
	make_child();
	add_thing(0, child);
	make_own();
	wane_shrinker_start(own);
	destroy_own();
	wane_lru_destroy(own_lru);
	invariant(wane_group_retire(child) == 0, "error");
	del_thing(0);
	wane_group_put(child);
	wane_barrier();
}

void nothing_waits(void **state)
{
	const struct wane_shrinker_ops ops = {
		.size = sizeof(ops),
		.count = some,
		.scan = sleeping_scan,
	};
	struct wane_shrinker *sleeper;
	struct wane_group *asked = group_below(root);
	pthread_t thread;

	(void)state;
	sem_init(&entered, 0, 0);
	sem_init(&may_leave, 0, 0);
	assert_int_equal(wane_shrinker_create(&sleeper, &ops, NULL), 0);
	assert_int_equal(wane_shrinker_attach(sleeper, asked), 0);
	wane_shrinker_start(sleeper);
	assert_int_equal(pthread_create(&thread, NULL, reclaim, asked), 0);
	sem_wait(&entered);

	do_everything();
	/* Even the group that it is asked for can go. */
	assert_int_equal(wane_group_retire(asked), 0);

	for (int i = 0; i < 1000; i++)
		sem_post(&may_leave);
	pthread_join(thread, NULL);
	wane_shrinker_destroy(sleeper);
	wane_group_put(asked);
}

/* ---- Reclaim ends though items keep coming, or when it is cancelled ------------------------------------ */

static unsigned long calls;

static long endless_count(void *unused, struct wane_shrink *sc)
{
	(void)unused;
	(void)sc;
	return 1000;
}

/* It frees all that it is asked for, and has as much again. */
static long endless_scan(void *unused, struct wane_shrink *sc)
{
	(void)unused;
	calls++;
	return (long)sc->to_scan;
}

static long cancelling_scan(void *unused, struct wane_shrink *sc)
{
	(void)unused;
	calls++;
	wane_reclaim_cancel();
	return (long)sc->to_scan;
}

/* 20 groups with endless items.  Return: the scan calls of one reclaim. */
static unsigned long scans_of(long (*scan)(void *, struct wane_shrink *),
			      size_t (*reclaim_how)(void))
{
	const struct wane_shrinker_ops ops = {
		.size = sizeof(ops),
		.count = endless_count,
		.scan = scan,
	};
	struct wane_group *groups[20];
	struct wane_shrinker *endless;

	calls = 0;
	assert_int_equal(wane_shrinker_create(&endless, &ops, NULL), 0);
	wane_shrinker_start(endless);
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
		groups[i] = group_below(root);
		assert_int_equal(wane_shrinker_attach(endless, groups[i]), 0);
	}
	reclaim_how();
	wane_shrinker_destroy(endless);
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		put_later(groups[i]);
	return calls;
}

static size_t reclaim_root(void)
{
	return wane_group_reclaim(root, WANE_ALL);
}

/* At most 2,000 items a group, node and pass, in batches of 128. */
#define SCANS_PER_PASS (21ul * (unsigned long)wane_nodes() * (2000 / 128 + 1))

void items_keep_coming(void **state)
{
	unsigned long all, one;

	(void)state;
	all = scans_of(endless_scan, wane_reclaim_all);
	assert_in_range(all, 1, 10 * SCANS_PER_PASS);
	one = scans_of(endless_scan, reclaim_root);
	assert_in_range(one, 1, (12 + 1 + 16) * SCANS_PER_PASS);
}

void cancelled(void **state)
{
	unsigned long one_group =
		(unsigned long)wane_nodes() * (2000 / 128 + 1);

	(void)state;
	assert_in_range(scans_of(cancelling_scan, wane_reclaim_all), 1,
			one_group);
	assert_in_range(scans_of(cancelling_scan, reclaim_root), 1, one_group);
}
