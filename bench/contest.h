/* SPDX-License-Identifier: MIT */
/*
 * contest.h - several ways to do the same, timed in turns
 */
#ifndef WANE_BENCH_CONTEST_H
#define WANE_BENCH_CONTEST_H

#include <stdbool.h>
#include <stdint.h>

#define CONTENDERS_MAX 6
#define THREADS_MAX 2

/*
 * struct contender - One way.
 * @run: Do it @times times, as thread 0 or 1.
 * @needs: Begins with a pointer that is NULL where a peer is missing; or NULL.
 */
struct contender {
	const char *name;
	void (*run)(int thread, uint64_t times);
	const void *needs;
};

/*
 * struct contest - What is done, and the ways to do it.
 * @row: Where its samples go.
 * @threads: How many do it at the same time.
 * @wall: Real time counts, although one thread runs it: it waits for another.
 * @setup: Returns how many times make a step that cannot be divided.
 * @cleanup: Undoes @setup.
 * @argument: For @setup.
 * @contenders: Ended by one without a name.
 */
struct contest {
	const char *row;
	int threads;
	bool wall;
	uint64_t (*setup)(const struct contest *contest);
	void (*cleanup)(void);
	long argument;
	const struct contender *contenders;
};

/* A bench's contests, ended by one without a row. */
extern const struct contest contests_charge[];
extern const struct contest contests_lru[];
extern const struct contest contests_slab[];
extern const struct contest contests_xarray[];
extern const struct contest contests_xarray_large[];

#endif /* WANE_BENCH_CONTEST_H */
