// SPDX-License-Identifier: MIT
/*
 * contest_charge.c - a charge and its undoing, beside atomic additions
 *
 *	group[0]   group[1]       what thread 0 and thread 1 charge, one to six
 *	    '- ... -'             levels below a root that they share
 *
 * The peers: one atomic addition, which is no account of anything, and the
 * addition and subtraction that the least exact account would cost.
 */
#include <wane/wane.h>

#include "contest.h"
#include "worker.h"

#define BYTES 256
#define DEPTH_MAX 6

static struct wane_group *levels[THREADS_MAX][DEPTH_MAX];
static int depth;
static struct {
	_Alignas(128) size_t bytes;
} counters[THREADS_MAX];

/* Thread 1 has a branch of its own below the root. */
static uint64_t setup(const struct contest *contest)
{
	depth = (int)contest->argument;
	for (int t = 0; t < THREADS_MAX; t++) {
		for (int i = 0; i < depth; i++) {
			struct wane_group *above = i ? levels[t][i - 1] : NULL;

			if (i == 0 && t == 1 && depth > 1) {
				levels[1][0] = wane_group_get(levels[0][0]);
				continue;
			}
			must(wane_group_create(&levels[t][i], above, NULL),
			     "making a group");
		}
	}
	return 1;
}

static void cleanup(void)
{
	for (int t = 0; t < THREADS_MAX; t++)
		for (int i = depth - 1; i >= 0; i--)
			wane_group_put(levels[t][i]);
}

static void charge(struct wane_group *group, uint64_t times)
{
	for (uint64_t i = 0; i < times; i++) {
		must(wane_charge(group, BYTES, 0), "charging");
		wane_uncharge(group, BYTES);
	}
}

static void charge_same(int thread, uint64_t times)
{
	(void)thread;
	charge(levels[0][depth - 1], times);
}

static void charge_own(int thread, uint64_t times)
{
	charge(levels[thread][depth - 1], times);
}

static void add(size_t *counter, uint64_t times)
{
	for (uint64_t i = 0; i < times; i++)
		__atomic_fetch_add(counter, BYTES, __ATOMIC_RELAXED);
}

static void add_same(int thread, uint64_t times)
{
	(void)thread;
	add(&counters[0].bytes, times);
}

static void add_own(int thread, uint64_t times)
{
	add(&counters[thread].bytes, times);
}

static void pair(size_t *counter, uint64_t times)
{
	for (uint64_t i = 0; i < times; i++) {
		__atomic_fetch_add(counter, BYTES, __ATOMIC_RELAXED);
		__atomic_fetch_sub(counter, BYTES, __ATOMIC_RELAXED);
	}
}

static void pair_same(int thread, uint64_t times)
{
	(void)thread;
	pair(&counters[0].bytes, times);
}

static void pair_own(int thread, uint64_t times)
{
	pair(&counters[thread].bytes, times);
}

static const struct contender same[] = {
	{ "wane", charge_same, NULL },
	{ "atomic add", add_same, NULL },
	{ "add and sub", pair_same, NULL },
	{ 0 },
};

static const struct contender own[] = {
	{ "wane", charge_own, NULL },
	{ "atomic add", add_own, NULL },
	{ "add and sub", pair_own, NULL },
	{ 0 },
};

#define CONTEST(name, nr_threads, levels_deep, who)                          \
	{                                                                    \
		.row = name, .threads = nr_threads, .argument = levels_deep, \
		.contenders = who, .setup = setup, .cleanup = cleanup,       \
	}

const struct contest contests_charge[] = {
	CONTEST("depth_1", 1, 1, same), CONTEST("depth_3", 1, 3, same),
	CONTEST("depth_6", 1, 6, same), CONTEST("same_1", 2, 1, same),
	CONTEST("same_3", 2, 3, same),	CONTEST("same_6", 2, 6, same),
	CONTEST("own_1", 2, 1, own),	CONTEST("own_3", 2, 3, own),
	CONTEST("own_6", 2, 6, own),	{ 0 },
};
