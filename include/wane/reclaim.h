/* SPDX-License-Identifier: MIT */
/*
 * Reclaim by request and in the background; wane_charge() does the rest.
 */
#ifndef WANE_RECLAIM_H
#define WANE_RECLAIM_H

#include <wane/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* wane_group_reclaim(): as much as can be had. */
#define WANE_ALL SIZE_MAX

/**
 * wane_group_reclaim() - Free memory of a group and its descendants.
 * @group: The group; retired: its nearest living ancestor.
 * @bytes: How many bytes to free, or WANE_ALL.
 *
 * Descendants are protected by their min, and by their low as long as
 * anything else can be freed.  From a callback it does nothing.
 *
 * Context: Reclaims.
 * Return: The bytes freed; less than @bytes when nothing more could be.
 */
WANE_API size_t wane_group_reclaim(struct wane_group *group, size_t bytes);

/**
 * wane_reclaim_all() - Have every cache free what it can, in every group.
 *
 * Ignores min and low, and asks the shrinkers that are not bound to groups
 * too.  It makes passes until one frees little, ten at the most.  From a
 * callback it does nothing.
 *
 * Context: Reclaims.
 * Return: The items freed.
 */
WANE_API size_t wane_reclaim_all(void);

/**
 * wane_reclaim_cancel() - End a reclaim early that another thread runs.
 *
 * Each wane_group_reclaim() and wane_reclaim_all() that runs returns at its
 * next scheduling point with what it has; a charge that reclaims goes on.
 *
 * Context: Any.
 */
WANE_API void wane_reclaim_cancel(void);

/**
 * wane_background_start() - Reclaim groups that are over their high, in a
 * thread.
 *
 * Without it, the thread whose charge passes the high reclaims.
 *
 * Context: Blocks.
 * Return: 0; -EALREADY when it runs; -EAGAIN when no thread can be made.
 */
WANE_CHECKED int wane_background_start(void);

/**
 * wane_background_stop() - End the background thread and wait for it.
 *
 * Context: Blocks; not from a callback.
 */
WANE_API void wane_background_stop(void);

#ifdef __cplusplus
}
#endif

#endif /* WANE_RECLAIM_H */
