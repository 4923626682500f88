// SPDX-License-Identifier: MIT
/*
 * demo_files.c - the databases: made once, kept, and trusted only when whole
 *
 *	t000042.db.tmp  --- filled, committed, closed --->  t000042.db
 *	                              rename
 *
 * A file gets its name when nothing is missing in it, so a run that is killed
 * leaves only .tmp files, which the next run removes.  What a file holds is
 * stamped on it in the two numbers that SQLite keeps for applications:
 *
 *	application_id   that it is one of the demo's
 *	user_version     which tenant, how many rows, which words, which layout
 *
 * so an old file is made again, while one under our name that is not ours, or
 * is no longer what its own header says, is reported and never overwritten.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "demo.h"
#include "demo_files.h"
#include "demo_text.h"
#include "interrupt.h"
#include "progress.h"
#include "random.h"
#include "say.h"

/* Differs between any two layouts of the databases. */
#define LAYOUT 1

#define MAKERS_MAX 8

/* ---- Which files there are ----------------------------------------------- */

uint32_t demo_nr_files(const struct demo_options *options)
{
	return options->tenants + DEMO_SPECIALS;
}

uint32_t demo_file_tenant(const struct demo_options *options, uint32_t index)
{
	if (index < options->tenants)
		return index;
	return TENANT_NOISY + (index - options->tenants);
}

uint32_t tenant_rows(uint32_t tenant)
{
	switch (tenant) {
	case TENANT_NOISY:
		return 56000; /* about 16 MiB */
	case TENANT_PROTECTED:
	case TENANT_TWIN:
		return 2400; /* about 700 KiB */
	default:
		return 1040; /* about 300 KiB */
	}
}

void tenant_name(uint32_t tenant, char name[TENANT_NAME_MAX])
{
	switch (tenant) {
	case TENANT_NOISY:
		strcpy(name, "noisy");
		break;
	case TENANT_PROTECTED:
		strcpy(name, "protected");
		break;
	case TENANT_TWIN:
		strcpy(name, "twin");
		break;
	default:
		snprintf(name, TENANT_NAME_MAX, "%u", tenant);
	}
}

void tenant_path(const char *dir, uint32_t tenant, char path[PATH_MAX])
{
	char name[TENANT_NAME_MAX];

	tenant_name(tenant, name);
	if (tenant < DEMO_TENANTS_MAX)
		snprintf(path, PATH_MAX, "%s/t%06u.db", dir, tenant);
	else
		snprintf(path, PATH_MAX, "%s/%s.db", dir, name);
}

int32_t tenant_stamp(const struct words *words, uint32_t tenant)
{
	uint64_t stamp = LAYOUT;

	stamp = random_mix(stamp + words->digest);
	stamp = random_mix(stamp + tenant_rows(tenant));
	stamp = random_mix(stamp + tenant);
	return (int32_t)(stamp & INT32_MAX);
}

/* ---- Which of them can be used ------------------------------------------- */

enum file_state {
	FILE_FITS,
	FILE_MISSING,
	FILE_OLD,
	FILE_DAMAGED,
	FILE_CLOSED, /* errno says why */
};

static uint32_t read_be32(const unsigned char *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
	       (uint32_t)bytes[2] << 8 | bytes[3];
}

/* Judge a file by its header (the format is in SQLite's documentation). */
static enum file_state judge_header(const unsigned char header[100],
				    uint64_t size, int32_t stamp)
{
	uint32_t page = (uint32_t)header[16] << 8 | header[17];
	uint32_t pages = read_be32(header + 28);

	if (memcmp(header, "SQLite format 3", 16) ||
	    read_be32(header + 68) != DEMO_APPLICATION_ID)
		return FILE_DAMAGED;
	if (read_be32(header + 60) != (uint32_t)stamp)
		return FILE_OLD;
	return (uint64_t)page * pages == size ? FILE_FITS : FILE_DAMAGED;
}

static enum file_state judge_file(const char *path, int32_t stamp)
{
	enum file_state state = FILE_DAMAGED;
	unsigned char header[100];
	struct stat info;
	int file = open(path, O_RDWR | O_CLOEXEC);

	if (file < 0)
		return errno == ENOENT ? FILE_MISSING : FILE_CLOSED;
	if (!fstat(file, &info) && S_ISREG(info.st_mode) &&
	    read(file, header, sizeof(header)) == sizeof(header))
		state = judge_header(header, (uint64_t)info.st_size, stamp);
	close(file);
	return state;
}

