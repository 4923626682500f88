/* SPDX-License-Identifier: MIT */
/*
 * node.c - memory nodes, real or pretended
 *
 * Real ones come from libnuma.  WANE_NODES=n in the environment pretends n of
 * them instead, so that code for many nodes runs on any machine: a thread's
 * node then follows from its number, and an address's from its bits.
 */
#define _GNU_SOURCE
#include "port.h"

#include <numa.h>
#include <numaif.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "start.h"
#include "thread.h"

#define PRETENDED_SHIFT 21 /* 2 MiB of address space to a node */

static bool real;

static int clamp_node(int node)
{
	return node < 0 ? 0 : min_of(node, port_nr_nodes - 1);
}

/* What the environment asks for, or 0 for the machine's own. */
static int pretended_nodes(void)
{
	const char *text = getenv("WANE_NODES");
	char *end;
	long nr;

	if (!text || !*text)
		return 0;
	errno = 0;
	nr = strtol(text, &end, 10);
	if (errno == 0 && *end == '\0' && nr >= 1 && nr <= WANE_MAX_NODES)
		return (int)nr;
	fprintf(stderr,
		"wane: WANE_NODES=%s is ignored: a number from 1 to %d is "
		"expected\n",
		text, WANE_MAX_NODES);
	return 0;
}

void node_start(void)
{
	port_nr_nodes = pretended_nodes();
	if (port_nr_nodes > 0)
		return;
	port_nr_nodes = 1;
	if (numa_available() < 0)
		return;
	port_nr_nodes = min_of(numa_max_node() + 1, WANE_MAX_NODES);
	real = port_nr_nodes > 1;
}

bool port_nodes_are_real(void)
{
	return real;
}

int port_node_current(void)
{
	if (port_nr_nodes == 1)
		return 0;
	if (!real)
		return (int)(thread_self()->number % (unsigned)port_nr_nodes);
	return clamp_node(numa_node_of_cpu(sched_getcpu()));
}

int wane_nodes(void)
{
	return port_nr_nodes;
}

int wane_node_current(void)
{
	return port_node_current();
}

int wane_node_of(const void *address)
{
	int node = 0;

	if (port_nr_nodes == 1)
		return 0;
	if (!real)
		return (int)(((uintptr_t)address >> PRETENDED_SHIFT) %
			     (unsigned)port_nr_nodes);
	if (get_mempolicy(&node, NULL, 0, (void *)(uintptr_t)address,
			  MPOL_F_NODE | MPOL_F_ADDR))
		return 0;
	return clamp_node(node);
}
