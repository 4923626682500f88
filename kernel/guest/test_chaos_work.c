// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_chaos_work.c - what the workers of test_chaos.c do, one step at a time
 *
 * Most steps may fail, because what they name was just taken away.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test_chaos.h"

#define DEBUGFS "/sys/kernel/debug/shrinker"

/* ---- Mounts --------------------------------------------------------------------- */

/* At most one mount in a slot, or they would pile up: so umount it first. */
void chaos_mount(struct chance *chance)
{
	unsigned int i = chance_below(chance, SLOTS);
	char path[PATH];
	char device[32];

	snprintf(path, sizeof(path), "/w/chaos/%u", i);
	if (umount2(path, chance_below(chance, 2) ? MNT_DETACH : 0) == 0)
		return;
	if (i < EXT4_SLOTS) {
		snprintf(device, sizeof(device), "/dev/loop%u", i);
		mount(device, path, "ext4", MS_RDONLY, NULL);
	} else {
		mount("chaos", path, "tmpfs", 0, "size=64k");
	}
}

/* ---- Groups ---------------------------------------------------------------------- */

void chaos_group_path(unsigned int i, char *path, size_t size)
{
	if (i < PARENTS)
		snprintf(path, size, "/cg/chaos-%u", i);
	else
		snprintf(path, size, "/cg/chaos-%u/%u", i % PARENTS, i);
}

static unsigned long group_id(unsigned int i)
{
	char path[PATH];
	struct stat st;

	chaos_group_path(i, path, sizeof(path));
	return stat(path, &st) ? 0 : st.st_ino;
}

void chaos_group(struct chance *chance)
{
	unsigned int i = chance_below(chance, GROUPS);
	char path[PATH + 32];

	chaos_group_path(i, path, PATH);
	if (mkdir(path, 0755) == 0) {
		strcat(path, "/cgroup.subtree_control");
		if (i < PARENTS)
			file_write(path, "+memory");
		return;
	}
	/* Parents stay longer, or few groups would ever have children. */
	if (chance_below(chance, i < PARENTS ? 16 : 2) == 0)
		rmdir(path);
	nap(chance_below(chance, 10));
}

/* Remove a group, but hold it, so that it is dying for a while. */
void chaos_dying(struct chance *chance)
{
	_Atomic unsigned long *dying =
		&chaos->dying[chance_below(chance, DYING)];
	unsigned int i = PARENTS + chance_below(chance, GROUPS - PARENTS);
	unsigned long id = group_id(i);
	char path[PATH];

	nap(chance_below(chance, 50));
	if (!chaos->driver)
		return;
	if (*dying) {
		driver("unpin %lu", *dying);
		*dying = 0;
		return;
	}
	chaos_group_path(i, path, sizeof(path));
	if (id == 0 || driver_try("pin %lu", id) < 0)
		return;
	/* It may have been removed by others, and made again. */
	if (rmdir(path) == 0 && group_id(i) != id)
		*dying = id;
	else
		driver("unpin %lu", id);
}

/* ---- Files ------------------------------------------------------------------------- */

static void touch(struct chance *chance)
{
	unsigned int i = chance_below(chance, SLOTS);
	unsigned int name = chance_below(chance, 64);
	char path[PATH];
	struct stat st;
	int fd;

	/* Half of the time on ext4: it has objects that can be reclaimed. */
	if (chance_below(chance, 2))
		i %= EXT4_SLOTS;
	if (i < EXT4_SLOTS) {
		snprintf(path, sizeof(path), "/w/chaos/%u/%s%u", i,
			 name < IMAGE_FILES ? "file" : "missing", name);
		stat(path, &st);
		return;
	}
	snprintf(path, sizeof(path), "/w/chaos/%u/touch%u", i, name);
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
	if (fd >= 0)
		close(fd);
	if (chance_below(chance, 2))
		unlink(path);
}

/* What is looked up in /proc is another shrinker's, which never goes away. */
static void look_in_proc(struct chance *chance)
{
	char path[PATH];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%u/status",
		 chance_below(chance, 200));
	stat(path, &st);
}

static int touch_some(void *data)
{
	struct chance *chance = data;
	unsigned int n = chance_below(chance, 200);

	for (unsigned int i = 0; i < n; i++) {
		if (chance_below(chance, 10) == 0)
			look_in_proc(chance);
		else
			touch(chance);
	}
	return 0;
}

int chaos_touch_ext4(void *data)
{
	const unsigned int *self = data;
	char path[PATH];
	struct stat st;

	for (unsigned int i = 0; i < EXT4_SLOTS; i++) {
		snprintf(path, sizeof(path), "/w/chaos/%u/of-group-%u", i,
			 *self);
		stat(path, &st);
	}
	return 0;
}

