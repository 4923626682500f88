// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_kernel.c - the kernel's own doors: loop devices, shrinkers, the driver
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <unistd.h>

#include "test.h"

#define SHRINKERS "/sys/kernel/debug/shrinker"
#define DRIVER "/sys/kernel/debug/wane/ctl"

/* ---- Loop devices ---------------------------------------------------------------- */

#define EMPTY "/ext4.img"
#define IMAGE "/w/ext4.img"
#define SOME_LOOP 200 /* the device for the one that is written */

static int open_or_die(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0644);

	if (fd < 0)
		die("%s: %s", path, strerror(errno));
	return fd;
}

static void attach(unsigned int nr, unsigned int flags, char *device,
		   size_t size)
{
	int write = flags & LO_FLAGS_READ_ONLY ? O_RDONLY : O_RDWR;
	struct loop_config config = {
		.fd = (uint32_t)open_or_die(IMAGE, write),
		.info.lo_flags = flags,
	};
	int control = open_or_die("/dev/loop-control", O_RDWR);
	int fd;

	if (ioctl(control, LOOP_CTL_ADD, nr) < 0 && errno != EEXIST)
		die("loop device %u can't be added: %s", nr, strerror(errno));
	close(control);
	snprintf(device, size, "/dev/loop%u", nr);
	fd = open_or_die(device, write);
	if (ioctl(fd, LOOP_CONFIGURE, &config) && errno != EBUSY)
		die("%s can't be set up: %s", device, strerror(errno));
	close(fd);
	close((int)config.fd);
}

/* Not with LO_FLAGS_AUTOCLEAR: the first umount would take the device away. */
void loop_make(unsigned int nr, char *device, size_t size)
{
	attach(nr, LO_FLAGS_READ_ONLY, device, size);
}

static void copy(int from, int to)
{
	char block[65536];
	ssize_t n;

	while ((n = read(from, block, sizeof(block))) > 0)
		if (write(to, block, (size_t)n) != n)
			die("%s: %s", IMAGE, strerror(errno));
	close(from);
	close(to);
}

void image_make(void)
{
	char text[PATH];

	copy(open_or_die(EMPTY, O_RDONLY),
	     open_or_die(IMAGE, O_CREAT | O_WRONLY | O_TRUNC));
	attach(SOME_LOOP, 0, text, sizeof(text));
	make_directory("/w/image");
	if (mount(text, "/w/image", "ext4", 0, NULL))
		die("%s is no ext4 that can be mounted: %s", EMPTY,
		    strerror(errno));
	for (unsigned int i = 0; i < IMAGE_FILES; i++) {
		snprintf(text, sizeof(text), "/w/image/file%u", i);
		close(open_or_die(text, O_CREAT | O_WRONLY));
	}
	if (umount("/w/image"))
		die("/w/image: umount: %s", strerror(errno));
}

/* ---- Shrinkers --------------------------------------------------------------------- */

/* A line: the group's id, then its objects on each node. */
int shrinker_count(const char *name, struct counted *counted, int max)
{
	char path[2 * PATH + 16];
	char text[16384];
	char *line;
	int n = 0;

	snprintf(path, sizeof(path), SHRINKERS "/%s/count", name);
	if (file_read(path, text, sizeof(text)) < 0)
		return 0; /* it is gone */
	for (line = text; *line && n < max; n++) {
		char *end = line + strcspn(line, "\n");

		counted[n].group = strtoul(line, &line, 10);
		counted[n].objects = 0;
		while (line < end)
			counted[n].objects += strtoul(line, &line, 10);
		line = *end ? end + 1 : end;
	}
	return n;
}

void shrinkers_visit(const char *prefix,
		     void (*visit)(const char *name, void *data), void *data)
{
	DIR *dir = opendir(SHRINKERS);
	struct dirent *entry;

	if (!dir)
		die("no %s: CONFIG_SHRINKER_DEBUG is needed", SHRINKERS);
	while ((entry = readdir(dir)))
		if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0)
			visit(entry->d_name, data);
	closedir(dir);
}

/* ---- The driver ------------------------------------------------------------------------ */

char driver_answer[256];

bool driver_is_there(void)
{
	return access(DRIVER, W_OK) == 0;
}

/* An answer is its open file's: so each process opens its own, once. */
static int driver_file(void)
{
	static int fd = -1;
	static pid_t owner;

	if (owner == getpid())
		return fd;
	fd = open(DRIVER, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		die("%s: %s (the kernel needs the test driver)", DRIVER,
		    strerror(errno));
	owner = getpid();
	return fd;
}

static long driver_ask(const char *format, va_list args)
{
	char command[256];
	int fd = driver_file();
	ssize_t n;

	vsnprintf(command, sizeof(command), format, args);
	n = write(fd, command, strlen(command));
	if (n < 0) {
		snprintf(driver_answer, sizeof(driver_answer), "error %s",
			 strerror(errno));
	} else {
		n = pread(fd, driver_answer, sizeof(driver_answer) - 1, 0);
		driver_answer[n > 0 ? n : 0] = '\0';
	}
	driver_answer[strcspn(driver_answer, "\n")] = '\0';
	if (driver_answer[0] == '\0' || strncmp(driver_answer, "error", 5) == 0)
		return -1;
	return atol(driver_answer);
}

long driver_try(const char *format, ...)
{
	va_list args;
	long value;

	va_start(args, format);
	value = driver_ask(format, args);
	va_end(args);
	return value;
}

long driver(const char *format, ...)
{
	char command[PATH];
	va_list args;
	long value;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	va_start(args, format);
	value = driver_ask(format, args);
	va_end(args);
	if (strncmp(driver_answer, "error", 5) == 0 || !driver_answer[0])
		die("driver: \"%s\": %s", command, driver_answer);
	return value;
}

bool lists_are_by_group(void)
{
	char text[4096];

	return file_read("/proc/cmdline", text, sizeof(text)) > 0 &&
	       !strstr(text, "nokmem") &&
	       !strstr(text, "cgroup_disable=memory");
}

void group_wait_offline(const struct group *group)
{
	double until = now() + 60;

	while (driver("online %lu", group->id)) {
		if (now() > until)
			die("%s was removed and does not go offline",
			    group->path);
		nap(2);
	}
}

void driver_check(const char *when)
{
	long violations;
	long looked_at = 0;
	char *next;

	if (!driver_is_there())
		return;
	violations = driver("check");
	next = strchr(driver_answer, ' ');
	if (next)
		looked_at = atol(next);
	if (violations)
		note("driver: %s", driver_answer);
	check(violations == 0, "%s: no list without a bit, of %ld", when,
	      looked_at);
}
