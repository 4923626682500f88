/* SPDX-License-Identifier: MIT */
/*
 * lru.c - items: added at the young end, taken from the old one
 *
 *	head -> oldest -> ... -> youngest -> head
 *
 * Add and del neither fail nor allocate: lru_lists.c has made the list before.
 *
 * Retired groups.  Their lists moved to the parent and are dead.  Whoever
 * looks for a list climbs: no entry, or a dead list, means that the items are
 * with the parent by now.
 *
 * B2	retire				add, del
 *	move the items, under both	find the entry; none: climb
 *	locks; mark the list dead	lock the list; dead: climb
 *	then take the entry away
 *	Who finds no entry comes after the move, so it never takes the parent's
 *	lock for an item that is still on the child's list.
 *
 * Totals per node are kept in shards, one for each of the first threads: one
 * counter that every add and del of every group writes would be the one cache
 * line that all threads share.
 */
#include "lru.h"

#include "thread.h"

/* A thread that has no shard of its own, or does not know yet. */
static __attribute__((noinline)) void account_slow(struct lru_shard *shards,
						   long nr)
{
	unsigned int shard = thread_self()->shard;

	add_relaxed(&shards[shard].nr, nr);
}

/* The items now on lists of a node, over all groups, change by @nr. */
static inline void account(struct wane_lru *lru, int node, long nr)
{
	struct lru_shard *shards = &lru->shards[node * LRU_SHARDS];
	unsigned int shard = thread_self_struct.shard;
	long *total = &shards[shard].nr;

	if (likely(shard != SHARD_OF_ALL))
		store_relaxed(total, load_relaxed(total) + nr);
	else
		account_slow(shards, nr);
}

void lru_lists_announce(const struct lru_lists *lists, int node)
{
	/* The shrinker may be destroyed, and cut it off, meanwhile. */
	const struct shrinker_share share = share_read(&lists->share);
	bool found = share_is_none(&share) || share_set(&share, node);

	(void)found;
	wane_assert(found); /* who has a list has a share */
}

/* The lists of @group itself, that of @node locked; NULL: none, or it is dead */
static inline struct lru_lists *
lock_own(struct wane_lru *lru, const struct wane_group *group, int node)
{
	struct lru_lists *lists = lru_lists_find(lru, group);
	struct lru_list *list;

	if (!lists)
		return NULL;
	list = &lists->node[node];
	lock_take(&list->lock);
	if (likely(list->nr != LIST_DEAD))
		return lists;
	lock_drop(&list->lock);
	return NULL;
}

static __attribute__((noinline)) struct lru_lists *
lock_ancestors(struct wane_lru *lru, const struct wane_group *group, int node)
{
	struct lru_lists *lists = NULL;

	while (!lists) {
		wane_assert(wane_group_retired(group));
		group = group->parent;
		if (!group)
			port_panic(__FILE__, __LINE__,
				   "the group was prepared for this lru");
		lists = lock_own(lru, group, node);
	}
	return lists;
}

/*
 * The lists that hold @group's items, that of @node locked: its own, or where
 * it is retired those of the ancestor who took them (B2).  In a read section.
 */
static inline struct lru_lists *
lock_living(struct wane_lru *lru, const struct wane_group *group, int node)
{
	struct lru_lists *lists = lock_own(lru, group, node);

	return likely(lists) ? lists : lock_ancestors(lru, group, node);
}

static void link_last(struct wane_item *item, struct wane_item *head)
{
	item->prev = head->prev;
	item->next = head;
	head->prev->next = item;
	head->prev = item;
}

static void unlink_item(struct wane_item *item)
{
	item->prev->next = item->next;
	item->next->prev = item->prev;
	wane_item_init(item);
}

static bool is_listed(const struct wane_item *item)
{
	return item->next != item;
}

bool wane_lru_add(struct wane_lru *lru, struct wane_item *item,
		  struct wane_group *group, int node)
{
	struct lru_lists *lists;
	struct lru_list *list;
	bool added;

