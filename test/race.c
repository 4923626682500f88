/* SPDX-License-Identifier: MIT */
/*
 * race.c - small races, each run many times
 *
 *	race [TEST]		all tests, or those whose name fits a pattern
 *
 *	main     before |             | after   before | ...
 *	racer 1         | ~ ~ work .. |                | ~ work
 *	racer 2         | ~ work .... |                | ~ ~ ~ work
 *
 * Racers wait for each other in a loop, and then for a few turns more by
 * chance, so that each round they meet elsewhere.
 *
 *	WANE_RACE_ROUNDS     how many rounds a test has
 */
#include "race.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "group.h"
#include "lru.h"
#include "scan.h"
#include "slab_cache.h"
#include "stock.h"

#define RACERS_MAX 4
#define PUT_LATER_MAX 256
#define ROUNDS_USUAL 600
#define SPINS 500
#define NR_OTHERS 4

struct wane_group *root;
struct wane_group *child;
struct wane_shrinker *shrinker;
struct wane_lru *lru;
struct thing things[NR_THINGS];
bool refusing;

static struct wane_group *others[NR_OTHERS];
static struct wane_group *to_put[PUT_LATER_MAX];
static unsigned int nr_to_put;
static size_t base;

/* ---- Rounds ----------------------------------------------------------------------- */

static pthread_barrier_t gate;
static bool over;
static unsigned int nr_racers;
static unsigned int arrived, expected;

struct racer {
	pthread_t thread;
	race_fn run;
	struct test_random random;
};

/* Begin together; those who come first keep turning, so that none sleeps. */
static void line_up(struct racer *racer)
{
	/* Mostly a few, sometimes many: what races is short, or long. */
	uint64_t many = 1ull << test_random_below(&racer->random, 9);
	uint64_t turns = test_random_below(&racer->random, many);

	add_full(&arrived, 1);
	for (int i = 0; load_acquire(&arrived) < expected; i++)
		if (i > SPINS)
			sched_yield();
	while (turns-- > 0)
		cpu_relax();
}

static void *run(void *of)
{
	struct racer *racer = of;

	for (;;) {
		pthread_barrier_wait(&gate);
		if (over)
			return NULL;
		line_up(racer);
		racer->run();
		pthread_barrier_wait(&gate);
	}
}

static unsigned int nr_rounds(void)
{
	const char *given = getenv("WANE_RACE_ROUNDS");

	return given ? (unsigned int)strtoul(given, NULL, 10) : ROUNDS_USUAL;
}

static void run_rounds(race_fn before, race_fn after)
{
	for (unsigned int i = nr_rounds(); i > 0; i--) {
		before();
		expected += nr_racers;
		pthread_barrier_wait(&gate);
		pthread_barrier_wait(&gate);
		after();
	}
	over = true;
	pthread_barrier_wait(&gate);
}

void race(race_fn before, race_fn after, unsigned int nr, const race_fn *runs)
{
	struct racer racers[RACERS_MAX];

	over = false;
	nr_racers = nr;
	pthread_barrier_init(&gate, NULL, nr + 1);
	for (unsigned int i = 0; i < nr; i++) {
		racers[i].run = runs[i];
		racers[i].random.state = test_seed() + i;
		pthread_create(&racers[i].thread, NULL, run, &racers[i]);
	}
	run_rounds(before, after);
	for (unsigned int i = 0; i < nr; i++)
		pthread_join(racers[i].thread, NULL);
	pthread_barrier_destroy(&gate);
}

/* ---- Groups ------------------------------------------------------------------------ */

struct wane_group *group_below(struct wane_group *parent)
{
	struct wane_group *group;

	invariant(wane_group_create(&group, parent, NULL) == 0, "memory");
	return group;
}

void prepare(struct wane_group *group)
{
	invariant(wane_lru_prepare(lru, group) == 0, "memory");
}

void make_child(void)
{
	child = group_below(root);
	prepare(child);
}

static void put_all(void)
{
	while (nr_to_put > 0)
		wane_group_put(to_put[--nr_to_put]);
	stock_drain(NULL);
	wane_barrier();
}

/* Grace periods are slow, so many groups share one. */
void put_later(struct wane_group *group)
{
	if (nr_to_put == PUT_LATER_MAX)
		put_all();
	to_put[nr_to_put++] = group;
}

void retire_child(void)
{
	invariant(wane_group_retire(child) == 0, "error");
}

void make_others(void)
{
	for (int i = 0; i < NR_OTHERS; i++)
		others[i] = group_below(root);
}

void prepare_others(struct wane_lru *of)
{
	for (int i = 0; i < NR_OTHERS; i++)
		invariant(wane_lru_prepare(of, others[i]) == 0, "memory");
}

void retire_others(void)
{
	for (int i = 0; i < NR_OTHERS; i++) {
		invariant(wane_group_retire(others[i]) == 0, "error");
		put_later(others[i]);
	}
}

