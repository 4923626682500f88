/* SPDX-License-Identifier: MIT */
/*
 * retire.c - how a group goes, and its work stays
 *
 *	1  mark       children? -EBUSY.  From now on no list is made for it, no
 *	              stock kept, no limit applied; its name is free.
 *	2  move       each list, under its lock and the parent's: items to the
 *	              parent, the parent's bit set, this list marked dead.
 *	3  hand over  deferred work, by exchange; then the units go.
 *	4  unlink     the dead lists leave group and lru, and are freed.
 *	5  count      the parent has a child less: it may be retired itself.
 *
 * Nothing here needs memory: the parent has a list for each of the child's,
 * since prepare works top down and a parent is retired after its children.
 *
 * Why in this order.  A list is dead before its entry goes (2 before 4, B2 in
 * lru.c).  A parent's bit is set under the lock that its items came under (2),
 * whatever its count was before.  Work is handed over when no bit of this
 * group leads to new work any more (3 after 2), and a scan that was under way
 * sees the heir and brings its leftover there itself (B3 in core/).  Steps 2 to
 * 4 are done under the group's lock, so whoever destroys an lru or a shrinker
 * meanwhile finds either all of it or nothing.
 *
 * Bytes need no step: what was charged here was charged to the parent, too.
 *
 * A group whose last reference is put without a retire goes the same way, in
 * the thread that runs deferred frees.
 */
#include "charge.h"
#include "counter.h"
#include "group.h"
#include "lru.h"
#include "start.h"
#include "stock.h"

/* ---- 2: move ------------------------------------------------------------------ */

static void splice_items(struct wane_item *from, struct wane_item *to)
{
	if (from->next == from)
		return;
	from->next->prev = to->prev;
	to->prev->next = from->next;
	from->prev->next = to;
	to->prev = from->prev;
	wane_item_init(from);
}

static void move_list(struct lru_lists *lists, struct lru_lists *above,
		      int node)
{
	struct lru_list *from = &lists->node[node];
	struct lru_list *to = &above->node[node];

	lock_take(&from->lock);
	lock_two(&to->lock); /* child before parent */
	splice_items(&from->head, &to->head);
	store_relaxed(&to->nr, to->nr + from->nr);
	if (from->nr > 0)
		lru_lists_announce(above, node);
	store_relaxed(&from->nr, LIST_DEAD);
	lock_drop(&to->lock);
	lock_drop(&from->lock);
}

/* An lru that is being destroyed may have left the parent: it is empty. */
static void bury_list(struct lru_lists *lists, int node)
{
	struct lru_list *list = &lists->node[node];

	lock_take(&list->lock);
	wane_assert(list->nr == 0);
	store_relaxed(&list->nr, LIST_DEAD);
	lock_drop(&list->lock);
}

static void move_lists(struct lru_lists *lists, const struct wane_group *parent)
{
	struct lru_lists *above;

	rcu_enter();
	above = parent ? lru_lists_find(lists->lru, parent) : NULL;
	for (int node = 0; node < port_nr_nodes; node++) {
		if (above)
			move_list(lists, above, node);
		else
			bury_list(lists, node);
	}
	rcu_leave();
}

/* ---- 3: hand over --------------------------------------------------------------- */

/*
 * The lists in @parent that have the share there: those of the same lru; or
 * where that is being destroyed, and has left @parent, of a sibling.  In a read
 * section.
 */
static struct lru_lists *find_above(const struct lru_lists *lists,
				    const struct wane_group *parent)
{
	const struct wane_shrinker *shrinker = rcu_read(&lists->lru->shrinker);
	struct lru_lists *above = lru_lists_find(lists->lru, parent);
	struct lru_lists *sibling;

	if (above)
		return above;
	table_for_each(&lists->group->lists, i, sibling) {
		if (rcu_read(&sibling->lru->shrinker) != shrinker)
			continue;
		above = lru_lists_find(sibling->lru, parent);
		if (above)
			break;
	}
	return above;
}

/* The handle in @lists stays until they are unlinked: a sign of more to do. */
static void end_share(struct lru_lists *lists, const struct wane_group *parent)
{
	struct shrinker_share share = lists->share;
	struct shrinker_share heir = { 0 };
	struct lru_lists *above;

	if (share_is_none(&share) || !lists->owner)
		return;
	lists->owner = false;
	rcu_enter();
	above = parent ? find_above(lists, parent) : NULL;
	if (above)
		heir = share_read(&above->share);
	share_retire(&share, &heir);
	rcu_leave();
}

/* ---- 2 to 4 ------------------------------------------------------------------- */

static void hand_over(struct wane_group *group)
{
	struct lru_lists *lists;

	lock_take(&group->lock);
	table_for_each(&group->lists, i, lists)
		move_lists(lists, group->parent);
	table_for_each(&group->lists, i, lists)
		end_share(lists, group->parent);
	while ((lists = table_any(&group->lists)))
		lru_lists_remove(lists);
	lock_drop(&group->lock);
}

/* ---- 1 and 5 ------------------------------------------------------------------ */

static void drop_limits(struct wane_group *group)
{
	counter_set_limit(&group->counter, WANE_MIN, 0);
	counter_set_limit(&group->counter, WANE_LOW, 0);
	counter_set_limit(&group->counter, WANE_HIGH, WANE_UNLIMITED);
	counter_set_limit(&group->counter, WANE_MAX, WANE_UNLIMITED);
}

/* 1 when it is marked now; 0 when it was; -EBUSY. */
static int mark_retired(struct wane_group *group)
{
	int marked = 0;

	lock_take(&forest_lock);
	if (!group->retired) {
		if (group->nr_children > 0) {
			marked = -EBUSY;
			goto drop;
		}
		lock_take(&group->lock);
		store_release(&group->retired, true);
		lock_drop(&group->lock);
		group_unname(group);
		drop_limits(group);
		marked = 1;
	}
drop:
	lock_drop(&forest_lock);
	return marked;
}

static int retire(struct wane_group *group)
{
	int marked = mark_retired(group);

	if (marked <= 0)
		return marked;
	stock_drain_retired(group);
	hand_over(group);
	if (group->parent) {
		lock_take(&forest_lock);
		group->parent->nr_children--;
		lock_drop(&forest_lock);
	}
	return 0;
}

int wane_group_retire(struct wane_group *group)
{
	if (!group || !group->parent)
		return -EINVAL;
	return retire(group);
}

/* ---- After the last put ---------------------------------------------------------- */

static void release_deferred(struct rcu_head *head)
{
	struct wane_group *group = rcu_deferred(head, struct wane_group, rcu);
	int err = retire(group);

	(void)err;
	wane_assert(err == 0); /* children hold references */
	group_leave_forest(group);
}

static void release(struct wane_group *group)
{
	rcu_defer(&group->rcu, release_deferred);
}

void retire_start(void)
{
	group_release = release;
}
