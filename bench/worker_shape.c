// SPDX-License-Identifier: MIT
/*
 * worker_shape.c - the shapes of the published tables
 *
 *	caches   |---------------------|ids without groups|ids with groups|
 *	                                                  ^
 *	groups                                            made here
 *
 * Registrations take new ids each time, and in steps of 640, so that each
 * crosses ten boundaries of units.  Between the two kinds stand the groups:
 * created, walked empty, and, at the end, retired.
 *
 * Times are of this thread's processor time.
 */
#include <wane/wane.h>

#include "../src/scan.h"

#include "worker.h"
#include "world.h"

#define STEP 640
#define STEPS 9 /* of each kind, where they are fast */
#define STEPS_SECONDS 1
#define PARTS 10 /* samples of creating and retiring */
#define WALKS 20000 /* per sample, at the least */

struct shape {
	size_t nr_caches;
	size_t nr_groups;
	size_t repeats;
	int nodes;
	struct cache *caches;
	struct wane_group **groups;
	struct wane_group *root;
};

static const size_t uses[] = { 1, 2, 10, 100 };

/* ---- Registration --------------------------------------------------------- */

/* Return: seconds. */
static double register_step(struct shape *s, size_t first, const char *row)
{
	uint64_t begin = clock_cpu_ns();
	double seconds;

	caches_create(&s->caches[first], STEP);
	seconds = cpu_since(begin);
	sample("", seconds, "%s", row);
	return seconds;
}

static void register_first(struct shape *s)
{
	size_t before = s->nr_caches - STEPS * STEP;

	caches_create(s->caches, before);
	for (size_t i = 0; i < STEPS; i++)
		register_step(s, before + i * STEP, "register_alone");
}

/* Where a registration visits all groups, fewer have to do. */
static void register_more(struct shape *s)
{
	uint64_t limit = clock_ns() + STEPS_SECONDS * NS_PER_SECOND;

	for (size_t i = 0; i < STEPS && (i < 2 || clock_ns() < limit); i++) {
		double seconds = register_step(s, s->nr_caches + i * STEP,
					       "register_groups");

		sample("", seconds / STEP / (double)s->nr_groups,
		       "register_each");
	}
}

/* ---- Groups ---------------------------------------------------------------- */

/* One of the parts of all groups. */
static void part_of(const struct shape *s, size_t part, size_t *first,
		    size_t *nr)
{
	*first = s->nr_groups * part / PARTS;
	*nr = s->nr_groups * (part + 1) / PARTS - *first;
}

static void create_groups(struct shape *s)
{
	struct memory before, after;
	size_t first, nr;
	double groups = (double)s->nr_groups;

	wane_barrier(); /* what was replaced before is freed */
	memory_read(&before);
	for (size_t part = 0; part < PARTS; part++) {
		uint64_t begin = clock_cpu_ns();

		part_of(s, part, &first, &nr);
		groups_create(&s->groups[first], nr, s->root);
		sample("", cpu_since(begin) / (double)nr, "create");
	}
	memory_read(&after);
	sample("", groups, "groups");
	sample("", (double)(after.all - before.all) / groups, "group_bytes");
	sample("", (double)after.nr_units - (double)before.nr_units, "objects");
	sample("", (double)after.unit_room, "object_bytes");
	sample("",
	       (double)(after.shares - after.units -
			(before.shares - before.units)) /
		       groups,
	       "container_bytes");
}

static void retire_groups(struct shape *s)
{
	size_t first, nr;

	for (size_t part = 0; part < PARTS; part++) {
		uint64_t begin = clock_cpu_ns();

		part_of(s, part, &first, &nr);
		groups_retire(&s->groups[first], nr);
		sample("", cpu_since(begin) / (double)nr, "retire");
	}
}

/* ---- Walks ------------------------------------------------------------------ */

