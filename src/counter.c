/* SPDX-License-Identifier: MIT */
/*
 * counter.c - hierarchical bytes, limits and protection
 *
 *	/         usage 58   max 64      a charge below adds to each level,
 *	`-- a     usage 40   max 48      bottom up; the first level that would
 *	    `-- b usage 22               pass its max takes it all back
 *
 * There is no lock.  A charge adds first and looks then, so two charges that
 * race for the last bytes may both be refused, but both can never be granted:
 * no reader ever sees a successful charge take usage over max.
 *
 * Protection.  Each level tells its parent how much of its usage its own min
 * (and low) asks to keep: guarded.  The parent keeps the sum.  Where children
 * ask for more than their parent is granted, each gets its part of that sum.
 * All of these are read one by one while others charge, so a part may look
 * larger than its whole for a moment; ratios are clamped to 1 and products
 * done in 128 bits, so nothing traps and no one gets more than it asked for.
 */
#include "counter.h"

void counter_init(struct counter *counter, struct counter *parent)
{
	*counter = (struct counter){
		.limit = {
			[WANE_MIN] = 0,
			[WANE_LOW] = 0,
			[WANE_HIGH] = WANE_UNLIMITED,
			[WANE_MAX] = WANE_UNLIMITED,
		},
		.parent = parent,
	};
}

/*
 * Bring guarded in line with the usage, and the parent's sum with it.  The
 * exchange makes each difference count once, whoever comes first; at rest the
 * last one has used the last usage.
 */
static void guard(struct counter *counter, enum wane_limit which)
{
	size_t limit = counter_limit(counter, which);
	size_t now, before;

	if (!counter->parent ||
	    (limit == 0 && load_relaxed(&counter->guarded[which]) == 0))
		return;
	do {
		now = min_of(counter_usage(counter),
			     counter_limit(counter, which));
		before = exchange_full(&counter->guarded[which], now);
		if (now != before)
			add_full(&counter->parent->guarded_below[which],
				 now - before);
	} while (now !=
		 min_of(counter_usage(counter), counter_limit(counter, which)));
}

static void guard_both(struct counter *counter)
{
	guard(counter, WANE_MIN);
	guard(counter, WANE_LOW);
}

static void raise_peak(struct counter *counter, size_t usage)
{
	size_t peak = load_relaxed(&counter->peak);

	while (usage > peak &&
	       !try_exchange_relaxed(&counter->peak, &peak, usage))
		;
}

/* Subtract from @counter up to, and not including, @end (NULL: to the top). */
static void subtract(struct counter *counter, const struct counter *end,
		     size_t bytes)
{
	for (; counter != end; counter = counter->parent) {
		size_t left = sub_full(&counter->usage, bytes);

		(void)left;
		wane_assert(left + bytes >= left);
		guard_both(counter);
	}
}

struct counter *counter_try_charge(struct counter *counter, size_t bytes)
{
	for (struct counter *c = counter; c; c = c->parent) {
		size_t usage = add_full(&c->usage, bytes);

		if (unlikely(usage > counter_limit(c, WANE_MAX) ||
			     usage < bytes)) {
			sub_full(&c->usage, bytes);
			guard_both(c); /* another may have met the sum */
			subtract(counter, c, bytes);
			return c;
		}
		raise_peak(c, usage);
		guard_both(c);
	}
	return NULL;
}

void counter_uncharge(struct counter *counter, size_t bytes)
{
	subtract(counter, NULL, bytes);
}

void counter_set_limit(struct counter *counter, enum wane_limit which,
		       size_t bytes)
{
	store_relaxed(&counter->limit[which], bytes);
	barrier_full();
	guard_both(counter);
}

/* part / whole of @bytes, where part may look larger than the whole. */
static size_t fraction(size_t bytes, size_t part, size_t whole)
{
	if (part >= whole)
		return bytes;
	return (size_t)((unsigned __int128)bytes * part / whole);
}

size_t counter_protection(const struct counter *counter,
			  const struct counter *root, enum wane_limit which)
{
	size_t granted, asked, all_asked;

	if (counter == root)
		return 0;
	asked = min_of(counter_usage(counter), counter_limit(counter, which));
	if (asked == 0 || counter->parent == root)
		return asked;
	granted = counter_protection(counter->parent, root, which);
	all_asked = load_relaxed(&counter->parent->guarded_below[which]);
	if (all_asked <= granted)
		return asked;
	return min_of(asked, fraction(granted, asked, all_asked));
}
