// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_lists.c - what is shared by the lists of a shrinker, and what outlives
 * what
 *
 *	shrinker ---+--- list 0		a super block has two: dentries, inodes
 *	            '--- list 1
 *
 * The bit and the deferred work of a group are the shrinker's: as long as one of
 * its lists is there, they are.  And the shrinker, its lists and the group may go
 * in any order; a super block's shrinker goes before its lists.  Whoever is last
 * must find nothing that is freed, and nothing may be held for ever: faults show
 * in the kernel's log, held groups as dying ones.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"

#define ITEMS 400
#define NID 2
#define PRIORITY 2
/* Of both lists together: see do_shrink_slab(). */
#define DELTA ITEMS

enum mode {
	FREE,
	STOP
};

static long two_lists(void)
{
	long shrinker = driver("new 0 1");

	driver("second %ld", shrinker);
	return shrinker;
}

static void add(long shrinker, unsigned int lru, const struct group *group)
{
	driver("add %ld %u %d %lu %d", shrinker, lru, NID, group->id, ITEMS);
}

static long count(long shrinker, unsigned int lru, const struct group *group)
{
	return driver("count %ld %u %d %lu", shrinker, lru, NID, group->id);
}

static long bit(long shrinker, const struct group *group)
{
	return driver("bit %ld %d %lu", shrinker, NID, group->id);
}

static void walk(const struct group *group, int priority)
{
	driver("walk %d %lu %d 1", NID, group->id, priority);
}

static long deferred(long shrinker, const struct group *group)
{
	return driver("deferred %ld %d %lu", shrinker, NID, group->id);
}

/* ---- Two lists, one share ----------------------------------------------------------- */

static void one_bit(const struct group *group)
{
	long shrinker = two_lists();

	add(shrinker, 0, group);
	add(shrinker, 1, group);
	driver("del %ld 0 %d %lu %d", shrinker, NID, group->id, ITEMS);
	check(bit(shrinker, group) == 1, "lists: the bit stays with the other");
	walk(group, 0);
	check(count(shrinker, 1, group) == 0,
	      "lists: a walk finds what is on the second list");
	walk(group, 0);
	check(bit(shrinker, group) == 0,
	      "lists: a walk that finds both empty clears the bit");
	add(shrinker, 0, group);
	check(bit(shrinker, group) == 1, "lists: the first item sets it again");
	driver("free %ld 0", shrinker);
}

/* List @goes is destroyed; the other has its items, bit and deferred work. */
static void one_goes(const struct group *group, unsigned int goes)
{
	long shrinker = two_lists();
	unsigned int stays = !goes;

	driver("mode %ld %d", shrinker, STOP);
	add(shrinker, 0, group);
	add(shrinker, 1, group);
	walk(group, PRIORITY);
	check(deferred(shrinker, group) == DELTA,
	      "lists: both are one shrinker's deferred work (%ld of %d)",
	      deferred(shrinker, group), DELTA);
	driver("destroy %ld %u", shrinker, goes);
	check(count(shrinker, stays, group) == ITEMS &&
		      bit(shrinker, group) == 1 &&
		      deferred(shrinker, group) == DELTA,
	      "lists: without list %u the other has items, bit and work", goes);
	driver("mode %ld %d", shrinker, FREE);
	walk(group, 0);
	check(count(shrinker, stays, group) == 0,
	      "lists: without list %u a walk finds the other's items", goes);
	driver("free %ld 0", shrinker);
}

static void first_goes(const struct group *group)
{
	one_goes(group, 0);
}

static void second_goes(const struct group *group)
{
	one_goes(group, 1);
}

/* Of which no shrinker has left anything (test_faults.c, "again"). */
static void in_new_group(const struct group *parent,
			 void (*scene)(const struct group *group))
{
	struct group child;

	group_make(&child, "%s/child", parent->path + 4);
	scene(&child);
	group_remove(&child);
}

/* ---- Ends in any order ------------------------------------------------------------------ */

enum {
	SHRINKER,
	LISTS,
	GROUP
};

static const char *const names[] = { "shrinker", "lists", "group" };

static void end_one(int what, long shrinker, const struct group *group)
{
	switch (what) {
	case SHRINKER:
		driver("end %ld", shrinker);
		break;
	case LISTS:
		driver("destroy %ld 1", shrinker);
		driver("destroy %ld 0", shrinker);
		break;
	case GROUP:
		group_remove(group);
		group_wait_offline(group);
		break;
	}
}

