/* SPDX-License-Identifier: MIT */
/*
 * scan.c - how much a shrinker is asked for, and the asking
 *
 *	count: 1,000 items, priority 3, seeks 2
 *
 *	delta     1,000 >> 3, times 4 / seeks        250  new work
 *	deferred  put off before                     400
 *	total     (400 >> 3) + 250                   300  at most 2 x 1,000
 *	scanned   128 + 128; 44 are less than a batch 256
 *	leftover  400 + 250 - 256                    394  deferred again
 *
 * Work that does not make a batch, or that a shrinker refuses (a lock is
 * taken), is not lost but deferred, per share and node: the group that caused
 * it pays later, and no other one.  It is taken by exchange and given back by
 * addition, so two reclaimers never do it twice.
 *
 * B1	The other side is share_set(), which wane_lru_add() calls when a list
 *	gets its first item.  Here the bit is cleared, then it is counted again.
 */
#include "scan.h"

#include "counter.h"
#include "shrinker.h"

long scan_delta(long freeable, int priority, unsigned int seeks)
{
	if (seeks == 0)
		return freeable / 2;
	return (freeable >> priority) * 4 / (long)seeks;
}

/* Both are 0 or more; far beyond any cache it stops at LONG_MAX. */
static long sum_of(long a, long b)
{
	long sum;

	return __builtin_add_overflow(a, b, &sum) ? LONG_MAX : sum;
}

long scan_total(long deferred, long delta, long freeable, int priority)
{
	return min_of(sum_of(deferred >> priority, delta), 2 * freeable);
}

long scan_leftover(long deferred, long delta, long scanned, long freeable)
{
	long left = sum_of(deferred, delta) - scanned;

	return min_of(max_of(left, 0l), 2 * freeable);
}

/**
 * struct asking - One shrinker, asked for one group on one node.
 * @shrinker: Pinned.
 * @group: NULL when it is not bound to groups.
 * @share: The same.
 * @node, @priority, @keep: As scan_group() got them.
 */
struct asking {
	struct wane_shrinker *shrinker;
	struct wane_group *group;
	const struct shrinker_share *share;
	int node;
	int priority;
	size_t keep;
};

static long take_deferred(const struct asking *a)
{
	if (a->share)
		return share_take_deferred(a->share, a->node);
	return exchange_full(&a->shrinker->deferred[a->node], 0);
}

static void add_deferred(const struct asking *a, long nr)
{
	if (nr == 0)
		return;
	if (a->share)
		share_add_deferred(a->share, a->node, nr);
	else
		add_full(&a->shrinker->deferred[a->node], nr);
}

/* 0: none.  Negative: cannot tell, or no sensible answer. */
static long count(const struct asking *a)
{
	struct wane_shrink sc = { .group = a->group, .node = a->node };
	long nr;

	lock_assert_none();
	nr = a->shrinker->count(a->shrinker->cache, &sc);
	return nr > LONG_MAX / 4 ? -EAGAIN : nr;
}

/*
 * How many of @nr may be scanned, so that about the protected bytes stay: the
 * part of them that the group's bytes over its protection are of its bytes.
 */
static long above_protection(const struct asking *a, long nr, long freeable)
{
	size_t usage;
	long part;

	if (a->keep == 0)
		return nr;
	usage = counter_usage(&a->group->counter);
	if (usage <= a->keep)
		return 0;
	part = (long)((double)freeable * (double)(usage - a->keep) /
		      (double)usage);
	return min_of(nr, max_of(part, 1l));
}

/* One scan call.  Returns items freed, or negative to leave it alone. */
static long scan(const struct asking *a, long nr, long *scanned)
{
	struct wane_shrink sc = {
		.group = a->group,
		.node = a->node,
		.to_scan = (size_t)nr,
		.scanned = (size_t)nr,
	};
	long freed;

	lock_assert_none();
	freed = a->shrinker->scan(a->shrinker->cache, &sc);
	*scanned = (long)min_of(sc.scanned, (size_t)LONG_MAX / 4);
	return freed;
}

/* Scan in batches.  Returns items freed; adds to *@scanned. */
static size_t scan_batches(const struct asking *a, long freeable, long total,
			   long *scanned)
{
	long batch = (long)a->shrinker->batch;
	size_t freed = 0;
	long nr, done;

	while (total >= batch || total >= freeable) {
		nr = above_protection(a, min_of(batch, total), freeable);
		if (nr <= 0)
			break;
		nr = scan(a, nr, &done);
		if (nr < 0)
			break;
		freed += (size_t)nr;
		total -= done;
		*scanned += done;
		if (done == 0)
			break; /* no progress, whatever it freed */
	}
	return freed;
}

static size_t ask_for(const struct asking *a, long freeable)
{
	long deferred = take_deferred(a);
	long delta = scan_delta(freeable, a->priority, a->shrinker->seeks);
	long total = scan_total(deferred, delta, freeable, a->priority);
	long scanned = 0;
	size_t freed = scan_batches(a, freeable, total, &scanned);

	add_deferred(a, scan_leftover(deferred, delta, scanned, freeable));
	return freed;
}

/* Nothing is held, it seems: say so, unless that was just overtaken (B1). */
static long clear_and_count(const struct asking *a)
{
	long nr;

	share_clear(a->share, a->node);
	nr = count(a);
	if (nr != 0)
		share_set(a->share, a->node);
	return nr;
}

static size_t ask(const struct asking *a)
{
	long freeable = count(a);

	if (freeable == 0 && a->share)
		freeable = clear_and_count(a);
	return freeable > 0 ? ask_for(a, freeable) : 0;
}

size_t scan_group(struct wane_group *group, int node, int priority, size_t keep)
{
	struct share_cursor cursor = { 0 };
	struct shrinker_info_cache *info;
	size_t freed = 0;

	while ((info = share_next(&group->info, node, &cursor))) {
		const struct asking a = {
			.shrinker = shrinker_of(info),
			.group = group,
			.share = &cursor.share,
			.node = node,
			.priority = priority,
			.keep = keep,
		};

		freed += ask(&a);
		shrinker_info_unpin(info);
	}
	return freed;
}

size_t scan_global(int node, int priority)
{
	struct wane_shrinker *shrinker = shrinker_global_next(NULL);
	size_t freed = 0;

	while (shrinker) {
		const struct asking a = {
			.shrinker = shrinker,
			.node = node,
			.priority = priority,
		};

		freed += ask(&a);
		shrinker = shrinker_global_next(shrinker);
	}
	return freed;
}
