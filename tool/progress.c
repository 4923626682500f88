// SPDX-License-Identifier: MIT
/*
 * progress.c - how far a long job is: a bar on a terminal, else a few lines
 *
 *	making files [##########..............................]  25 %
 *
 * All of it goes to stderr, since stdout is for results.  Where stderr is a
 * log, a line per fifth of the job is enough.
 */
#include <stdio.h>
#include <unistd.h>

#include "clock.h"
#include "progress.h"

#define WIDTH 40
#define REDRAW_NS 100000000u
#define LINES 5

static void draw_bar(struct progress *progress, uint64_t done)
{
	static const char full[] = "########################################";
	static const char rest[] = "........................................";
	int filled = (int)(done * WIDTH / progress->total);

	fprintf(stderr, "\r%s [%.*s%.*s] %3d %%", progress->what, filled, full,
		WIDTH - filled, rest, (int)(done * 100 / progress->total));
	fflush(stderr);
}

static void update_bar(struct progress *progress, uint64_t done)
{
	uint64_t now = clock_ns();

	if (done < progress->total && now - progress->shown < REDRAW_NS)
		return;
	progress->shown = now;
	draw_bar(progress, done);
}

static void update_lines(struct progress *progress, uint64_t done)
{
	uint64_t part = done * LINES / progress->total;

	if (part == progress->shown)
		return;
	progress->shown = part;
	fprintf(stderr, "%s: %d %%\n", progress->what,
		(int)(part * 100 / LINES));
}

static void update(struct progress *progress, uint64_t done)
{
	if (progress->bar)
		update_bar(progress, done);
	else
		update_lines(progress, done);
}

void progress_begin(struct progress *progress, const char *what, uint64_t total)
{
	*progress = (struct progress){
		.what = what,
		.total = total ? total : 1,
		.bar = isatty(STDERR_FILENO),
		.lock = PTHREAD_MUTEX_INITIALIZER,
	};
	if (progress->bar)
		update_bar(progress, 0);
}

void progress_step(struct progress *progress, uint64_t steps)
{
	uint64_t done;

	done = __atomic_add_fetch(&progress->done, steps, __ATOMIC_RELAXED);
	if (pthread_mutex_trylock(&progress->lock))
		return;
	update(progress, done);
	pthread_mutex_unlock(&progress->lock);
}

void progress_end(struct progress *progress)
{
	update(progress, progress->done);
	if (progress->bar)
		fputs("\r\033[K", stderr);
	pthread_mutex_destroy(&progress->lock);
}