/* A super block's objects may still come and go when its shrinker is freed. */
static void use_lists(long shrinker, const struct group *parent)
{
	driver_try("add %ld 0 %d %lu 10", shrinker, NID, parent->id);
	driver_try("del %ld 0 %d %lu 10", shrinker, NID, parent->id);
	walk(parent, 0);
}

/* @hold: the group is kept dying by a reference until after all three. */
static bool in_order(const int *order, const struct group *parent, bool hold)
{
	struct group child;
	long shrinker = two_lists();
	unsigned int wrong = 0;

	group_make(&child, "%s/child", parent->path + 4);
	driver("pin %lu", child.id);
	driver("mode %ld %d", shrinker, STOP);
	add(shrinker, 0, &child);
	add(shrinker, 1, &child);
	walk(&child, PRIORITY);
	for (int i = 0; i < 3; i++) {
		end_one(order[i], shrinker, &child);
		use_lists(shrinker, parent);
		/* Not before the group is gone: then it can't be found. */
		if (order[i] == GROUP && !hold)
			wrong += driver_try("unpin %lu", child.id) < 0;
	}
	if (hold)
		wrong += driver_try("unpin %lu", child.id) < 0;
	driver("free %ld 0", shrinker);
	return wrong == 0 && groups_dying(20) == 0;
}

static void in_each_order(const struct group *parent)
{
	static const int orders[][3] = {
		{ SHRINKER, GROUP, LISTS }, { SHRINKER, LISTS, GROUP },
		{ GROUP, SHRINKER, LISTS }, { LISTS, GROUP, SHRINKER },
		{ LISTS, SHRINKER, GROUP }, { GROUP, LISTS, SHRINKER },
	};

	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		const int *order = orders[i];

		check(in_order(order, parent, false) &&
			      in_order(order, parent, true),
		      "ends: %s, then %s, then %s: no group is held",
		      names[order[0]], names[order[1]], names[order[2]]);
	}
}

/* ---- Ends at the same time ----------------------------------------------------------------- */

#define TIMES 60

/* The group goes while the shrinker and its lists do, in either order. */
static void at_once(const struct group *parent)
{
	struct chance chance = chance_of(1);
	unsigned int wrong = 0;

	for (int i = 0; i < TIMES; i++) {
		struct group child;
		long shrinker = two_lists();
		pid_t pid;

		group_make(&child, "%s/child", parent->path + 4);
		driver("mode %ld %d", shrinker, STOP);
		add(shrinker, 0, &child);
		add(shrinker, 1, &child);
		walk(&child, PRIORITY);
		group_remove(&child);
		fflush(stdout);
		pid = fork();
		if (pid == 0) {
			walk(parent, chance_below(&chance, 13));
			_exit(0);
		}
		nap(chance_below(&chance, 60));
		driver("free %ld %d", shrinker, i % 2);
		wrong += process_end(pid) != 0;
	}
	check(wrong == 0 && groups_dying(60) == 0,
	      "ends: %d groups go with their shrinkers, none is held", TIMES);
}

/* ---- One list goes, and groups with both at the same time ------------------------------------ */

#define BETWEEN 500
#define CHILDREN 150
#define MANY 8
#define TRIES 4

/*
 * A list that goes leaves the parent first, then the groups between, which give
 * the children time to go.
 */
static struct group between[BETWEEN];
static struct group children[CHILDREN];

static void make_many(long *shrinkers)
{
	for (int k = 0; k < MANY; k++) {
		shrinkers[k] = two_lists();
		driver("mode %ld %d", shrinkers[k], STOP);
		for (int i = 0; i < BETWEEN; i++)
			driver("add %ld 0 %d %lu 1", shrinkers[k], NID,
			       between[i].id);
	}
}

static void make_with_work(struct group *child, const struct group *parent,
			   int i, const long *shrinkers)
{
	group_make(child, "%s/child%d", parent->path + 4, i);
	for (int k = 0; k < MANY; k++) {
		driver("add %ld 0 %d %lu 8", shrinkers[k], NID, child->id);
		driver("add %ld 1 %d %lu 8", shrinkers[k], NID, child->id);
	}
	walk(child, 0);
}

static long all_deferred(const long *shrinkers, const struct group *group)
{
	long nr = 0;

	for (int k = 0; k < MANY; k++)
		nr += deferred(shrinkers[k], group);
	return nr;
}

static pid_t remove_children(void)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		for (int i = 0; i < CHILDREN; i++)
			group_remove(&children[i]);
		_exit(0);
	}
	return pid;
}

