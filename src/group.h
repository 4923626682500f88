/* SPDX-License-Identifier: MIT */
/*
 * group.h - the forest of groups
 */
#ifndef WANE_GROUP_INTERNAL_H
#define WANE_GROUP_INTERNAL_H

#include "types.h"

/* Covers the ring of all groups, the names and the cursors. */
extern struct lock forest_lock;

/* Whether @group is @above or below it. */
bool group_is_below(const struct wane_group *group,
		    const struct wane_group *above);

/* @group, or where it is retired its nearest ancestor that is not. */
struct wane_group *group_living(struct wane_group *group);

/* A reference, unless the last one was put.  Under RCU, or held otherwise. */
static inline bool group_get_unless_gone(struct wane_group *group)
{
	return ref_get_unless_zero(&group->refs);
}

/*
 * Walks, under RCU.  A group stays in the ring as long as it has references,
 * so a walker that holds one may leave the read section and come back.
 */

/* The first tree's root, or NULL. */
struct wane_group *group_first(void);

/* The one after @group in @root's subtree, parents first, or NULL at the end;
 * with @root NULL, in the whole forest. */
struct wane_group *group_next(struct wane_group *group,
			      const struct wane_group *root);

/* How far reclaim of @root's subtree came, with a reference; @root if none. */
struct wane_group *group_cursor_get(struct wane_group *root);

/* Reclaim of @root goes on behind @group, which the caller holds. */
void group_cursor_set(struct wane_group *root, struct wane_group *group);

/* Under the forest lock: free the name for others. */
void group_unname(struct wane_group *group);

/* Take a group without references out of the forest and free it later. */
void group_leave_forest(struct wane_group *group);

/*
 * What happens after the last put: set by the top layer, which knows how to
 * retire what was not retired and then calls group_leave_forest().
 */
extern void (*group_release)(struct wane_group *group);

/* ---- Events --------------------------------------------------------------- */

/* Count an event and tell the group's callback.  Return: its answer. */
bool event_raise(struct wane_group *group, enum wane_event event);

/* The group is freed: so is its hook. */
void event_hook_free(struct wane_group *group);

#endif /* WANE_GROUP_INTERNAL_H */