	wane_assert(node >= 0 && node < port_nr_nodes);
	rcu_enter();
	lists = lock_living(lru, group, node);
	list = &lists->node[node];
	added = !is_listed(item);
	if (added) {
		link_last(item, &list->head);
		store_relaxed(&list->nr, list->nr + 1);
		if (list->nr == 1)
			lru_lists_announce(lists, node);
		account(lru, node, 1);
	}
	lock_drop(&list->lock);
	rcu_leave();
	return added;
}

bool wane_lru_del(struct wane_lru *lru, struct wane_item *item,
		  struct wane_group *group, int node)
{
	struct lru_list *list;
	bool removed;

	wane_assert(node >= 0 && node < port_nr_nodes);
	rcu_enter();
	list = &lock_living(lru, group, node)->node[node];
	removed = is_listed(item);
	if (removed) {
		unlink_item(item);
		store_relaxed(&list->nr, list->nr - 1);
		account(lru, node, -1);
	}
	lock_drop(&list->lock);
	rcu_leave();
	return removed;
}

void lru_announce(struct wane_lru *lru, struct wane_group *group)
{
	struct lru_lists *lists;

	for (int node = 0; node < port_nr_nodes; node++) {
		rcu_enter();
		lists = lock_living(lru, group, node);
		lru_lists_announce(lists, node);
		lock_drop(&lists->node[node].lock);
		rcu_leave();
	}
}

long wane_lru_count(struct wane_lru *lru, struct wane_group *group, int node)
{
	struct lru_lists *lists;
	long nr = 0;

	rcu_enter();
	lists = lru_lists_find(lru, group);
	if (lists)
		nr = load_relaxed(&lists->node[node].nr);
	rcu_leave();
	return max_of(nr, 0l);
}

long wane_lru_count_node(struct wane_lru *lru, int node)
{
	long nr = 0;

	for (int i = 0; i < LRU_SHARDS; i++)
		nr += load_relaxed(&lru->shards[node * LRU_SHARDS + i].nr);
	return max_of(nr, 0l);
}

/* ---- Take ------------------------------------------------------------------------- */

/* Moves an item from the list to the young end of it or to @taken. */
static void move_item(struct wane_item *item, struct wane_item *head)
{
	unlink_item(item);
	link_last(item, head);
}

/*
 * Judge up to sc->to_scan items, each once: those rotated go behind the item
 * that was the youngest at the start, and the walk ends there.
 */
static size_t judge_items(struct lru_list *list, struct wane_shrink *sc,
			  wane_judge_fn judge, void *arg,
			  struct wane_item *taken)
{
	struct wane_item *item = list->head.next;
	size_t left = min_of(sc->to_scan, (size_t)list->nr);
	size_t nr_taken = 0;

	sc->scanned = 0;
	while (sc->scanned < left) {
		struct wane_item *next = item->next;
		enum wane_verdict verdict = judge ? judge(item, arg)
						  : WANE_TAKE;

		sc->scanned++;
		if (verdict == WANE_STOP)
			break;
		if (verdict == WANE_ROTATE)
			move_item(item, &list->head);
		if (verdict == WANE_TAKE) {
			move_item(item, taken);
			nr_taken++;
		}
		item = next;
	}
	store_relaxed(&list->nr, list->nr - (long)nr_taken);
	return nr_taken;
}

size_t wane_lru_take(struct wane_lru *lru, struct wane_shrink *sc,
		     wane_judge_fn judge, void *arg, struct wane_item *taken)
{
	struct lru_lists *lists;
	struct lru_list *list;
	size_t nr = 0;

	sc->scanned = 0;
	rcu_enter();
	lists = lru_lists_find(lru, sc->group);
	if (lists) {
		list = &lists->node[sc->node];
		lock_take(&list->lock);
		if (list->nr > 0)
			nr = judge_items(list, sc, judge, arg, taken);
		lock_drop(&list->lock);
	}
	rcu_leave();
	if (nr)
		account(lru, sc->node, -(long)nr);
	return nr;
}
