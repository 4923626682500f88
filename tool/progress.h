/* SPDX-License-Identifier: MIT */
/*
 * progress.h - how far a long job is: a bar on a terminal, else a few lines
 */
#ifndef WANE_TOOL_PROGRESS_H
#define WANE_TOOL_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * struct progress - One job.
 * @done: Steps done; counted by any thread.
 * @lock: Held while drawing; who does not get it does not draw.
 * @shown: @lock: the tenth (lines) or the time (bar) shown last.
 */
struct progress {
	const char *what;
	uint64_t total;
	uint64_t done;
	bool bar;
	pthread_mutex_t lock;
	uint64_t shown;
};

void progress_begin(struct progress *progress, const char *what,
		    uint64_t total);

/* One or more steps are done.  Any thread. */
void progress_step(struct progress *progress, uint64_t steps);

/* The job is over, done or not: leaves the terminal's line clean. */
void progress_end(struct progress *progress);

#endif /* WANE_TOOL_PROGRESS_H */
