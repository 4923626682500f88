/* SPDX-License-Identifier: MIT */
/*
 * race_charge.c - bytes, their limits, and who has them at hand
 */
#include <pthread.h>

#include "counter.h"
#include "group.h"
#include "race.h"
#include "stock.h"

/* More than a stock keeps: it goes to the tree, and back to it. */
#define MUCH ((size_t)40000)

static int granted; /* charges of MUCH */

static void check_charges(struct wane_group *group, size_t bytes)
{
	struct invariant_charge charge = { group, bytes };

	invariant_check_charges(&charge, 1);
}

static void charge_much(void)
{
	if (wane_charge(child, MUCH, WANE_NOWAIT) == 0)
		add_full(&granted, 1);
}

/* ---- Charges race for the last bytes ------------------------------------------------- */

static void make_limited_child(void)
{
	granted = 0;
	make_child();
	wane_group_set_limit(child, WANE_MAX, 2 * MUCH + MUCH / 2);
}

static void check_granted(void)
{
	invariant(granted <= 2 && counter_usage(&child->counter) ==
					  (size_t)granted * MUCH,
		  "%d granted, usage %zu", granted, wane_group_usage(child));
	invariant(wane_group_peak(child) <= wane_group_limit(child, WANE_MAX),
		  "peak %zu", wane_group_peak(child));
	check_listed(0);
	check_charges(child, (size_t)granted * MUCH);
	wane_uncharge(child, (size_t)granted * MUCH);
	wane_group_retire(child);
	put_later(child);
}

void charge_max(void **state)
{
	(void)state;
	RACE(make_limited_child, check_granted, charge_much, charge_much,
	     charge_much);
}

/* The limit is the root's: a charge that fails leaves nothing below it. */
static void limit_root(void)
{
	granted = 0;
	make_child();
	wane_group_set_limit(root, WANE_MAX, 2 * MUCH + MUCH / 2);
}

static void check_levels(void)
{
	invariant(counter_usage(&root->counter) == (size_t)granted * MUCH,
		  "%d granted, usage %zu", granted, wane_group_usage(root));
	check_granted();
}

void charge_ancestor(void **state)
{
	(void)state;
	RACE(limit_root, check_levels, charge_much, charge_much, charge_much);
}

/* ---- What is guarded follows usage and limit ------------------------------------------- */

static void guard_child(void)
{
	make_child();
	wane_group_set_limit(child, WANE_MIN, 3 * MUCH / 2);
}

static void charge_guarded(void)
{
	invariant(wane_charge(child, MUCH, 0) == 0, "charge");
}

static void change_limits(void)
{
	wane_group_set_limit(child, WANE_MIN, 2 * MUCH - 1);
	wane_group_set_limit(child, WANE_LOW, MUCH);
}

static void check_guarded(void)
{
	check_listed(0);
	wane_uncharge(child, 2 * MUCH);
	wane_group_retire(child);
	check_listed(0);
	put_later(child);
}

void charge_guard(void **state)
{
	(void)state;
	RACE(guard_child, check_guarded, charge_guarded, charge_guarded,
	     change_limits);
}

/* ---- A retired group is in no stock ------------------------------------------------------ */

static void charge_little(void)
{
	for (int i = 0; i < 4; i++)
		invariant(wane_charge(child, 100, 0) == 0, "charge");
	wane_uncharge(child, 300);
}

static void check_200(void)
{
	check_listed(0);
	check_charges(child, 200);
	wane_uncharge(child, 200);
	check_charges(child, 0);
	put_later(child);
}

void charge_retire(void **state)
{
	(void)state;
	RACE(make_child, check_200, charge_little, charge_little, retire_child);
}

/* ---- A stock is drained while its owner uses it ---------------------------------------- */

static int users;

static void make_used_child(void)
{
	make_child();
	users = 2;
}

