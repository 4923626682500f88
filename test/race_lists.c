/* SPDX-License-Identifier: MIT */
/*
 * race_lists.c - items, bits and lists
 */
#include <sched.h>

#include "group.h"
#include "lru.h"
#include "race.h"

/* ---- B1: an item is added while its bit is cleared ------------------------------- */

/* The list is empty, but its bit is still set: the walk will clear it. */
static void set_bit_only(void)
{
	add_thing(0, root);
	del_thing(0);
}

static void add_0(void)
{
	add_thing(0, root);
}

static void walk_root(void)
{
	walk(root);
}

static void check_0(void)
{
	check_listed(1);
	del_thing(0);
}

void add_clear(void **state)
{
	(void)state;
	RACE(set_bit_only, check_0, add_0, walk_root);
}

/* ---- One list, two threads ---------------------------------------------------------- */

static void no_op(void)
{
}

/* Up and down, so that the list is empty again and again. */
static void add_even(void)
{
	for (int i = 0; i < NR_THINGS; i += 2) {
		add_thing(i, root);
		del_thing(i);
		add_thing(i, root);
	}
}

static void add_odd(void)
{
	for (int i = 1; i < NR_THINGS; i += 2) {
		add_thing(i, root);
		del_thing(i);
		add_thing(i, root);
	}
}

static void check_all(void)
{
	check_listed(NR_THINGS);
	invariant_check_lru(lru);
	invariant(take_all() == NR_THINGS, "not all were taken");
}

void add_add(void **state)
{
	(void)state;
	RACE(no_op, check_all, add_even, add_odd, walk_root);
}

/* ---- B2: a group is retired under its items --------------------------------------------- */

/* The list is empty again and again. */
static void add_four(void)
{
	for (int i = 0; i < 4; i++) {
		for (int again = 0; again < 5; again++) {
			add_thing(i, child);
			del_thing(i);
		}
	}
	for (int i = 0; i < 4; i++)
		add_thing(i, child);
}

static void walk_until_retired(void)
{
	while (!wane_group_retired(child))
		walk(child);
	walk(child);
}

static void check_four_moved(void)
{
	check_moved_up(4);
}

void add_retire(void **state)
{
	(void)state;
	RACE(make_child, check_four_moved, add_four, retire_child,
	     walk_until_retired);
}

/* ---- A walk has just found the list empty that is moved then ------------------------- */

static bool added;

static void make_child_unadded(void)
{
	make_child();
	store_relaxed(&added, false);
}

static void add_at_last(void)
{
	for (int i = 0; i < 5; i++) {
		add_thing(0, child);
		del_thing(0);
	}
	add_thing(0, child);
	store_release(&added, true);
}

static void retire_when_added(void)
{
	while (!load_acquire(&added))
		sched_yield();
	retire_child();
}

static void check_one_moved(void)
{
	check_moved_up(1);
}

void walk_retire(void **state)
{
	(void)state;
	RACE(make_child_unadded, check_one_moved, add_at_last,
	     retire_when_added, walk_until_retired);
}

static void make_full_child(void)
{
	make_child();
	for (int i = 0; i < NR_THINGS; i++)
		add_thing(i, child);
}

/* Two threads at neighbours, whose links they share. */
static void del_even(void)
{
	for (int i = 0; i < 6; i += 2)
		del_thing(i);
}

static void del_odd(void)
{
	for (int i = 1; i < 6; i += 2)
		del_thing(i);
}

static void check_two_moved(void)
{
	check_moved_up(2);
}

void del_retire(void **state)
{
	(void)state;
	RACE(make_full_child, check_two_moved, del_even, del_odd, retire_child);
}

/* ---- Prepare ---------------------------------------------------------------------------------- */

static struct wane_group *upper, *lower;

/* Three levels without any list of this lru, but the root's. */
static void make_bare_child(void)
{
	upper = group_below(root);
	lower = group_below(upper);
	child = group_below(lower);
}

static void prepare_add(int i)
{
	prepare(child);
	add_thing(i, child);
}

static void prepare_add_0(void)
{
	prepare_add(0);
}

static void prepare_add_1(void)
{
	prepare_add(1);
}

