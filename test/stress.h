/* SPDX-License-Identifier: MIT */
/*
 * stress.h - what the parts of the stress test share
 *
 *	stress.c         threads, quiet points, the end
 *	stress_cache.c   caches with callbacks, and their objects
 *	stress_groups.c  groups, limits, charges, reclaim
 *	stress_filler.c  shrinkers without items, which come and go
 *	stress_quiet.c   what is checked while all stand still
 *
 * No lock of the test's orders what threads do: a group is picked by an id
 * that the library looks up; a cache is held shared by all who use it, and
 * exclusively only to destroy it; an object is in a slot with a lock of its
 * own, which a callback may only try.
 */
#ifndef WANE_TEST_STRESS_H
#define WANE_TEST_STRESS_H

#include <pthread.h>

#include "invariant.h"
#include "test.h"

#define NR_GROUPS 48
#define NR_CACHES 10
#define NR_FILLERS 150
#define NR_SLOTS 64
#define NR_HELD 8
#define NR_STEPS 32

/* ---- Threads ------------------------------------------------------------------ */

/**
 * struct worker - A thread of the test.
 * @random: Its own chance.
 * @held: Bytes that it has charged, each to a group.
 * @steps: What it did last: a ring, for when something is broken.
 */
struct worker {
	pthread_t thread;
	unsigned int number;
	bool leave;
	struct test_random random;
	struct invariant_charge held[NR_HELD];
	struct step {
		const char *name;
		uint64_t subject;
	} steps[NR_STEPS];
	unsigned int nr_steps;
};

/* The calling thread's chance; callbacks run in threads of others, too. */
struct test_random *chance(void);

static inline bool one_in(uint64_t n)
{
	return test_random_one_in(chance(), n);
}

static inline unsigned int below(unsigned int bound)
{
	return (unsigned int)test_random_below(chance(), bound);
}

/* Note what the calling worker begins to do. */
void step(const char *name, uint64_t subject);

/* ---- Groups --------------------------------------------------------------------- */

extern struct wane_group *world_root;

void groups_begin(void);
void groups_end(void);

/* Any group, or the root, with a reference. */
struct wane_group *group_pick(void);

void group_replace(void);
void group_look_up(void);
void group_limit(void);
void group_tell(void);
void group_reclaim(void);
void group_charge(struct worker *worker);
void group_uncharge(struct worker *worker);
void background_toggle(void);

/* ---- Caches ---------------------------------------------------------------------- */

void caches_begin(void);
void caches_end(void);

void cache_replace(void);
void cache_work(void);

/* Shrinkers that hold ids, so that those of caches lie far apart. */
void fillers_end(void);
void filler_toggle(void);
void filler_attach(void);

/* ---- At a quiet point ------------------------------------------------------------ */

/*
 * Check everything: of groups and lists, and of objects and bytes.  @workers:
 * what they have charged.
 */
void quiet_check(const struct worker *workers, unsigned int nr_workers);

/* Ask all: bits without items are cleared, and no one is asked in vain. */
void quiet_settle(void);

/*
 * The end: no worker is left.  Reclaim until nothing more can be had; only
 * what is pinned for good may be left then.
 */
void quiet_empty(void);

#endif /* WANE_TEST_STRESS_H */
