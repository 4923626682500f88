// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_alloc.c - each allocation fails once
 *
 *	nth = 1:  mkdir   X				-ENOMEM
 *	nth = 2:  mkdir   . X				-ENOMEM
 *	...
 *	nth = n:  mkdir   . . . . . .			done
 *
 * Linux's fault injection lets the nth allocation of a task fail.  An operation is
 * tried with the first one failing, then the second, until none is left.  Each time
 * it has to fail in order or to do without, and undo what it did.  That nothing
 * leaked is looked for in the end: the whole is done several times, and objects of
 * no cache may grow with it.
 *
 * Wants CONFIG_FAILSLAB and CONFIG_FAULT_INJECTION_DEBUG_FS.
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

#define FAILSLAB "/sys/kernel/debug/failslab/"
#define MOST 5000 /* allocations of one operation */
#define MANY 70 /* more than a word of bits */

/* What an operation did: it was done; it failed for want of memory; else. */
enum {
	DONE,
	NO_MEMORY,
	WRONG
};

static int fail_nth; /* /proc/self/fail-nth */
static unsigned int rounds; /* numbers names */
static struct group where;
static bool quiet;
static long many[MANY]; /* test shrinkers */

/* ---- Fault injection ------------------------------------------------------------ */

static void start_failing(unsigned int nth)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%u", nth);

	if (pwrite(fail_nth, text, (size_t)n, 0) != n)
		die("/proc/self/fail-nth: %s", strerror(errno));
}

/* Whether an allocation failed meanwhile. */
static bool stop_failing(void)
{
	char text[16] = "";
	bool failed;

	if (pread(fail_nth, text, sizeof(text) - 1, 0) < 0)
		die("/proc/self/fail-nth: %s", strerror(errno));
	failed = atol(text) == 0;
	start_failing(0);
	return failed;
}

static void open_failing(void)
{
	fail_nth = open("/proc/self/fail-nth", O_RDWR | O_CLOEXEC);
	if (fail_nth < 0)
		die("no /proc/self/fail-nth: this needs a debug build");
}

static bool prepare_failing(void)
{
	if (access(FAILSLAB "ignore-gfp-wait", W_OK))
		return false;
	file_write(FAILSLAB "ignore-gfp-wait", "N");
	file_write(FAILSLAB "probability", "0");
	file_write(FAILSLAB "times", "-1");
	file_write(FAILSLAB "verbose", "0");
	open_failing();
	return true;
}

/* A tmpfs says ENOSPC when it has no memory for an inode. */
static int outcome(long error)
{
	if (error == 0)
		return DONE;
	if (error == -ENOMEM || error == -ENOSPC)
		return NO_MEMORY;
	if (!quiet)
		note("this is no way to say that there is no memory: %s",
		     strerror((int)-error));
	return WRONG;
}

/*
 * @operation(nth) prepares, lets the nth allocation of what it is about fail, and
 * undoes it.  It returns one of the outcomes, and @failed whether one did fail.
 */
static void each(const char *what,
		 int (*operation)(unsigned int nth, bool *failed))
{
	unsigned int counts[3] = { 0, 0, 0 };
	unsigned int nth = 0;
	bool failed;

	do
		counts[operation(++nth, &failed)]++;
	while (failed && nth < MOST);
	if (quiet)
		return;
	note("%s: %u allocations: without %u of them it fails, without %u not",
	     what, nth - 1, counts[NO_MEMORY], counts[DONE] - !failed);
	check(counts[WRONG] == 0 && !failed && nth > 1,
	      "%s: each allocation fails once (%u outcomes are wrong)", what,
	      counts[WRONG]);
}

/* ---- Operations ------------------------------------------------------------------- */

static int make_group(unsigned int nth, bool *failed)
{
	char path[PATH + 32];
	int error;

	snprintf(path, sizeof(path), "%s/alloc-%u", where.path, rounds++);
	start_failing(nth);
	error = mkdir(path, 0755) ? -errno : 0;
	*failed = stop_failing();
	if (error == 0)
		rmdir(path);
	return outcome(error);
}

