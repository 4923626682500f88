/* SPDX-License-Identifier: MIT */
/*
 * slab_check.c - what debug builds check: each object, and whole slabs
 *
 * Each object has a bit in its run's books that says whether it is in use; one
 * that waits in a magazine or a depot is not.  So a second free is caught at
 * once, also when it comes from another thread, for which the bits are atomic.
 * An address is checked from the outside in: is there a region of ours, a run
 * of this slab, an object's first byte.
 *
 * A free object is overwritten, unless it has a constructor, and under ASan it
 * cannot be read either.
 */
#include <string.h>

#include "slab_cache.h"

#if defined(WANE_DEBUG) || defined(WANE_ASAN)

#define FREE_BYTE 0x6b

#ifdef WANE_DEBUG

static uint64_t *object_bits(const struct slab_run *run, unsigned int index)
{
	return (uint64_t *)((char *)run->books + run->slab->bits_at) +
	       index / 64;
}

static void object_set_used(struct slab_run *run, unsigned int index)
{
	uint64_t bit = (uint64_t)1 << index % 64;
	uint64_t old = or_full(object_bits(run, index), bit);

	wane_assert(!(old & bit));
}

static void object_clear_used(struct slab_run *run, unsigned int index)
{
	uint64_t bit = (uint64_t)1 << index % 64;
	uint64_t old = and_full(object_bits(run, index), ~bit);

	wane_assert(old & bit); /* else it is freed twice */
}

static unsigned int object_check(struct wane_slab *slab, void *object)
{
	struct slab_run *run = run_of(object);
	unsigned int index;

	wane_assert(region_of(object)->magic == REGION_MAGIC);
	wane_assert(run->slab == slab);
	index = slab_index(slab, run, object);
	wane_assert(index < slab->objects);
	wane_assert(slab_object(run, index) == object);
	return index;
}

static bool object_used(struct wane_slab *slab, void *object)
{
	unsigned int index = object_check(slab, object);

	return load_relaxed(object_bits(run_of(object), index)) >> index % 64 &
	       1;
}

void object_check_take(struct wane_slab *slab, void *object)
{
	object_set_used(run_of(object), object_check(slab, object));
	memory_show(object, slab->room);
}

void object_check_give(struct wane_slab *slab, void *object)
{
	object_clear_used(run_of(object), object_check(slab, object));
	if (!slab->constructor)
		memset(object, FREE_BYTE, slab->room);
	memory_hide(object, slab->room);
}

#else

void object_check_take(struct wane_slab *slab, void *object)
{
	memory_show(object, slab->room);
}

void object_check_give(struct wane_slab *slab, void *object)
{
	memory_hide(object, slab->room);
}

#endif
#endif

#ifndef WANE_DEBUG
static bool object_used(struct wane_slab *slab, void *object)
{
	(void)slab, (void)object;
	return false;
}
#endif

/* ---- Whole slabs ----------------------------------------------------------- */

static void run_check(const struct wane_slab *slab, struct slab_run *run)
{
	unsigned int nr = 0;

	wane_assert(run->slab == slab && run->back == 0);
	wane_assert(!run->books == !slab->books_bytes);
	wane_assert(run->fresh <= slab->objects);
	for (unsigned int i = run->free; i != RUN_END;
	     i = run_next_free(run, i)) {
		wane_assert(i < run->fresh);
		wane_assert(nr < slab->objects);
		nr++;
	}
	wane_assert(run->used + nr == run->fresh);
}

static void depot_check(struct wane_slab *slab, int node)
{
	const struct slab_depot *depot = &slab->home[node].depot;

	wane_assert(depot->least <= depot->nr && depot->nr <= slab->depot);
	wane_assert(depot->object || depot->nr == 0);
	for (unsigned int i = 0; i < depot->nr; i++) {
		wane_assert(region_of(depot->object[i])->node == node);
		wane_assert(!object_used(slab, depot->object[i]));
	}
}

static void home_check(struct wane_slab *slab, int node)
{
	struct slab_home *home = &slab->home[node];
	size_t runs = home->spare != NULL, used = 0;

	lock_take(&home->lock);
	list_for_each(link, &home->partial) {
		struct slab_run *run = list_entry(link, struct slab_run, link);

		run_check(slab, run);
		wane_assert(run->used > 0 && run->used < slab->objects);
		wane_assert(region_of(run)->node == node);
		used += run->used;
		runs++;
	}
	list_for_each(link, &home->full) {
		struct slab_run *run = list_entry(link, struct slab_run, link);

		run_check(slab, run);
		wane_assert(run->used == slab->objects);
		wane_assert(region_of(run)->node == node);
		used += run->used;
		runs++;
	}
	if (home->spare) {
		run_check(slab, home->spare);
		wane_assert(home->spare->used == 0);
	}
	wane_assert(runs == home->nr_runs && used == home->nr_used);
	depot_check(slab, node);
	wane_assert(home->depot.nr <= home->nr_used);
	lock_drop(&home->lock);
}

void slab_assert_valid(struct wane_slab *slab)
{
	for (int node = 0; node < port_nr_nodes; node++)
		home_check(slab, node);
	region_assert_valid();
}
