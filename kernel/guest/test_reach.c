// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_reach.c - memory.reclaim reaches every super block a group has used
 *
 *	/cg/reach/child		looked up names and files on all of
 *	/w/reach/0 ... /139	ext4, mounted one after the other, so that where
 *				shrinkers have ids theirs are neighbours
 *
 * 140 ids are more than two words of bits, so some boundary lies between them.
 * How many objects of a group each super block has, its shrinker tells in
 * debugfs.  That number goes down on each of them: first in the child, then,
 * after new look-ups, in the parent that got the lists of the removed child; and
 * by drop_caches in the root.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

#define MOUNTS 140
#define NAMES 24 /* missing ones, looked up on each */

static unsigned long subject; /* the group whose objects are looked at */
static unsigned int found; /* super blocks with objects of it */
static unsigned long objects; /* in all */
static bool spoken;

static void mount_all(void)
{
	char device[32];
	char path[PATH];

	make_directory("/w/reach");
	/* The devices first: nothing else happens between two mounts. */
	for (unsigned int i = 0; i < MOUNTS; i++) {
		loop_make(i, device, sizeof(device));
		snprintf(path, sizeof(path), "/w/reach/%u", i);
		make_directory(path);
	}
	for (unsigned int i = 0; i < MOUNTS; i++) {
		snprintf(device, sizeof(device), "/dev/loop%u", i);
		snprintf(path, sizeof(path), "/w/reach/%u", i);
		if (mount(device, path, "ext4", MS_RDONLY, NULL))
			die("%s can't be mounted: %s", device, strerror(errno));
	}
}

static void umount_all(void)
{
	char path[PATH];

	for (unsigned int i = 0; i < MOUNTS; i++) {
		snprintf(path, sizeof(path), "/w/reach/%u", i);
		if (umount(path))
			note("%s: umount: %s", path, strerror(errno));
		rmdir(path);
	}
}

/* A new round has new names, or their dentries would be another group's. */
static void look_up(unsigned int mount, unsigned int round)
{
	char path[PATH];
	struct stat st;

	for (unsigned int i = 0; i < NAMES; i++) {
		snprintf(path, sizeof(path), "/w/reach/%u/missing-%u-%u", mount,
			 round, i);
		stat(path, &st);
	}
	for (unsigned int i = 0; i < IMAGE_FILES; i++) {
		snprintf(path, sizeof(path), "/w/reach/%u/file%u", mount, i);
		stat(path, &st);
	}
}

/* In the group, from one CPU of each node in turn. */
static int look_up_all(void *data)
{
	unsigned int *round = data;
	cpu_set_t cpus;

	for (unsigned int i = 0; i < MOUNTS; i++) {
		CPU_ZERO(&cpus);
		CPU_SET(i % NODES, &cpus);
		sched_setaffinity(0, sizeof(cpus), &cpus);
		look_up(i, *round);
	}
	return 0;
}

static void count_one(const char *name, void *data)
{
	struct counted counted[64];
	int n = shrinker_count(name, counted, 64);

	(void)data;
	for (int i = 0; i < n; i++) {
		if (counted[i].group != subject)
			continue;
		found++;
		objects += counted[i].objects;
		if (spoken)
			note("%s still has %lu", name, counted[i].objects);
	}
}

static void count_all(unsigned long group)
{
	subject = group;
	found = 0;
	objects = 0;
	shrinkers_visit("sb-ext4", count_one, NULL);
}

/*
 * A dentry that was used since it was last looked at is passed over once, and a
 * file's inode comes on its list when its dentry is gone: so ask again.
 */
static void reclaim_all(const struct group *group, const char *what,
			int (*reclaim)(const struct group *group,
				       const char *amount))
{
	double limit = now() + 20;
	unsigned int before;
	unsigned long had;

	/* The lists of a removed group come by and by. */
	do {
		nap(50);
		count_all(group->id);
	} while (found < MOUNTS && now() < limit);
	before = found;
	had = objects;
	check(before == MOUNTS, "%s: has objects on %u super blocks of %u",
	      what, before, MOUNTS);
	for (int i = 0; i < 8 && found; i++) {
		reclaim(group, "256M");
		count_all(group->id);
	}
	spoken = found > 0;
	if (spoken)
		count_all(group->id);
	spoken = false;
	note("%s: %lu objects, %lu left", what, had, objects);
	check(before > 0 && found == 0,
	      "%s: what is asked for reaches all of them (%u not)", what,
	      found);
}

/* The root has no memory.reclaim. */
static int drop_caches(const struct group *root, const char *amount)
{
	(void)root, (void)amount;
	return (int)file_write("/proc/sys/vm/drop_caches", "2");
}

/* ---- What is on no list ---------------------------------------------------------- */

#define HUGE_MOUNTS 8
#define HUGE_KB 2048

static long shmem_kb(void)
{
	char text[8192];
	char *found;

	file_read("/proc/meminfo", text, sizeof(text));
	found = strstr(text, "\nShmem:");
	return found ? atol(found + 7) : 0;
}

/* One byte, in a huge page. */
static void make_huge(unsigned int i)
{
	char path[PATH];
	int fd;

	snprintf(path, sizeof(path), "/w/huge/%u", i);
	make_directory(path);
	if (mount("huge", path, "tmpfs", 0, "huge=always"))
		die("%s can't be mounted: %s", path, strerror(errno));
	snprintf(path, sizeof(path), "/w/huge/%u/file", i);
	fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, "", 1) != 1)
		die("%s: %s", path, strerror(errno));
	close(fd);
}

/*
 * A tmpfs knows of huge pages that reach beyond the ends of their files, and
 * splits them when its shrinker is called: these are on no list_lru, and nobody
 * but the root is asked for them.
 */
static void reach_huge(void)
{
	long before = shmem_kb();
	long huge, after;
	char path[PATH];

	make_directory("/w/huge");
	for (unsigned int i = 0; i < HUGE_MOUNTS; i++)
		make_huge(i);
	huge = shmem_kb() - before;
	if (huge < HUGE_MOUNTS * HUGE_KB) {
		note("no huge pages in tmpfs: %ld kB for %d files", huge,
		     HUGE_MOUNTS);
		return;
	}
	for (int i = 0; i < 4; i++)
		file_write("/proc/sys/vm/drop_caches", "2");
	after = shmem_kb() - before;
	check(after < huge / 8,
	      "the root: drop_caches splits huge pages (%ld kB, then %ld)",
	      huge, after);
	for (unsigned int i = 0; i < HUGE_MOUNTS; i++) {
		snprintf(path, sizeof(path), "/w/huge/%u", i);
		umount(path);
	}
}

void test_reach(void)
{
	struct group parent;
	struct group child;
	struct group root = { "/cg", 1 };
	unsigned int round = 0;

	group_make(&parent, "reach");
	group_make(&child, "reach/child");
	mount_all();
	if (group_run(&child, look_up_all, &round))
		die("no process can be started in %s", child.path);
	reclaim_all(&child, "a group", group_reclaim);

	round++;
	if (group_run(&child, look_up_all, &round))
		die("no process can be started in %s", child.path);
	group_remove(&child);
	reclaim_all(&parent, "the parent of a removed one", group_reclaim);

	round++;
	look_up_all(&round);
	reclaim_all(&root, "the root", drop_caches);
	reach_huge();

	umount_all();
	group_remove(&parent);
	check(groups_dying(20) == 0, "nothing holds the removed groups");
}
