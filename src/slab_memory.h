/* SPDX-License-Identifier: MIT */
/*
 * slab_memory.h - where objects lie: regions, runs, and each slab's runs
 *
 *   object --mask--> region --shift--> chunk --back--> run --> slab, index
 */
#ifndef WANE_SLAB_MEMORY_H
#define WANE_SLAB_MEMORY_H

#include "types.h"

/* ---- From an address to what it is -------------------------------------- */

/* Debug builds: whether an address lies in a region at all. */
#ifdef WANE_DEBUG
bool region_known(const void *address);
#else
static inline bool region_known(const void *address)
{
	return address != NULL;
}
#endif

static inline struct region *region_of(const void *object)
{
	struct region *region =
		(struct region *)((uintptr_t)object & ~(REGION_BYTES - 1));

	wane_assert(region_known(object));
	return region;
}

static inline struct slab_run *run_of(const void *object)
{
	struct region *region = region_of(object);
	struct slab_run *chunk =
		&region->run[((uintptr_t)object - (uintptr_t)region) >>
			     CHUNK_SHIFT];

	return chunk - chunk->back;
}

static inline size_t slab_run_bytes(const struct wane_slab *slab)
{
	return CHUNK_BYTES << slab->order;
}

static inline void *slab_object(const struct slab_run *run, unsigned int index)
{
	return run->memory + (size_t)index * run->slab->room;
}

/*
 * Offset / room without a division: offset * (2^40 / room + 1) >> 40.  Offsets
 * are under 2^19 and rooms at most 2^16, so the error, under offset / 2^40,
 * is less than the 1 / room that it would take to reach the next number.
 */
static inline unsigned int slab_index(const struct wane_slab *slab,
				      const struct slab_run *run,
				      const void *object)
{
	uint64_t offset = (uint64_t)((const char *)object - run->memory);

	return (unsigned int)(offset * slab->inverse >> 40);
}

static inline uint64_t slab_inverse(unsigned int room)
{
	return ((uint64_t)1 << 40) / room + 1;
}

/* ---- Regions ------------------------------------------------------------ */

void region_start(void);

/* 1 << @order chunks on @node, their descriptors set; NULL: no memory. */
struct slab_run *region_take(int node, unsigned int order);
void region_give(struct slab_run *run, unsigned int order);

/* Give all that is free back to the system. */
void region_shrink(void);

/* Bytes of all regions: what port_held() counts of them. */
size_t region_bytes(void);

void region_assert_valid(void);

/* ---- The runs of a slab on a node --------------------------------------- */

/* Take up to @nr objects, at least one; 0: no memory. */
unsigned int home_take(struct wane_slab *slab, int node, void **object,
		       unsigned int nr);

/*
 * Give objects back that all lie on @node.  Return: bytes of the runs that
 * were not needed any more.
 */
size_t home_give(struct wane_slab *slab, int node, void **object,
		 unsigned int nr);

/* Give the spare run back.  Return: its bytes, 0 when there was none. */
size_t home_shrink(struct wane_slab *slab, int node);

/* The index that follows @index in the run's list of free objects. */
unsigned int run_next_free(const struct slab_run *run, unsigned int index);

/* ---- The depot of a slab on a node --------------------------------------- */

/* As home_take() and home_give(), but the depot is asked first. */
unsigned int node_take(struct wane_slab *slab, int node, void **object,
		       unsigned int nr);
void node_give(struct wane_slab *slab, int node, void **object,
	       unsigned int nr);

/* Give what it could have done without since the last trim to the runs. */
void depot_trim(struct wane_slab *slab, int node);

/* Give all in it to the runs.  Return: bytes of those not needed any more. */
size_t depot_empty(struct wane_slab *slab, int node);

/* ---- What debug builds know about each object ---------------------------- */

/*
 * Under ASan, what is hidden must not be touched, but by us; and what objects
 * point to is no leak.
 */
#ifdef WANE_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/lsan_interface.h>
#define memory_root(memory, bytes) __lsan_register_root_region(memory, bytes)
#define memory_unroot(memory, bytes) \
	__lsan_unregister_root_region(memory, bytes)
#define memory_hide(memory, bytes) __asan_poison_memory_region(memory, bytes)
#define memory_show(memory, bytes) __asan_unpoison_memory_region(memory, bytes)
#define TOUCHES_HIDDEN __attribute__((noinline, no_sanitize("address")))
#else
#define memory_root(memory, bytes) ((void)(memory), (void)(bytes))
#define memory_unroot(memory, bytes) ((void)(memory), (void)(bytes))
#define memory_hide(memory, bytes) ((void)(memory), (void)(bytes))
#define memory_show(memory, bytes) ((void)(memory), (void)(bytes))
#define TOUCHES_HIDDEN
#endif

/* An object comes into use, or goes out of it. */
#if defined(WANE_DEBUG) || defined(WANE_ASAN)
void object_check_take(struct wane_slab *slab, void *object);
void object_check_give(struct wane_slab *slab, void *object);
#else
static inline void object_check_take(struct wane_slab *slab, void *object)
{
	(void)slab, (void)object;
}
static inline void object_check_give(struct wane_slab *slab, void *object)
{
	(void)slab, (void)object;
}
#endif

#endif /* WANE_SLAB_MEMORY_H */
