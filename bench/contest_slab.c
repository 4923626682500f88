// SPDX-License-Identifier: MIT
/*
 * contest_slab.c - objects of one size, taken and given back
 *
 *	pairs     take one, give it back
 *	batches   take a thousand, give them back in that order
 *	across    take a thousand; another thread gives them back
 *
 * Each allocator is called through one wrapper, wane's too.  In "across" the
 * two threads hand the thousand over by a flag that both watch, and real time
 * is what counts.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <wane/wane.h>

#include "contest.h"
#include "peers.h"
#include "worker.h"

#define BATCH 1000

static size_t size;
static struct wane_group *group;
static struct wane_slab *plain, *charged;
static void *objects[BATCH];

/* ---- One wrapper each ------------------------------------------------------- */

static void *plain_alloc(size_t bytes)
{
	(void)bytes;
	return wane_slab_alloc(plain, NULL, 0);
}

static void plain_free(void *object)
{
	wane_slab_free(plain, object);
}

static void *charged_alloc(size_t bytes)
{
	(void)bytes;
	return wane_slab_alloc(charged, group, 0);
}

static void charged_free(void *object)
{
	wane_slab_free(charged, object);
}

static const struct allocator ours = { plain_alloc, plain_free };
static const struct allocator ours_charged = { charged_alloc, charged_free };
static const struct allocator libc = { malloc, free };

static const struct {
	const char *name;
	const struct allocator *allocator;
} allocators[] = {
	{ "wane", &ours },	   { "charged", &ours_charged },
	{ "mimalloc", &mimalloc }, { "jemalloc", &jemalloc },
	{ "glibc", &libc },
};

#define NR_ALLOCATORS (sizeof(allocators) / sizeof(allocators[0]))

/* ---- Pairs and batches -------------------------------------------------------- */

static void pairs(const struct allocator *a, uint64_t times)
{
	for (uint64_t i = 0; i < times; i++) {
		void *object = a->alloc(size);

		keep(object);
		a->free(object);
	}
}

static void take_batch(const struct allocator *a)
{
	for (int i = 0; i < BATCH; i++)
		objects[i] = a->alloc(size);
}

static void give_batch(const struct allocator *a)
{
	for (int i = 0; i < BATCH; i++)
		a->free(objects[i]);
}

static void batches(const struct allocator *a, uint64_t times)
{
	for (uint64_t done = 0; done < times; done += BATCH) {
		take_batch(a);
		give_batch(a);
	}
}

/* ---- Across threads ------------------------------------------------------------ */

/* Whose turn it is: 0 takes, 1 gives back, -1 ends. */
static int turn;
static const struct allocator *across_allocator;

static int wait_while(int value)
{
	int now;

	while ((now = __atomic_load_n(&turn, __ATOMIC_ACQUIRE)) == value)
		sched_yield();
	return now;
}

static void *giver(void *arg)
{
	while (wait_while(0) == 1) {
		give_batch(across_allocator);
		__atomic_store_n(&turn, 0, __ATOMIC_RELEASE);
	}
	return arg;
}

static void across(const struct allocator *a, uint64_t times)
{
	pthread_t thread;

	across_allocator = a;
	turn = 0;
	must(-pthread_create(&thread, NULL, giver, NULL), "making a thread");
	for (uint64_t done = 0; done < times; done += BATCH) {
		take_batch(a);
		__atomic_store_n(&turn, 1, __ATOMIC_RELEASE);
		wait_while(1);
	}
	__atomic_store_n(&turn, -1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
}

/* ---- The contests ---------------------------------------------------------------- */

static void make_slabs(void)
{
	struct wane_slab_config config = {
		.size = sizeof(config),
		.name = "bench",
		.object_size = size,
	};

	must(wane_group_create(&group, NULL, "bench"), "making a group");
	must(wane_slab_create(&plain, &config), "making a slab");
	config.flags = WANE_SLAB_CHARGED;
	must(wane_slab_create(&charged, &config), "making a slab");
}

static void destroy_slabs(void)
{
	wane_slab_destroy(plain);
	wane_slab_destroy(charged);
	wane_group_put(group);
}

static uint64_t setup(const struct contest *contest)
{
	size = (size_t)contest->argument;
	make_slabs();
	return BATCH;
}

/* Functions without an argument that names the allocator, for the contest. */
#define WAYS(name, allocator)                                  \
	static void name##_pairs(int thread, uint64_t times)   \
	{                                                      \
		(void)thread;                                  \
		pairs(&allocator, times);                      \
	}                                                      \
	static void name##_batches(int thread, uint64_t times) \
	{                                                      \
		(void)thread;                                  \
		batches(&allocator, times);                    \
	}                                                      \
	static void name##_across(int thread, uint64_t times)  \
	{                                                      \
		(void)thread;                                  \
		across(&allocator, times);                     \
	}

WAYS(ours, ours)
WAYS(charged, ours_charged)
WAYS(mimalloc, mimalloc)
WAYS(jemalloc, jemalloc)
WAYS(libc, libc)

#define CONTENDERS(how)                                    \
	static const struct contender how##_ways[] = {     \
		{ "wane", ours_##how, NULL },              \
		{ "charged", charged_##how, NULL },        \
		{ "mimalloc", mimalloc_##how, &mimalloc }, \
		{ "jemalloc", jemalloc_##how, &jemalloc }, \
		{ "glibc", libc_##how, NULL },             \
		{ 0 },                                     \
	}

CONTENDERS(pairs);
CONTENDERS(batches);
CONTENDERS(across);

#define CONTEST(how, bytes, waits)                                           \
	{                                                                    \
		.row = #how "_" #bytes, .threads = 1, .wall = waits,         \
		.argument = bytes, .contenders = how##_ways, .setup = setup, \
		.cleanup = destroy_slabs,                                    \
	}

const struct contest contests_slab[] = {
	CONTEST(pairs, 64, false),
	CONTEST(pairs, 256, false),
	CONTEST(pairs, 528, false),
	CONTEST(pairs, 4096, false),
	CONTEST(batches, 64, false),
	CONTEST(batches, 256, false),
	CONTEST(batches, 528, false),
	CONTEST(batches, 4096, false),
	CONTEST(across, 64, true),
	CONTEST(across, 256, true),
	CONTEST(across, 528, true),
	CONTEST(across, 4096, true),
	{ 0 },
};

/* ---- Memory -------------------------------------------------------------------------- */

#define PAYLOAD (32u << 20)

/* Bytes of memory that the process has in use. */
static double resident(void)
{
	FILE *file = fopen("/proc/self/statm", "re");
	unsigned long all = 0, pages = 0;

	if (file) {
		if (fscanf(file, "%lu %lu", &all, &pages) != 2)
			pages = 0;
		fclose(file);
	}
	return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/* One allocator and size for each process, so that nothing is used again. */
void worker_memory(void)
{
	size_t which = (size_t)parameter("allocator", 0) % NR_ALLOCATORS;
	const struct allocator *a = allocators[which].allocator;
	size_t nr;
	void **object;
	double before;

	size = (size_t)parameter("size", 64);
	nr = PAYLOAD / size;
	object = must_alloc(nr, sizeof(*object));
	peers_find();
	if (!a->alloc)
		return;
	make_slabs();
	memset(object, 1, nr * sizeof(*object)); /* resident, too */
	before = resident();
	for (size_t i = 0; i < nr; i++) {
		object[i] = a->alloc(size);
		memset(object[i], 1, size);
	}
	sample(allocators[which].name, (resident() - before) / (double)nr,
	       "memory_%zu", size);
	keep(object);
}
