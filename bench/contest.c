// SPDX-License-Identifier: MIT
/*
 * contest.c - several ways to do the same, timed in turns
 *
 *	sample 1   wane   peer 1  peer 2
 *	sample 2   peer 1 peer 2  wane      so that all meet the same machine
 *	sample 3   peer 2 wane    peer 1
 *
 * One thread is timed by its processor time, so that other programs disturb
 * by what they do to the caches alone.  Two threads are timed by real time,
 * from when both are ready to when both are done, since they may wait for each
 * other; the samples are short, and medians are what counts.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contest.h"
#include "peers.h"
#include "worker.h"

#define SAMPLE_SECONDS 0.004

/* A contest ends early after this, with three rounds at the least. */
#define CONTEST_SECONDS 3

struct team {
	const struct contender *contender;
	uint64_t times;
	pthread_barrier_t gate;
};

struct member {
	struct team *team;
	pthread_t thread;
};

static void *member_run(void *arg)
{
	struct member *member = arg;
	struct team *team = member->team;

	pthread_barrier_wait(&team->gate);
	team->contender->run(1, team->times);
	pthread_barrier_wait(&team->gate);
	return NULL;
}

/* Two threads at once: this one and another. */
static double time_two(const struct contender *contender, uint64_t times)
{
	struct team team = { .contender = contender, .times = times };
	struct member member = { .team = &team };
	uint64_t begin;
	double seconds;

	pthread_barrier_init(&team.gate, NULL, 2);
	must(-pthread_create(&member.thread, NULL, member_run, &member),
	     "making a thread");
	pthread_barrier_wait(&team.gate);
	begin = clock_ns();
	contender->run(0, times);
	pthread_barrier_wait(&team.gate);
	seconds = clock_to_seconds(clock_ns() - begin);
	pthread_join(member.thread, NULL);
	pthread_barrier_destroy(&team.gate);
	return seconds;
}

static double time_of(const struct contest *contest,
		      const struct contender *contender, uint64_t times)
{
	clockid_t clock = contest->wall ? CLOCK_MONOTONIC
					: CLOCK_THREAD_CPUTIME_ID;
	uint64_t begin;

	if (contest->threads > 1)
		return time_two(contender, times);
	begin = clock_read(clock);
	contender->run(0, times);
	return clock_to_seconds(clock_read(clock) - begin);
}

/* How often fills a sample. */
static uint64_t find_times(const struct contest *contest,
			   const struct contender *contender, uint64_t step)
{
	uint64_t times = step;

	while (time_of(contest, contender, times) < SAMPLE_SECONDS &&
	       times < 1ull << 32)
		times *= 2;
	return times;
}

/* Those whose peer is there.  Return: how many. */
static int choose(const struct contest *contest,
		  const struct contender *chosen[CONTENDERS_MAX])
{
	int nr = 0;

	for (const struct contender *c = contest->contenders; c->name; c++)
		if (!c->needs || *(void *const *)c->needs)
			chosen[nr++] = c;
	return nr;
}

static bool is_late(uint64_t begin)
{
	return clock_ns() - begin > CONTEST_SECONDS * NS_PER_SECOND;
}

static void measure(const struct contest *contest, uint64_t step, int samples)
{
	const struct contender *chosen[CONTENDERS_MAX];
	uint64_t times[CONTENDERS_MAX];
	int nr = choose(contest, chosen);
	uint64_t begin;

	for (int i = 0; i < nr; i++)
		times[i] = find_times(contest, chosen[i], step);
	begin = clock_ns();
	for (int s = 0; s < samples && (s < 3 || !is_late(begin)); s++) {
		for (int i = 0; i < nr; i++) {
			int at = (s + i) % nr;

			sample(chosen[at]->name,
			       time_of(contest, chosen[at], times[at]) /
				       (double)times[at],
			       "%s", contest->row);
		}
	}
}

static void run(const struct contest *contest)
{
	uint64_t step = contest->setup(contest);

	measure(contest, step, (int)parameter("samples", 31));
	contest->cleanup();
}

/* ---- By name ---------------------------------------------------------------- */

static const struct {
	const char *name;
	const struct contest *contests;
} benches[] = {
	{ "charge", contests_charge },
	{ "lru", contests_lru },
	{ "slab", contests_slab },
	{ "xarray", contests_xarray },
	{ "xarray_large", contests_xarray_large },
};

#define NR_BENCHES (sizeof(benches) / sizeof(benches[0]))

void worker_contests(const char *bench)
{
	for (size_t i = 0; i < NR_BENCHES; i++) {
		if (strcmp(benches[i].name, bench))
			continue;
		peers_find();
		peers_tell();
		for (const struct contest *c = benches[i].contests; c->row; c++)
			run(c);
		return;
	}
	fprintf(stderr, "no measurement '%s'\n", bench);
	exit(2);
}

/* One contender a fixed number of times, for instructions to be counted. */
void worker_loop(void)
{
	const struct contest *contest =
		&benches[parameter("bench", 0)].contests[parameter("row", 0)];

	peers_find();
	contest->setup(contest);
	contest->contenders[parameter("contender", 0)].run(
		0, (uint64_t)parameter("times", 1));
}
