/* SPDX-License-Identifier: MIT */
/*
 * slab_memory.c - the runs of a slab: which objects are free, per node
 *
 * A run is all objects, without a header: what is known about it stands in
 * its descriptor, and what is known about each object in its books, which are
 * allocated with the run.  So a slab can fail to grow and at nothing else.
 *
 *   run      | 0 used | 1 free | 2 used | 3 free | 4 fresh | 5 fresh | pad |
 *                        ^  '-----------> | end
 *                 run->free = 1           run->fresh = 4
 *
 * A free object holds the index of the next one in its first two bytes; where
 * a constructor forbids that, the books do.  Objects that were never used are
 * on no list, so a new run touches no page before it is needed.
 *
 *   partial <-----------------------------------------.
 *     | last unused one taken       last used given   |
 *     '---------> full --- one given ---> partial ----+---> spare, or gone
 *
 * One run without used objects is kept per node; any more are given back.
 */
#include "slab_cache.h"

/* ---- The list of free objects --------------------------------------------- */

static uint16_t *run_link(const struct slab_run *run, unsigned int index)
{
	const struct wane_slab *slab = run->slab;

	if (!slab->constructor)
		return slab_object(run, index);
	return (uint16_t *)((char *)run->books + slab->links_at) + index;
}

TOUCHES_HIDDEN unsigned int run_next_free(const struct slab_run *run,
					  unsigned int index)
{
	return *run_link(run, index);
}

TOUCHES_HIDDEN static void run_push(struct slab_run *run, unsigned int index)
{
	*run_link(run, index) = run->free;
	run->free = (uint16_t)index;
}

static void *run_pop(struct slab_run *run)
{
	unsigned int index = run->free;

	if (index == RUN_END)
		index = run->fresh++;
	else
		run->free = (uint16_t)run_next_free(run, index);
	return slab_object(run, index);
}

/* ---- Runs --------------------------------------------------------------------- */

static void run_construct(struct slab_run *run)
{
	struct wane_slab *slab = run->slab;

	if (!slab->constructor)
		return;
	lock_assert_none();
	for (unsigned int i = 0; i < slab->objects; i++)
		slab->constructor(slab_object(run, i));
}

static struct slab_run *run_create(struct wane_slab *slab, int node)
{
	struct slab_run *run;
	void *books = NULL;

	if (slab->books_bytes) {
		books = port_zalloc(slab->books_bytes);
		if (!books)
			return NULL;
	}
	run = region_take(node, slab->order);
	if (!run) {
		port_free(books, slab->books_bytes);
		return NULL;
	}
	run->slab = slab;
	run->books = books;
	run->free = RUN_END;
	run->fresh = 0;
	run->used = 0;
	run_construct(run);
	memory_hide(run->memory, slab_run_bytes(slab));
	return run;
}

static void run_destroy(struct slab_run *run)
{
	struct wane_slab *slab = run->slab;

	memory_show(run->memory, slab_run_bytes(slab));
	port_free(run->books, slab->books_bytes);
	run->slab = NULL;
	region_give(run, slab->order);
}

/* ---- A node's runs -------------------------------------------------------------- */

static void home_add(struct slab_home *home, struct slab_run *run)
{
	list_add_after(&run->link, &home->partial);
	home->nr_runs++;
}

/* A run with unused objects, or NULL. */
static struct slab_run *home_partial(struct slab_home *home)
{
	struct slab_run *spare = home->spare;

	if (list_empty(&home->partial) && spare) {
		home->spare = NULL;
		list_add_after(&spare->link, &home->partial);
	}
	if (list_empty(&home->partial))
		return NULL;
	return list_entry(home->partial.next, struct slab_run, link);
}

static unsigned int home_take_from(struct slab_home *home, struct slab_run *run,
				   void **object, unsigned int nr)
{
	unsigned int unused = run->slab->objects - run->used;

	lock_assert_held(&home->lock);
	nr = min_of(nr, unused);
	for (unsigned int i = 0; i < nr; i++)
		object[i] = run_pop(run);
	run->used = (uint16_t)(run->used + nr);
	home->nr_used += nr;
	if (nr == unused) {
		list_del(&run->link);
		list_add_last(&run->link, &home->full);
	}
	return nr;
}

unsigned int home_take(struct wane_slab *slab, int node, void **object,
		       unsigned int nr)
{
	struct slab_home *home = &slab->home[node];
	struct slab_run *run;
	unsigned int got = 0;

	lock_take(&home->lock);
	while (got < nr && (run = home_partial(home)))
		got += home_take_from(home, run, object + got, nr - got);
	lock_drop(&home->lock);
	if (got)
		return got;

	run = run_create(slab, node);
	if (!run)
		return 0;
	lock_take(&home->lock);
	home_add(home, run);
	got = home_take_from(home, run, object, nr);
	lock_drop(&home->lock);
	return got;
}

/* The last used object of @run was given: keep it, or put it on @surplus. */
static void home_emptied(struct slab_home *home, struct slab_run *run,
			 struct list *surplus)
{
	list_del(&run->link);
	if (!home->spare) {
		home->spare = run;
		return;
	}
	home->nr_runs--;
	list_add_last(&run->link, surplus);
}

static void home_give_one(struct slab_home *home, void *object,
			  struct list *surplus)
{
	struct slab_run *run = run_of(object);

	lock_assert_held(&home->lock);
	run_push(run, slab_index(run->slab, run, object));
	home->nr_used--;
	if (run->used-- == run->slab->objects) {
		list_del(&run->link);
		list_add_last(&run->link, &home->partial);
	}
	if (run->used == 0)
		home_emptied(home, run, surplus);
}

size_t home_give(struct wane_slab *slab, int node, void **object,
		 unsigned int nr)
{
	struct slab_home *home = &slab->home[node];
	struct list surplus = LIST_INIT(surplus);
	size_t bytes = 0;

	lock_take(&home->lock);
	for (unsigned int i = 0; i < nr; i++)
		home_give_one(home, object[i], &surplus);
	lock_drop(&home->lock);

	while (!list_empty(&surplus)) {
		struct list *link = surplus.next;

		list_del(link);
		run_destroy(list_entry(link, struct slab_run, link));
		bytes += slab_run_bytes(slab);
	}
	return bytes;
}

size_t home_shrink(struct wane_slab *slab, int node)
{
	struct slab_home *home = &slab->home[node];
	struct slab_run *spare;

	lock_take(&home->lock);
	spare = home->spare;
	home->spare = NULL;
	home->nr_runs -= spare != NULL;
	lock_drop(&home->lock);
	if (!spare)
		return 0;
	run_destroy(spare);
	return slab_run_bytes(slab);
}
