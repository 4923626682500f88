/* SPDX-License-Identifier: MIT */
/*
 * lru_lists.c - which lists there are: made on demand, ended with either side
 *
 *	group->lists   hash(lru) -> lru_lists { share, node[0], node[1], .. }
 *	                                 |
 *	lru->groups  ---- of_lru --------'     the same ones, to destroy them
 *
 * Prepare makes a group's lists where an object is built; add and del then
 * neither fail nor allocate.  It works top down, so that a group that has a
 * list has one in each ancestor: retire always finds the parent's.
 *
 * Lists end when their group is retired, or when their lru is destroyed.  The
 * share that goes with them also ends when their shrinker is destroyed: that
 * cuts it off, and the lists live on, with no one to walk them.
 *
 * Siblings   Lists of several lrus of one shrinker, in one group, have one
 *            share.  One of them owns it; going, it leaves it to another.
 * Locks      shrinker->lock, while it lives, and the group's lock in it: for
 *            making and ending lists and shares.  lru->lock, inside both,
 *            covers the ring of an lru's lists.
 *            From an lru to a group the way is the other one: pick the first
 *            under lru->lock, let go, lock its group, look whether it is still
 *            there.  A read section keeps the memory of both meanwhile.
 */
#include "lru.h"

#include "group.h"
#include "thread.h"

static uint64_t hash_lists(const void *entry)
{
	return ((const struct lru_lists *)entry)->lru->hash;
}

/* ---- Create and destroy ------------------------------------------------------ */

static size_t shards_size(void)
{
	return (size_t)port_nr_nodes * LRU_SHARDS * sizeof(struct lru_shard);
}

static struct wane_lru *alloc_lru(void)
{
	struct wane_lru *lru = port_zalloc(sizeof(*lru));
	struct lru_shard *shards = lru ? port_zalloc(shards_size()) : NULL;

	if (!shards) {
		port_free(lru, sizeof(*lru));
		return NULL;
	}
	lru->shards = shards;
	lru->hash = hash_pointer(lru);
	lock_init(&lru->lock, RANK_LRU);
	list_init(&lru->groups);
	list_init(&lru->of_shrinker);
	return lru;
}

int lru_create(struct wane_lru **lru, struct wane_shrinker *shrinker,
	       bool attached)
{
	struct wane_lru *new;

	if (!shrinker || (shrinker->flags & WANE_SHRINKER_GLOBAL))
		return -EINVAL;
	new = alloc_lru();
	if (!new)
		return -ENOMEM;
	new->attached = attached;
	new->shrinker = shrinker;
	lock_take(&shrinker->lock);
	list_add_last(&new->of_shrinker, &shrinker->lrus);
	lock_drop(&shrinker->lock);
	*lru = new;
	return 0;
}

int wane_lru_create(struct wane_lru **lru, struct wane_shrinker *shrinker)
{
	return lru_create(lru, shrinker, false);
}

static size_t lists_size(void)
{
	return sizeof(struct lru_lists) +
	       (size_t)port_nr_nodes * sizeof(struct lru_list);
}

static void free_lists_deferred(struct rcu_head *head)
{
	port_free(rcu_deferred(head, struct lru_lists, rcu), lists_size());
}

void lru_lists_remove(struct lru_lists *lists)
{
	struct wane_group *group = lists->group;

	lock_assert_held(&group->lock);
	table_remove(&group->lists, hash_lists(lists), lists);
	/* Last: without a list, the lru may go.  Its lock is still looked at. */
	rcu_enter();
	lock_take(&lists->lru->lock);
	list_del(&lists->of_lru);
	lock_drop(&lists->lru->lock);
	rcu_leave();
	rcu_defer(&lists->rcu, free_lists_deferred);
}

/*
 * The lists in @group of another lru of @shrinker, which have the share, too.
 * Under the locks of both.
 */
static struct lru_lists *find_sibling(struct wane_shrinker *shrinker,
				      const struct wane_lru *lru,
				      const struct wane_group *group)
{
	list_for_each(link, &shrinker->lrus) {
		struct wane_lru *other =
			list_entry(link, struct wane_lru, of_shrinker);
		struct lru_lists *lists;

		if (other == lru)
			continue;
		lists = lru_lists_find(other, group);
		if (lists)
			return lists;
	}
	return NULL;
}

