/* SPDX-License-Identifier: MIT */
/*
 * clock.c - what second it is, for what is done now and then
 *
 * The clock is the one that the kernel keeps at hand: reading it costs some
 * nanoseconds, and it is right to some milliseconds.
 */
#define _GNU_SOURCE
#include "port.h"

#include <time.h>

unsigned int port_second(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return (unsigned int)now.tv_sec;
}
