/* SPDX-License-Identifier: MIT */
/*
 * clock.h - a clock that never goes back, and one of this thread's own work
 */
#ifndef WANE_TOOL_CLOCK_H
#define WANE_TOOL_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_SECOND 1000000000ull

static inline uint64_t clock_read(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

static inline uint64_t clock_ns(void)
{
	return clock_read(CLOCK_MONOTONIC);
}

/* Processor time that the calling thread has used. */
static inline uint64_t clock_cpu_ns(void)
{
	return clock_read(CLOCK_THREAD_CPUTIME_ID);
}

static inline uint64_t clock_from_seconds(double seconds)
{
	return (uint64_t)(seconds * (double)NS_PER_SECOND);
}

static inline double clock_to_seconds(uint64_t ns)
{
	return (double)ns / (double)NS_PER_SECOND;
}

#endif /* WANE_TOOL_CLOCK_H */
