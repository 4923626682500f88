// SPDX-License-Identifier: MIT
/*
 * demo_place.c - the directory of the databases, and what the system allows
 *
 *	--dir DIR                      or else
 *	$XDG_CACHE_HOME/wane-demo      or, where that is not set,
 *	$HOME/.cache/wane-demo         or, where neither can be written,
 *	$TMPDIR/wane-demo-UID          ($TMPDIR or /tmp)
 *
 * A file "lock" in it keeps a second demo out for as long as any process of
 * the first one lives.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "demo.h"
#include "say.h"

/* Descriptors besides one per database: journals, pipes, the library's. */
#define SPARE_FILES 64

/* Make @dir and what is missing above it.  Return: 0 or -errno. */
static int make_dir(const char *dir)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s", dir);
	for (char *slash = strchr(path + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0777);
		*slash = '/';
	}
	if (mkdir(path, 0777) && errno != EEXIST)
		return -errno;
	return 0;
}

/* Open and lock @dir/lock.  Return: the descriptor or -errno. */
static int lock_dir(const char *dir)
{
	char path[PATH_MAX];
	int lock, err;

	snprintf(path, sizeof(path), "%s/lock", dir);
	lock = open(path, O_RDWR | O_CREAT, 0666); /* children inherit it */
	if (lock < 0)
		return -errno;
	if (!flock(lock, LOCK_EX | LOCK_NB))
		return lock;
	err = -errno;
	close(lock);
	return err;
}

static int use_dir(const char *dir)
{
	int err = make_dir(dir);

	return err ? err : lock_dir(dir);
}

/* A directory in /tmp that somebody else has made is not to be trusted. */
static bool own_dir(const char *dir)
{
	struct stat info;

	return lstat(dir, &info) ||
	       (S_ISDIR(info.st_mode) && info.st_uid == geteuid());
}

static bool cache_dir(char dir[DEMO_DIR_MAX])
{
	const char *cache = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	int length = DEMO_DIR_MAX;

	if (cache && cache[0] == '/')
		length = snprintf(dir, DEMO_DIR_MAX, "%s/wane-demo", cache);
	else if (home && home[0] == '/')
		length = snprintf(dir, DEMO_DIR_MAX, "%s/.cache/wane-demo",
				  home);
	return length < DEMO_DIR_MAX;
}

static bool temporary_dir(char dir[DEMO_DIR_MAX])
{
	const char *tmp = getenv("TMPDIR");
	int length;

	length = snprintf(dir, DEMO_DIR_MAX, "%s/wane-demo-%u",
			  tmp && tmp[0] == '/' ? tmp : "/tmp",
			  (unsigned int)geteuid());
	return length < DEMO_DIR_MAX && own_dir(dir);
}

static int use_default_dir(char dir[DEMO_DIR_MAX])
{
	int lock = -ENOENT;

	if (cache_dir(dir))
		lock = use_dir(dir);
	if (lock < 0 && lock != -EWOULDBLOCK && temporary_dir(dir))
		lock = use_dir(dir);
	return lock;
}

int demo_place_open(struct demo_place *place, struct demo_options *options)
{
	if (options->own_dir)
		place->lock = use_dir(options->dir);
	else
		place->lock = use_default_dir(options->dir);
	if (place->lock == -EWOULDBLOCK)
		return say_failure("%s is in use by another demo; wait for "
				   "it, or give another --dir",
				   options->dir);
	if (place->lock < 0)
		return say_failure("cannot write to %s (%s); give another "
				   "--dir",
				   options->dir[0] ? options->dir
						   : "a directory of the cache",
				   strerror(-place->lock));
	return 0;
}

void demo_place_close(struct demo_place *place)
{
	close(place->lock);
}

int demo_place_allow_files(const struct demo_options *options)
{
	rlim_t needed = demo_nr_files(options) + SPARE_FILES;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return say_failure("cannot read the limit of open files: %s",
				   strerror(errno));
	if (limit.rlim_cur >= needed)
		return 0;
	if (limit.rlim_max >= needed) {
		limit.rlim_cur = limit.rlim_max;
		if (!setrlimit(RLIMIT_NOFILE, &limit))
			return 0;
	}
	return say_failure("%u tenants need %ju open files, and %ju are "
			   "allowed; raise the limit (ulimit -n %ju), or give "
			   "--tenants %ju or less",
			   options->tenants, (uintmax_t)needed,
			   (uintmax_t)limit.rlim_max, (uintmax_t)needed,
			   (uintmax_t)(limit.rlim_max > SPARE_FILES + 3
					       ? limit.rlim_max - SPARE_FILES -
							 DEMO_SPECIALS
					       : 1));
}
