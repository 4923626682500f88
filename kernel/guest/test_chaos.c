// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_chaos.c - everything at once, and a look at everything when it rests
 *
 *	workers	  work   work   work | rest |  work   work
 *	main                         | look |
 *
 * Each worker does one kind of thing, at random (test_chaos_work.c): mounts and
 * umounts, groups that come and go, files touched in them, drop_caches,
 * memory.reclaim, counts and scans by debugfs, and all that the driver can do.
 * Every few seconds all of them rest: then no list may be without its bit, and
 * what drop_caches does not find at the end was lost.
 *
 * The seed gives each worker its sequence; how the workers interleave is up to
 * the machine.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"
#include "test_chaos.h"

#define ROUND 5 /* seconds from one rest to the next */
#define LIMIT 120 /* seconds that a worker may take to come to rest */

struct chaos *chaos;

static const struct {
	void (*step)(struct chance *chance);
	unsigned int workers;
	const char *what;
} kinds[] = {
	{ chaos_mount, 2, "mounts and umounts" },
	{ chaos_group, 2, "groups made or removed" },
	{ chaos_dying, 1, "groups left dying, or let go" },
	{ chaos_touch, 4, "processes that touched files" },
	{ chaos_drop, 1, "drop_caches" },
	{ chaos_reclaim, 2, "memory.reclaim" },
	{ chaos_debugfs, 1, "debugfs counts and scans" },
	{ chaos_shrinker, 1, "test shrinkers made or freed" },
	{ chaos_item, 2, "driver calls" },
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))
#define MAX_WORKERS 32

static pid_t pids[MAX_WORKERS];
static unsigned int kind_of[MAX_WORKERS];
static unsigned int nr_workers;

/* ---- Workers ------------------------------------------------------------------- */

static void work(unsigned int worker)
{
	unsigned int kind = kind_of[worker];
	struct chance chance = chance_of(worker);

	for (;;) {
		if (chaos->rest) {
			unsigned int round = chaos->round;

			chaos->rested++;
			while (chaos->rest && chaos->round == round)
				nap(5);
		}
		if (chaos->end)
			_exit(0);
		kinds[kind].step(&chance);
		chaos->steps[kind]++;
	}
}

static void start_workers(void)
{
	for (unsigned int kind = 0; kind < KINDS; kind++)
		for (unsigned int i = 0; i < kinds[kind].workers; i++)
			kind_of[nr_workers++] = kind;
	fflush(stdout);
	for (unsigned int i = 0; i < nr_workers; i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			die("fork: %s", strerror(errno));
		if (pids[i] == 0)
			work(i);
	}
}

static void rest(void)
{
	double limit = now() + LIMIT;

	chaos->rested = 0;
	chaos->rest = true;
	while (chaos->rested < nr_workers) {
		if (now() > limit)
			die("after %d s only %u of %u workers rest", LIMIT,
			    chaos->rested, nr_workers);
		nap(5);
	}
}

static void go_on(void)
{
	chaos->round++;
	chaos->rest = false;
}

static void end_workers(void)
{
	unsigned int wrong = 0;

	chaos->end = true;
	go_on();
	for (unsigned int i = 0; i < nr_workers; i++)
		wrong += process_end(pids[i]) != 0;
	check(wrong == 0, "all %u workers came to their end", nr_workers);
	for (unsigned int kind = 0; kind < KINDS; kind++)
		note("%lu %s", chaos->steps[kind], kinds[kind].what);
}

/*
 * What is deferred for shrinker @index in a group that is offline.  Its lists
 * can't be asked for: they are found by an id that may be another group's by now.
 */
static long left_behind(int index, unsigned long group)
{
	long left = 0;

	for (unsigned int nid = 0; nid < NODES; nid++) {
		long more = driver_try("deferred %d %u %lu", index, nid, group);

		left += more > 0 ? more : 0;
	}
	return left;
}

