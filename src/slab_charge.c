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
 */
#include "slab_cache.h"

int wane_slab_create(struct wane_slab **slab,
		     const struct wane_slab_config *config)
{
	return slab_create(slab, config);
}

int wane_slab_destroy(struct wane_slab *slab)
{
	return slab_destroy(slab);
}

/* Not inline: it would have the short way save registers for the long one. */
static __attribute__((noinline)) void *alloc_charged(struct wane_slab *slab,
						     struct wane_group *group,
						     unsigned int flags)
{
	void *object;

	if (wane_charge(group, slab->charge, flags))
		return NULL;
	object = slab_take(slab, NODE_HERE);
	if (object)
		*slab_owner(object) = group;
	else
		wane_uncharge(group, slab->charge);
	return object;
}

void *wane_slab_alloc(struct wane_slab *slab, struct wane_group *group,
		      unsigned int flags)
{
	if (slab->charge) {
		if (!group)
			group = wane_group_current();
		if (group)
			return alloc_charged(slab, group, flags);
	}
	return slab_take(slab, NODE_HERE);
}

static __attribute__((noinline)) void free_charged(struct wane_slab *slab,
						   void *object)
{
	struct wane_group **owner = slab_owner(object);
	struct wane_group *group = *owner;

	*owner = NULL;
	slab_give(slab, object);
	if (group)
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

struct wane_group *wane_slab_group(const void *object)
{
	struct wane_group **owner = slab_owner(object);

	return owner ? *owner : NULL;
}

int wane_slab_node(const void *object)
{
	return region_of(object)->node;
}

size_t wane_slab_charge(const struct wane_slab *slab)
{
	return slab->charge;
}
