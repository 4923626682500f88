/* SPDX-License-Identifier: MIT */
/*
 * Lists of idle items, one per (group, node), walked from the old end.
 */
#ifndef WANE_LRU_H
#define WANE_LRU_H

#include <wane/base.h>
#include <wane/shrinker.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct wane_item - The link that makes an object listable.
 * @prev: Private.
 * @next: Private.
 *
 * Embed one per list an object can be on.
 */
struct wane_item {
	struct wane_item *prev;
	struct wane_item *next;
};

/**
 * wane_item_init() - Make a link that is on no list, or an empty list head.
 * @item: The link.
 *
 * Context: Any.
 */
static inline void wane_item_init(struct wane_item *item)
{
	item->prev = item;
	item->next = item;
}

/**
 * wane_item_pop() - Take the first item off a list of one's own.
 * @head: A list as wane_lru_take() fills it.
 *
 * Context: Any.
 * Return: The item, on no list now; NULL when there is none.
 */
static inline struct wane_item *wane_item_pop(struct wane_item *head)
{
	struct wane_item *item = head->next;

	if (item == head)
		return NULL;
	head->next = item->next;
	item->next->prev = head;
	wane_item_init(item);
	return item;
}

/**
 * wane_lru_create() - Make a set of lists, one per group, all empty.
 * @lru: Receives it.
 * @shrinker: The shrinker that walks it; told of a group when its list gets
 *            its first item.  Several sets may share one shrinker.
 *
 * Context: Blocks.
 * Return: 0; -ENOMEM; -EINVAL for a WANE_SHRINKER_GLOBAL shrinker, or none.
 */
WANE_CHECKED int wane_lru_create(struct wane_lru **lru,
				 struct wane_shrinker *shrinker);

/**
 * wane_lru_destroy() - Free a set of lists, all of them empty again.
 * @lru: The lists, or NULL.  No one uses them any more.
 *
 * Context: Blocks.
 */
WANE_API void wane_lru_destroy(struct wane_lru *lru);

/**
 * wane_lru_prepare() - Make sure a group has its list.
 * @lru: The lists.
 * @group: The group; retired: its nearest living ancestor.
 *
 * Call it where an object is built, so that the list is there when the object
 * goes idle.  It is the only list function that can fail.  Each ancestor gets
 * its list too, so that retiring a group needs no memory.  When it fails, the
 * group has no list; what ancestors got stays and is used the next time.
 *
 * Context: Blocks.
 * Return: 0; -ENOMEM; -EINVAL when either is NULL.
 */
WANE_CHECKED int wane_lru_prepare(struct wane_lru *lru,
				  struct wane_group *group);

/**
 * wane_lru_add() - Put an idle item at the young end of its group's list.
 * @lru: The lists.
 * @item: The item, on no list or on this one.
 * @group: The group that pays for it; prepared, and held by the caller.
 * @node: The node that the item's memory is on; see wane_node_of().
 *
 * Context: Any.
 * Return: true when it was added, false when it was listed already.
 */
WANE_API bool wane_lru_add(struct wane_lru *lru, struct wane_item *item,
			   struct wane_group *group, int node);

/**
 * wane_lru_del() - Take an item off its group's list.
 * @lru: The lists.
 * @item: The item, on no list or on this one.
 * @group: The group it was added with, even if that is retired by now.
 * @node: The node it was added with.
 *
 * Context: Any.
 * Return: true when it was removed, false when it was on no list.
 */
WANE_API bool wane_lru_del(struct wane_lru *lru, struct wane_item *item,
			   struct wane_group *group, int node);

/**
 * wane_lru_count() - How many items are on a group's list.
 * @lru: The lists.
 * @group: The group.  A retired one has none: they are its parent's.
 * @node: The node.
 *
 * Context: Any.
 * Return: The number; made to be the answer of a count callback.
 */
WANE_API long wane_lru_count(struct wane_lru *lru, struct wane_group *group,
			     int node);

/**
 * wane_lru_count_node() - How many items of all groups are listed on a node.
 * @lru: The lists.
 * @node: The node.
 *
 * Context: Any.
 * Return: The number; takes the same time however many groups there are.
 */
WANE_API long wane_lru_count_node(struct wane_lru *lru, int node);

/**
 * enum wane_verdict - What becomes of an item during wane_lru_take().
 * @WANE_TAKE: It leaves the list and is yours.
 * @WANE_ROTATE: It was used lately: back to the young end.
 * @WANE_SKIP: Cannot tell now: it stays where it is.
 * @WANE_STOP: It stays where it is, and the walk ends.
 */
enum wane_verdict {
	WANE_TAKE,
	WANE_ROTATE,
	WANE_SKIP,
	WANE_STOP,
};

/**
 * typedef wane_judge_fn - Decides about one item.
 * @item: The item.
 * @arg: What was passed to wane_lru_take().
 *
 * Runs with the list's lock held and must return with it held: it may try a
 * lock, never wait for one.  Whatever takes time is done later, to the items
 * that were taken.
 */
typedef enum wane_verdict (*wane_judge_fn)(struct wane_item *item, void *arg);

/**
 * wane_lru_take() - Take idle items off the old end of a group's list.
 * @lru: The lists.
 * @sc: The request; looks at sc->to_scan items, each at most once, and sets
 *      sc->scanned to how many it looked at.
 * @judge: Asked about each item; NULL takes each.
 * @arg: Passed to @judge.
 * @taken: An initialised list head; taken items are appended, oldest first.
 *
 * No lock is held when it returns: free the taken items at leisure, or give
 * one back with wane_lru_add().
 *
 * Context: Any; made to be called from a scan callback.
 * Return: How many items were taken.
 */
WANE_API size_t wane_lru_take(struct wane_lru *lru, struct wane_shrink *sc,
			      wane_judge_fn judge, void *arg,
			      struct wane_item *taken);

#ifdef __cplusplus
}
#endif

#endif /* WANE_LRU_H */