/* It is their parents' now. */
static void look_at_dying(void)
{
	unsigned int nr = 0;
	long left = 0;

	for (unsigned int i = 0; i < DYING; i++) {
		struct group group = { "a dying group", chaos->dying[i] };

		if (group.id == 0)
			continue;
		nr++;
		group_wait_offline(&group);
		for (unsigned int k = 0; k < SHRINKERS; k++)
			if (chaos->shrinker[k] >= 0)
				left += left_behind(chaos->shrinker[k],
						    group.id);
	}
	check(left == 0, "at rest: %u dying groups have no deferred work (%ld)",
	      nr, left);
}

static void let_dying_go(void)
{
	for (unsigned int i = 0; i < DYING; i++)
		if (chaos->dying[i])
			driver("unpin %lu", chaos->dying[i]);
}

/* ---- World -------------------------------------------------------------------------- */

static void prepare(void)
{
	char path[PATH];

	chaos = mmap(NULL, sizeof(*chaos), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (chaos == MAP_FAILED)
		die("no memory");
	chaos->driver = driver_is_there();
	make_directory("/w/chaos");
	for (unsigned int i = 0; i < SLOTS; i++) {
		snprintf(path, sizeof(path), "/w/chaos/%u", i);
		make_directory(path);
		if (i < EXT4_SLOTS)
			loop_make(i, path, sizeof(path));
	}
	for (unsigned int i = 0; i < SHRINKERS; i++)
		chaos->shrinker[i] = -1;
}

static void count_one(const char *name, void *data)
{
	struct counted counted[2 * GROUPS];
	int n = shrinker_count(name, counted, 2 * GROUPS);
	unsigned long *sum = data;

	for (int i = 0; i < n; i++)
		*sum += counted[i].objects;
}

/* Each ext4 is used once more by each group there is. */
static void use_all(void)
{
	char device[32];
	char path[PATH];

	for (unsigned int i = 0; i < EXT4_SLOTS; i++) {
		snprintf(device, sizeof(device), "/dev/loop%u", i);
		snprintf(path, sizeof(path), "/w/chaos/%u", i);
		mount(device, path, "ext4", MS_RDONLY, NULL); /* or it is */
	}
	for (unsigned int i = PARENTS; i < GROUPS; i++) {
		struct group group;

		chaos_group_path(i, group.path, sizeof(group.path));
		group_run(&group, chaos_touch_ext4, &i);
	}
}

/* Before anything is taken down: what is there must be found. */
static void find_all(void)
{
	unsigned long before = 0;
	unsigned long left = 0;

	use_all();
	shrinkers_visit("sb-ext4", count_one, &before);
	for (int i = 0; i < 6; i++)
		file_write("/proc/sys/vm/drop_caches", "2");
	shrinkers_visit("sb-ext4", count_one, &left);
	check(before > 0 && left == 0,
	      "drop_caches finds all %lu objects of ext4 (%lu left)", before,
	      left);
}

static void tidy(void)
{
	char path[PATH];

	for (unsigned int i = 0; i < SLOTS; i++) {
		snprintf(path, sizeof(path), "/w/chaos/%u", i);
		while (umount2(path, MNT_DETACH) == 0)
			;
	}
	/* Children first. */
	for (unsigned int i = GROUPS; i-- > 0;) {
		struct group group;

		chaos_group_path(i, group.path, sizeof(group.path));
		group_remove(&group);
	}
	let_dying_go();
	if (chaos->driver)
		driver("reset");
	check(groups_dying(60) == 0, "nothing holds the removed groups");
}

void test_chaos(void)
{
	double end = now() + seconds;
	unsigned int looks = 0;

	prepare();
	start_workers();
	do {
		nap(ROUND * 1000);
		rest();
		driver_check("at rest");
		if (chaos->driver && lists_are_by_group())
			look_at_dying();
		looks++;
		if (now() < end)
			go_on();
	} while (now() < end);
	end_workers();
	note("%u looks at rest", looks);
	find_all();
	tidy();
}
