/* SPDX-License-Identifier: MIT */
/*
 * stress_filler.c - shrinkers without items, which come and go
 *
 * They take ids, give them back, and are attached to groups, so that units
 * begin and end, and ids are another's the next moment.
 */
#include <sched.h>
#include <stdlib.h>

#include "stress.h"

/* Behind a lock of its own: 1 while a worker creates, attaches or destroys. */
static struct filler {
	int lock;
	int alive;
	struct wane_shrinker *shrinker;
} fillers[NR_FILLERS];

static long filler_count(void *of, struct wane_shrink *sc)
{
	const struct filler *filler = of;

	(void)sc;
	invariant(load_acquire(&filler->alive), "called after destroy");
	return one_in(2) ? 0 : (long)below(300);
}

static long filler_scan(void *of, struct wane_shrink *sc)
{
	const struct filler *filler = of;

	invariant(load_acquire(&filler->alive), "called after destroy");
	return one_in(4) ? -EAGAIN : (long)sc->to_scan / 2;
}

static void filler_create(struct filler *filler)
{
	const struct wane_shrinker_ops ops = {
		.size = sizeof(ops),
		.name = "filler",
		.count = filler_count,
		.scan = filler_scan,
		.flags = one_in(8) ? WANE_SHRINKER_GLOBAL : 0,
	};

	invariant(wane_shrinker_create(&filler->shrinker, &ops, filler) == 0,
		  "memory");
	store_release(&filler->alive, 1);
	if (!one_in(4))
		wane_shrinker_start(filler->shrinker);
}

static void filler_destroy(struct filler *filler)
{
	wane_shrinker_destroy(filler->shrinker);
	store_release(&filler->alive, 0);
	filler->shrinker = NULL;
}

static struct filler *filler_lock(void)
{
	struct filler *filler = &fillers[below(NR_FILLERS)];

	return exchange_full(&filler->lock, 1) == 0 ? filler : NULL;
}

void filler_toggle(void)
{
	struct filler *filler = filler_lock();

	if (!filler)
		return;
	if (filler->shrinker)
		filler_destroy(filler);
	else
		filler_create(filler);
	store_release(&filler->lock, 0);
}

void filler_attach(void)
{
	struct filler *filler = filler_lock();
	struct wane_group *group;

	if (!filler)
		return;
	if (filler->shrinker && wane_shrinker_id(filler->shrinker) >= 0) {
		group = group_pick();
		invariant(wane_shrinker_attach(filler->shrinker, group) == 0,
			  "memory");
		wane_group_put(group);
	}
	store_release(&filler->lock, 0);
}

void fillers_end(void)
{
	for (int i = 0; i < NR_FILLERS; i++)
		if (fillers[i].shrinker)
			filler_destroy(&fillers[i]);
}
