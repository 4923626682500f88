/* SPDX-License-Identifier: MIT */
/*
 * slab_region.c - memory from the system, cut into runs of chunks
 *
 * A region is 4 MiB of one node, aligned to its size, so that an address with
 * its low bits cleared is its region.  Its first chunk of 16 KiB describes all
 * 256; a run is 1, 2, 4, ... 32 of them, aligned to its own length, so that it
 * lies within one word of the bitmaps and free space does not splinter.
 *
 *            +--------+---------------+-------+-------+---
 *   chunks   | header | run of 1 | free |  run of 2   | ...
 *            +--------+---------------+-------+-------+---
 *   used         1          1       0      1       1
 *   dirty        0          0       1      0       0
 *   back         0          0       0      0       1
 *
 *   chunk   free, clean ---> in a run ---> free, dirty ---> free, clean
 *                  take      ^    give         |   discard
 *                            '-----------------'
 *
 * Giving pages back costs a system call and a page fault each later on, so a
 * run's pages stay for a while.  When a node has more than DIRTY_MAX chunks
 * of them, all are given back, adjacent ones in one call; meanwhile they count
 * as used, so the lock is not held for it.
 *
 * A region without runs is unmapped, but for one per node: a slab at the border
 * must not map and unmap all the time.  That one goes when a slab is shrunk or
 * destroyed, so the last slab leaves nothing behind.
 */
#include <stdlib.h>

#include "slab_memory.h"

#ifdef WANE_TINY
#define DIRTY_MAX 4
#else
#define DIRTY_MAX 512
#endif

_Static_assert(sizeof(struct region) <= CHUNK_BYTES,
	       "a region's header fits its first chunk");

/**
 * struct region_node - All regions of a node.
 * @lock: Covers all of it: rank RANK_REGION.
 * @regions: Those with free chunks come first.
 * @nr_regions: How many.
 * @nr_empty: Those without a run.
 * @nr_dirty: The sum of their dirty chunks.
 */
static struct region_node {
	struct lock lock;
	struct list regions;
	size_t nr_regions;
	size_t nr_empty;
	size_t nr_dirty;
} nodes[WANE_MAX_NODES];

/* ---- Which addresses are ours -------------------------------------------- */

#ifdef WANE_DEBUG

/* A bit per region that user space has room for; untouched, it costs nothing */
#define ADDRESS_BITS 48
static uint64_t known[((size_t)1 << (ADDRESS_BITS - REGION_SHIFT)) / 64];

bool region_known(const void *address)
{
	size_t bit = (uintptr_t)address >> REGION_SHIFT;

	return bit < 64 * (sizeof(known) / sizeof(known[0])) &&
	       load_relaxed(&known[bit / 64]) >> bit % 64 & 1;
}

static void region_note(const struct region *region)
{
	size_t bit = (uintptr_t)region >> REGION_SHIFT;

	wane_assert((uintptr_t)region >> ADDRESS_BITS == 0);
	or_full(&known[bit / 64], (uint64_t)1 << bit % 64);
}

static void region_forget(const struct region *region)
{
	size_t bit = (uintptr_t)region >> REGION_SHIFT;

	and_full(&known[bit / 64], ~((uint64_t)1 << bit % 64));
}

#else

static void region_note(const struct region *region)
{
	(void)region;
}

static void region_forget(const struct region *region)
{
	(void)region;
}

#endif

/* ---- Regions --------------------------------------------------------------- */

void region_start(void)
{
	for (int node = 0; node < WANE_MAX_NODES; node++) {
		lock_init(&nodes[node].lock, RANK_REGION);
		list_init(&nodes[node].regions);
	}
}

static bool region_empty(const struct region *region)
{
	return region->nr_free == REGION_CHUNKS - 1;
}

static struct region *region_create(int node)
{
	struct region *region = port_map(REGION_BYTES, REGION_BYTES, node);

	if (!region)
		return NULL;
	region->magic = REGION_MAGIC;
	region->node = node;
	region->nr_free = REGION_CHUNKS - 1;
	region->used[0] = 1;
	region_note(region);
	memory_root(region, REGION_BYTES);
	return region;
}

static void region_destroy(struct region *region)
{
	region_forget(region);
	memory_unroot(region, REGION_BYTES);
	port_unmap(region, REGION_BYTES);
}

