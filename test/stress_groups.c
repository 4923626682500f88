/* SPDX-License-Identifier: MIT */
/*
 * stress_groups.c - groups, limits, charges and reclaim
 *
 * A place has an owner's reference to a group, and its id.  Whoever exchanges
 * the pointer owns that reference; everyone else looks the id up and may find
 * that the group has gone.
 */
#include "stress.h"

#include <stdio.h>

#define DEPTH_LIMIT 6

struct wane_group *world_root;

static struct place {
	struct wane_group *owned;
	uint64_t id;
} places[NR_GROUPS];

struct wane_group *group_pick(void)
{
	struct place *place = &places[below(NR_GROUPS)];
	struct wane_group *group = wane_group_find_id(load_relaxed(&place->id));

	return group ? group : wane_group_get(world_root);
}

static struct wane_group *group_new(void)
{
	struct wane_group *parent = group_pick();
	struct wane_group *group;
	char name[16];
	int err;

	if (parent->depth >= DEPTH_LIMIT) {
		wane_group_put(parent);
		parent = wane_group_get(world_root);
	}
	snprintf(name, sizeof(name), "%u", below(500));
	err = wane_group_create(&group, parent, one_in(2) ? name : NULL);
	invariant(err == 0 || err == -EEXIST, "error %d", err);
	wane_group_put(parent);
	return err ? NULL : group;
}

static void group_end(struct wane_group *group)
{
	int err;

	if (!group)
		return;
	if (!one_in(4)) {
		err = wane_group_retire(group);
		invariant(err == 0 || err == -EBUSY, "error %d", err);
		invariant(err || wane_group_retired(group), "not retired");
	}
	wane_group_put(group);
}

void group_replace(void)
{
	struct place *place = &places[below(NR_GROUPS)];
	struct wane_group *group = group_new();

	if (!group)
		return;
	step("create", group->id);
	store_relaxed(&place->id, group->id);
	group_end(exchange_full(&place->owned, group));
}

void group_look_up(void)
{
	struct wane_group *group = group_pick();
	struct wane_group *found;
	char path[256];

	if (wane_group_path(group, path, sizeof(path)) < sizeof(path)) {
		found = wane_group_find(world_root, path);
		invariant(!found || !wane_group_retired(found) ||
				  found == group || found->parent,
			  "found %s", path);
		wane_group_put(found);
	}
	wane_group_put(group);
}

/* A low max or high makes each charge reclaim: rare, and not the root's. */
static const size_t limits[] = {
	0,	 65536,		 300000,	 1 << 20,
	3 << 20, WANE_UNLIMITED, WANE_UNLIMITED, WANE_UNLIMITED,
};

void group_limit(void)
{
	struct wane_group *group = group_pick();
	enum wane_limit which = (enum wane_limit)below(4);
	bool mild = which >= WANE_HIGH && (group == world_root || !one_in(8));
	size_t bytes = mild ? limits[3 + below(ARRAY_SIZE(limits) - 3)]
			    : limits[below(ARRAY_SIZE(limits))];
	int err = wane_group_set_limit(group, which, bytes);

	invariant(err == 0 || err == -ESTALE ||
			  (err == -EBUSY && which == WANE_MAX),
		  "error %d", err);
	wane_group_put(group);
}

static bool told(struct wane_group *group, enum wane_event event, void *arg)
{
	invariant(arg == &places && group->id > 0, "told of event %d", event);
	return event == WANE_EVENT_OOM && one_in(2);
}

void group_tell(void)
{
	struct wane_group *group = group_pick();

	invariant(wane_group_set_callback(group, one_in(4) ? NULL : told,
					  &places) == 0,
		  "memory");
	wane_group_put(group);
}

void group_reclaim(void)
{
	struct wane_group *group = group_pick();
	unsigned int what = below(20);

	if (what == 0)
		wane_reclaim_all();
	else if (what == 1)
		wane_reclaim_cancel();
	else
		wane_group_reclaim(group,
				   what == 2 ? WANE_ALL : 1 + below(1 << 16));
	wane_group_put(group);
}

static size_t some_bytes(void)
{
	return one_in(4) ? 1 + below(100000) : 1 + below(3000);
}

void group_charge(struct worker *worker)
{
	struct invariant_charge *held = &worker->held[below(NR_HELD)];
	struct wane_group *group;
	size_t bytes;

	if (held->group)
		return;
	group = group_pick();
	bytes = some_bytes();
	if (wane_charge(group, bytes, one_in(2) ? WANE_NOWAIT : 0) == 0) {
		invariant(wane_group_usage(group) >= bytes,
			  "usage less than was charged");
		*held = (struct invariant_charge){ group, bytes };
	}
	/* What is charged keeps it. */
	wane_group_put(group);
}

void group_uncharge(struct worker *worker)
{
	struct invariant_charge *held = &worker->held[below(NR_HELD)];
	size_t part = held->bytes;

	if (!held->group)
		return;
	if (one_in(4))
		part = (part + 1) / 2;
	wane_uncharge(held->group, part);
	held->bytes -= part;
	if (held->bytes == 0)
		held->group = NULL;
}

void background_toggle(void)
{
	int err;

	if (one_in(2)) {
		wane_background_stop();
		return;
	}
	err = wane_background_start();
	invariant(err == 0 || err == -EALREADY, "error %d", err);
}

void groups_begin(void)
{
	invariant(wane_group_create(&world_root, NULL, "world") == 0, "memory");
	for (int i = 0; i < 2 * NR_GROUPS; i++)
		group_replace();
}

void groups_end(void)
{
	for (int i = 0; i < NR_GROUPS; i++)
		group_end(places[i].owned);
	wane_group_put(world_root);
}
