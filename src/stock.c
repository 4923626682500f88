/* SPDX-License-Identifier: MIT */
/*
 * stock.c - bytes charged ahead, so that most charges touch no shared line
 *
 *	charge   16 KiB at once to the tree ---> slot { group, bytes left }
 *	         the next ones take from the slot
 *	uncharge goes back into the slot; what is over half of it goes back to
 *	         the tree
 *
 * A thread has a few slots, one group each, under a biased lock: it costs the
 * thread two stores.  Others come only to drain: a charge that would otherwise
 * fail, and a retire.  They look first, under RCU, whether a thread has
 * anything for them.
 *
 * Error of usage: what lies in slots is charged and not used.  One thread's
 * slots come to WANE_STOCK_MAX bytes, so usage overstates by that much for
 * each thread, at most; it never understates.
 */
#include "stock.h"

#include "charge.h"
#include "group.h"
#include "thread.h"

static struct stock_slot *find_slot(struct stock *stock,
				    const struct wane_group *group)
{
	for (unsigned int i = 0; i < STOCK_SLOTS; i++) {
		if (stock->slot[i].group != group)
			continue;
		stock->last = i;
		return &stock->slot[i];
	}
	return NULL;
}

/* Others read a slot's group, and nothing else, without the lock. */
static void set_group(struct stock_slot *slot, struct wane_group *group)
{
	store_release(&slot->group, group);
}

/* Empty a slot and return what was in it; the caller uncharges that. */
static struct stock_slot slot_clear(struct stock_slot *slot)
{
	struct stock_slot old = *slot;

	set_group(slot, NULL);
	slot->bytes = 0;
	return old;
}

static void uncharge_slot(struct stock_slot slot)
{
	if (slot.group)
		charge_undo(slot.group, slot.bytes);
}

bool stock_take_slow(struct wane_group *group, size_t bytes)
{
	struct thread *thread = thread_self();
	struct stock *stock = &thread->stock;
	struct stock_slot *slot;
	bool enough = false;

	if (!thread->known || bytes > STOCK_BATCH)
		return false;
	bias_enter(&stock->bias);
	slot = find_slot(stock, group);
	if (slot && slot->bytes >= bytes) {
		slot->bytes -= bytes;
		if (slot->bytes == 0)
			set_group(slot, NULL);
		enough = true;
	}
	bias_leave(&stock->bias);
	return enough;
}

/* The slot of @group, made by giving up the oldest if need be. */
static struct stock_slot *make_slot(struct stock *stock,
				    struct wane_group *group,
				    struct stock_slot *given_up)
{
	struct stock_slot *slot = find_slot(stock, group);

	if (slot)
		return slot;
	slot = find_slot(stock, NULL);
	if (!slot) {
		stock->last = stock->next;
		stock->next = (stock->next + 1) % STOCK_SLOTS;
		slot = &stock->slot[stock->last];
		*given_up = slot_clear(slot);
	}
	set_group(slot, group);
	return slot;
}

size_t stock_give_slow(struct wane_group *group, size_t bytes)
{
	struct thread *thread = thread_self();
	struct stock *stock = &thread->stock;
	struct stock_slot given_up = { NULL, 0 };
	struct stock_slot *slot;
	size_t over = 0;

	if (bytes == 0 || bytes > STOCK_BATCH || !thread->known)
		return bytes;
	bias_enter(&stock->bias);
	/* Inside: retire marks it first, and then waits for each stock (B4). */
	if (wane_group_retired(group)) {
		over = bytes;
	} else {
		slot = make_slot(stock, group, &given_up);
		slot->bytes += bytes;
		wane_assert(slot->bytes <= load_relaxed(&group->charged));
		if (slot->bytes > STOCK_BATCH) {
			over = slot->bytes - STOCK_BATCH / 2;
			slot->bytes -= over;
		}
	}
	bias_leave(&stock->bias);
	uncharge_slot(given_up);
	return over;
}

/* ---- Draining --------------------------------------------------------------- */

static bool is_meant(const struct stock_slot *slot,
		     const struct wane_group *below)
{
	const struct wane_group *group = load_acquire(&slot->group);

	return group && (!below || group_is_below(group, below));
}

static bool has_any(const struct stock *stock, const struct wane_group *below)
{
	for (unsigned int i = 0; i < STOCK_SLOTS; i++)
		if (is_meant(&stock->slot[i], below))
			return true;
	return false;
}

/* Move what is meant to @drained, as far as there is room. */
static size_t empty_slots(struct stock *stock, const struct wane_group *below,
			  struct stock_slot *drained, size_t room)
{
	size_t nr = 0;

	for (unsigned int i = 0; i < STOCK_SLOTS && nr < room; i++)
		if (is_meant(&stock->slot[i], below))
			drained[nr++] = slot_clear(&stock->slot[i]);
	return nr;
}

void stock_drain_self(void)
{
	struct stock *stock = &thread_self()->stock;
	struct stock_slot drained[STOCK_SLOTS];
	size_t nr;

	bias_enter(&stock->bias);
	nr = empty_slots(stock, NULL, drained, STOCK_SLOTS);
	bias_leave(&stock->bias);
	while (nr > 0)
		uncharge_slot(drained[--nr]);
}

static struct stock *stock_of(struct list *link)
{
	return &list_entry(link, struct thread, link)->stock;
}

/* Say which stocks are wanted: those that have any, or all.  False for none. */
static bool want_stocks(const struct wane_group *below, bool all)
{
	bool any = false;

	list_for_each(link, &threads) {
		if (!all && !has_any(stock_of(link), below))
			continue;
		bias_want(&stock_of(link)->bias);
		any = true;
	}
	return any;
}

/* Empty those that are wanted, as far as there is room, and let them go. */
static size_t empty_stocks(const struct wane_group *below,
			   struct stock_slot *drained, size_t room)
{
	size_t nr = 0;

	barrier_heavy(); /* B4 */
	list_for_each(link, &threads) {
		struct stock *stock = stock_of(link);

		if (!load_relaxed(&stock->bias.wanted))
			continue;
		bias_wait(&stock->bias);
		nr += empty_slots(stock, below, drained + nr, room - nr);
		bias_release(&stock->bias);
	}
	return nr;
}

/*
 * Uncharging may free a group, which takes locks that come before the one of
 * the threads: so first some slots are emptied, then they are uncharged.  The
 * read section is for groups that is_meant() looks at and their owner empties.
 */
static void drain(const struct wane_group *below, bool all)
{
	struct stock_slot drained[4 * STOCK_SLOTS];
	const size_t room = sizeof(drained) / sizeof(drained[0]);
	size_t nr, full;

	do {
		nr = 0;
		rcu_enter();
		lock_take(&threads_lock);
		if (want_stocks(below, all))
			nr = empty_stocks(below, drained, room);
		lock_drop(&threads_lock);
		rcu_leave();
		full = nr;
		while (nr > 0)
			uncharge_slot(drained[--nr]);
	} while (full == room);
}

void stock_drain(const struct wane_group *below)
{
	drain(below, false);
}

void stock_drain_retired(const struct wane_group *group)
{
	drain(group, true);
}
