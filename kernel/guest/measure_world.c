// SPDX-License-Identifier: GPL-2.0-only
/*
 * measure_world.c - mounts, cgroups, and processes in them
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/sched.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"

#define PATH_SIZE 64

int mounted;

/* ---- File systems ----------------------------------------------------------- */

/* 128 to a directory, so that none is long. */
static void mount_path(char *path, size_t size, int nr)
{
	snprintf(path, size, "/tmp/m%d/%d", nr / 128, nr % 128);
}

void mount_dirs(int upto)
{
	static int made;
	char path[PATH_SIZE];

	for (; made < upto; made++) {
		if (made % 128 == 0) {
			snprintf(path, sizeof(path), "/tmp/m%d", made / 128);
			mkdir(path, 0755);
		}
		mount_path(path, sizeof(path), made);
		if (mkdir(path, 0755))
			die("mkdir %s: %s", path, strerror(errno));
	}
}

double mount_more(int nr)
{
	char path[PATH_SIZE];
	double start;

	mount_dirs(mounted + nr);
	start = now();
	for (; nr > 0; nr--) {
		mount_path(path, sizeof(path), mounted);
		if (mount("none", path, "tmpfs", 0, NULL))
			die("mount %s: %s", path, strerror(errno));
		mounted++;
	}
	return now() - start;
}

double unmount_last(int nr)
{
	char path[PATH_SIZE];
	double start = now();

	for (; nr > 0; nr--) {
		mount_path(path, sizeof(path), --mounted);
		if (umount(path))
			die("umount %s: %s", path, strerror(errno));
	}
	return now() - start;
}

/* ---- Cgroups ---------------------------------------------------------------- */

void cgroup_path(char *path, size_t size, int nr)
{
	snprintf(path, size, CGROUPS "/g%d", nr);
}

void cgroup_make(int nr)
{
	char path[PATH_SIZE];

	cgroup_path(path, sizeof(path), nr);
	if (mkdir(path, 0755))
		die("mkdir %s: %s", path, strerror(errno));
}

long cgroup_id(int nr)
{
	char path[PATH_SIZE];
	struct stat about;

	cgroup_path(path, sizeof(path), nr);
	if (stat(path, &about))
		die("%s: %s", path, strerror(errno));
	return (long)about.st_ino;
}

/* Its last process may still be on its way out. */
void cgroup_remove(int nr)
{
	char path[PATH_SIZE];
	int tries;

	cgroup_path(path, sizeof(path), nr);
	for (tries = 0; rmdir(path); tries++) {
		if (errno != EBUSY || tries == 1000)
			die("rmdir %s: %s", path, strerror(errno));
		usleep(1000);
	}
}

long cgroups_dying(void)
{
	static const char name[] = "nr_dying_descendants ";
	char *text = file_read(CGROUPS "/cgroup.stat");
	const char *line = strstr(text, name);
	long nr;

	if (!line)
		die("cgroup.stat has no %s", name);
	nr = strtol(line + sizeof(name) - 1, NULL, 10);
	free(text);
	return nr;
}

/* ---- Processes -------------------------------------------------------------- */

/* Born there: moving one costs a grace period. */
static pid_t fork_into(int cgroup)
{
	struct clone_args arguments = {
		.flags = CLONE_INTO_CGROUP,
		.exit_signal = SIGCHLD,
		.cgroup = (uint64_t)cgroup,
	};

	return (pid_t)syscall(SYS_clone3, &arguments, sizeof(arguments));
}

void cgroup_run(int nr, void (*work)(int argument), int argument)
{
	char path[PATH_SIZE];
	int directory, status;
	pid_t child;

	cgroup_path(path, sizeof(path), nr);
	directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	child = directory < 0 ? -1 : fork_into(directory);
	if (child < 0)
		die("a process in %s: %s", path, strerror(errno));
	if (child == 0) {
		work(argument);
		_exit(0);
	}
	close(directory);
	if (waitpid(child, &status, 0) != child || status)
		die("the process in %s failed", path);
}

void look_up(int nr)
{
	char path[PATH_SIZE];
	int i;

	for (i = 0; i < nr; i++) {
		mount_path(path, sizeof(path), (int)((long)i * mounted / nr));
		strcat(path, "/none");
		if (access(path, F_OK) == 0)
			_exit(1);
	}
}
