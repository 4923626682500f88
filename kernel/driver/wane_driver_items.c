// SPDX-License-Identifier: GPL-2.0-only
/*
 * wane_driver_items.c - items: small structs that are on a list or freed
 *
 * They are not charged to anyone: on whose list they are is what the command
 * says. Who takes items off a list owns them, and frees them without its lock.
 */
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "wane_driver.h"

struct item {
	struct list_head link;
};

static void dispose(struct list_head *items)
{
	struct item *item, *next;

	list_for_each_entry_safe(item, next, items, link)
		kfree(item);
}

static enum lru_status isolate(struct list_head *link,
			       struct list_lru_one *list, void *dead)
{
	list_lru_isolate_move(list, link, dead);
	return LRU_REMOVED;
}

unsigned long wane_items_scan(struct list_lru *lru, int nid,
			      struct mem_cgroup *memcg, unsigned long nr)
{
	unsigned long isolated;
	LIST_HEAD(dead);

	isolated = list_lru_walk_one(lru, nid, memcg, isolate, &dead, &nr);
	dispose(&dead);
	return isolated;
}

/* A cgroup that goes offline meanwhile moves its items: hence the turns. */
void wane_items_drain(struct list_lru *lru)
{
	int turn;

	for (turn = 0; turn < 100 && list_lru_count(lru); turn++) {
		LIST_HEAD(dead);

		list_lru_walk(lru, isolate, &dead, ULONG_MAX);
		dispose(&dead);
		cond_resched();
	}
	WARN(list_lru_count(lru),
	     "wane: %lu items are on no list that is found",
	     list_lru_count(lru));
}

/* ---- One list ----------------------------------------------------------- */

/**
 * struct place - The list that a command is about.
 * @test: Held with its life.
 * @lru: One of its list_lrus.
 * @nid: The node.
 * @memcg: Held.
 */
struct place {
	struct wane_shrinker *test;
	struct list_lru *lru;
	int nid;
	struct mem_cgroup *memcg;
};

/* From the arguments I LRU NID CGROUP; the answer says what is wrong. */
static bool place_enter(struct place *place, const long *argument,
			struct wane_answer *answer)
{
	struct wane_shrinker *test;

	if (!wane_node_valid(argument[2], answer))
		return false;
	place->memcg = wane_cgroup_get(argument[3], answer);
	if (!place->memcg)
		return false;
	test = wane_shrinker_get(argument[0], answer);
	if (!test)
		goto no_test;
	down_read(&test->life);
	if (argument[1] >= test->nr_lrus || test->destroyed[argument[1]])
		goto no_lru;
	place->test = test;
	place->lru = &test->lru[argument[1]];
	place->nid = argument[2];
	return true;

no_lru:
	wane_say(answer, "error test shrinker %ld has no list %ld", argument[0],
		 argument[1]);
	up_read(&test->life);
	wane_shrinker_put(test);
no_test:
	mem_cgroup_put(place->memcg);
	return false;
}

static void place_leave(struct place *place)
{
	up_read(&place->test->life);
	wane_shrinker_put(place->test);
	mem_cgroup_put(place->memcg);
}

/* ---- Commands ----------------------------------------------------------- */

static bool add_one(struct place *place)
{
	struct item *item = kmalloc_obj(*item);

	if (!item)
		return false;
	INIT_LIST_HEAD(&item->link);
	list_lru_add(place->lru, &item->link, place->nid, place->memcg);
	return true;
}

void wane_add(const long *argument, struct wane_answer *answer)
{
	struct place place;
	long added = 0;

	if (!place_enter(&place, argument, answer))
		return;
	if (!memcg_list_lru_alloc(place.memcg, place.lru, GFP_KERNEL)) {
		while (added < argument[4] && add_one(&place))
			added++;
	}
	wane_say(answer, "%ld", added);
	place_leave(&place);
}

/* A list of a dying cgroup is its parent's. */
static bool del_one(struct place *place)
{
	struct mem_cgroup *memcg = place->memcg;
	struct list_lru_one *list;
	struct item *item;

	list = list_lru_lock(place->lru, place->nid, &memcg);
	item = list_first_entry_or_null(&list->list, struct item, link);
	if (item)
		__list_lru_del(place->lru, list, &item->link, place->nid);
	list_lru_unlock(list);
	kfree(item);
	return item;
}

/* Where a cgroup has no list there is nothing to lock. */
static bool has_list(struct place *place)
{
	return !memcg_list_lru_alloc(place->memcg, place->lru, GFP_KERNEL);
}

void wane_del(const long *argument, struct wane_answer *answer)
{
	struct place place;
	long removed = 0;

	if (!place_enter(&place, argument, answer))
		return;
	if (has_list(&place)) {
		while (removed < argument[4] && del_one(&place))
			removed++;
	}
	wane_say(answer, "%ld", removed);
	place_leave(&place);
}

void wane_count(const long *argument, struct wane_answer *answer)
{
	struct place place;

	if (!place_enter(&place, argument, answer))
		return;
	wane_say(answer, "%lu",
		 list_lru_count_one(place.lru, place.nid, place.memcg));
	place_leave(&place);
}

/* As page cache does it, under the i_pages lock of a mapping. */
static int install_atomic(struct mem_cgroup *memcg, struct list_lru *lru)
{
	static DEFINE_SPINLOCK(lock);
	unsigned long flags;
	int error;

	spin_lock_irqsave(&lock, flags);
	error = memcg_list_lru_alloc(memcg, lru, GFP_NOWAIT);
	spin_unlock_irqrestore(&lock, flags);
	return error;
}

void wane_install(const long *argument, struct wane_answer *answer)
{
	const long first[] = { argument[0], 0, first_online_node, argument[1] };
	struct place place;
	int i, error = 0;

	if (!place_enter(&place, first, answer))
		return;
	for (i = 0; i < place.test->nr_lrus && !error; i++) {
		if (place.test->destroyed[i])
			continue;
		if (argument[2])
			error = install_atomic(place.memcg, place.lru + i);
		else
			error = memcg_list_lru_alloc(place.memcg, place.lru + i,
						     GFP_KERNEL);
	}
	wane_say(answer, "%d", error);
	place_leave(&place);
}
