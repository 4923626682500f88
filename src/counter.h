/* SPDX-License-Identifier: MIT */
/*
 * counter.h - hierarchical bytes, limits and protection
 *
 * The arithmetic of memory.{min,low,high,max} and of protection is that of
 * cgroup v2, as its documentation describes it (without memory_recursiveprot).
 */
#ifndef WANE_COUNTER_H
#define WANE_COUNTER_H

#include "types.h"

void counter_init(struct counter *counter, struct counter *parent);

/*
 * Charge @bytes to @counter and all above it.  Return: NULL, or the counter
 * whose max it would pass, and nothing is charged anywhere.  Meanwhile others
 * may have been refused for bytes that are taken back here: by no more than
 * the bytes of the charges under way.
 */
struct counter *counter_try_charge(struct counter *counter, size_t bytes);

/* Undo it.  The caller has seen to it that so much is charged. */
void counter_uncharge(struct counter *counter, size_t bytes);

void counter_set_limit(struct counter *counter, enum wane_limit which,
		       size_t bytes);

static inline size_t counter_usage(const struct counter *counter)
{
	return load_relaxed(&counter->usage);
}

static inline size_t counter_limit(const struct counter *counter,
				   enum wane_limit which)
{
	return load_relaxed(&counter->limit[which]);
}

/*
 * How many bytes of @counter reclaim of @root has to leave: WANE_MIN or
 * WANE_LOW, as far as those between grant it.  0 for @root itself.
 */
size_t counter_protection(const struct counter *counter,
			  const struct counter *root, enum wane_limit which);

#endif /* WANE_COUNTER_H */
