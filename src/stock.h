/* SPDX-License-Identifier: MIT */
/*
 * stock.h - bytes charged ahead, per thread
 */
#ifndef WANE_STOCK_H
#define WANE_STOCK_H

#include "thread.h"

/*
 * Pay from the calling thread's stock; false when it has too little.
 *
 * Inline is the case of the slot that was used last.  It needs no more checks:
 * a slot has a group only in a thread that may keep things, and retire empties
 * it after it has marked the group.
 */
bool stock_take_slow(struct wane_group *group, size_t bytes);

static inline bool stock_take(struct wane_group *group, size_t bytes)
{
	struct stock *stock = &thread_self()->stock;
	struct stock_slot *slot = &stock->slot[stock->last];

	bias_enter(&stock->bias);
	if (likely(slot->group == group && slot->bytes > bytes)) {
		slot->bytes -= bytes;
		bias_leave(&stock->bias);
		return true;
	}
	bias_leave(&stock->bias);
	return stock_take_slow(group, bytes);
}

/*
 * Keep charged bytes for later.  Return: how many the stock did not keep; the
 * caller uncharges them.  Never keeps any of a retired group.
 */
size_t stock_give_slow(struct wane_group *group, size_t bytes);

static inline size_t stock_give(struct wane_group *group, size_t bytes)
{
	struct stock *stock = &thread_self()->stock;
	struct stock_slot *slot = &stock->slot[stock->last];

	bias_enter(&stock->bias);
	if (likely(slot->group == group &&
		   bytes <= STOCK_BATCH - slot->bytes)) {
		slot->bytes += bytes;
		wane_assert(slot->bytes <= load_relaxed(&group->charged));
		bias_leave(&stock->bias);
		return 0;
	}
	bias_leave(&stock->bias);
	return stock_give_slow(group, bytes);
}

/* Uncharge all that the calling thread holds. */
void stock_drain_self(void);

/*
 * Uncharge what any thread holds for @below and its descendants; NULL: for any
 * group.  What a thread puts in its stock meanwhile may stay.
 */
void stock_drain(const struct wane_group *below);

/* The same when @group was marked retired: nothing of it stays. */
void stock_drain_retired(const struct wane_group *group);

#endif /* WANE_STOCK_H */
