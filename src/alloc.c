/* SPDX-License-Identifier: MIT */
/*
 * alloc.c - memory from the system, counted, and failing on demand
 *
 * Two sources: the C library for what is small, and whole pages for slabs.
 * Sizes come back on free, so "all memory is given back" is an equation that
 * tests can check: port_held() before == port_held() after.
 *
 * Fault injection counts down over all threads.  It costs one relaxed load on
 * a path that is slow anyway, so it is in every build, and tests run on what
 * users run.
 */
#define _GNU_SOURCE
#include "port.h"

#include <numa.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static size_t held;

static long faults_left; /* allocations until one fails; 0: none will */
static bool faults_stay;
static bool fault_seen;

static _Thread_local unsigned long asked;

_Noreturn void port_panic(const char *file, int line, const char *what)
{
	fprintf(stderr, "wane: %s:%d: must hold: %s\n", file, line, what);
	abort();
}

void fault_inject(long k, bool for_good)
{
	store_relaxed(&fault_seen, false);
	store_relaxed(&faults_stay, for_good);
	store_relaxed(&faults_left, k);
}

bool fault_happened(void)
{
	return load_relaxed(&fault_seen);
}

unsigned long port_asked(void)
{
	return asked;
}

static bool fault_now(void)
{
	long left = load_relaxed(&faults_left);

	asked++;
	do {
		if (likely(left == 0))
			return false;
		if (left == 1 && load_relaxed(&faults_stay))
			break;
	} while (!try_exchange_relaxed(&faults_left, &left, left - 1));
	if (left > 1)
		return false;
	store_relaxed(&fault_seen, true);
	return true;
}

void *port_alloc(size_t bytes)
{
	void *memory = fault_now() ? NULL : malloc(bytes);

	if (memory)
		add_relaxed(&held, bytes);
	return memory;
}

void *port_zalloc(size_t bytes)
{
	void *memory = fault_now() ? NULL : calloc(1, bytes);

	if (memory)
		add_relaxed(&held, bytes);
	return memory;
}

void port_free(void *memory, size_t bytes)
{
	if (!memory)
		return;
	free(memory);
	sub_relaxed(&held, bytes);
}

static void *map(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* Map more than is needed and cut off both ends. */
static void *map_aligned(size_t bytes, size_t align)
{
	char *memory = map(bytes + align);
	char *start;

	if (!memory)
		return NULL;
	start = (char *)(((uintptr_t)memory + align - 1) & ~(align - 1));
	if (start > memory)
		munmap(memory, (size_t)(start - memory));
	if (start + bytes < memory + bytes + align)
		munmap(start + bytes,
		       (size_t)(memory + bytes + align - (start + bytes)));
	return start;
}

void *port_map(size_t bytes, size_t align, int node)
{
	void *memory = fault_now() ? NULL : map_aligned(bytes, align);

	if (!memory)
		return NULL;
	if (port_nodes_are_real())
		numa_tonode_memory(memory, bytes, node);
	add_relaxed(&held, bytes);
	return memory;
}

void port_unmap(void *memory, size_t bytes)
{
	if (!memory)
		return;
	munmap(memory, bytes);
	sub_relaxed(&held, bytes);
}

void port_discard(void *memory, size_t bytes)
{
	madvise(memory, bytes, MADV_DONTNEED);
}

size_t port_held(void)
{
	return load_relaxed(&held);
}
