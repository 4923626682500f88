// SPDX-License-Identifier: GPL-2.0-only
/*
 * measure_walks.c - walks of cgroups that use some caches
 *
 *	ids of test shrinkers	spread	1 of 17, among 1,700
 *				near	100 in a row
 *
 * A cgroup for each number k of used ones, with ten items in each on node 0. At
 * priority 12 so few are only counted, so each walk finds what the first found.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "measure.h"

#define SHRINKERS 100
#define BETWEEN 16 /* mounts */
#define ITEMS 10
#define TIMES 3

static const int used[] = { 0, 1, 2, 10, 100 };
#define USED ((int)(sizeof(used) / sizeof(used[0])))

enum {
	SPREAD,
	NEAR,
	LAYOUTS
};
static const char *const layout_name[] = { "spread", "near" };
static long shrinkers[LAYOUTS][SHRINKERS];

static void make_shrinkers(void)
{
	int i;

	step("100 test shrinkers with ids spread over 1,700, 100 in a row");
	for (i = 0; i < SHRINKERS; i++) {
		mount_more(BETWEEN);
		shrinkers[SPREAD][i] = driver("new 0 1").first;
	}
	for (i = 0; i < SHRINKERS; i++)
		shrinkers[NEAR][i] = driver("new 0 1").first;
}

static int cgroup_of(int layout, int at)
{
	return layout * USED + at;
}

/* Near ones are the first k, spread ones as far apart as can be. */
static int nth(int layout, int i, int k)
{
	return layout == NEAR ? i : i * SHRINKERS / k;
}

static void use(int layout, int at)
{
	int cgroup = cgroup_of(layout, at), k = used[at], i;

	cgroup_make(cgroup);
	for (i = 0; i < k; i++)
		driver("add %ld 0 0 %ld %d",
		       shrinkers[layout][nth(layout, i, k)], cgroup_id(cgroup),
		       ITEMS);
}

static void walk(int layout, int at, int nid, const char *key)
{
	row(driver_time("walk %d %ld 12", nid,
			cgroup_id(cgroup_of(layout, at))),
	    "%s_%s_%d", key, layout_name[layout], used[at]);
}

/* No walk has freed items, none has lost sight of them. */
static void check_items(int layout, int at)
{
	long cgroup = cgroup_id(cgroup_of(layout, at));
	long *all = shrinkers[layout], found;
	int k = used[at], i;

	for (i = 0; i < k; i++) {
		found = driver("count %ld 0 0 %ld", all[nth(layout, i, k)],
			       cgroup)
				.first;
		if (found != ITEMS)
			die("%d items were added, %ld are left", ITEMS, found);
	}
}

void measure_walks(void)
{
	int layout, at, i;

	make_shrinkers();
	for (layout = 0; layout < LAYOUTS; layout++) {
		for (at = 0; at < USED; at++)
			use(layout, at);
	}
	step("walks");
	for (i = 0; i < TIMES; i++) {
		for (layout = 0; layout < LAYOUTS; layout++) {
			for (at = 0; at < USED; at++)
				walk(layout, at, 0, "walk");
			/* What it has is on another node. */
			walk(layout, 3, 1, "other");
		}
	}
	for (layout = 0; layout < LAYOUTS; layout++) {
		for (at = 0; at < USED; at++)
			check_items(layout, at);
	}
	if (driver("check").first)
		die("items without a bit");
}

/* ---- A file system each ----------------------------------------------------- */

static void make_file(int nr)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/tmp/m%d/%d/file", nr / 128, nr % 128);
	fd = open(path, O_CREAT | O_WRONLY, 0644);
	if (fd < 0)
		_exit(1);
	close(fd);
}

void measure_own(int nr_cgroups)
{
	double begin;
	int i;

	step("%d cgroups with a file system each", nr_cgroups);
	mount_dirs(nr_cgroups);
	begin = now();
	for (i = 0; i < nr_cgroups; i++) {
		cgroup_make(i);
		mount_more(1);
		cgroup_run(i, make_file, i);
	}
	row(now() - begin, "own_make");
	step("drop_caches four times");
	for (i = 1; i <= 4; i++)
		row(drop_caches(), "own_drop_%d", i);
}