static void pass_over_all(struct shape *s)
{
	double visits = (double)s->nr_groups * s->nodes;

	for (size_t i = 0; i < s->repeats; i++) {
		uint64_t begin = clock_cpu_ns();
		double seconds;

		wane_reclaim_all();
		seconds = cpu_since(begin);
		sample("", seconds, "pass");
		sample("", seconds / visits, "pass_each");
	}
}

static void walk(struct shape *s, struct wane_group **group, size_t nr,
		 const char *row, size_t used)
{
	size_t rounds = WALKS / nr + 1;

	for (size_t i = 0; i <= s->repeats; i++) {
		uint64_t begin = clock_cpu_ns();
		double seconds;

		for (size_t round = 0; round < rounds; round++)
			for (size_t g = 0; g < nr; g++)
				scan_group(group[g], 0, PRIORITY_MAX, 0);
		seconds = cpu_since(begin) / (double)(rounds * nr);
		if (i > 0) /* the first time warms up */
			sample("", seconds, "%s_%zu", row, used);
	}
}

/* The @i-th of @used caches: neighbours, or spread over all ids. */
static struct cache *pick(struct shape *s, size_t i, size_t used, bool spread)
{
	return &s->caches[spread ? s->nr_caches * i / used : i];
}

static void walk_used(struct shape *s, size_t used, bool spread)
{
	struct wane_item *items = must_alloc(used, sizeof(*items));
	struct wane_group *group;

	groups_create(&group, 1, s->root);
	for (size_t i = 0; i < used; i++)
		cache_fill(pick(s, i, used, spread), group, &items[i]);
	walk(s, &group, 1, spread ? "walk_spread" : "walk_near", used);
	for (size_t i = 0; i < used; i++)
		cache_empty(pick(s, i, used, spread), group, &items[i]);
	scan_group(group, 0, PRIORITY_MAX, 0);
	walk(s, &group, 1, spread ? "walk_spread_clear" : "walk_near_clear",
	     used);
	groups_retire(&group, 1);
	free(items);
}

/* ---- Two caches used, three groups deep ------------------------------------ */

static void use_two(struct shape *s)
{
	struct wane_group *chain[3], *parent = s->root;
	struct memory before, after;
	const char *const level[] = { "leaf", "parent", "grandparent" };

	for (int i = 2; i >= 0; i--) {
		groups_create(&chain[i], 1, parent);
		parent = chain[i];
	}
	/* From the top down, so that each step is one level's own. */
	cache_prepare(pick(s, 0, 2, true), s->root);
	cache_prepare(pick(s, 1, 2, true), s->root);
	for (int i = 2; i >= 0; i--) {
		memory_read(&before);
		cache_prepare(pick(s, 0, 2, true), chain[i]);
		cache_prepare(pick(s, 1, 2, true), chain[i]);
		memory_read(&after);
		sample("", (double)(after.all - before.all), "used_%s_bytes",
		       level[i]);
		sample("", (double)(after.shares - before.shares),
		       "used_%s_shares", level[i]);
	}
	groups_retire(chain, 3);
}

void worker_shape(void)
{
	struct shape s = {
		.nr_caches = (size_t)parameter("caches", 8000),
		.nr_groups = (size_t)parameter("groups", 2000),
		.repeats = (size_t)parameter("repeats", 3),
		.nodes = wane_nodes(),
	};
	size_t walked = min_of(s.nr_groups, (size_t)2000);

	s.caches = must_alloc(s.nr_caches + STEPS * STEP, sizeof(*s.caches));
	s.groups = must_alloc(s.nr_groups, sizeof(struct wane_group *));
	groups_create(&s.root, 1, NULL);
	register_first(&s);
	create_groups(&s);
	pass_over_all(&s);
	walk(&s, s.groups, walked, "walk_empty", 0);
	for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
		walk_used(&s, uses[i], false);
		walk_used(&s, uses[i], true);
	}
	use_two(&s);
	register_more(&s);
	retire_groups(&s);
}
