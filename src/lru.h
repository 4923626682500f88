/* SPDX-License-Identifier: MIT */
/*
 * lru.h - lists per (group, node)
 */
#ifndef WANE_LRU_INTERNAL_H
#define WANE_LRU_INTERNAL_H

#include "types.h"

/* Shards of a node's total. */
#define LRU_SHARDS (THREAD_SHARDS + 1)

/* As wane_lru_create(); @attached: a shrinker's own, whose lists stay empty. */
int lru_create(struct wane_lru **lru, struct wane_shrinker *shrinker,
	       bool attached);

/* Set the group's bit on each node. */
void lru_announce(struct wane_lru *lru, struct wane_group *group);

/* The shrinker goes: end the share of each list.  Under shrinker->lock. */
void lru_leave_shrinker(struct wane_lru *lru);

static inline bool lru_lists_match(const void *entry, const void *lru)
{
	return ((const struct lru_lists *)entry)->lru == lru;
}

/* The lists of @lru in @group itself, or NULL.  Under RCU or group->lock. */
static inline struct lru_lists *lru_lists_find(struct wane_lru *lru,
					       const struct wane_group *group)
{
	return table_find(&group->lists, lru->hash, lru_lists_match, lru);
}

/*
 * Unlink from lru and group, and free after a grace period.  Under
 * group->lock.  Its share is ended already, or is with its group.
 */
void lru_lists_remove(struct lru_lists *lists);

/* Set the bit of one of them.  Under the list's lock. */
void lru_lists_announce(const struct lru_lists *lists, int node);

#endif /* WANE_LRU_INTERNAL_H */