/* End a share, or leave it to a sibling.  Under the locks of both. */
static void release_share(struct lru_lists *lists, struct shrinker_share *share,
			  struct wane_shrinker *shrinker)
{
	struct lru_lists *heir;

	if (share_is_none(share) || !lists->owner)
		return;
	lists->owner = false;
	heir = find_sibling(shrinker, lists->lru, lists->group);
	if (heir)
		heir->owner = true;
	else
		share_put(share);
}

/* The lru's shrinker, locked, or NULL when it is gone.  In a read section. */
static struct wane_shrinker *lock_shrinker(struct wane_lru *lru)
{
	struct wane_shrinker *shrinker = rcu_read(&lru->shrinker);

	if (!shrinker)
		return NULL;
	lock_take(&shrinker->lock);
	if (lru->shrinker)
		return shrinker;
	lock_drop(&shrinker->lock);
	return NULL;
}

static void drop_shrinker(struct wane_shrinker *shrinker)
{
	if (shrinker)
		lock_drop(&shrinker->lock);
}

/* The first of @lru's lists, in a read section: it may go any time. */
static struct lru_lists *first_lists(struct wane_lru *lru)
{
	struct lru_lists *lists = NULL;

	lock_take(&lru->lock);
	if (!list_empty(&lru->groups))
		lists = list_entry(lru->groups.next, struct lru_lists, of_lru);
	lock_drop(&lru->lock);
	return lists;
}

static void destroy_lists(struct lru_lists *lists,
			  struct wane_shrinker *shrinker)
{
	struct wane_group *group = lists->group;

	lock_take(&group->lock);
	/* A retire may have been faster: then they are unlinked. */
	if (lru_lists_find(lists->lru, group) == lists) {
		release_share(lists, &lists->share, shrinker);
		lru_lists_remove(lists);
	}
	lock_drop(&group->lock);
}

static void free_lru_deferred(struct rcu_head *head)
{
	struct wane_lru *lru = rcu_deferred(head, struct wane_lru, rcu);

	port_free(lru->shards, shards_size());
	port_free(lru, sizeof(*lru));
}

void wane_lru_destroy(struct wane_lru *lru)
{
	struct wane_shrinker *shrinker;
	struct lru_lists *lists;

	if (!lru)
		return;
	rcu_enter();
	shrinker = lock_shrinker(lru);
	while ((lists = first_lists(lru)))
		destroy_lists(lists, shrinker);
	list_del(&lru->of_shrinker);
	drop_shrinker(shrinker);
	rcu_leave();
	rcu_defer(&lru->rcu, free_lru_deferred);
}

/* ---- The shrinker goes -------------------------------------------------------- */

/*
 * The first of @lru's lists that has a share, moved to the end: those without
 * one gather there.
 */
static struct lru_lists *next_shared(struct wane_lru *lru)
{
	struct lru_lists *lists = NULL;

	lock_take(&lru->lock);
	if (!list_empty(&lru->groups)) {
		lists = list_entry(lru->groups.next, struct lru_lists, of_lru);
		list_del(&lists->of_lru);
		list_add_last(&lists->of_lru, &lru->groups);
		if (share_is_none(&lists->share))
			lists = NULL;
	}
	lock_drop(&lru->lock);
	return lists;
}

/*
 * Cut lists off from their share.  An add that still saw it sets its bit under
 * the list's lock, so once each lock was taken, no one sets it any more.
 */
static void cut_share(struct lru_lists *lists, struct wane_shrinker *shrinker)
{
	struct wane_group *group = lists->group;
	struct shrinker_share share;

	lock_take(&group->lock);
	share = lists->share;
	share_forget(&lists->share);
	for (int node = 0; node < port_nr_nodes; node++) {
		lock_take(&lists->node[node].lock);
		lock_drop(&lists->node[node].lock);
	}
	release_share(lists, &share, shrinker);
	lock_drop(&group->lock);
}

void lru_leave_shrinker(struct wane_lru *lru)
{
	struct wane_shrinker *shrinker = lru->shrinker;
	struct lru_lists *lists;

	lock_assert_held(&shrinker->lock);
	rcu_enter();
	while ((lists = next_shared(lru)))
		cut_share(lists, shrinker);
	/* Last: who sees it has nothing left to wait for, and may free the lru. */
	rcu_publish(&lru->shrinker, NULL);
	rcu_leave();
}

/* ---- Prepare -------------------------------------------------------------------- */

