/* SPDX-License-Identifier: MIT */
/*
 * wane - memory groups that give memory back
 *
 * A group    pays for memory and has limits.  Groups form a tree; a byte
 *            charged to a group is charged to each of its ancestors too.
 * A shrinker is a cache's promise to give memory back.  For one group and
 *            memory node at a time it answers two calls: count (how many
 *            items could go?) and scan (look at this many, free some).
 * An lru     keeps a cache's idle items in one list per group and node, so
 *            pressure in one group never walks over the items of another.
 * A slab     is a cache of objects of one size that are charged to groups
 *            and know their group and node by their address.
 *
 *   wane_charge() -> over the limit? -> count, scan -> wane_lru_take()
 *         ^                                                   |
 *         '----------- room again <- wane_uncharge() <--------'
 *
 * Errors    A function that can fail returns 0 or a negative errno, and
 *           writes its out-parameter only when it returns 0; allocators
 *           return NULL instead.  All others cannot fail.  Misuse is caught
 *           by an assertion in debug builds; in release builds it is
 *           undefined, unless its function says what happens.
 * Context   Each function says in which of three contexts it may run:
 *             Any      never waits for a callback, never reclaims, never
 *                      calls you back: allowed inside a callback;
 *             Blocks   may allocate or wait; not from a callback;
 *             Reclaims as Blocks, and may run shrinkers: hold no lock that
 *                      one of your callbacks takes.
 * Threads   Every function is thread-safe; threads need no registration.
 *           A child of fork() may use nothing of wane before it calls exec().
 * Lifetime  *_create() hands you one reference or the object itself; each
 *           create has exactly one put or destroy.
 * Units     Memory is counted in bytes, caches count items.
 */
#ifndef WANE_WANE_H
#define WANE_WANE_H

#include <wane/base.h>
#include <wane/group.h>
#include <wane/shrinker.h>
#include <wane/lru.h>
#include <wane/slab.h>
#include <wane/reclaim.h>

#endif /* WANE_WANE_H */
