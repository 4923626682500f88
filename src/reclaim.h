/* SPDX-License-Identifier: MIT */
/*
 * reclaim.h - making room
 */
#ifndef WANE_RECLAIM_INTERNAL_H
#define WANE_RECLAIM_INTERNAL_H

#include "thread.h"

/* Whether the calling thread reclaims: then nothing it calls may. */
static inline bool reclaim_runs_here(void)
{
	return thread_self()->reclaim != NULL;
}

/* The calling thread uncharged @bytes: that is what its reclaim counts. */
static inline void reclaim_note_freed(size_t bytes)
{
	struct reclaim *reclaim = thread_self()->reclaim;

	if (unlikely(reclaim))
		reclaim->bytes += bytes;
}

/*
 * Free about @bytes from @group's subtree, by min and low.  @cancellable: end
 * early when wane_reclaim_cancel() is called.  Return: bytes freed.
 */
size_t reclaim_group(struct wane_group *group, size_t bytes, bool cancellable);

/*
 * @group is over its high: have the background thread reclaim it, or do it
 * here where there is none and @may_reclaim.
 */
void background_wake(struct wane_group *group, bool may_reclaim);

#endif /* WANE_RECLAIM_INTERNAL_H */