static int mount_tmpfs(unsigned int nth, bool *failed)
{
	int error;

	start_failing(nth);
	error = mount("alloc", "/w/alloc", "tmpfs", 0, NULL) ? -errno : 0;
	*failed = stop_failing();
	if (error == 0)
		umount("/w/alloc");
	return outcome(error);
}

/* It may say of a failure what it likes: that it can't read a block, say. */
static int mount_ext4(unsigned int nth, bool *failed)
{
	char device[32];
	int error;

	loop_make(0, device, sizeof(device));
	start_failing(nth);
	error = mount(device, "/w/alloc", "ext4", MS_RDONLY | MS_SILENT, NULL);
	*failed = stop_failing();
	if (error == 0)
		umount("/w/alloc");
	return error == 0 ? DONE : NO_MEMORY;
}

/* What a process in a group does once, with a list of its own to be made. */
static int touch_once(void *data)
{
	unsigned int nth = *(unsigned int *)data;
	int status;
	bool failed;
	int fd;

	open_failing();
	start_failing(nth);
	fd = open("/w/alloc/file", O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
	status = outcome(fd < 0 ? -errno : 0);
	failed = stop_failing();
	return status | failed << 4;
}

static int touch_in_group(unsigned int nth, bool *failed)
{
	struct group child;
	int status;

	group_make(&child, "alloc/touch-%u", rounds++);
	if (mount("alloc", "/w/alloc", "tmpfs", 0, NULL))
		die("/w/alloc can't be mounted: %s", strerror(errno));
	status = group_run(&child, touch_once, &nth);
	*failed = status >> 4 & 1;
	umount("/w/alloc");
	group_remove(&child);
	return status < 32 ? status & 15 : WRONG;
}

/* ---- Operations of the driver --------------------------------------------------------- */

static int driver_outcome(long answer)
{
	/* The command itself may be what there was no memory for. */
	if (answer < 0 && (strstr(driver_answer, "no memory") ||
			   strstr(driver_answer, strerror(ENOMEM))))
		return NO_MEMORY;
	return answer >= 0 ? DONE : outcome(answer);
}

static int driver_new(unsigned int nth, bool *failed)
{
	long index;
	int status;

	start_failing(nth);
	index = driver_try("new 0 1");
	*failed = stop_failing();
	status = driver_outcome(index);
	if (index >= 0)
		driver("free %ld 0", index);
	return status;
}

static int driver_second(unsigned int nth, bool *failed)
{
	long index = driver("new 0 1");
	int status;

	start_failing(nth);
	status = driver_outcome(driver_try("second %ld", index));
	*failed = stop_failing();
	driver("free %ld 1", index);
	return status;
}

/*
 * Lists for a group, and for its ancestors that have none: of a new shrinker, in
 * groups of which the lower two are new.  A group that has some is added to before,
 * so that what it keeps has to grow now and then.
 */
static int install(unsigned int nth, bool *failed, int atomic)
{
	struct group upper, lower;
	long index = driver("new 0 1");
	int status;

	driver("second %ld", index);
	group_make(&upper, "alloc/u%u", rounds++);
	group_make(&lower, "%s/lower", upper.path + 4);
	start_failing(nth);
	status = driver_outcome(
		driver_try("install %ld %lu %d", index, lower.id, atomic));
	*failed = stop_failing();
	/* What there was no memory for once may be had later. */
	if (driver("add %ld 0 0 %lu 1", index, lower.id) != 1)
		status = WRONG;
	driver("free %ld %d", index, (int)(nth % 2));
	group_remove(&lower);
	group_remove(&upper);
	return status;
}

static int driver_install(unsigned int nth, bool *failed)
{
	return install(nth, failed, 0);
}

static int driver_install_atomic(unsigned int nth, bool *failed)
{
	return install(nth, failed, 1);
}

/* A new group gets lists of many: what it keeps of them grows on the way. */
static int driver_install_many(unsigned int nth, bool *failed)
{
	struct group group;
	int status = DONE;

	group_make(&group, "alloc/m%u", rounds++);
	start_failing(nth);
	for (int i = 0; i < MANY && status == DONE; i++)
		status = driver_outcome(
			driver_try("install %ld %lu 0", many[i], group.id));
	*failed = stop_failing();
	group_remove(&group);
	return status;
}

static void all_operations(void)
{
	each("mkdir of a group", make_group);
	each("mount of a tmpfs", mount_tmpfs);
	each("mount of an ext4", mount_ext4);
	each("first file of a group", touch_in_group);
	if (!driver_is_there())
		return;
	each("a shrinker", driver_new);
	each("a second list", driver_second);
	each("lists of a group", driver_install);
	each("lists, interrupts off", driver_install_atomic);
	if (quiet)
		return;
	for (int i = 0; i < MANY; i++)
		many[i] = driver("new 0 1");
	each("lists of many shrinkers", driver_install_many);
	for (int i = 0; i < MANY; i++)
		driver("free %ld 0", many[i]);
}

/* ---- Leaks ---------------------------------------------------------------------------- */

#define ROUNDS 4
#define CACHES 400

struct cache {
	char name[48];
	long used;
};

/* What each cache has in use, when what is only kept at hand is given back. */
static void look_at_caches(struct cache *caches)
{
	static char text[131072];
	char path[PATH];
	char *line = text;
	int n = 0;

	file_write("/proc/sys/vm/drop_caches", "3");
	groups_dying(20);
	nap(1000);
	for (int pass = 0; pass < 2; pass++) {
		if (file_read("/proc/slabinfo", text, sizeof(text)) < 0)
			die("no /proc/slabinfo");
		n = 0;
		for (line = text; *line && n < CACHES; n++) {
			struct cache *cache = &caches[n];

			sscanf(line, "%47s %ld", cache->name, &cache->used);
			line += strcspn(line, "\n");
			line += *line == '\n';
			snprintf(path, sizeof(path),
				 "/sys/kernel/slab/%.47s/shrink", cache->name);
			if (pass == 0)
				file_write(path, "1");
		}
	}
}

/* What the cache of @later had in use when @earlier was seen, or -1. */
static long used_before(const struct cache *earlier, const struct cache *later)
{
	for (int i = 0; i < CACHES && earlier[i].name[0]; i++)
		if (strcmp(earlier[i].name, later->name) == 0)
			return earlier[i].used;
	return -1;
}

/*
 * A leak is one object at least in each round, always.  What a cache keeps at hand
 * for each CPU may grow once, but not twice as much.
 */
static void check_growth(const struct cache *first, const struct cache *second,
			 const struct cache *third)
{
	unsigned int grown = 0;

	for (int i = 0; i < CACHES && third[i].name[0]; i++) {
		long a = used_before(first, &third[i]);
		long b = used_before(second, &third[i]);

		if (a < 0 || b < a + ROUNDS || third[i].used < b + ROUNDS)
			continue;
		grown++;
		note("%s: %ld objects, then %ld, then %ld", third[i].name, a, b,
		     third[i].used);
	}
	check(grown == 0, "nothing leaks in %d rounds (%u caches grow)",
	      2 * ROUNDS, grown);
}

static void check_leaks(void)
{
	static struct cache seen[3][CACHES];
	cpu_set_t one;

	/* Fewer CPUs have something at hand. */
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	quiet = true;
	for (int look = 0; look < 3; look++) {
		for (int i = 0; i < ROUNDS; i++)
			all_operations();
		look_at_caches(seen[look]);
	}
	check_growth(seen[0], seen[1], seen[2]);
}

void test_alloc(void)
{
	if (!prepare_failing())
		die("no %s: this needs a debug build", FAILSLAB);
	make_directory("/w/alloc");
	group_make(&where, "alloc");
	/* So that its file is open before anything fails. */
	driver_check("before all failures");
	all_operations();
	driver_check("after all failures");

	check_leaks();
	if (driver_is_there())
		driver("reset");
	group_remove(&where);
	check(groups_dying(20) == 0, "nothing holds the removed groups");
}
