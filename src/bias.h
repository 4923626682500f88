/* SPDX-License-Identifier: MIT */
/*
 * bias.h - a lock that costs its owner two stores, and others much more
 *
 * For what one thread uses all the time and others look at almost never.  The
 * owner says that it is busy and looks whether it is wanted; another says that
 * it wants, runs the barrier for both, and looks whether the owner is busy.
 *
 * B4	owner				another
 *	busy = 1			wanted = 1
 *	light barrier			heavy barrier
 *	wanted? busy = 0, wait		wait while busy
 *	At least one of the two sees the other, so they are never both inside.
 *
 * The other side is for one thread at a time: the caller has a lock for that.
 */
#ifndef WANE_BIAS_H
#define WANE_BIAS_H

#include "barrier.h"

struct bias {
	uint32_t busy;
	uint32_t wanted;
};

/* After a try that has failed: wait until no one wants it, and be busy then. */
void bias_enter_slow(struct bias *bias);

static inline void bias_leave(struct bias *bias)
{
	store_release(&bias->busy, 0);
}

/* Be busy, unless it is wanted. */
static inline bool bias_try(struct bias *bias)
{
	store_relaxed(&bias->busy, 1);
	barrier_light(); /* B4 */
	if (likely(!load_acquire(&bias->wanted)))
		return true;
	bias_leave(bias);
	return false;
}

static inline void bias_enter(struct bias *bias)
{
	if (unlikely(!bias_try(bias)))
		bias_enter_slow(bias);
}

/* For others: want some, then barrier_heavy() once (B4), then wait for each. */
static inline void bias_want(struct bias *bias)
{
	store_relaxed(&bias->wanted, 1);
}

void bias_wait(struct bias *bias);

static inline void bias_release(struct bias *bias)
{
	store_release(&bias->wanted, 0);
}

#endif /* WANE_BIAS_H */
