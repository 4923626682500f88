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
 * The last one looks at no slot but the one that was used last.  It needs no
 * more checks: a slot has a group only in a thread that is known, and retire
 * empties it after it has marked the group.
 */
bool stock_take_slow(struct wane_group *group, size_t bytes);

static inline bool stock_take_last(struct wane_group *group, size_t bytes)
{
	struct stock *stock = &thread_self_struct.stock;
	struct stock_slot *slot = &stock->slot[stock->last];
	bool enough;

	if (unlikely(!bias_try(&stock->bias)))
		return false;
	enough = slot->group == group && slot->bytes > bytes;
	if (likely(enough))
		slot->bytes -= bytes;
	bias_leave(&stock->bias);
	return enough;
}

static inline bool stock_take(struct wane_group *group, size_t bytes)
{
	return likely(stock_take_last(group, bytes)) ||
	       stock_take_slow(group, bytes);
}

/*
 * Keep charged bytes for later.  Return: how many the stock did not keep; the
 * caller uncharges them.  Never keeps any of a retired group.  The last one
 * keeps all or, as above, is false.
 */
size_t stock_give_slow(struct wane_group *group, size_t bytes);

static inline bool stock_give_last(struct wane_group *group, size_t bytes)
{
	struct stock *stock = &thread_self_struct.stock;
	struct stock_slot *slot = &stock->slot[stock->last];
	bool room;

	if (unlikely(!bias_try(&stock->bias)))
		return false;
	room = slot->group == group && bytes <= STOCK_BATCH - slot->bytes;
	if (likely(room)) {
		slot->bytes += bytes;
		wane_assert(slot->bytes <= load_relaxed(&group->charged));
	}
	bias_leave(&stock->bias);
	return room;
}

static inline size_t stock_give(struct wane_group *group, size_t bytes)
{
	return likely(stock_give_last(group, bytes))
		       ? 0
		       : stock_give_slow(group, bytes);
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
