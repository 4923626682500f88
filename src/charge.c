/* SPDX-License-Identifier: MIT */
/*
 * charge.c - charging, the slow path of it, and limits
 *
 *	wane_charge()
 *	   | the thread's stock has it ---------------------------> done
 *	   | the tree takes it, and a stock's worth more ----------> done
 *	   v
 *	some level is at its max
 *	   | may not reclaim: stocks below it are taken back,
 *	   | try again ------------------------------------------> -EAGAIN
 *	   | that level's subtree is reclaimed, or where that frees
 *	   | nothing, stocks are taken back; try again (RETRIES)
 *	   v
 *	oom event; its callback freed something? once more ------> -ENOMEM
 *
 * A retired group is charged like any other, and with it its ancestors: its
 * own limits are gone, so the nearest living ancestor is the one that pays,
 * and an uncharge later finds the bytes where the charge has left them.  Its
 * bytes never go to a stock, which would keep it alive.
 */
#include "charge.h"

#include "counter.h"
#include "group.h"
#include "reclaim.h"
#include "stock.h"

#define RETRIES 16

/* Reclaim a little more than is needed, so that the next charge need not. */
#define RECLAIM_LEAST ((size_t)128 * 1024)

static struct wane_group *group_of(struct counter *counter)
{
	return container_of(counter, struct wane_group, counter);
}

/* Charge the tree.  The first byte brings a reference, the last takes it. */
static struct wane_group *charge_tree(struct wane_group *group, size_t bytes)
{
	struct counter *over = counter_try_charge(&group->counter, bytes);

	if (over)
		return group_of(over);
	ref_get(&group->refs);
	if (__atomic_fetch_add(&group->charged, bytes, __ATOMIC_SEQ_CST) != 0)
		wane_group_put(group);
	return NULL;
}

/*
 * While the bytes are charged they hold the group, so they leave its counter
 * first: when another thread takes the last of the others, it may be freed.
 */
void charge_undo(struct wane_group *group, size_t bytes)
{
	size_t charged = load_relaxed(&group->charged);

	wane_assert(bytes <= charged);
	bytes = min_of(bytes, charged);
	if (bytes == 0)
		return;
	counter_uncharge(&group->counter, bytes);
	if (sub_full(&group->charged, bytes) == 0)
		wane_group_put(group);
}

/* ---- High -------------------------------------------------------------------- */

/* Levels that the charge took over their high; they are all held by @group. */
static void check_high(struct wane_group *group, bool may_reclaim)
{
	for (; group; group = group->parent) {
		if (likely(counter_usage(&group->counter) <=
			   counter_limit(&group->counter, WANE_HIGH)))
			continue;
		event_raise(group, WANE_EVENT_HIGH);
		background_wake(group, may_reclaim);
	}
}

/* ---- Max --------------------------------------------------------------------- */

static struct wane_group *charge_after_drain(struct wane_group *group,
					     struct wane_group *over,
					     size_t bytes)
{
	stock_drain(over);
	return charge_tree(group, bytes);
}

/* A round that frees nothing counts for four, and takes stocks back. */
static struct wane_group *charge_after_reclaim(struct wane_group *group,
					       struct wane_group *over,
					       size_t bytes)
{
	size_t max, want;

	for (int i = 0; over && i < RETRIES; i++) {
		max = counter_limit(&over->counter, WANE_MAX);
		want = max_of(bytes, min_of(RECLAIM_LEAST, max / 16));
		if (reclaim_group(over, want, false) == 0) {
			stock_drain(over);
			i += RETRIES / 4;
		}
		over = charge_tree(group, bytes);
	}
	return over;
}

/* Over max: the slow path's slow path. */
static int charge_or_fail(struct wane_group *group, struct wane_group *over,
			  size_t bytes, bool may_reclaim)
{
	event_raise(over, WANE_EVENT_MAX);
	if (may_reclaim)
		over = charge_after_reclaim(group, over, bytes);
	else
		over = charge_after_drain(group, over, bytes);
	if (!over)
		return 0;
	if (!may_reclaim)
		return -EAGAIN;
	if (event_raise(over, WANE_EVENT_OOM) &&
	    !charge_after_drain(group, over, bytes))
		return 0;
	return -ENOMEM;
}

static int charge_slow(struct wane_group *group, size_t bytes, bool may_reclaim)
{
	struct wane_group *over;
	int err = 0;

	if (bytes <= STOCK_BATCH / 2 && !wane_group_retired(group) &&
	    !charge_tree(group, bytes + STOCK_BATCH / 2)) {
		size_t back = stock_give(group, STOCK_BATCH / 2);

		if (back)
			charge_undo(group, back);
	} else {
		over = charge_tree(group, bytes);
		if (over)
			err = charge_or_fail(group, over, bytes, may_reclaim);
	}
	if (!err)
		check_high(group, may_reclaim);
	return err;
}

int wane_charge(struct wane_group *group, size_t bytes, unsigned int flags)
{
	bool may_reclaim;

	if (!group || (flags & ~WANE_NOWAIT))
		return -EINVAL;
	if (likely(bytes == 0 || stock_take(group, bytes)))
		return 0;
	if (bytes > PTRDIFF_MAX)
		return -ENOMEM;
	may_reclaim = !(flags & WANE_NOWAIT) && !reclaim_runs_here();
	return charge_slow(group, bytes, may_reclaim);
}

void wane_uncharge(struct wane_group *group, size_t bytes)
{
	if (!group || bytes == 0)
		return;
	reclaim_note_freed(bytes);
	bytes = stock_give(group, bytes);
	if (bytes)
		charge_undo(group, bytes);
}

/* ---- Limits ------------------------------------------------------------------ */

/* The limit is set already: now bring the usage under it. */
static int enforce_max(struct wane_group *group, size_t max)
{
	size_t usage;

	stock_drain(group);
	for (int i = 0; i < RETRIES; i++) {
		usage = counter_usage(&group->counter);
		if (usage <= max)
			return 0;
		if (reclaim_group(group, usage - max, true) == 0)
			i += RETRIES / 4;
		stock_drain(group);
	}
	return counter_usage(&group->counter) <= max ? 0 : -EBUSY;
}

int wane_group_set_limit(struct wane_group *group, enum wane_limit which,
			 size_t bytes)
{
	bool retired;

	if (!group || (unsigned int)which > WANE_MAX)
		return -EINVAL;
	lock_take(&forest_lock);
	retired = wane_group_retired(group);
	if (!retired)
		counter_set_limit(&group->counter, which, bytes);
	lock_drop(&forest_lock);
	if (retired)
		return -ESTALE;
	if (which == WANE_MAX)
		return enforce_max(group, bytes);
	if (which == WANE_HIGH)
		check_high(group, !reclaim_runs_here());
	return 0;
}

size_t wane_group_limit(const struct wane_group *group, enum wane_limit which)
{
	return (unsigned int)which > WANE_MAX
		       ? 0
		       : counter_limit(&group->counter, which);
}

size_t wane_group_usage(const struct wane_group *group)
{
	return counter_usage(&group->counter);
}

size_t wane_group_peak(const struct wane_group *group)
{
	return load_relaxed(&group->counter.peak);
}
