/* SPDX-License-Identifier: MIT */
/*
 * scan.h - how much a shrinker is asked for, and the asking
 *
 * The arithmetic is Linux 7.3's, so that its recorded traces can be replayed.
 */
#ifndef WANE_SCAN_H
#define WANE_SCAN_H

#include "types.h"

#define SCAN_BATCH 128

/* New work for @freeable items: all >> priority, dearer caches less. */
long scan_delta(long freeable, int priority, unsigned int seeks);

/* What to scan now: new work and a part of what was deferred. */
long scan_total(long deferred, long delta, long freeable, int priority);

/* What to defer, when @scanned were looked at. */
long scan_leftover(long deferred, long delta, long scanned, long freeable);

/*
 * Ask each shrinker that may hold something of @group on @node, once.
 * @keep: Bytes of @group that have to stay: asking stops there.
 * Return: items freed.
 */
size_t scan_group(struct wane_group *group, int node, int priority,
		  size_t keep);

/* Ask each shrinker that is not bound to groups.  Return: items freed. */
size_t scan_global(int node, int priority);

#endif /* WANE_SCAN_H */
