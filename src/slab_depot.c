/* SPDX-License-Identifier: MIT */
/*
 * slab_depot.c - free objects that threads hand to each other, by pointer
 *
 *	a thread                 their node                  a thread
 *	magazine, full           depot                       magazine, empty
 *	[ older | newer ] -----> [ oldest ... newest ] ----> [ half ]
 *	                   |       |
 *	     has no room   |       | a trim,             is empty
 *	                   v       v a shrink               |
 *	                 [ runs ---------------------------'--> [ half ]
 *
 * A magazine that is filled from runs and emptied into them costs a look-up
 * and a cache line for each object.  A depot costs a lock and a copy of half a
 * magazine of pointers: what lies in it is not looked at, and still counts as
 * used in its run.  So where a thread takes many objects and gives them back,
 * and where one takes what another gives, the runs are not asked.
 *
 * (J. Bonwick, J. Adams: "Magazines and Vmem", USENIX 2001.  Their depot has
 * whole magazines; this one has what was in them.)
 *
 * Trim      Objects in a depot keep their runs from being given back.  So it
 *           remembers the fewest that it held since the last trim: so many of
 *           them no one has needed, and the next trim gives that number, the
 *           oldest, to their runs (the working set of the same paper).  What
 *           is taken and given all the time stays; what is left over from a
 *           busy time goes with the second trim after it.
 *
 *               trim      held since the last one    gives back
 *               first     0 to 900                   0
 *               second    300 to 1,000               300
 *               third     700, all the time          700
 *
 *           slab_trim() goes over all slabs, at the end of a reclaim.
 * Memory    The array comes with the first object and goes when a trim or a
 *           shrink leaves none.  Without memory for it the runs are asked, as
 *           if there were no room.
 */
#include <string.h>

#include "slab_cache.h"

/* How many go to the runs at once: their lock is let go in between. */
#define STEP 32u

/* ---- The array ------------------------------------------------------------------ */

static size_t depot_bytes(const struct wane_slab *slab)
{
	return slab->depot * sizeof(void *);
}

/* Of two threads that do this at once, one has made it in vain. */
static bool depot_make(struct wane_slab *slab, struct slab_home *home)
{
	void **object = port_alloc(depot_bytes(slab));

	if (!object)
		return false;
	lock_take(&home->lock);
	if (!home->depot.object) {
		store_relaxed(&home->depot.object, object);
		object = NULL;
	}
	lock_drop(&home->lock);
	port_free(object, depot_bytes(slab));
	return true;
}

static void depot_unmake(struct wane_slab *slab, struct slab_home *home)
{
	void **object = NULL;

	lock_take(&home->lock);
	if (home->depot.nr == 0) {
		object = home->depot.object;
		store_relaxed(&home->depot.object, NULL);
	}
	lock_drop(&home->lock);
	port_free(object, depot_bytes(slab));
}

/* ---- In and out, under the lock, with room and objects enough ---------------------- */

static void depot_push(struct slab_depot *depot, void **object, unsigned int nr)
{
	memcpy(depot->object + depot->nr, object, nr * sizeof(void *));
	store_relaxed(&depot->nr, depot->nr + nr);
}

static void depot_pop(struct slab_depot *depot, void **object, unsigned int nr)
{
	unsigned int left = depot->nr - nr;

	memcpy(object, depot->object + left, nr * sizeof(void *));
	store_relaxed(&depot->nr, left);
	depot->least = min_of(depot->least, left);
}

static void depot_pop_oldest(struct slab_depot *depot, void **object,
			     unsigned int nr)
{
	unsigned int left = depot->nr - nr;

	memcpy(object, depot->object, nr * sizeof(void *));
	memmove(depot->object, depot->object + nr, left * sizeof(void *));
	store_relaxed(&depot->nr, left);
	depot->least = min_of(depot->least, left);
}

/* ---- Taking and giving --------------------------------------------------------------- */

/* Both look first without the lock, which would be taken in vain. */
static unsigned int depot_take(struct slab_home *home, void **object,
			       unsigned int nr)
{
	struct slab_depot *depot = &home->depot;

	if (load_relaxed(&depot->nr) == 0)
		return 0;
	lock_take(&home->lock);
	nr = min_of(nr, depot->nr);
	if (nr > 0)
		depot_pop(depot, object, nr);
	lock_drop(&home->lock);
	return nr;
}

static unsigned int depot_give(struct wane_slab *slab, struct slab_home *home,
			       void **object, unsigned int nr)
{
	struct slab_depot *depot = &home->depot;

	if (load_relaxed(&depot->nr) == slab->depot)
		return 0;
	if (unlikely(!load_relaxed(&depot->object)) && !depot_make(slab, home))
		return 0;
	lock_take(&home->lock);
	/* Looked at again: a trim or a shrink may have freed it. */
	nr = depot->object ? min_of(nr, slab->depot - depot->nr) : 0;
	if (nr > 0)
		depot_push(depot, object, nr);
	lock_drop(&home->lock);
	return nr;
}

unsigned int node_take(struct wane_slab *slab, int node, void **object,
		       unsigned int nr)
{
	unsigned int got = depot_take(&slab->home[node], object, nr);

	return got ? got : home_take(slab, node, object, nr);
}

void node_give(struct wane_slab *slab, int node, void **object, unsigned int nr)
{
	unsigned int taken = depot_give(slab, &slab->home[node], object, nr);

	if (taken < nr)
		home_give(slab, node, object + taken, nr - taken);
}

/* ---- Giving memory back ----------------------------------------------------------------- */

/* Give the @nr oldest to the runs: fewer when others take them meanwhile. */
static size_t depot_return(struct wane_slab *slab, int node, unsigned int nr)
{
	struct slab_home *home = &slab->home[node];
	void *object[STEP];
	unsigned int got;
	size_t bytes = 0;

	for (; nr > 0; nr -= got) {
		lock_take(&home->lock);
		got = min_of(min_of(nr, STEP), home->depot.nr);
		if (got > 0)
			depot_pop_oldest(&home->depot, object, got);
		lock_drop(&home->lock);
		if (got == 0)
			break;
		bytes += home_give(slab, node, object, got);
	}
	return bytes;
}

void depot_trim(struct wane_slab *slab, int node)
{
	struct slab_home *home = &slab->home[node];
	struct slab_depot *depot = &home->depot;
	unsigned int idle;

	if (!load_relaxed(&depot->object))
		return;
	lock_take(&home->lock);
	idle = depot->least;
	depot->least = depot->nr;
	lock_drop(&home->lock);
	depot_return(slab, node, idle);
	depot_unmake(slab, home);
}

size_t depot_empty(struct wane_slab *slab, int node)
{
	size_t bytes = depot_return(slab, node, slab->depot);

	depot_unmake(slab, &slab->home[node]);
	return bytes;
}