/* By a process that lives and dies in the group. */
void chaos_touch(struct chance *chance)
{
	unsigned int i = PARENTS + chance_below(chance, GROUPS - PARENTS);
	struct group group;
	struct chance next;

	chaos_group_path(i, group.path, sizeof(group.path));
	next.state = ((uint64_t)chance_below(chance, 1u << 30) << 1) | 1;
	group_run(&group, touch_some, &next);
}

/* ---- Reclaim ----------------------------------------------------------------------- */

void chaos_drop(struct chance *chance)
{
	file_write("/proc/sys/vm/drop_caches",
		   chance_below(chance, 4) ? "2" : "3");
	nap(chance_below(chance, 200));
}

void chaos_reclaim(struct chance *chance)
{
	static const char *const amounts[] = { "64K", "1M", "16M swappiness=0",
					       "64M" };
	struct group group;

	chaos_group_path(chance_below(chance, GROUPS), group.path,
			 sizeof(group.path));
	group_reclaim(&group, amounts[chance_below(chance, 4)]);
	nap(chance_below(chance, 20));
}

/* The name of some shrinker; which one, chance says. */
static bool pick_shrinker(struct chance *chance, char *name, size_t size)
{
	unsigned int skip = chance_below(chance, SLOTS);
	DIR *dir = opendir(DEBUGFS);
	struct dirent *entry = NULL;

	if (!dir)
		return false;
	do {
		entry = readdir(dir);
		if (entry)
			snprintf(name, size, "%.*s", (int)size - 1,
				 entry->d_name);
	} while (entry && skip--);
	closedir(dir);
	return name[0] != '.';
}

void chaos_debugfs(struct chance *chance)
{
	char name[PATH] = ".";
	char path[2 * PATH];
	char text[64];
	char counts[8192];

	if (!pick_shrinker(chance, name, sizeof(name)))
		return;
	snprintf(path, sizeof(path), DEBUGFS "/%s/count", name);
	file_read(path, counts, sizeof(counts));
	snprintf(path, sizeof(path), DEBUGFS "/%s/scan", name);
	snprintf(text, sizeof(text), "%lu %u %u",
		 group_id(chance_below(chance, GROUPS)),
		 chance_below(chance, NODES), 1 + chance_below(chance, 64));
	file_write(path, text);
}

/* ---- The driver ------------------------------------------------------------------------ */

static bool take(unsigned int i)
{
	int none = 0;

	return atomic_compare_exchange_strong(&chaos->users[i], &none, -1);
}

/* Alone with shrinker @i: make it where there is none, or free it. */
static void replace(struct chance *chance, unsigned int i)
{
	int index = chaos->shrinker[i];

	if (index >= 0) {
		driver("free %d %u", index, chance_below(chance, 2));
		chaos->shrinker[i] = -1;
		return;
	}
	index = (int)driver("new %u %u", chance_below(chance, 2) * 32,
			    chance_below(chance, 4) > 0);
	if (chance_below(chance, 2))
		driver("second %d", index);
	chaos->shrinker[i] = index;
}

void chaos_shrinker(struct chance *chance)
{
	unsigned int i = chance_below(chance, SHRINKERS);

	if (chaos->driver && take(i)) {
		replace(chance, i);
		chaos->users[i] = 0;
	}
	nap(chance_below(chance, 50));
}

/* Any of them may come too late, for the group: an error is no fault. */
static void use(struct chance *chance, int index)
{
	unsigned long group = group_id(chance_below(chance, GROUPS));
	unsigned int nid = chance_below(chance, NODES);
	unsigned int lru = chance_below(chance, 2);
	unsigned int n = 1 + chance_below(chance, 100);

	switch (chance_below(chance, 10)) {
	case 0:
		driver_try("install %d %lu %u", index, group, lru);
		break;
	case 1:
		driver_try("del %d %u %u %lu %u", index, lru, nid, group, n);
		break;
	case 2:
		driver_try("mode %d %u", index, chance_below(chance, 2));
		break;
	case 3:
		driver_try("walk %u %lu %u 1", nid, group,
			   chance_below(chance, 13));
		break;
	case 4:
		driver_try("register %d", index);
		break;
	case 5:
		driver_try("deferred %d %u %lu", index, nid, group);
		break;
	default:
		driver_try("add %d %u %u %lu %u", index, lru, nid, group, n);
	}
}

void chaos_item(struct chance *chance)
{
	unsigned int i = chance_below(chance, SHRINKERS);
	int users = chaos->users[i];

	if (!chaos->driver || users < 0 ||
	    !atomic_compare_exchange_strong(&chaos->users[i], &users,
					    users + 1)) {
		nap(1);
		return;
	}
	if (chaos->shrinker[i] >= 0)
		use(chance, chaos->shrinker[i]);
	chaos->users[i]--;
}
