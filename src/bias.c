/* SPDX-License-Identifier: MIT */
/*
 * bias.c - the slow sides of a biased lock
 *
 * Either side holds it for some tens of instructions, so waiting is spinning,
 * with the processor given to others in between.
 */
#define _GNU_SOURCE
#include "bias.h"

#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "start.h"

bool bias_have_membarrier;

static long membarrier(int command)
{
	return syscall(SYS_membarrier, command, 0, 0);
}

void bias_start(void)
{
	bias_have_membarrier =
		membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
}

void bias_enter_slow(struct bias *bias)
{
	do {
		store_release(&bias->busy, 0);
		while (load_relaxed(&bias->wanted))
			sched_yield();
		store_relaxed(&bias->busy, 1);
		barrier_full();
	} while (load_acquire(&bias->wanted));
}

void bias_heavy(void)
{
	barrier_full();
	if (bias_have_membarrier) /* B4: heavy */
		membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

void bias_wait(struct bias *bias)
{
	while (load_acquire(&bias->busy))
		sched_yield();
}
