/* SPDX-License-Identifier: MIT */
/*
 * random.h - a small generator of random numbers, one per thread
 *
 * The generator is splitmix64 (G. Steele, D. Lea, C. Flood, 2014): a counter
 * whose steps are mixed, so that any seed is a good one.
 */
#ifndef WANE_TOOL_RANDOM_H
#define WANE_TOOL_RANDOM_H

#include <stdint.h>

struct random {
	uint64_t state;
};

static inline uint64_t random_mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

static inline uint64_t random_next(struct random *random)
{
	random->state += 0x9e3779b97f4a7c15u;
	return random_mix(random->state);
}

/* 0 to @bound - 1. */
static inline uint32_t random_below(struct random *random, uint32_t bound)
{
	return (uint32_t)(((random_next(random) >> 32) * bound) >> 32);
}

/* 0 up to 1, not 1 itself. */
static inline double random_unit(struct random *random)
{
	return (double)(random_next(random) >> 11) * 0x1p-53;
}

#endif /* WANE_TOOL_RANDOM_H */
