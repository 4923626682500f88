/* SPDX-License-Identifier: MIT */
/*
 * slab_charge.c - objects and who pays for them
 *
 *   alloc   charge --> take --> write the owner
 *              '-- on failure uncharge
 *   free    read and clear the owner --> give --> uncharge
 *
 * The owner of a free object is NULL, also in a magazine, so an object that
 * is taken without a group needs no write.  The charge comes first, since it
 * alone may wait and reclaim.  The owner stands in the run's books; the
 * charged bytes keep its group alive, so the pointer needs no reference.
 *
 * Nearly always the calling thread has both at hand: bytes of that group in its
 * stock, and an object in its magazine; and room for both on the way back.
 * That way is short and calls no one.  Where one of the two is missing, what
 * is left to do is done by another function, as its last act.
 */
#include "slab_cache.h"
#include "stock.h"

int wane_slab_create(struct wane_slab **slab,
		     const struct wane_slab_config *config)
{
	return slab_create(slab, config);
}

int wane_slab_destroy(struct wane_slab *slab)
{
	return slab_destroy(slab);
}

/* Not inline: the short way would save registers for what others call. */
#define APART __attribute__((noinline))

/* ---- Taking --------------------------------------------------------------- */

static APART void *take_charged(struct wane_slab *slab,
				struct wane_group *group)
{
	void *object = slab_take(slab, NODE_HERE);

	if (object)
		*slab_owner(slab, object) = group;
	else
		wane_uncharge(group, slab->charge);
	return object;
}

static APART void *alloc_charged_slow(struct wane_slab *slab,
				      struct wane_group *group,
				      unsigned int flags)
{
	if (!group)
		return slab_take(slab, NODE_HERE);
	if (wane_charge(group, slab->charge, flags))
		return NULL;
	return take_charged(slab, group);
}

/* Quick: the thread has enough bytes of the group and an object at hand. */
static APART void *alloc_charged(struct wane_slab *slab,
				 struct wane_group *group, unsigned int flags)
{
	void *object;

	if (!group)
		group = thread_self_struct.current;
	if (unlikely(!group || (flags & ~WANE_NOWAIT) ||
		     !stock_take_last(group, slab->charge)))
		return alloc_charged_slow(slab, group, flags);
	if (unlikely(!slab_take_quick(slab, NODE_HERE, &object)))
		return take_charged(slab, group);
	*slab_owner(slab, object) = group;
	return object;
}

void *wane_slab_alloc(struct wane_slab *slab, struct wane_group *group,
		      unsigned int flags)
{
	if (slab->charge)
		return alloc_charged(slab, group, flags);
	return slab_take(slab, NODE_HERE);
}

/* ---- Giving --------------------------------------------------------------- */

static APART void give_charged(struct wane_slab *slab, void *object,
			       struct wane_group *group)
{
	slab_give_slow(slab, object);
	wane_uncharge(group, slab->charge);
}

/*
 * Quick: the thread has room for the object and for the bytes, and does not
 * reclaim, where wane_uncharge() counts what is freed.
 */
static APART void free_charged(struct wane_slab *slab, void *object)
{
	struct wane_group **owner = slab_owner(slab, object);
	struct wane_group *group = *owner;

	*owner = NULL;
	if (unlikely(!slab_give_quick(slab, object)))
		give_charged(slab, object, group);
	else if (unlikely(!group || thread_self_struct.reclaim ||
			  !stock_give_last(group, slab->charge)))
		wane_uncharge(group, slab->charge);
}

void wane_slab_free(struct wane_slab *slab, void *object)
{
	if (!object)
		return;
	wane_assert(region_known(object) && run_of(object)->slab == slab);
	if (slab->charge)
		free_charged(slab, object);
	else
		slab_give(slab, object);
}

/* ---- Asking --------------------------------------------------------------- */

struct wane_group *wane_slab_group(const void *object)
{
	const struct wane_slab *slab = run_of(object)->slab;

	return slab->charge ? *slab_owner(slab, object) : NULL;
}

int wane_slab_node(const void *object)
{
	return region_of(object)->node;
}

size_t wane_slab_charge(const struct wane_slab *slab)
{
	return slab->charge;
}
