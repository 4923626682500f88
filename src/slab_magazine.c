/* SPDX-License-Identifier: MIT */
/*
 * slab_magazine.c - what each thread has at hand, so that it needs no lock
 *
 * A thread keeps up to a magazine of free objects per slab, and takes and
 * gives the last one.  Empty, half a magazine is fetched from the node's
 * depot, or else from its runs; full, the half that was given first goes to
 * the depot, or what that has no room for to the runs.  So a lock is taken at
 * most once or twice in half a magazine of calls, however they come.
 *
 *   thread->magazines   [0] NULL       never used here
 *   (by slab->index)    [1] ---------> { slab, node, nr, object[capacity] }
 *                       [2] NULL
 *
 * (J. Bonwick, J. Adams: "Magazines and Vmem", USENIX 2001, has the idea; with
 * one magazine, not two, as a half is as good as a second one here.)
 *
 * Node      All objects of a magazine lie on one node.  The thread asks where
 *           it runs on the slow path alone; when it has moved, the magazine
 *           goes back first.  Objects of other nodes go straight to their run.
 * Threads   Its own thread uses a magazine without a lock.  slabs_lock covers
 *           which magazines there are: a slab that is destroyed takes those of
 *           all threads away, a thread that ends those of all slabs.  The
 *           first is safe since no thread uses the slab any more, the second
 *           since a slab cannot go while the lock is held.
 * Memory    A thread that gets no magazine does without.
 */
#include <string.h>

#include "slab_cache.h"

#ifdef WANE_TINY
#define DIRECTORY_MIN 2u
#else
#define DIRECTORY_MIN 64u
#endif

/* ---- Making and freeing ---------------------------------------------------- */

static size_t magazine_bytes(const struct wane_slab *slab)
{
	return sizeof(struct magazine) + slab->magazine * sizeof(void *);
}

static size_t directory_bytes(unsigned int nr)
{
	return nr * sizeof(struct magazine *);
}

/* Make thread->magazines[index] a place. */
static bool directory_grow(struct thread *thread, unsigned int index)
{
	unsigned int nr = max_of(thread->nr_magazines, DIRECTORY_MIN);
	struct magazine **magazines;

	lock_assert_held(&slabs_lock);
	if (index < thread->nr_magazines)
		return true;
	while (nr <= index)
		nr *= 2;
	magazines = port_zalloc(directory_bytes(nr));
	if (!magazines)
		return false;
	if (thread->nr_magazines)
		memcpy(magazines, thread->magazines,
		       directory_bytes(thread->nr_magazines));
	port_free(thread->magazines, directory_bytes(thread->nr_magazines));
	thread->magazines = magazines;
	thread->nr_magazines = nr;
	return true;
}

static void directory_free(struct thread *thread)
{
	lock_assert_held(&slabs_lock);
	port_free(thread->magazines, directory_bytes(thread->nr_magazines));
	thread->magazines = NULL;
	thread->nr_magazines = 0;
}

static struct magazine *magazine_create(struct thread *thread,
					struct wane_slab *slab)
{
	struct magazine *magazine = port_zalloc(magazine_bytes(slab));

	if (!magazine)
		return NULL;
	magazine->slab = slab;
	magazine->thread = thread;
	magazine->capacity = slab->magazine;
	magazine->node = thread->node;

	lock_take(&slabs_lock);
	if (directory_grow(thread, slab->index)) {
		thread->magazines[slab->index] = magazine;
		list_add_last(&magazine->link, &slab->magazines);
	} else {
		port_free(magazine, magazine_bytes(slab));
		magazine = NULL;
	}
	lock_drop(&slabs_lock);
	return magazine;
}

/* Give all to the runs.  Return: bytes of those not needed any more. */
static size_t magazine_flush(struct magazine *magazine)
{
	size_t bytes = home_give(magazine->slab, magazine->node,
				 magazine->object, magazine->nr);

	store_relaxed(&magazine->nr, 0);
	return bytes;
}