/* ---- Things ------------------------------------------------------------------------- */

void add_thing(int i, struct wane_group *group)
{
	things[i].group = group;
	invariant(wane_lru_add(lru, &things[i].item, group, 0),
		  "%d is listed already", i);
}

void del_thing(int i)
{
	invariant(wane_lru_del(lru, &things[i].item, things[i].group, 0),
		  "%d is not listed", i);
}

static size_t take(struct wane_shrink *sc)
{
	struct wane_item taken, *item;
	struct thing *thing;
	size_t nr;

	wane_item_init(&taken);
	nr = wane_lru_take(lru, sc, NULL, NULL, &taken);
	while ((item = wane_item_pop(&taken))) {
		thing = container_of(item, struct thing, item);
		wane_uncharge(thing->group, thing->bytes);
		thing->bytes = 0;
	}
	return nr;
}

size_t take_all(void)
{
	size_t nr = 0;

	for (struct wane_group *g = group_first(); g; g = group_next(g, NULL)) {
		struct wane_shrink sc = { .group = g, .to_scan = 1000 };

		nr += take(&sc);
	}
	return nr;
}

static long count(void *unused, struct wane_shrink *sc)
{
	(void)unused;
	return wane_lru_count(lru, sc->group, sc->node);
}

static long scan(void *unused, struct wane_shrink *sc)
{
	(void)unused;
	return refusing ? -EAGAIN : (long)take(sc);
}

void walk(struct wane_group *group)
{
	for (int node = 0; node < port_nr_nodes; node++)
		scan_group(group, node, PRIORITY_MAX, 0);
}

void walk_child(void)
{
	walk(child);
}

struct shrinker_share share_of(struct wane_lru *of, struct wane_group *group)
{
	struct lru_lists *lists = lru_lists_find(of, group);

	invariant(lists && !share_is_none(&lists->share), "no share");
	return lists->share;
}

void check_listed(size_t nr)
{
	struct invariant_totals totals = invariant_check(NULL, NULL);

	invariant(totals.items == nr, "%zu are listed, not %zu", totals.items,
		  nr);
}

void check_moved_up(size_t nr)
{
	check_listed(nr);
	invariant_check_lru(lru);
	invariant(wane_lru_count(lru, child, 0) == 0, "a retired group's list");
	invariant(take_all() == nr, "not all were taken");
	walk(root);
	put_later(child);
}

/* ---- Begin and end -------------------------------------------------------------------- */

int race_begin(void **state)
{
	const struct wane_shrinker_ops ops = {
		.size = sizeof(ops),
		.name = "race",
		.count = count,
		.scan = scan,
	};

	(void)state;
	base = test_base();
	refusing = true;
	invariant(wane_group_create(&root, NULL, "race") == 0 &&
			  wane_shrinker_create(&shrinker, &ops, NULL) == 0 &&
			  wane_lru_create(&lru, shrinker) == 0,
		  "memory");
	wane_shrinker_start(shrinker);
	prepare(root);
	for (int i = 0; i < NR_THINGS; i++) {
		things[i] = (struct thing){ .group = root };
		wane_item_init(&things[i].item);
	}
	return 0;
}

int race_end(void **state)
{
	(void)state;
	put_all();
	wane_shrinker_destroy(shrinker);
	wane_lru_destroy(lru);
	wane_group_put(root);
	stock_drain(NULL);
	wane_barrier();
	slab_drain_all();
	wane_barrier();
	test_assert_base(base);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		race_test(add_clear),	       race_test(add_add),
		race_test(add_two_lrus),       race_test(add_retire),
		race_test(walk_retire),	       race_test(del_retire),
		race_test(prepare_prepare),    race_test(prepare_retire),
		race_test(destroy_lru_retire), race_test(destroy_owner_retire),
		race_test(attach_retire),      race_test(place_reused),
		race_test(add_unstarted),      race_test(create_retire),
		race_test(retire_retire),      race_test(retire_parent),
		race_test(find_retire),	       race_test(put_walk),
		race_test(cursor_leave),       race_test(barrier_chain),
		race_test(walk_grow),	       race_test(grow_grow),
		race_test(grow_siblings),      race_test(last_and_first),
		race_test(register_prepare),   race_test(scan_retire),
		race_test(scan_scan),	       race_test(scan_destroy),
		race_test(prepare_destroy),    race_test(retire_destroy),
		race_test(destroy_destroy),    race_test(id_reused),
		race_test(nothing_waits),      race_test(items_keep_coming),
		race_test(cancelled),	       race_test(charge_max),
		race_test(charge_ancestor),    race_test(charge_guard),
		race_test(charge_retire),      race_test(charge_drain),
		race_test(charge_exit),	       race_test(charge_put),
		race_test(uncharge_order),     race_test(background_stop_start),
	};

	alarm(250); /* a deadlock fails, too */
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
