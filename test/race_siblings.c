/* SPDX-License-Identifier: MIT */
/*
 * race_siblings.c - several lrus of one shrinker have one share
 */
#include "group.h"
#include "lru.h"
#include "race.h"

/* ---- Two lrus of one shrinker have one share ------------------------------------------ */

static struct wane_lru *second;

static void make_second(void)
{
	invariant(wane_lru_create(&second, shrinker) == 0 &&
			  wane_lru_prepare(second, child) == 0,
		  "memory");
}

/* The list that will go is the one that the share was made for. */
static void make_second_first(void)
{
	child = group_below(root);
	make_second();
	prepare(child);
}

static void destroy_second(void)
{
	wane_lru_destroy(second);
}

static void add_0_to_child(void)
{
	add_thing(0, child);
}

static void check_share_kept(void)
{
	check_listed(1);
	del_thing(0);
	retire_child();
	put_later(child);
}

void add_two_lrus(void **state)
{
	(void)state;
	RACE(make_second_first, check_share_kept, add_0_to_child,
	     destroy_second);
}

/* ---- An lru is destroyed while its groups are retired ----------------------------------------------- */

static void make_second_and_child(void)
{
	make_child();
	make_second();
	add_thing(0, child);
}

static void check_gone(void)
{
	check_listed(1);
	for (struct wane_group *g = group_first(); g; g = group_next(g, NULL))
		invariant(table_count(&g->lists) <= 1, "a list is left");
	check_moved_up(1);
}

void destroy_lru_retire(void **state)
{
	(void)state;
	RACE(make_second_and_child, check_gone, destroy_second, retire_child,
	     walk_child);
}

/* ---- The lists that own a share go, the parent's first; a sibling's stay --------------------------- */

/* The second lru's lists are destroyed from the root's to the child's. */
static void make_owner_and_child(void)
{
	struct shrinker_share share;

	child = group_below(root);
	invariant(wane_lru_create(&second, shrinker) == 0, "memory");
	prepare_others(second);
	invariant(wane_lru_prepare(second, child) == 0, "memory");
	prepare(child);
	share = share_of(lru, child);
	share_add_deferred(&share, 0, 50);
}

static void check_deferred(void)
{
	const struct shrinker_share share = share_of(lru, root);
	long deferred = share_take_deferred(&share, 0);

	invariant(deferred == 50, "%ld of 50 arrived", deferred);
	check_listed(0);
	put_later(child);
}

void destroy_owner_retire(void **state)
{
	(void)state;
	make_others();
	RACE(make_owner_and_child, check_deferred, destroy_second,
	     retire_child);
	retire_others();
}
