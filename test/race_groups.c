/* SPDX-License-Identifier: MIT */
/*
 * race_groups.c - groups that come and go while others use them
 */
#include <string.h>

#include "group.h"
#include "race.h"
#include "slab_cache.h"
#include "stock.h"

static int first_error, second_error;
static struct wane_group *other;

static void retire_first(void)
{
	first_error = wane_group_retire(child);
}

/* ---- Create below a group that is retired ------------------------------------------ */

static void create_other(void)
{
	other = group_below(child);
}

/* The new group is either below it, and it lives; or beside it. */
static void check_created(void)
{
	invariant(first_error == 0 || first_error == -EBUSY, "error %d",
		  first_error);
	invariant(wane_group_parent(other) == (first_error ? child : root),
		  "below the wrong group");
	check_listed(0);
	wane_group_retire(other);
	wane_group_retire(child);
	put_later(other);
	put_later(child);
}

void create_retire(void **state)
{
	(void)state;
	RACE(make_child, check_created, create_other, retire_first);
}

/* ---- Retire twice, and parent and child --------------------------------------------- */

static void add_and_make_child(void)
{
	make_child();
	add_thing(0, child);
}

static void retire_second(void)
{
	second_error = wane_group_retire(child);
}

static void check_retired_once(void)
{
	invariant(first_error == 0 && second_error == 0, "errors %d, %d",
		  first_error, second_error);
	check_listed(1);
	del_thing(0);
	put_later(child);
}

void retire_retire(void **state)
{
	(void)state;
	RACE(add_and_make_child, check_retired_once, retire_first,
	     retire_second);
}

static void make_other_below(void)
{
	make_child();
	other = group_below(child);
	prepare(other);
	add_thing(0, other);
}

static void retire_other(void)
{
	invariant(wane_group_retire(other) == 0, "error");
}

static void check_parent(void)
{
	invariant(first_error == 0 || first_error == -EBUSY, "error %d",
		  first_error);
	check_listed(1);
	invariant(wane_lru_count(lru, first_error ? child : root, 0) == 1,
		  "listed in the wrong group");
	wane_group_retire(child);
	del_thing(0);
	put_later(other);
	put_later(child);
}

void retire_parent(void **state)
{
	(void)state;
	RACE(make_other_below, check_parent, retire_other, retire_first);
}

/* ---- Names ----------------------------------------------------------------------------- */

static struct wane_group *renewed;

static void make_named(void)
{
	invariant(wane_group_create(&child, root, "name") == 0, "memory");
}

static void find_name(void)
{
	struct wane_group *found = wane_group_find(root, "/name");

	invariant(!found || strcmp(wane_group_name(found), "name") == 0,
		  "found %s", wane_group_name(found));
	wane_group_put(found);
	found = wane_group_find_id(wane_group_id(child));
	invariant(!found || found == child, "another group has its id");
	wane_group_put(found);
}

static void retire_and_take_name(void)
{
	invariant(wane_group_retire(child) == 0, "error");
	invariant(wane_group_create(&renewed, root, "name") == 0,
		  "a retired group keeps its name");
}

static void check_name(void)
{
	struct wane_group *found = wane_group_find(root, "/name");

	invariant(found == renewed, "the name is another's");
	wane_group_put(found);
	wane_group_retire(renewed);
	put_later(renewed);
	put_later(child);
}

void find_retire(void **state)
{
	(void)state;
	RACE(make_named, check_name, find_name, retire_and_take_name);
}

/* ---- The last reference is put while a walk goes by ------------------------------------- */

static void put_child(void)
{
	wane_group_put(child);
}

static void reclaim_everything(void)
{
	for (int i = 0; i < 30; i++)
		wane_reclaim_all();
}

/* Groups go while later rounds run; it is looked at after many of them. */
static struct thing many[200];
static unsigned int unchecked;

/* Where the item is now: with the parent, when the group has gone. */
static void check_put(void)
{
	if (++unchecked < ARRAY_SIZE(many))
		return;
	wane_barrier();
	check_listed(ARRAY_SIZE(many));
	invariant(take_all() == ARRAY_SIZE(many), "not all were taken");
	unchecked = 0;
}

static void list_and_make_child(void)
{
	struct thing *thing = &many[unchecked];

	make_child();
	wane_item_init(&thing->item);
	thing->group = root;
	wane_lru_add(lru, &thing->item, child, 0);
}

static void take_rest(void)
{
	wane_barrier();
	take_all();
	unchecked = 0;
}

void put_walk(void **state)
{
	(void)state;
	RACE(list_and_make_child, check_put, put_child, reclaim_everything);
	take_rest();
}

/* ---- A reclaim stops at a group that goes ---------------------------------------------- */

static struct wane_group *three[3];

/* Each has one item that is worth some bytes. */
static void make_three(void)
{
	for (int i = 0; i < 3; i++) {
		three[i] = group_below(root);
		prepare(three[i]);
		invariant(wane_charge(three[i], 100, 0) == 0, "charge");
		things[i].bytes = 100;
		add_thing(i, three[i]);
	}
	refusing = false;
}

/* Each reclaim has enough with one item, and leaves the cursor behind it. */
static void reclaim_some(void)
{
	for (int i = 0; i < 3; i++)
		wane_group_reclaim(root, 1);
}

static void retire_three(void)
{
	for (int i = 0; i < 3; i++) {
		invariant(wane_group_retire(three[i]) == 0, "error");
		wane_group_put(three[i]);
	}
}

static unsigned int nr_left;

static void check_cursor(void)
{
	take_all();
	stock_drain(NULL);
	if (++nr_left % 16)
		return;
	wane_barrier();
	check_listed(0);
}

void cursor_leave(void **state)
{
	(void)state;
	RACE(make_three, check_cursor, reclaim_some, retire_three,
	     reclaim_some);
}

/* ---- One barrier is enough for a chain of groups ----------------------------------------- */

static void put_chain(void)
{
	struct wane_group *groups[10] = { root };

	for (size_t i = 1; i < ARRAY_SIZE(groups); i++)
		groups[i] = group_below(groups[i - 1]);
	for (size_t i = 1; i < ARRAY_SIZE(groups); i++)
		wane_group_put(groups[i]);
	wane_barrier();
}

/* But for what threads keep at hand, all is gone. */
void barrier_chain(void **state)
{
	size_t base;

	(void)state;
	put_chain();
	slab_drain_all();
	base = port_held();
	put_chain();
	invariant(!group_next(root, NULL), "a group is left");
	slab_drain_all();
	assert_int_equal(base, port_held());
}