/* Remove what a killed run was about to make. */
static void remove_temporary(const char *dir)
{
	DIR *entries = opendir(dir);
	struct dirent *entry;

	if (!entries)
		return;
	while ((entry = readdir(entries))) {
		const char *end = strrchr(entry->d_name, '.');

		if (end && !strcmp(end, DEMO_TEMPORARY))
			unlinkat(dirfd(entries), entry->d_name, 0);
	}
	closedir(entries);
}

/* Note the files to be made, and how many bytes they take. */
static int find_missing(struct demo_making *making, uint64_t *bytes)
{
	const struct demo_options *options = making->options;

	*bytes = 0;
	for (uint32_t i = 0; i < demo_nr_files(options); i++) {
		uint32_t tenant = demo_file_tenant(options, i);
		char path[PATH_MAX];

		tenant_path(options->dir, tenant, path);
		switch (judge_file(path, tenant_stamp(making->words, tenant))) {
		case FILE_FITS:
			break;
		case FILE_CLOSED:
			return say_failure("cannot open %s: %s", path,
					   strerror(errno));
		case FILE_DAMAGED:
			return say_failure("%s is damaged or not a database "
					   "of the demo; delete it, and it is "
					   "made again",
					   path);
		default:
			making->tenants[making->nr++] = tenant;
			*bytes +=
				tenant_rows(tenant) * (uint64_t)ROW_FILE_BYTES;
		}
	}
	return 0;
}

static int check_space(const char *dir, uint64_t needed)
{
	struct statvfs info;
	uint64_t there;

	if (statvfs(dir, &info))
		return say_failure("cannot ask for free space in %s: %s", dir,
				   strerror(errno));
	there = (uint64_t)info.f_bavail * info.f_frsize;
	if (there >= needed)
		return 0;
	return say_failure("the databases need %" PRIu64 " MiB, and %s has "
			   "%" PRIu64 " MiB free; give another --dir, or less "
			   "--tenants",
			   (needed >> 20) + 1, dir, there >> 20);
}

/* ---- Making them --------------------------------------------------------- */

static void *make_files(void *arg)
{
	struct demo_making *making = arg;

	while (!interrupted() && !failure_happened(&making->failure)) {
		uint32_t next =
			__atomic_fetch_add(&making->next, 1, __ATOMIC_RELAXED);

		if (next >= making->nr)
			break;
		demo_file_make(making, making->tenants[next]);
		progress_step(&making->progress,
			      tenant_rows(making->tenants[next]));
	}
	return NULL;
}

/* One thread per processor, this one included. */
static void run_makers(struct demo_making *making)
{
	pthread_t threads[MAKERS_MAX];
	long wanted = sysconf(_SC_NPROCESSORS_ONLN);
	int nr = 0;

	while (nr < MAKERS_MAX && nr + 1 < wanted &&
	       !pthread_create(&threads[nr], NULL, make_files, making))
		nr++;
	make_files(making);
	while (nr)
		pthread_join(threads[--nr], NULL);
}

static int make_missing(struct demo_making *making)
{
	uint64_t rows = 0;

	for (uint32_t i = 0; i < making->nr; i++)
		rows += tenant_rows(making->tenants[i]);
	progress_begin(&making->progress, "making databases", rows);
	run_makers(making);
	progress_end(&making->progress);
	if (failure_happened(&making->failure))
		return say_failure("%s", making->failure.text);
	return interrupted() ? EXIT_INTERRUPTED : 0;
}

int demo_files_make(const struct demo_options *options)
{
	struct demo_making making = {
		.options = options,
		.failure = FAILURE_INIT,
	};
	struct words words;
	uint64_t bytes;
	int code = words_load(&words);

	if (code)
		return code;
	making.words = &words;
	making.tenants = calloc(demo_nr_files(options), sizeof(uint32_t));
	if (!making.tenants) {
		code = say_failure("out of memory for %u tenants",
				   options->tenants);
		goto out;
	}
	remove_temporary(options->dir);
	code = find_missing(&making, &bytes);
	if (!code && making.nr)
		code = check_space(options->dir, bytes);
	if (!code && making.nr)
		code = make_missing(&making);
out:
	free(making.tenants);
	words_destroy(&words);
	return code;
}
