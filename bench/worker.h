/* SPDX-License-Identifier: MIT */
/*
 * worker.h - what the measurements share: parameters, samples, clocks
 *
 * A worker is one program per implementation of core/shrinker_info.  It runs
 * one measurement and prints a line per sample:
 *
 *	row <TAB> contender <TAB> value
 *
 * The contender is "" where it is the implementation itself.  Whose versions
 * matter, it names as "version <TAB> name <TAB> text".
 */
#ifndef WANE_BENCH_WORKER_H
#define WANE_BENCH_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../tool/clock.h"

/* Keep the compiler from doing away with a value that nothing else needs. */
static inline void keep(const void *value)
{
	__asm__ volatile("" : : "r"(value) : "memory");
}

/* The value of the parameter NAME=VALUE, or @fallback. */
long parameter(const char *name, long fallback);

/* Print a sample; the row's name may have parts as in printf(). */
void sample(const char *contender, double value, const char *row, ...)
	__attribute__((format(printf, 3, 4)));

/* Print what @name's version is, as printf() does. */
void version(const char *name, const char *text, ...)
	__attribute__((format(printf, 2, 3)));

/* End the worker when @err is not 0: a measurement has no other way out. */
void must(int err, const char *what);

/* Memory that a measurement cannot do without. */
void *must_alloc(size_t nr, size_t size);

/* Seconds of processor time of this thread since @begin. */
static inline double cpu_since(uint64_t begin)
{
	return clock_to_seconds(clock_cpu_ns() - begin);
}

/* The measurements. */
void worker_shape(void);
void worker_one_file(void);
void worker_size(void);
void worker_curve(void);
void worker_reclaim(void);
void worker_retire(void);
void worker_scale(void);
void worker_contests(const char *bench);
void worker_loop(void);
void worker_memory(void);
void worker_entries(void);

#endif /* WANE_BENCH_WORKER_H */