/* Fifty charges of a little, most of it from the stock; 4 bytes stay. */
static void use_stock(void)
{
	for (int i = 0; i < 50; i++) {
		invariant(wane_charge(child, 104, 0) == 0, "charge");
		wane_uncharge(child, 100);
	}
	sub_full(&users, 1);
}

static void drain_while_used(void)
{
	while (load_acquire(&users) > 0)
		stock_drain(child);
}

static void check_drained(void)
{
	check_listed(0);
	check_charges(child, 2 * 50 * 4);
	wane_uncharge(child, 2 * 50 * 4);
	wane_group_retire(child);
	put_later(child);
}

void charge_drain(void **state)
{
	(void)state;
	RACE(make_used_child, check_drained, use_stock, use_stock,
	     drain_while_used);
}

/* ---- A thread ends while its stock is drained --------------------------------------------- */

static void *charge_100(void *unused)
{
	invariant(wane_charge(child, 100, 0) == 0, "charge");
	return unused;
}

static void charge_and_end(void)
{
	pthread_t thread;

	invariant(pthread_create(&thread, NULL, charge_100, NULL) == 0,
		  "thread");
	pthread_join(thread, NULL);
}

static void check_ended(void)
{
	check_200();
	wane_group_retire(child);
}

static void drain_often(void)
{
	for (int i = 0; i < 20; i++)
		stock_drain(child);
}

void charge_exit(void **state)
{
	(void)state;
	RACE(make_child, check_ended, charge_and_end, charge_and_end,
	     drain_often);
}

/* ---- The last byte and the last reference go together --------------------------------------- */

static void make_charged(void)
{
	make_child();
	invariant(wane_charge(child, MUCH, 0) == 0, "charge");
}

static void uncharge(void)
{
	wane_uncharge(child, MUCH);
}

static void put(void)
{
	wane_group_put(child);
}

static unsigned int unchecked;

static void check_put(void)
{
	if (++unchecked % 100)
		return;
	wane_barrier();
	check_listed(0);
	invariant(group_next(root, NULL) == NULL, "a group is left");
	check_charges(NULL, 0);
}

void charge_put(void **state)
{
	(void)state;
	RACE(make_charged, check_put, uncharge, put);
}

/* ---- Bytes leave the counter while they hold its group ---------------------------------------- */

#define TIMES 16

static void make_often_charged(void)
{
	make_child();
	for (int i = 0; i < TIMES; i++)
		invariant(wane_charge(child, MUCH, 0) == 0, "charge");
}

static void uncharge_often(void)
{
	for (int i = 0; i < TIMES; i++)
		uncharge();
}

/* Who has charged nothing there, and no reference, may not touch the group. */
static void watch_bytes(void)
{
	size_t usage, charged;

	do {
		charged = load_acquire(&child->charged);
		usage = load_acquire(&child->counter.usage);
		invariant(usage <= charged, "usage %zu, charged %zu", usage,
			  charged);
	} while (charged > 0);
}

static void check_uncharged(void)
{
	check_listed(0);
	check_charges(child, 0);
	put_later(child);
}

void uncharge_order(void **state)
{
	(void)state;
	RACE(make_often_charged, check_uncharged, uncharge_often, watch_bytes);
}

/* ---- The background thread comes and goes ------------------------------------------------------ */

static void make_high_child(void)
{
	make_child();
	wane_group_set_limit(child, WANE_HIGH, MUCH / 2);
}

static void charge_over_high(void)
{
	invariant(wane_charge(child, MUCH, 0) == 0, "charge");
	wane_uncharge(child, MUCH);
}

static void start_stop(void)
{
	int err = wane_background_start();

	invariant(err == 0 || err == -EALREADY, "error %d", err);
	wane_background_stop();
}

static void check_background(void)
{
	check_listed(0);
	check_charges(child, 0);
	wane_group_retire(child);
	put_later(child);
}

void background_stop_start(void **state)
{
	(void)state;
	RACE(make_high_child, check_background, charge_over_high, start_stop,
	     charge_over_high, start_stop);
}
