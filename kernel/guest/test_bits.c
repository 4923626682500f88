// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_bits.c - a walk is about to clear a bit, and something comes between
 *
 *	walk				others
 *	count: nothing there
 *	(sleeps)			...
 *	clear the bit
 *	count again
 *
 * The count sleeps as long as the test wants (the driver's mode 3), so what
 * races elsewhere is here played scene by scene.  In the end whoever has an item
 * must have its bit, and a walk must find the item.
 *
 * Added     to the same list.  That is why there is a second count.
 * Replaced  The list goes; another shrinker gets one in the same group.  It may
 *           have the same place among the bits, and must not lose its own.
 * Removed   The group goes, with what was added: now it is the parent's bit.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "test.h"

#define NID 3

enum mode {
	FREE,
	SLEEP_EMPTY = 3
};

static long bit(long shrinker, const struct group *group)
{
	return driver("bit %ld %d %lu", shrinker, NID, group->id);
}

static void add(long shrinker, const struct group *group)
{
	if (driver("add %ld 0 %d %lu 1", shrinker, NID, group->id) != 1)
		die("an item can't be added: %s", driver_answer);
}

static void walk(const struct group *group)
{
	driver("walk %d %lu 0 1", NID, group->id);
}

static long counts(long shrinker)
{
	return driver("calls %ld", shrinker);
}

/* A process whose walk sleeps in the count of @shrinker, with the bit set. */
static pid_t start_walk(long shrinker, const struct group *group)
{
	long had;
	pid_t pid;

	add(shrinker, group);
	driver("del %ld 0 %d %lu 1", shrinker, NID, group->id);
	if (bit(shrinker, group) != 1)
		die("no bit is set: the scene is not");
	driver("mode %ld %d", shrinker, SLEEP_EMPTY);
	had = counts(shrinker);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		walk(group);
		_exit(0);
	}
	for (int i = 0; i < 1000; i++) {
		if (counts(shrinker) > had)
			return pid;
		nap(10);
	}
	die("the walk does not come to a count");
}

/* Wake it, wait for its end; what was added meanwhile is @shrinker's there. */
static void end_walk(pid_t pid, long asleep, long shrinker,
		     const struct group *group, const char *scene)
{
	/* From the count to where it sleeps is a step. */
	nap(50);
	driver("wake %ld", asleep);
	process_end(pid);
	check(bit(shrinker, group) == 1, "%s: the bit is there", scene);
	walk(group);
	check(driver("count %ld 0 %d %lu", shrinker, NID, group->id) == 0,
	      "%s: the next walk finds the item", scene);
}

static void added(const struct group *group)
{
	long shrinker = driver("new 0 1");
	pid_t pid = start_walk(shrinker, group);

	add(shrinker, group);
	end_walk(pid, shrinker, shrinker, group, "added");
	driver("free %ld 0", shrinker);
}

static void replaced(const struct group *group)
{
	long old = driver("new 0 1");
	pid_t pid = start_walk(old, group);
	long new = driver("new 0 1");

	driver("destroy %ld 0", old);
	add(new, group);
	end_walk(pid, old, new, group, "replaced");
	driver("free %ld 0", old);
	driver("free %ld 0", new);
}

static void removed(const struct group *parent)
{
	struct group child;
	long shrinker = driver("new 0 1");
	pid_t pid;

	group_make(&child, "%s/child", parent->path + 4);
	driver("pin %lu", child.id);
	pid = start_walk(shrinker, &child);
	add(shrinker, &child);
	group_remove(&child);
	group_wait_offline(&child);
	end_walk(pid, shrinker, shrinker, parent, "removed");
	driver("unpin %lu", child.id);
	driver("free %ld 0", shrinker);
}

void test_bits(void)
{
	struct group group;

	group_make(&group, "bits");
	added(&group);
	replaced(&group);
	removed(&group);
	driver_check("after all scenes");
	group_remove(&group);
	check(groups_dying(20) == 0, "nothing holds the removed groups");
}
