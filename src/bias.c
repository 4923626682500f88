/* SPDX-License-Identifier: MIT */
/*
 * bias.c - the slow sides of a biased lock
 *
 * Either side holds it for some tens of instructions, so waiting is spinning,
 * with the processor given to others in between.
 */
#include "bias.h"

#include <sched.h>

void bias_enter_slow(struct bias *bias)
{
	do {
		while (load_relaxed(&bias->wanted))
			sched_yield();
	} while (!bias_try(bias));
}

void bias_wait(struct bias *bias)
{
	while (load_acquire(&bias->busy))
		sched_yield();
}
