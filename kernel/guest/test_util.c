// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_util.c - report, chance, files, groups: what each test needs
 *
 * Lines are written whole, so that those of several processes do not mix.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "test.h"

unsigned int nr_checks;
unsigned int nr_failed;

/* ---- Report ----------------------------------------------------------------- */

bool check(bool ok, const char *name, ...)
{
	char text[PATH];
	va_list args;

	va_start(args, name);
	vsnprintf(text, sizeof(text), name, args);
	va_end(args);
	nr_checks++;
	nr_failed += !ok;
	printf("%s %u - %s\n", ok ? "ok" : "not ok", nr_checks, text);
	return ok;
}

void note(const char *format, ...)
{
	char text[2 * PATH];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	printf("# %s\n", text);
}

void die(const char *format, ...)
{
	char text[2 * PATH];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	printf("Bail out! %s\n", text);
	exit(3);
}

/* ---- Chance and time ---------------------------------------------------------- */

struct chance chance_of(unsigned int worker)
{
	struct chance chance = { seed ^ (worker + 1) * 0x9e3779b97f4a7c15u };

	/* The state must not be 0; and the first numbers look alike. */
	chance.state |= 1;
	for (int i = 0; i < 8; i++)
		chance_below(&chance, 1);
	return chance;
}

unsigned int chance_below(struct chance *chance, unsigned int n)
{
	chance->state ^= chance->state >> 12;
	chance->state ^= chance->state << 25;
	chance->state ^= chance->state >> 27;
	return (unsigned int)((chance->state * 0x2545f4914f6cdd1du) >> 33) % n;
}

double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void nap(unsigned int milliseconds)
{
	struct timespec t = { milliseconds / 1000,
			      (long)(milliseconds % 1000) * 1000000 };

	nanosleep(&t, NULL);
}

/* ---- Files --------------------------------------------------------------------- */

ssize_t file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, text, strlen(text));
	if (n < 0)
		n = -errno;
	close(fd);
	return n;
}

ssize_t file_read(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t sum = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	do {
		n = read(fd, text + sum, size - 1 - sum);
		sum += n > 0 ? (size_t)n : 0;
	} while (n > 0 && sum < size - 1);
	if (n < 0)
		n = -errno;
	text[sum] = '\0';
	close(fd);
	return n < 0 ? n : (ssize_t)sum;
}

void make_directory(const char *path)
{
	if (mkdir(path, 0755) && errno != EEXIST)
		die("%s can't be made: %s", path, strerror(errno));
}

/* ---- Groups -------------------------------------------------------------------- */

static bool group_new(struct group *group, const char *format, va_list args)
{
	struct stat st;
	char name[PATH / 2];
	char control[PATH + 32];

	vsnprintf(name, sizeof(name), format, args);
	snprintf(group->path, sizeof(group->path), "/cg/%s", name);
	if (mkdir(group->path, 0755) || stat(group->path, &st))
		return false;
	group->id = st.st_ino;
	/* So that it may have children; a leaf does not mind. */
	snprintf(control, sizeof(control), "%s/cgroup.subtree_control",
		 group->path);
	file_write(control, "+memory");
	return true;
}

bool group_try(struct group *group, const char *format, ...)
{
	va_list args;
	bool made;

	va_start(args, format);
	made = group_new(group, format, args);
	va_end(args);
	return made;
}

void group_make(struct group *group, const char *format, ...)
{
	va_list args;
	bool made;

	va_start(args, format);
	made = group_new(group, format, args);
	va_end(args);
	if (!made)
		die("group %s can't be made: %s", group->path, strerror(errno));
}

/* Who ended in it a moment ago may still be counted. */
void group_remove(const struct group *group)
{
	for (int i = 0; i < 500; i++) {
		if (rmdir(group->path) == 0 || errno != EBUSY)
			return;
		nap(10);
	}
	die("group %s stays busy", group->path);
}

int group_reclaim(const struct group *group, const char *amount)
{
	char file[PATH + 32];
	ssize_t n;

	snprintf(file, sizeof(file), "%s/memory.reclaim", group->path);
	n = file_write(file, amount);
	return n < 0 ? (int)n : 0;
}

/*
 * A leaf with a controller enabled for children may not have processes: that
 * is taken back first.
 */
pid_t group_start(const struct group *group, int (*work)(void *), void *data)
{
	char file[PATH + 32];
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		die("fork: %s", strerror(errno));
	if (pid > 0)
		return pid;
	snprintf(file, sizeof(file), "%s/cgroup.subtree_control", group->path);
	file_write(file, "-memory");
	snprintf(file, sizeof(file), "%s/cgroup.procs", group->path);
	/* 120: it was removed meanwhile, which some tests want. */
	_exit(file_write(file, "0") < 0 ? 120 : work(data));
}

int process_end(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 127;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}

int group_run(const struct group *group, int (*work)(void *), void *data)
{
	return process_end(group_start(group, work, data));
}

long groups_dying(unsigned int limit)
{
	double until = now() + limit;
	char text[1024];
	char *found;
	long dying;

	for (;;) {
		if (file_read("/cg/cgroup.stat", text, sizeof(text)) < 0)
			return 0; /* no cgroups in this kernel */
		found = strstr(text, "nr_dying_descendants ");
		dying = found ? atol(found + 21) : 0;
		if (dying == 0 || now() > until)
			return dying;
		nap(100);
	}
}