/* Hand the @nr objects over that were given first. */
static void magazine_hand_over(struct magazine *magazine, unsigned int nr)
{
	unsigned int left = magazine->nr - nr;

	node_give(magazine->slab, magazine->node, magazine->object, nr);
	memmove(magazine->object, magazine->object + nr, left * sizeof(void *));
	store_relaxed(&magazine->nr, left);
}

static void magazine_destroy(struct magazine *magazine)
{
	struct wane_slab *slab = magazine->slab;

	lock_assert_held(&slabs_lock);
	magazine_flush(magazine);
	magazine->thread->magazines[slab->index] = NULL;
	list_del(&magazine->link);
	port_free(magazine, magazine_bytes(slab));
}

/* ---- Where a magazine was empty, full or missing ------------------------------ */

/* The thread's magazine for where it runs now, or NULL when it may have none */
static struct magazine *magazine_here(struct wane_slab *slab, int here)
{
	struct thread *thread = thread_self();
	struct magazine *magazine = slab_magazine(slab);

	thread->node = here;
	if (!magazine)
		return thread->known ? magazine_create(thread, slab) : NULL;
	if (magazine->node != here) {
		magazine_hand_over(magazine, magazine->nr);
		magazine->node = here;
	}
	return magazine;
}

static void *magazine_refill(struct magazine *magazine)
{
	unsigned int want = (magazine->capacity + 1) / 2;
	unsigned int got = node_take(magazine->slab, magazine->node,
				     magazine->object, want);

	if (got == 0)
		return NULL;
	store_relaxed(&magazine->nr, got - 1);
	return magazine->object[got - 1];
}

void *slab_take_slow(struct wane_slab *slab, int node)
{
	int here = port_node_current();
	struct magazine *magazine = magazine_here(slab, here);
	void *object = NULL;

	if (node == NODE_HERE)
		node = here;
	if (magazine && magazine->nr == 0 && node == here)
		object = magazine_refill(magazine);
	else if (!node_take(slab, node, &object, 1))
		return NULL;
	if (object)
		object_check_take(slab, object);
	return object;
}

void slab_give_slow(struct wane_slab *slab, void *object)
{
	int here = port_node_current();
	int node = region_of(object)->node;
	struct magazine *magazine = magazine_here(slab, here);

	if (!magazine || node != here) {
		node_give(slab, node, &object, 1);
		return;
	}
	if (magazine->nr == magazine->capacity)
		magazine_hand_over(magazine, (magazine->capacity + 1) / 2);
	magazine->object[magazine->nr] = object;
	store_relaxed(&magazine->nr, magazine->nr + 1);
}

/* ---- For a slab, and for a thread -------------------------------------------------- */

size_t slab_magazine_flush(struct wane_slab *slab)
{
	struct magazine *magazine = slab_magazine(slab);

	return magazine ? magazine_flush(magazine) : 0;
}

/* Keep no directory without a magazine in it. */
static void directory_trim(struct thread *thread)
{
	for (unsigned int i = 0; i < thread->nr_magazines; i++)
		if (thread->magazines[i])
			return;
	directory_free(thread);
}

void slab_magazine_drain(struct wane_slab *slab, bool quiet)
{
	lock_assert_held(&slabs_lock);
	while (!list_empty(&slab->magazines)) {
		struct magazine *magazine =
			list_entry(slab->magazines.next, struct magazine, link);
		struct thread *thread = magazine->thread;

		magazine_destroy(magazine);
		/* A directory is read without the lock, by its thread alone. */
		if (quiet || thread == &thread_self_struct)
			directory_trim(thread);
	}
}

size_t slab_magazine_count(struct wane_slab *slab)
{
	size_t nr = 0;

	lock_assert_held(&slabs_lock);
	list_for_each(link, &slab->magazines)
		nr += load_relaxed(
			&list_entry(link, struct magazine, link)->nr);
	return nr;
}

void slab_thread_exit(struct thread *thread)
{
	lock_take(&slabs_lock);
	for (unsigned int i = 0; i < thread->nr_magazines; i++)
		if (thread->magazines[i])
			magazine_destroy(thread->magazines[i]);
	directory_free(thread);
	lock_drop(&slabs_lock);
}
