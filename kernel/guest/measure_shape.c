// SPDX-License-Identifier: GPL-2.0-only
/*
 * measure_shape.c - many file systems, then many cgroups: what both cost
 *
 *	mounts	 all but 3 x 640, 3 x 640			  + 6 x 640  + 3 x 640
 *	cgroups			      idle, used, dying, gone	  idle	     gone
 *	640 more	 no cgroups   alive, ids again		  alive	     no cgroups
 *
 * 640 mounts cross ten boundaries of 64 ids when they are on top of all there
 * ever were; after as many umounts they use ids again.  They are timed before
 * there are cgroups and after they are gone: a drift would be on one side.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure.h"

#define TIMES 3
#define CROSSING 640
#define DROPS 8
#define WALKS 4
#define USERS 20 /* cgroups that look up names, for each number of names */

static struct memory start, idle, before, after;

/* ---- Mounts ----------------------------------------------------------------- */

static void cross(const char *key, int times)
{
	int i;

	step("640 mounts that cross ten boundaries, %s", key);
	for (i = 0; i < times; i++)
		row(mount_more(CROSSING), "cross_%s", key);
}

static void reuse(const char *key)
{
	int i;

	step("640 mounts that use ids again, %s", key);
	for (i = 0; i < TIMES; i++) {
		unmount_last(CROSSING);
		row(mount_more(CROSSING), "reuse_%s", key);
	}
}

static void mounts(int nr)
{
	step("%d mounts", nr);
	row(mount_more(nr - TIMES * CROSSING), "mount_first");
	cross("none", TIMES);
	reuse("none");
	/* The root looks everywhere now, not while cgroups are measured. */
	look_up(mounted);
}

/* ---- Cgroups, idle ---------------------------------------------------------- */

static void tell_parts(int nr)
{
	int i, of_shrinkers = 0;

	for (i = 0; i < idle.nr; i++) {
		const char *name = idle.cache[i].name;
		double bytes = added_bytes(&idle, &start, name);

		if (bytes >= nr * 100.0)
			row(bytes / nr, "part_%s", name);
		of_shrinkers += !strncmp(name, "shrinker", 8);
	}
	row(added_objects(&idle, &start, "kmalloc-1k"), "kmalloc_1k_objects");
	row(added_objects_like(&idle, &start, "shrinker"), "shrinker_objects");
	/* None would mean that what is theirs hides elsewhere. */
	row(of_shrinkers, "shrinker_caches");
}

static void make_cgroups(int nr)
{
	double begin = now();
	int i;

	step("%d cgroups", nr);
	for (i = 0; i < nr; i++)
		cgroup_make(i);
	row(now() - begin, "mkdir");
}

static void idle_cgroups(int nr)
{
	memory_read(&start);
	make_cgroups(nr);
	memory_read(&idle);
	row((idle.unreclaimable - start.unreclaimable) / nr, "slab_per_cgroup");
	row((idle.percpu - start.percpu) / nr, "percpu_per_cgroup");
	tell_parts(nr);
}

static double walk(int cgroup, int nid)
{
	return driver_time("walk %d %ld 12", nid, cgroup_id(cgroup));
}

static void walk_idle(int nr)
{
	double steps = (double)driver("iterate 1").second;
	int i;

	step("walks of idle cgroups");
	for (i = 0; i < WALKS; i++) {
		row(walk(nr - 1, i % NODES), "walk_idle");
		row(driver_time("iterate") / steps, "iterate");
	}
}

/* ---- Names ------------------------------------------------------------------ */

static void names(int first, int k)
{
	int i;

	step("names on %d file systems", k);
	/* Forking leaves its traces too: not in the difference. */
	for (i = 0; i < USERS; i++)
		cgroup_run(first + i, look_up, 0);
	memory_read(&before);
	for (i = 0; i < USERS; i++)
		cgroup_run(first + i, look_up, k);
	memory_read(&after);
	row((after.unreclaimable - before.unreclaimable) / USERS,
	    "names_slab_%d", k);
	row(added_bytes(&after, &before, "kmalloc-192") / USERS,
	    "names_lists_%d", k);
	row(added_objects_like(&after, &before, "shrinker") / USERS,
	    "names_objects_%d", k);
	/* The first walks find bits and clear them. */
	drop_caches();
	drop_caches();
	for (i = 0; i < WALKS; i++)
		row(walk(first + i, 0), "names_walk_%d", k);
}

/* ---- Dying ------------------------------------------------------------------ */

static void tell_rest(const char *key, int nr)
{
	memory_read(&after);
	row((after.unreclaimable - start.unreclaimable) / nr, "%s_slab", key);
	row(added_objects_like(&after, &start, "shrinker"), "%s_objects", key);
	row(added_objects(&after, &start, "kmalloc-1k"), "%s_kmalloc_1k", key);
}

static void wait_until_offline(const long *id, int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		while (driver("online %ld", id[i]).first)
			usleep(1000);
	}
}

static void wait_until_gone(void)
{
	double end = now() + 120;

	while (cgroups_dying()) {
		if (now() > end)
			die("%ld removed cgroups do not go", cgroups_dying());
		usleep(10000);
	}
}

static void dying(int nr)
{
	long *id = calloc((size_t)nr, sizeof(*id));
	double begin;
	int i;

	step("%d cgroups use two file systems each, and die", nr);
	for (i = 0; i < nr; i++) {
		cgroup_run(i, look_up, 2);
		id[i] = cgroup_id(i);
		driver("pin %ld", id[i]);
	}
	begin = now();
	for (i = 0; i < nr; i++)
		cgroup_remove(i);
	row(now() - begin, "rmdir_calls");
	wait_until_offline(id, nr);
	row(now() - begin, "rmdir");
	tell_rest("dying", nr);
	for (i = 0; i < nr; i++)
		driver("unpin %ld", id[i]);
	wait_until_gone();
	tell_rest("gone", nr);
	free(id);
}

/* ---- Mounts beside cgroups --------------------------------------------------- */

static void remove_cgroups(int nr)
{
	double begin = now();
	int i;

	for (i = 0; i < nr; i++)
		cgroup_remove(i);
	row(now() - begin, "rmdir_calls");
	wait_until_gone();
	row(now() - begin, "rmdir_idle");
}

static void mounts_beside(int nr_cgroups)
{
	make_cgroups(nr_cgroups);
	cross("alive", 2 * TIMES);
	remove_cgroups(nr_cgroups);
	cross("none", TIMES);
}

/* ---- All of it -------------------------------------------------------------- */

void measure_shape(int nr_mounts, int nr_cgroups)
{
	if (nr_mounts <= TIMES * CROSSING || nr_cgroups < 4 * USERS)
		die("a shape has more than %d mounts and at least %d cgroups",
		    TIMES * CROSSING, 4 * USERS);
	mounts(nr_mounts);
	step("drop_caches");
	row(best_drop(DROPS), "drop_none");
	idle_cgroups(nr_cgroups);
	walk_idle(nr_cgroups);
	step("drop_caches with cgroups");
	row(best_drop(DROPS), "drop_idle");
	reuse("alive");
	names(0, 2);
	names(USERS, 20);
	names(2 * USERS, 100);
	dying(nr_cgroups);
	mounts_beside(nr_cgroups);
}
