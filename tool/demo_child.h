/* SPDX-License-Identifier: MIT */
/*
 * demo_child.h - one configuration and its threads
 */
#ifndef WANE_TOOL_DEMO_CHILD_H
#define WANE_TOOL_DEMO_CHILD_H

#include <pthread.h>

#include "demo.h"
#include "demo_tenant.h"
#include "zipf.h"

/* How often in a slice the bytes of SQLite's own caches are summed up. */
#define DEMO_SAMPLES 5

/*
 * struct worker - A thread that serves its own share of the tenants.
 * @tenants: The most frequent first; @nr of them.
 * @asked: Queries since the child began; says when a special's turn is.
 * @cache_used: Bytes of page cache of all its tenants, by sample.
 * @result: Of the slice that runs.
 */
struct worker {
	struct child *child;
	pthread_t thread;
	struct tenant *tenants;
	uint32_t nr;
	struct zipf zipf;
	struct random random;
	uint64_t asked;
	uint64_t cache_used[DEMO_SAMPLES];
	struct demo_result result;
};

/*
 * struct child - One configuration.
 * @slice: What all threads are at.
 * @measure: Where the threads meet between warm-up and measurement.
 * @stop: Set when the demo wants no more.
 * @running: Threads that have not ended yet.
 * @specials: Of (d), by number from TENANT_NOISY.
 * @noisy_stop: Ends the noisy tenant's scan, with the slice.
 * @scans: That it has finished.
 */
struct child {
	struct demo_setup setup;
	struct demo_slice slice;
	struct words words;
	struct demo_trouble trouble;
	pthread_barrier_t measure;
	bool stop;
	uint32_t running;
	struct worker *workers;
	struct tenant specials[DEMO_SPECIALS];
	pthread_t noisy_thread;
	bool noisy_stop;
	uint64_t scans;
	struct wane_group *root;
	struct wane_group *tenants;
};

static inline struct tenant *child_special(struct child *child,
					   enum demo_special special)
{
	return &child->specials[special - TENANT_NOISY];
}

/* True when a thread should end early. */
static inline bool child_ends(const struct child *child)
{
	return __atomic_load_n(&child->stop, __ATOMIC_RELAXED) ||
	       failure_happened(&child->trouble.failure);
}

/* What PRAGMA cache_size the configuration asks for; 0 for none. */
int child_cache_size(const struct child *child);

/* The bodies of threads; each gets its worker, or for noisy the child. */
void *worker_open(void *worker);
void *worker_slice(void *worker);
void *noisy_scan(void *child);

/* Sum up what the threads have seen in the slice that has just ended. */
void child_collect(struct child *child, struct demo_result *result);

#endif /* WANE_TOOL_DEMO_CHILD_H */
