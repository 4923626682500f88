// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_race.c - groups get lists while shrinkers keep coming
 *
 *	64 groups	each: a process that touches files on whatever is
 *			mounted, and adds to the driver's shrinkers
 *	main		mounts 3,000 file systems, and makes a shrinker of the
 *			driver's now and then
 *
 * Each first touch installs a list and what goes with it, at the same time as
 * room is made for the next shrinker.  Afterwards all is quiet, and every object
 * must be found: the driver's by their bits, those of ext4 by drop_caches,
 * which follows the bits, too.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

#define GROUPS 64
#define MOUNTS 3000
#define EXT4_EACH 30 /* one in so many is an ext4 */
#define SHRINKER_EACH 100
#define SHRINKERS (MOUNTS / SHRINKER_EACH)

static struct shared {
	_Atomic unsigned int mounted;
	_Atomic unsigned int nr_shrinkers;
	_Atomic bool end;
	_Atomic unsigned long touched;
	_Atomic unsigned long added;
	int shrinker[SHRINKERS];
} * shared;

static struct group groups[GROUPS];
static bool have_driver;

/* ---- What the groups do ---------------------------------------------------------- */

/* Half of the time on the newest: that is where installs race. */
static void touch(struct chance *chance, unsigned int self)
{
	unsigned int mounted = shared->mounted;
	unsigned int i;
	char path[PATH];
	struct stat st;
	int fd;

	if (mounted == 0)
		return;
	i = chance_below(chance, 2) ? mounted - 1
				    : chance_below(chance, mounted);
	if (i % EXT4_EACH == 0) {
		snprintf(path, sizeof(path), "/w/race/%u/missing-%u-%u", i,
			 self, chance_below(chance, 8));
		stat(path, &st);
	} else {
		snprintf(path, sizeof(path), "/w/race/%u/touch-%u", i, self);
		fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
		if (fd >= 0)
			close(fd);
		unlink(path);
	}
	atomic_fetch_add(&shared->touched, 1);
}

static void add(struct chance *chance, unsigned int self)
{
	unsigned int n = shared->nr_shrinkers;
	long added;

	if (n == 0 || !have_driver)
		return;
	added = driver_try("add %d 0 %u %lu 1",
			   shared->shrinker[chance_below(chance, n)],
			   chance_below(chance, NODES), groups[self].id);
	if (added > 0)
		atomic_fetch_add(&shared->added, (unsigned long)added);
}

static int work(void *data)
{
	unsigned int self = (unsigned int)((struct group *)data - groups);
	struct chance chance = chance_of(self);

	while (!shared->end) {
		touch(&chance, self);
		if (chance_below(&chance, 8) == 0)
			add(&chance, self);
	}
	return 0;
}

/* ---- Shrinkers that come -------------------------------------------------------------- */

static void mount_one(unsigned int i)
{
	char device[32];
	char path[PATH];
	int failed;

	snprintf(path, sizeof(path), "/w/race/%u", i);
	if (i % EXT4_EACH == 0) {
		snprintf(device, sizeof(device), "/dev/loop%u", i / EXT4_EACH);
		failed = mount(device, path, "ext4", MS_RDONLY, NULL);
	} else {
		failed = mount("race", path, "tmpfs", 0, "size=64k");
	}
	if (failed)
		die("%s can't be mounted: %s", path, strerror(errno));
	shared->mounted = i + 1;
}

static void prepare(void)
{
	char text[PATH];

	make_directory("/w/race");
	for (unsigned int i = 0; i < MOUNTS; i++) {
		snprintf(text, sizeof(text), "/w/race/%u", i);
		make_directory(text);
		if (i % EXT4_EACH == 0)
			loop_make(i / EXT4_EACH, text, sizeof(text));
	}
	for (unsigned int i = 0; i < GROUPS; i++)
		group_make(&groups[i], "race-%u", i);
}

static void race(void)
{
	pid_t pids[GROUPS];
	unsigned int wrong = 0;
	double start = now();

	for (unsigned int i = 0; i < GROUPS; i++)
		pids[i] = group_start(&groups[i], work, &groups[i]);
	for (unsigned int i = 0; i < MOUNTS; i++) {
		mount_one(i);
		if (have_driver && i % SHRINKER_EACH == 0) {
			shared->shrinker[i / SHRINKER_EACH] =
				(int)driver("new 0 1");
			shared->nr_shrinkers = i / SHRINKER_EACH + 1;
		}
	}
	/* The last mounts, too, shall be found by all. */
	nap(1000);
	shared->end = true;
	for (unsigned int i = 0; i < GROUPS; i++)
		wrong += process_end(pids[i]) != 0;
	note("%u mounts, %lu touches, %lu items in %.1f s", shared->mounted,
	     shared->touched, shared->added, now() - start);
	check(wrong == 0 && shared->touched > GROUPS,
	      "%u groups worked during %u mounts", GROUPS, MOUNTS);
}

/* ---- When all is quiet ------------------------------------------------------------------ */

static void count_left(const char *name, void *data)
{
	struct counted counted[GROUPS + 8];
	int n = shrinker_count(name, counted, GROUPS + 8);
	unsigned long *sum = data;

	for (int i = 0; i < n; i++)
		*sum += counted[i].objects;
}

/* Of ext4, in all groups: without accounting (nokmem) they are the root's. */
static unsigned long objects_left(void)
{
	unsigned long sum = 0;

	shrinkers_visit("sb-ext4", count_left, &sum);
	return sum;
}

static unsigned long items_left(void)
{
	unsigned long sum = 0;

	for (unsigned int i = 0; i < shared->nr_shrinkers; i++)
		for (unsigned int k = 0; k < GROUPS; k++)
			for (unsigned int nid = 0; nid < NODES; nid++)
				sum += (unsigned long)driver(
					"count %d 0 %u %lu",
					shared->shrinker[i], nid, groups[k].id);
	return sum;
}

static void quiet(void)
{
	unsigned long objects = objects_left();
	unsigned long left;

	driver_check("after the race");
	for (int i = 0; i < 4; i++)
		file_write("/proc/sys/vm/drop_caches", "2");
	left = objects_left();
	check(objects > 0 && left == 0,
	      "drop_caches finds all %lu objects of ext4 (%lu left)", objects,
	      left);
	if (!have_driver)
		return;
	left = items_left();
	check(shared->added > 0 && left == 0,
	      "drop_caches finds all %lu items of the driver (%lu left)",
	      shared->added, left);
}

static void tidy(void)
{
	char path[PATH];

	for (unsigned int i = 0; i < MOUNTS; i++) {
		snprintf(path, sizeof(path), "/w/race/%u", i);
		umount2(path, MNT_DETACH);
		rmdir(path);
	}
	for (unsigned int i = 0; i < GROUPS; i++)
		group_remove(&groups[i]);
	if (have_driver)
		driver("reset");
	check(groups_dying(60) == 0, "nothing holds the removed groups");
}

void test_race(void)
{
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		die("no memory");
	have_driver = driver_is_there();
	prepare();
	race();
	quiet();
	tidy();
}
