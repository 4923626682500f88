/* SPDX-License-Identifier: MIT */
/*
 * barrier.c - the kernel's side of barrier_heavy()
 */
#define _GNU_SOURCE
#include "barrier.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "start.h"

bool barrier_have_heavy;

static long membarrier(int command)
{
	return syscall(SYS_membarrier, command, 0, 0);
}

void barrier_start(void)
{
	barrier_have_heavy =
		membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
}

void barrier_heavy(void)
{
	barrier_full();
	if (barrier_have_heavy)
		membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}
