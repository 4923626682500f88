// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_faults.c - three faults of Linux 7.3.4, each as one scene
 *
 * Late      A shrinker that is allocated gets items before it is registered.
 *           A walk that comes by must leave its bit, or nobody finds them.
 * Again     A shrinker is freed and the next one is made, with the same id where
 *           there are ids.  It must not inherit bits and deferred work.
 * Offline   Work was deferred in a group that is removed.  All of it is its
 *           parent's then, once; also what a scan gives back that was under way
 *           when the group went.
 *
 * They fail on stock, and must not where it is fixed.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

#define ITEMS 1000
#define NID 1
#define PRIORITY 2
/* What a walk at this priority wants to scan of them: see do_shrink_slab(). */
#define DELTA (ITEMS / 2)

enum mode {
	FREE,
	STOP,
	SLEEP
};

static long deferred(long shrinker, const struct group *group)
{
	return driver("deferred %ld %d %lu", shrinker, NID, group->id);
}

static long bit(long shrinker, const struct group *group)
{
	return driver("bit %ld %d %lu", shrinker, NID, group->id);
}

static void walk(const struct group *group, int priority)
{
	driver("walk %d %lu %d 1", NID, group->id, priority);
}

/* A shrinker with items in @group, and a walk's work deferred there. */
static long deferring(const struct group *group)
{
	long shrinker = driver("new 0 1");

	driver("mode %ld %d", shrinker, STOP);
	driver("add %ld 0 %d %lu %d", shrinker, NID, group->id, ITEMS);
	walk(group, PRIORITY);
	if (deferred(shrinker, group) != DELTA)
		die("a walk deferred %ld, not %d: the scene is not set",
		    deferred(shrinker, group), DELTA);
	return shrinker;
}

/* ---- Late ------------------------------------------------------------------------- */

static void late(void)
{
	struct group group;
	long shrinker = driver("new 0 0");
	long left;

	group_make(&group, "late");
	driver("add %ld 0 %d %lu %d", shrinker, NID, group.id, ITEMS);
	walk(&group, 0);
	check(bit(shrinker, &group) == 1,
	      "late: a walk leaves the bit of what is not registered yet");
	driver("register %ld", shrinker);
	walk(&group, 0);
	left = driver("count %ld 0 %d %lu", shrinker, NID, group.id);
	check(left == 0, "late: the first walk after it finds all (%ld left)",
	      left);
	driver("free %ld 0", shrinker);
	group_remove(&group);
}

/* ---- Again ------------------------------------------------------------------------ */

static void again(void)
{
	struct group group;
	long shrinker;
	long has;

	group_make(&group, "again");
	shrinker = deferring(&group);
	driver("free %ld 0", shrinker);
	shrinker = driver("new 0 1");
	has = deferred(shrinker, &group);
	check(has == 0, "again: a new shrinker has no deferred work (%ld)",
	      has);
	has = bit(shrinker, &group);
	check(has == 0, "again: a new shrinker has no bit");

	/* Nor does it have them when it has a list. */
	driver("install %ld %lu 0", shrinker, group.id);
	has = deferred(shrinker, &group);
	check(has == 0 && bit(shrinker, &group) == 0,
	      "again: nor has it with its first list (%ld deferred)", has);
	driver("free %ld 0", shrinker);
	group_remove(&group);
}

/* ---- Offline ---------------------------------------------------------------------- */

/* @parent: NULL for the root. */
static void offline(const struct group *above, const char *what)
{
	struct group root = { "/cg", 0 };
	const struct group *parent = above ? above : &root;
	struct group child;
	long shrinker, up, down;

	group_make(&child, "%s/child", above ? above->path + 4 : ".");
	driver("pin %lu", child.id);
	shrinker = deferring(&child);
	group_remove(&child);
	group_wait_offline(&child);
	up = deferred(shrinker, parent);
	down = deferred(shrinker, &child);
	check(up == DELTA, "offline: %s gets what was deferred (%ld of %d)",
	      what, up, DELTA);
	check(down == 0, "offline: below %s nothing stays behind (%ld)", what,
	      down);
	driver("free %ld 0", shrinker);
	driver("unpin %lu", child.id);
}

static long scans(long shrinker)
{
	long counts, scans;

	driver("calls %ld", shrinker);
	if (sscanf(driver_answer, "%ld %ld", &counts, &scans) != 2)
		die("driver: calls: %s", driver_answer);
	return scans;
}

