/* SPDX-License-Identifier: MIT */
/*
 * race_growth.c - what grows while others use it
 */
#include "race.h"

#include <stdlib.h>

static long many_none(void *cache, struct wane_shrink *sc)
{
	(void)cache, (void)sc;
	return 0;
}

static struct wane_shrinker *register_one(void)
{
	const struct wane_shrinker_ops ops = {
		.size = sizeof(ops),
		.count = many_none,
		.scan = many_none,
	};
	struct wane_shrinker *new;

	invariant(wane_shrinker_create(&new, &ops, NULL) == 0, "memory");
	wane_shrinker_start(new);
	return new;
}

/* ---- Slots that grow while they are walked ------------------------------------------------ */

#define NR_MANY 12

static struct wane_shrinker *crowd[NR_MANY];

static void make_many(void)
{
	make_child();
	for (size_t i = 0; i < NR_MANY; i++)
		crowd[i] = register_one();
}

/* Each is one more share of the group, and its bit is set at once. */
static void attach_many(void)
{
	for (size_t i = 0; i < NR_MANY; i++)
		invariant(wane_shrinker_attach(crowd[i], child) == 0, "memory");
}

static void walk_many(void)
{
	for (size_t i = 0; i < NR_MANY; i++)
		walk(child);
}

static void check_many(void)
{
	for (size_t i = 0; i < NR_MANY; i++)
		wane_shrinker_destroy(crowd[i]);
	invariant(wane_group_retire(child) == 0, "error");
	put_later(child);
}

void walk_grow(void **state)
{
	(void)state;
	RACE(make_many, check_many, attach_many, walk_many, walk_many);
}

/* ---- Room that others make too small ------------------------------------------------------ */

static void attach_half(size_t first)
{
	for (size_t i = first; i < NR_MANY; i += 2)
		invariant(wane_shrinker_attach(crowd[i], child) == 0, "memory");
}

static void attach_even(void)
{
	attach_half(0);
}

static void attach_odd(void)
{
	attach_half(1);
}

/* None took another's place: all bits are there. */
static void check_crowd(void)
{
	invariant(invariant_bits(child, 0) == NR_MANY, "bits are missing");
	check_many();
}

void grow_grow(void **state)
{
	(void)state;
	RACE(make_many, check_crowd, attach_even, attach_odd);
}

/* ---- Two lists of one share, and another takes the room for it ---------------------------- */

static struct wane_lru *siblings[2];

/* All have their place in the root, and the child has one free slot. */
static void make_siblings(void)
{
	make_many();
	for (size_t i = 0; i < 2; i++)
		invariant(wane_lru_create(&siblings[i], crowd[0]) == 0 &&
				  wane_lru_prepare(siblings[i], root) == 0,
			  "memory");
	for (size_t i = 1; i < 4; i++)
		invariant(wane_shrinker_attach(crowd[i],
					       i < 3 ? child : root) == 0,
			  "memory");
}

static void prepare_sibling(struct wane_lru *of)
{
	invariant(wane_lru_prepare(of, child) == 0, "memory");
}

static void prepare_first(void)
{
	prepare_sibling(siblings[0]);
}

static void prepare_second(void)
{
	prepare_sibling(siblings[1]);
}

static void attach_another(void)
{
	invariant(wane_shrinker_attach(crowd[3], child) == 0, "memory");
}

static void check_siblings(void)
{
	check_listed(0);
	for (size_t i = 0; i < 2; i++)
		wane_lru_destroy(siblings[i]);
	check_many();
}

void grow_siblings(void **state)
{
	(void)state;
	RACE(make_siblings, check_siblings, prepare_first, prepare_second,
	     attach_another);
}

/* ---- The last share of a unit ends, and the first one begins ------------------------------ */

static void make_pair(void)
{
	child = group_below(root);
	for (size_t i = 0; i < 2; i++)
		crowd[i] = register_one();
}

/* Make a share, use it and end it. */
static void come_and_go(struct wane_shrinker *of)
{
	struct shrinker_share share;
	struct wane_lru *own;

	invariant(wane_lru_create(&own, of) == 0, "memory");
	invariant(wane_lru_prepare(own, child) == 0, "memory");
	share = share_of(own, child);
	invariant(!share_test(&share, 0), "it was born with a bit");
	invariant(share_set(&share, 0), "no place for a bit");
	share_add_deferred(&share, 0, 7);
	invariant(share_test(&share, 0), "the bit is lost");
	invariant(share_take_deferred(&share, 0) == 7, "the work is lost");
	wane_lru_destroy(own);
}

static void come_and_go_first(void)
{
	for (int i = 0; i < 5; i++)
		come_and_go(crowd[0]);
}

static void come_and_go_second(void)
{
	for (int i = 0; i < 5; i++)
		come_and_go(crowd[1]);
}

static void check_gone(void)
{
	invariant(invariant_bits(child, 0) == 0, "a bit is left");
	for (size_t i = 0; i < 2; i++)
		wane_shrinker_destroy(crowd[i]);
	put_later(child);
}

void last_and_first(void **state)
{
	(void)state;
	RACE(make_pair, check_gone, come_and_go_first, come_and_go_second);
}

/* ---- Ids that pass the last unit, while units and groups are made ------------------------- */

/* All that were ever registered, so that each round needs new ids. */
static struct wane_shrinker **registered;
static size_t nr_registered;

static struct wane_group *newborn;

static void make_bare(void)
{
	child = group_below(root);
	registered = realloc(registered,
			     (nr_registered + NR_THINGS) * sizeof(*registered));
	invariant(registered, "memory");
}

static void register_some(void)
{
	for (int i = 0; i < NR_THINGS; i++)
		registered[nr_registered++] = register_one();
}

static void prepare_and_add(void)
{
	prepare(child);
	add_thing(0, child);
}

static void make_newborn(void)
{
	newborn = group_below(root);
}

/* The item's unit is there, and the newborn group has room for the last id. */
static void check_grown(void)
{
	struct wane_shrinker *last = registered[nr_registered - 1];

	invariant(wane_shrinker_attach(last, newborn) == 0, "memory");
	check_listed(1);
	del_thing(0);
	put_later(child);
	put_later(newborn);
}

void register_prepare(void **state)
{
	(void)state;
	RACE(make_bare, check_grown, register_some, prepare_and_add,
	     make_newborn);
	while (nr_registered > 0)
		wane_shrinker_destroy(registered[--nr_registered]);
	free(registered);
	registered = NULL;
}