static void retire_all_three(void)
{
	invariant(wane_group_retire(child) == 0, "error");
	for (int i = 0; i < 20; i++)
		sched_yield();
	invariant(wane_group_retire(lower) == 0, "error");
	invariant(wane_group_retire(upper) == 0, "error");
}

static void check_two(void)
{
	check_listed(2);
	del_thing(0);
	del_thing(1);
	retire_all_three();
	put_later(child);
	put_later(lower);
	put_later(upper);
}

void prepare_prepare(void **state)
{
	(void)state;
	RACE(make_bare_child, check_two, prepare_add_0, prepare_add_1);
}

void prepare_retire(void **state)
{
	(void)state;
	RACE(make_bare_child, check_two, prepare_add_0, prepare_add_1,
	     retire_all_three);
}

/* ---- A shrinker without items, or with items elsewhere ------------------------------ */

static struct wane_shrinker *own;
static struct wane_lru *own_lru;
static struct thing own_thing;
static long own_calls;

static long none(void *unused, struct wane_shrink *sc)
{
	(void)unused;
	(void)sc;
	return 0;
}

/* At first it looks as if it had none; then it thinks it over. */
static long often_none(void *unused, struct wane_shrink *sc)
{
	(void)unused;
	(void)sc;
	if (add_relaxed(&own_calls, 1) % 2)
		return 0;
	for (int i = 0; i < 10; i++)
		sched_yield();
	return 1;
}

static long refuse(void *unused, struct wane_shrink *sc)
{
	(void)unused;
	(void)sc;
	return -EAGAIN;
}

static void make_own(long (*count)(void *, struct wane_shrink *))
{
	const struct wane_shrinker_ops ops = {
		.size = sizeof(ops),
		.count = count,
		.scan = refuse,
	};

	own_calls = 0;
	child = group_below(root);
	invariant(wane_shrinker_create(&own, &ops, NULL) == 0 &&
			  wane_lru_create(&own_lru, own) == 0,
		  "memory");
}

static void make_attached(void)
{
	make_own(often_none);
	invariant(wane_shrinker_attach(own, child) == 0, "memory");
	wane_shrinker_start(own);
}

static void check_attached(void)
{
	struct shrinker_share share = share_of(own->attached, root);

	invariant(share_test(&share, 0), "the parent's bit is lost");
	wane_shrinker_destroy(own);
	wane_lru_destroy(own_lru);
	check_listed(0);
	put_later(child);
}

void attach_retire(void **state)
{
	(void)state;
	RACE(make_attached, check_attached, walk_child, retire_child);
}

/* ---- What was one share's place is another's --------------------------------------------- */

static void add_own(void)
{
	own_thing.group = child;
	wane_item_init(&own_thing.item);
	wane_lru_add(own_lru, &own_thing.item, child, 0);
}

static void del_own(void)
{
	wane_lru_del(own_lru, &own_thing.item, child, 0);
}

/* Its list is empty, its bit is set: the walk will clear it. */
static void make_place(void)
{
	make_own(none);
	invariant(wane_lru_prepare(own_lru, child) == 0, "memory");
	add_own();
	del_own();
	wane_shrinker_start(own);
}

static void take_place(void)
{
	wane_lru_destroy(own_lru);
	prepare(child);
	add_thing(0, child);
}

static void check_place(void)
{
	check_listed(1);
	wane_shrinker_destroy(own);
	retire_child();
	check_moved_up(1);
}

void place_reused(void **state)
{
	(void)state;
	RACE(make_place, check_place, walk_child, take_place, walk_child);
}

/* ---- What is listed before the start is found after it ------------------------------------- */

static void make_unstarted(void)
{
	make_own(none);
	invariant(wane_lru_prepare(own_lru, child) == 0, "memory");
}

static void check_unstarted(void)
{
	check_listed(1);
	wane_shrinker_destroy(own);
	del_own();
	wane_lru_destroy(own_lru);
	retire_child();
	put_later(child);
}

void add_unstarted(void **state)
{
	(void)state;
	RACE(make_unstarted, check_unstarted, add_own, walk_child);
}
