/* SPDX-License-Identifier: MIT */
/*
 * stress.c - many threads do everything at once; then all is checked
 *
 *	workers   work   work   work | park |  work   work
 *	main                         | stop background, barrier, check
 *
 * Each worker does OPERATIONS operations, or fewer when time is over, and
 * parks.  When all are parked, the main thread looks at everything there is
 * (invariant.h): that is a quiet point.  At each, some worker is replaced by a
 * new one, so that threads end while others work.
 *
 *	WANE_STRESS_SECONDS  how long; at least one quiet point
 *	WANE_STRESS_THREADS  how many workers
 *	WANE_SEED            the chance of each worker comes from it
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "slab_cache.h"
#include "stock.h"
#include "stress.h"

#define OPERATIONS 2000
#define WORKERS_MAX 64

static struct worker workers[WORKERS_MAX];
static unsigned int nr_workers = 8;
static unsigned int next_number;
static pthread_barrier_t parked;
static time_t end; /* of the last round */
static bool over;

static __thread struct worker *self;

/* ---- Chance and history ------------------------------------------------------- */

struct test_random *chance(void)
{
	static __thread struct test_random random;
	static uint64_t strangers;

	if (self)
		return &self->random;
	/* The background thread, or the main one. */
	if (random.state == 0)
		random.state = test_seed() ^ add_relaxed(&strangers, 1) << 32;
	return &random;
}

void step(const char *name, uint64_t subject)
{
	if (self)
		self->steps[self->nr_steps++ % NR_STEPS] =
			(struct step){ name, subject };
}

/* Others still run: what they do meanwhile may be printed, too. */
static void print_history(void)
{
	const struct worker *w = self;

	for (unsigned int i = 0; w && i < NR_STEPS && i < w->nr_steps; i++) {
		const struct step *s =
			&w->steps[(w->nr_steps - 1 - i) % NR_STEPS];

		fprintf(stderr, "# worker %u, %u steps ago: %s %" PRIu64 "\n",
			w->number, i, s->name, s->subject);
	}
}

/* ---- Work ------------------------------------------------------------------------ */

static void do_charge(void)
{
	group_charge(self);
}

static void do_uncharge(void)
{
	group_uncharge(self);
}

static const struct operation {
	const char *name;
	unsigned int weight;
	void (*run)(void);
} operations[] = {
	{ "cache work", 600, cache_work },
	{ "group", 60, group_replace },
	{ "charge", 100, do_charge },
	{ "uncharge", 110, do_uncharge },
	{ "look-up", 20, group_look_up },
	{ "limit", 15, group_limit },
	{ "callback", 5, group_tell },
	{ "reclaim", 20, group_reclaim },
	{ "filler", 40, filler_toggle },
	{ "attach", 25, filler_attach },
	{ "cache", 3, cache_replace },
	{ "background", 2, background_toggle },
};

static void work_once(void)
{
	const struct operation *o = operations;
	unsigned int all = 0;
	unsigned int chosen;

	for (size_t i = 0; i < ARRAY_SIZE(operations); i++)
		all += operations[i].weight;
	chosen = below(all);
	for (; chosen >= o->weight; o++)
		chosen -= o->weight;
	step(o->name, 0);
	o->run();
}

static void *work(void *worker)
{
	self = worker;
	while (!self->leave && !over) {
		for (int i = 0; i < OPERATIONS && time(NULL) < end; i++)
			work_once();
		pthread_barrier_wait(&parked); /* quiet from here */
		pthread_barrier_wait(&parked); /* to here */
	}
	return NULL;
}

/* ---- Workers ---------------------------------------------------------------------- */

static void worker_begin(struct worker *worker)
{
	worker->leave = false;
	worker->number = next_number++;
	worker->random.state = test_seed() + worker->number;
	invariant(pthread_create(&worker->thread, NULL, work, worker) == 0,
		  "no thread");
}

/* What it has charged goes to its successor. */
static void worker_replace(struct worker *worker)
{
	pthread_join(worker->thread, NULL);
	worker_begin(worker);
}

static void drop_held(void)
{
	for (unsigned int w = 0; w < nr_workers; w++)
		for (int i = 0; i < NR_HELD; i++) {
			struct invariant_charge *held = &workers[w].held[i];

			wane_uncharge(held->group, held->bytes);
			*held = (struct invariant_charge){ NULL, 0 };
		}
}

/* ---- Quiet points ------------------------------------------------------------------ */

static void quiet_point(void)
{
	wane_background_stop();
	wane_barrier();
	quiet_check(workers, nr_workers);
	if (one_in(4)) {
		quiet_settle();
		quiet_check(workers, nr_workers);
	}
}

/* One round of work, then a quiet point.  Someone leaves, unless it is over. */
static void round_of_work(bool is_last)
{
	struct worker *leaves = &workers[below(nr_workers)];

	pthread_barrier_wait(&parked);
	quiet_point();
	leaves->leave = !is_last;
	over = is_last;
	pthread_barrier_wait(&parked);
	if (!is_last)
		worker_replace(leaves);
}

static void stress(void **state)
{
	size_t base = test_base();
	unsigned int rounds = 0;

	(void)state;
	invariant_history = print_history;
	end = time(NULL) + (time_t)test_seconds(30);
	pthread_barrier_init(&parked, NULL, nr_workers + 1);
	groups_begin();
	caches_begin();
	for (unsigned int i = 0; i < nr_workers; i++)
		worker_begin(&workers[i]);
	do {
		round_of_work(time(NULL) >= end);
		rounds++;
	} while (!over);
	for (unsigned int i = 0; i < nr_workers; i++)
		pthread_join(workers[i].thread, NULL);
	printf("# %u quiet points\n", rounds);

	quiet_empty();
	drop_held();
	groups_end();
	stock_drain(NULL); /* what this thread has charged ahead */
	wane_barrier();
	slab_drain_all();
	wane_barrier();
	test_assert_base(base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stress),
	};
	const char *given = getenv("WANE_STRESS_THREADS");

	if (given)
		nr_workers = (unsigned int)strtoul(given, NULL, 10);
	invariant(nr_workers >= 1 && nr_workers <= WORKERS_MAX,
		  "WANE_STRESS_THREADS from 1 to %d", WORKERS_MAX);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