static unsigned int count_bits(const uint64_t *word)
{
	unsigned int nr = 0;

	for (size_t i = 0; i < REGION_WORDS; i++)
		nr += (unsigned int)__builtin_popcountll(word[i]);
	return nr;
}

/* @region has @change more free chunks now. */
static void region_account(struct region_node *home, struct region *region,
			   int change)
{
	bool was_full = region->nr_free == 0;

	lock_assert_held(&home->lock);
	home->nr_empty -= region_empty(region);
	region->nr_free += (unsigned int)change;
	home->nr_empty += region_empty(region);
	if (was_full == (region->nr_free == 0))
		return;
	list_del(&region->link);
	list_add_after(&region->link,
		       was_full ? &home->regions : home->regions.prev);
}

/* Take a region off the list that is one more than may stay empty, if any. */
static struct region *region_take_surplus(struct region_node *home, size_t keep)
{
	lock_assert_held(&home->lock);
	if (home->nr_empty <= keep)
		return NULL;
	list_for_each(link, &home->regions) {
		struct region *region = list_entry(link, struct region, link);

		if (!region_empty(region))
			continue;
		list_del(&region->link);
		home->nr_regions--;
		home->nr_empty--;
		home->nr_dirty -= count_bits(region->dirty);
		return region;
	}
	wane_assert(!"nr_empty counts the empty regions");
	return NULL;
}

/* Unmap what is empty, but for @keep. */
static void regions_trim(struct region_node *home, size_t keep)
{
	struct region *region;

	do {
		lock_take(&home->lock);
		region = region_take_surplus(home, keep);
		lock_drop(&home->lock);
		if (region)
			region_destroy(region);
	} while (region);
}

/* ---- Runs -------------------------------------------------------------------- */

static uint64_t chunk_mask(size_t chunk, unsigned int order)
{
	return (((uint64_t)1 << (1u << order)) - 1) << chunk % 64;
}

/* The first chunk of a free run, 0 when there is none. */
static size_t region_find(const struct region *region, unsigned int order)
{
	size_t length = (size_t)1 << order;

	if (region->nr_free < length)
		return 0;
	for (size_t chunk = 0; chunk < REGION_CHUNKS; chunk += length)
		if (!(region->used[chunk / 64] & chunk_mask(chunk, order)))
			return chunk;
	return 0;
}

static struct slab_run *region_cut(struct region_node *home,
				   struct region *region, size_t chunk,
				   unsigned int order)
{
	uint64_t mask = chunk_mask(chunk, order);
	uint64_t *dirty = &region->dirty[chunk / 64];

	home->nr_dirty -= (size_t)__builtin_popcountll(*dirty & mask);
	*dirty &= ~mask;
	region->used[chunk / 64] |= mask;
	region_account(home, region, -(1 << order));
	for (unsigned int i = 0; i < 1u << order; i++)
		region->run[chunk + i].back = (uint8_t)i;
	region->run[chunk].memory = (char *)region + chunk * CHUNK_BYTES;
	return &region->run[chunk];
}

static struct slab_run *regions_cut(struct region_node *home,
				    unsigned int order)
{
	list_for_each(link, &home->regions) {
		struct region *region = list_entry(link, struct region, link);
		size_t chunk = region_find(region, order);

		if (chunk)
			return region_cut(home, region, chunk, order);
		if (region->nr_free == 0)
			break;
	}
	return NULL;
}

struct slab_run *region_take(int node, unsigned int order)
{
	struct region_node *home = &nodes[node];
	struct region *region;
	struct slab_run *run;

	lock_take(&home->lock);
	run = regions_cut(home, order);
	lock_drop(&home->lock);
	if (run)
		return run;

	region = region_create(node);
	if (!region)
		return NULL;
	lock_take(&home->lock);
	list_add_after(&region->link, &home->regions);
	home->nr_regions++;
	home->nr_empty++;
	run = region_cut(home, region, region_find(region, order), order);
	lock_drop(&home->lock);
	return run;
}

/* ---- Giving pages back ---------------------------------------------------------- */

/* Claim the dirty chunks of some region, so that no one takes them. */
static struct region *dirty_claim(struct region_node *home, uint64_t *claim)
{
	struct region *found = NULL;
	unsigned int nr = 0;