/* Returns how much of the children's work has not reached the parent. */
static long lost_to_parent(const struct group *parent, struct chance *chance)
{
	long shrinkers[MANY];
	long lost = 0;
	pid_t pid;

	make_many(shrinkers);
	for (int i = 0; i < CHILDREN; i++) {
		make_with_work(&children[i], parent, i, shrinkers);
		lost += all_deferred(shrinkers, &children[i]);
	}
	check(lost > 0, "lists: groups that will go have work, %ld", lost);
	pid = remove_children();
	for (int k = 0; k < MANY; k++) {
		nap(chance_below(chance, 10));
		driver("destroy %ld 0", shrinkers[k]);
	}
	process_end(pid);
	groups_dying(60);
	lost -= all_deferred(shrinkers, parent);
	for (int k = 0; k < MANY; k++)
		driver("free %ld 0", shrinkers[k]);
	return lost;
}

static void one_goes_at_once(const struct group *parent)
{
	struct chance chance = chance_of(2);
	long lost = 0;

	for (int i = 0; i < BETWEEN; i++)
		group_make(&between[i], "%s/between%d", parent->path + 4, i);
	for (int i = 0; i < TRIES; i++)
		lost += lost_to_parent(parent, &chance);
	check(lost == 0,
	      "lists: one goes while groups do, and all work moves up (%ld lost)",
	      lost);
	for (int i = 0; i < BETWEEN; i++)
		group_remove(&between[i]);
}

/* ---- What a dying group holds --------------------------------------------------------------- */

#define DYING 64
#define SHRINKERS 6

/* Objects in use of a cache, with those that are only kept at hand freed. */
static long in_use(const char *cache)
{
	static char text[65536];
	char path[PATH];
	char line[PATH];
	char *found;

	snprintf(path, sizeof(path), "/sys/kernel/slab/%s/shrink", cache);
	file_write(path, "1");
	if (file_read("/proc/slabinfo", text, sizeof(text)) < 0)
		return -1;
	snprintf(line, sizeof(line), "\n%s ", cache);
	found = strstr(text, line);
	return found ? atol(found + strlen(line)) : -1;
}

static void make_dying(struct group *groups, const struct group *parent)
{
	long shrinkers[SHRINKERS];

	for (int k = 0; k < SHRINKERS; k++)
		shrinkers[k] = two_lists();
	for (int i = 0; i < DYING; i++) {
		group_make(&groups[i], "%s/%d", parent->path + 4, i);
		driver("pin %lu", groups[i].id);
		for (int k = 0; k < SHRINKERS; k++)
			add(shrinkers[k], k % 2, &groups[i]);
	}
}

static void remove_all(const struct group *groups)
{
	for (int i = 0; i < DYING; i++)
		group_remove(&groups[i]);
	for (int i = 0; i < DYING; i++)
		group_wait_offline(&groups[i]);
}

/* Memory is freed after a grace period, and the cache keeps some at hand. */
static long in_use_settled(const char *cache, long at_most)
{
	double until = now() + 10;
	long used;

	do {
		nap(100);
		used = in_use(cache);
	} while (used > at_most && now() < until);
	return used;
}

/* Where there are pairs.  Units (in other kernels) stay as long as the group. */
static void dying(const struct group *parent)
{
	static struct group groups[DYING];
	const char *cache = "shrinker_pair";
	long before = in_use(cache);
	long alive, after;

	if (before < 0) {
		note("no cache %s in this kernel: dying groups not looked at",
		     cache);
		return;
	}
	make_dying(groups, parent);
	alive = in_use(cache);
	remove_all(groups);
	/* What is left is the parent's: one for each shrinker, and the root's. */
	after = in_use_settled(cache, before + 2 * SHRINKERS);
	note("%s: %ld, with %d groups %ld, with them dying %ld", cache, before,
	     DYING, alive, after);
	check(alive >= before + DYING * SHRINKERS &&
		      after <= before + 2 * SHRINKERS,
	      "dying: %d dying groups hold no share of %d shrinkers", DYING,
	      SHRINKERS);
	driver("reset");
}

void test_lists(void)
{
	struct group parent;

	group_make(&parent, "lists");
	in_new_group(&parent, one_bit);
	in_new_group(&parent, first_goes);
	in_new_group(&parent, second_goes);
	in_each_order(&parent);
	at_once(&parent);
	one_goes_at_once(&parent);
	dying(&parent);
	driver_check("after all ends");
	driver("reset");
	group_remove(&parent);
	check(groups_dying(20) == 0, "nothing holds the removed groups");
}
