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