	lock_take(&home->lock);
	list_for_each(link, &home->regions) {
		found = list_entry(link, struct region, link);
		nr = count_bits(found->dirty);
		if (nr)
			break;
	}
	for (size_t i = 0; nr && i < REGION_WORDS; i++) {
		claim[i] = found->dirty[i];
		found->used[i] |= claim[i];
		found->dirty[i] = 0;
	}
	if (nr) {
		home->nr_dirty -= nr;
		region_account(home, found, -(int)nr);
	}
	lock_drop(&home->lock);
	return nr ? found : NULL;
}

static void dirty_unclaim(struct region_node *home, struct region *region,
			  const uint64_t *claim)
{
	lock_take(&home->lock);
	for (size_t i = 0; i < REGION_WORDS; i++)
		region->used[i] &= ~claim[i];
	region_account(home, region, (int)count_bits(claim));
	lock_drop(&home->lock);
}

static bool claimed(const uint64_t *claim, size_t chunk)
{
	return chunk < REGION_CHUNKS && claim[chunk / 64] >> chunk % 64 & 1;
}

/* Discard each stretch of claimed chunks in one call. */
static void claim_discard(struct region *region, const uint64_t *claim)
{
	size_t chunk = 0;

	while (chunk < REGION_CHUNKS) {
		size_t first = chunk;

		while (claimed(claim, chunk))
			chunk++;
		if (chunk > first)
			port_discard((char *)region + first * CHUNK_BYTES,
				     (chunk - first) * CHUNK_BYTES);
		else
			chunk++;
	}
}

static void regions_discard(struct region_node *home)
{
	uint64_t claim[REGION_WORDS];
	struct region *region;

	while ((region = dirty_claim(home, claim))) {
		claim_discard(region, claim);
		dirty_unclaim(home, region, claim);
	}
}

void region_give(struct slab_run *run, unsigned int order)
{
	struct region *region = region_of(run);
	struct region_node *home = &nodes[region->node];
	size_t chunk = (size_t)(run - region->run);
	uint64_t mask = chunk_mask(chunk, order);
	bool too_dirty;

	lock_take(&home->lock);
	for (unsigned int i = 0; i < 1u << order; i++)
		run[i].back = 0;
	region->used[chunk / 64] &= ~mask;
	region->dirty[chunk / 64] |= mask;
	home->nr_dirty += (size_t)1 << order;
	region_account(home, region, 1 << order);
	too_dirty = home->nr_dirty > DIRTY_MAX;
	lock_drop(&home->lock);

	regions_trim(home, 1);
	if (too_dirty) {
		regions_discard(home);
		regions_trim(home, 1);
	}
}

void region_shrink(void)
{
	for (int node = 0; node < port_nr_nodes; node++) {
		regions_trim(&nodes[node], 0);
		regions_discard(&nodes[node]);
		regions_trim(&nodes[node], 0);
	}
}

size_t region_bytes(void)
{
	size_t nr = 0;

	for (int node = 0; node < port_nr_nodes; node++)
		nr += load_relaxed(&nodes[node].nr_regions);
	return nr * REGION_BYTES;
}

/* ---- Checks ------------------------------------------------------------------------ */

static void region_check(const struct region *region, bool full_before)
{
	wane_assert(region->magic == REGION_MAGIC);
	wane_assert(region->nr_free ==
		    REGION_CHUNKS - count_bits(region->used));
	wane_assert(!full_before || region->nr_free == 0);
	for (size_t i = 0; i < REGION_WORDS; i++)
		wane_assert(!(region->used[i] & region->dirty[i]));
	for (size_t i = 0; i < REGION_CHUNKS; i++) {
		const struct slab_run *run = &region->run[i];

		wane_assert(run->back <= i && !run[-run->back].back);
	}
}

static void regions_check(struct region_node *home)
{
	size_t nr = 0, empty = 0, dirty = 0;
	bool full = false;

	lock_take(&home->lock);
	list_for_each(link, &home->regions) {
		struct region *region = list_entry(link, struct region, link);

		region_check(region, full);
		full = region->nr_free == 0;
		nr++;
		empty += region_empty(region);
		dirty += count_bits(region->dirty);
	}
	wane_assert(nr == home->nr_regions && empty == home->nr_empty);
	wane_assert(dirty == home->nr_dirty);
	lock_drop(&home->lock);
}

void region_assert_valid(void)
{
	for (int node = 0; node < port_nr_nodes; node++)
		regions_check(&nodes[node]);
}
