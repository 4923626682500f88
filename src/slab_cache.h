/* SPDX-License-Identifier: MIT */
/*
 * slab_cache.h - object caches without groups: what lower layers use
 *
 * The public functions of include/wane/slab.h add the charge to these.
 *
 * Any of them may take RANK_SLABS and the ranks after it.
 */
#ifndef WANE_SLAB_CACHE_H
#define WANE_SLAB_CACHE_H

#include <wane/slab.h>

#include "slab_memory.h"
#include "thread.h"
#include "types.h"

/* As wane_slab_create() and wane_slab_destroy(). */
int slab_create(struct wane_slab **slab, const struct wane_slab_config *config);
int slab_destroy(struct wane_slab *slab);

/* All slabs by index, and every thread's magazines, under slabs_lock. */
extern struct lock slabs_lock;

/* Call @visit for each slab, with its objects in use, under slabs_lock. */
void slab_for_each(void (*visit)(const struct wane_slab *slab, size_t active,
				 void *arg),
		   void *arg);

/* The port_second() of the last trim; tests set it back. */
extern unsigned int slab_trimmed;

/*
 * Give back what the depots of all slabs could do without, unless that was
 * done in this second.
 */
void slab_trim(void);

/* ---- Taking and giving --------------------------------------------------- */

void *slab_take_slow(struct wane_slab *slab, int node);
void slab_give_slow(struct wane_slab *slab, void *object);

/* The calling thread's magazine, or NULL. */
static inline struct magazine *slab_magazine(const struct wane_slab *slab)
{
	struct thread *thread = &thread_self_struct;

	if (unlikely(slab->index >= thread->nr_magazines))
		return NULL;
	return thread->magazines[slab->index];
}

/*
 * An object near @node, or near the calling thread with NODE_HERE; NULL: no
 * memory.  The quick one is false where the thread has none at hand.
 */
#define NODE_HERE (-1)
static inline bool slab_take_quick(struct wane_slab *slab, int node,
				   void **object)
{
	struct magazine *magazine = slab_magazine(slab);
	unsigned int nr;

	if (unlikely(!magazine || magazine->nr == 0 ||
		     (node != NODE_HERE && node != magazine->node)))
		return false;
	nr = magazine->nr - 1;
	*object = magazine->object[nr];
	store_relaxed(&magazine->nr, nr);
	object_check_take(slab, *object);
	return true;
}

static inline void *slab_take(struct wane_slab *slab, int node)
{
	void *object;

	if (likely(slab_take_quick(slab, node, &object)))
		return object;
	return slab_take_slow(slab, node);
}

/*
 * Give an object back; one of a charged slab has no owner any more by now.
 * Where the quick one is false the slow one has to follow.
 */
static inline bool slab_give_quick(struct wane_slab *slab, void *object)
{
	struct magazine *magazine = slab_magazine(slab);
	unsigned int nr;

	object_check_give(slab, object);
	if (unlikely(!magazine || magazine->nr == magazine->capacity ||
		     magazine->node != region_of(object)->node))
		return false;
	nr = magazine->nr;
	magazine->object[nr] = object;
	store_relaxed(&magazine->nr, nr + 1);
	return true;
}

static inline void slab_give(struct wane_slab *slab, void *object)
{
	if (unlikely(!slab_give_quick(slab, object)))
		slab_give_slow(slab, object);
}

/*
 * Where the owner of an object of a charged slab is written.  Written only by
 * whoever holds the object.
 */
static inline struct wane_group **slab_owner(const struct wane_slab *slab,
					     const void *object)
{
	struct slab_run *run = run_of(object);
	struct wane_group **owners = run->books;

	return &owners[slab_index(slab, run, object)];
}

/* ---- Magazines ------------------------------------------------------------ */

/*
 * Give the runs what the calling thread has at hand of @slab.  Return: bytes of
 * those not needed any more.
 */
size_t slab_magazine_flush(struct wane_slab *slab);

/*
 * Give back what all threads have of @slab, which none of them uses; needs
 * slabs_lock.  With @quiet, no thread uses any slab.
 */
void slab_magazine_drain(struct wane_slab *slab, bool quiet);

/*
 * How many objects all threads have at hand; roughly, while they use the slab.
 * Needs slabs_lock.
 */
size_t slab_magazine_count(struct wane_slab *slab);

/* Give back what the calling, ending thread has at hand. */
void slab_thread_exit(struct thread *thread);

/*
 * Give back what any thread has at hand of any slab, and each slab's spare
 * memory: only objects in use are left.  For tests, while no thread works.
 */
void slab_drain_all(void);

/* ---- Size classes ---------------------------------------------------------- */

/* The slab behind wane_size_alloc(@bytes), NULL when out of range. */
struct wane_slab *slab_size_class(size_t bytes);

/* ---- Checks ----------------------------------------------------------------- */

/*
 * What must hold in all slabs of a cache; takes its locks.  In builds without
 * assertions nothing is checked.
 */
void slab_assert_valid(struct wane_slab *slab);

#endif /* WANE_SLAB_CACHE_H */