static struct lru_lists *alloc_lists(struct wane_lru *lru,
				     struct wane_group *group)
{
	struct lru_lists *lists = port_zalloc(lists_size());

	if (!lists)
		return NULL;
	lists->lru = lru;
	lists->group = group;
	list_init(&lists->of_lru);
	for (int node = 0; node < port_nr_nodes; node++) {
		lock_init(&lists->node[node].lock, RANK_LIST);
		wane_item_init(&lists->node[node].head);
	}
	return lists;
}

/* A copy of a sibling's share, or a new one: 0, or -EAGAIN. */
static int get_share(struct lru_lists *lists, struct wane_shrinker *shrinker,
		     struct share_room *room)
{
	struct lru_lists *sibling =
		find_sibling(shrinker, lists->lru, lists->group);
	int err;

	if (sibling) {
		lists->share = sibling->share;
		return 0;
	}
	err = share_get(&lists->share, &lists->group->info, &shrinker->info,
			room);
	/* Not before: the next try may find a sibling that has it. */
	lists->owner = !err;
	return err;
}

/*
 * Share first, list after: an item can be added as soon as the list is seen,
 * and then its bit has a place.
 */
static int publish_lists(struct lru_lists *lists,
			 struct wane_shrinker *shrinker,
			 struct share_room *room)
{
	struct wane_lru *lru = lists->lru;
	struct wane_group *group = lists->group;
	int err = table_reserve(&group->lists, hash_lists);

	if (err)
		return err;
	if (shrinker)
		err = get_share(lists, shrinker, room);
	if (err) {
		table_unreserve(&group->lists);
		return err;
	}
	lock_take(&lru->lock);
	list_add_last(&lists->of_lru, &lru->groups);
	lock_drop(&lru->lock);
	table_insert(&group->lists, hash_lists(lists), lists);
	return 0;
}

/* Room for the share that goes with new lists.  In a read section. */
static int get_room(struct share_room *room, struct wane_lru *lru,
		    struct wane_group *group)
{
	struct wane_shrinker *shrinker = rcu_read(&lru->shrinker);

	if (!shrinker)
		return 0;
	return share_room_get(room, &group->info, &shrinker->info, GFP_KERNEL);
}

/* Publish *@lists if need be, which is NULL then.  In a read section. */
static int publish_once(struct lru_lists **lists, struct share_room *room)
{
	struct wane_lru *lru = (*lists)->lru;
	struct wane_group *group = (*lists)->group;
	struct wane_shrinker *shrinker = lock_shrinker(lru);
	int err = 0;

	lock_take(&group->lock);
	/* Retired meanwhile: its parent's lists are its own. */
	if (!wane_group_retired(group) && !lru_lists_find(lru, group)) {
		err = publish_lists(*lists, shrinker, room);
		if (!err)
			*lists = NULL;
	}
	lock_drop(&group->lock);
	drop_shrinker(shrinker);
	return err;
}

/* Make the lists of one group, whose parent has them.  0, or -ENOMEM. */
static int prepare_one(struct wane_lru *lru, struct wane_group *group)
{
	struct lru_lists *lists = alloc_lists(lru, group);
	struct share_room room = { 0 };
	int err;

	if (!lists)
		return -ENOMEM;
	rcu_enter();
	do {
		err = get_room(&room, lru, group);
		if (!err)
			err = publish_once(&lists, &room);
	} while (err == -EAGAIN);
	share_room_put(&room);
	rcu_leave();
	port_free(lists, lists_size());
	return err;
}

static bool has_lists(struct wane_lru *lru, const struct wane_group *group)
{
	bool found;

	rcu_enter();
	found = lru_lists_find(lru, group);
	rcu_leave();
	return found;
}

/*
 * The topmost of @group and its ancestors that lacks its list, or NULL.  Those
 * that are retired, some perhaps just now, need none: their items climb.
 */
static struct wane_group *topmost_lacking(struct wane_lru *lru,
					  struct wane_group *group)
{
	struct wane_group *lacking = NULL;

	for (; group && !has_lists(lru, group); group = group->parent)
		if (!wane_group_retired(group))
			lacking = group;
	return lacking;
}

int wane_lru_prepare(struct wane_lru *lru, struct wane_group *group)
{
	struct wane_group *lacking;
	int err = lru && group ? 0 : -EINVAL;

	while (!err && (lacking = topmost_lacking(lru, group)))
		err = prepare_one(lru, lacking);
	return err;
}