/* A walk in a process of its own: its scan sleeps until the mode is another. */
static pid_t start_walk(long shrinker, const struct group *group)
{
	long had = scans(shrinker);
	pid_t pid;

	driver("mode %ld %d", shrinker, SLEEP);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		walk(group, PRIORITY);
		_exit(0);
	}
	for (int i = 0; i < 1000; i++) {
		if (scans(shrinker) > had)
			return pid;
		nap(10);
	}
	die("the walk does not come to a scan");
}

/* What it took is given back later: what was there, and its own share. */
static void offline_scan(const struct group *parent)
{
	struct group child;
	long shrinker, up, down;
	pid_t walker;

	group_make(&child, "%s/child", parent->path + 4);
	driver("pin %lu", child.id);
	shrinker = deferring(&child);
	walker = start_walk(shrinker, &child);
	group_remove(&child);
	group_wait_offline(&child);
	driver("mode %ld %d", shrinker, STOP);
	process_end(walker);
	up = deferred(shrinker, parent);
	down = deferred(shrinker, &child);
	check(up == 2 * DELTA,
	      "offline: what a scan gives back is the parent's (%ld of %d)", up,
	      2 * DELTA);
	check(down == 0, "offline: the scan leaves nothing behind (%ld)", down);
	driver("free %ld 0", shrinker);
	driver("unpin %lu", child.id);
}

/* ---- Offline, many times ------------------------------------------------------------ */

#define ROUNDS 30
#define WALKERS 3
#define COMMANDS 330
#define WALKS 4 /* of each command */
#define ALL_WALKS (WALKERS * COMMANDS * WALKS)
#define MANY 10000
#define MANY_PRIORITY 12
/* All walks together do not reach the limit of deferred work, 2 * MANY. */
#define MANY_DELTA ((MANY >> MANY_PRIORITY) * 2)

static unsigned int between; /* rounds: went offline between two walks */

static pid_t start_walks(const struct group *group)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid)
		return pid;
	for (int i = 0; i < COMMANDS; i++)
		driver("walk %d %lu %d %d", NID, group->id, MANY_PRIORITY,
		       WALKS);
	_exit(0);
}

/*
 * The group goes while it is walked, and each scan's share must be somewhere.
 * How long after rmdir that is, the rounds before have shown: some walks were too
 * late, or all in time.
 */
static long round_loses(const struct group *parent, struct chance *chance)
{
	static unsigned int wait = 50; /* milliseconds */
	unsigned int step = 1 + chance_below(chance, 8);
	struct group child;
	pid_t walkers[WALKERS];
	long shrinker = driver("new 1 1"); /* each walk gets to a scan */
	long walks, sum;

	group_make(&child, "%s/child", parent->path + 4);
	driver("pin %lu", child.id);
	driver("mode %ld %d", shrinker, STOP);
	driver("add %ld 0 %d %lu %d", shrinker, NID, child.id, MANY);
	group_remove(&child);
	nap(wait);
	for (int i = 0; i < WALKERS; i++)
		walkers[i] = start_walks(&child);
	group_wait_offline(&child);
	for (int i = 0; i < WALKERS; i++)
		process_end(walkers[i]);
	walks = scans(shrinker);
	between += walks > 0 && walks < ALL_WALKS;
	wait = walks < ALL_WALKS ? wait - (wait > step ? step : wait)
				 : wait + step;
	sum = deferred(shrinker, parent);
	driver("free %ld 0", shrinker);
	driver("unpin %lu", child.id);
	return walks * MANY_DELTA - sum;
}

static void offline_walked(const struct group *parent)
{
	struct chance chance = chance_of(0);
	long wrong = 0;

	for (int i = 0; i < ROUNDS && wrong < 3; i++) {
		long lost = round_loses(parent, &chance);

		if (lost && !wrong++)
			note("%ld lost in round %d", lost, i);
	}
	note("%u of %d groups went offline between two walks", between, ROUNDS);
	check(wrong == 0,
	      "offline: no work is lost of groups that go while walked (%ld times)",
	      wrong);
}

void test_faults(void)
{
	struct group parent;

	late();
	again();
	group_make(&parent, "parent");
	offline(&parent, "a parent");
	offline(NULL, "the root");
	offline_scan(&parent);
	offline_walked(&parent);
	group_remove(&parent);
	driver_check("after the faults");
	check(groups_dying(20) == 0, "nothing holds the removed groups");
}
