/* SPDX-License-Identifier: MIT */
/*
 * demo.h - what the files of `wane demo` share
 *
 *	demo.c          the whole run        demo_options.c  what was asked for
 *	demo_place.c    the directory        demo_files.c    the databases
 *	demo_process.c  children, messages   demo_check.c    checks at the end
 *	demo_run.c      sums of rounds       demo_report.c   the table
 *	demo_words.c    the sentences        demo_json.c     all for machines
 *
 *	demo_child.c    one configuration    demo_worker.c   one of its threads
 *	demo_tenant.c   one connection       demo_text.c     what is in a row
 */
#ifndef WANE_TOOL_DEMO_H
#define WANE_TOOL_DEMO_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "histogram.h"

/* ---- What was asked for -------------------------------------------------- */

#define DEMO_ROUNDS 4
#define DEMO_TENANTS_MAX 1000000
#define DEMO_THREADS_MAX 64

/* A directory, so that the paths below it fit PATH_MAX. */
#define DEMO_DIR_MAX (PATH_MAX - 64)

struct demo_options {
	uint32_t tenants;
	uint32_t threads;
	size_t budget;
	double seconds; /* measured, of each configuration, over all rounds */
	uint64_t seed;
	bool own_dir; /* --dir was given */
	char dir[DEMO_DIR_MAX];
	const char *json; /* NULL for none */
};

/* Return: 0, or an exit code when it has said what is wrong. */
int demo_options_read(struct demo_options *options, int argc, char **argv);

/* The smallest budget that the options' other values can be served within. */
size_t demo_least_budget(const struct demo_options *options);

/* ---- The configurations -------------------------------------------------- */

enum demo_mode {
	DEMO_SPLIT, /* (a) SQLite's own cache, the budget split evenly */
	DEMO_DEFAULT, /* (b) SQLite's own cache as it is, no budget */
	DEMO_WANE, /* (c) wane, one budget at the root */
	DEMO_NOISY, /* (d) as (c), with a noisy and a protected tenant */
	DEMO_MODES,
};

static inline bool demo_mode_uses_wane(enum demo_mode mode)
{
	return mode >= DEMO_WANE;
}

/* What people call it, in a few words. */
const char *demo_mode_title(enum demo_mode mode);

/* Of (d): the noisy tenant's max, and the protected tenant's min. */
#define DEMO_NOISY_MAX ((size_t)2 << 20)
#define DEMO_PROTECTED_MIN ((size_t)1 << 20)

/* ---- Tenants and their files --------------------------------------------- */

/* The tenants that only (d) has; all others are numbered from 0. */
enum demo_special {
	TENANT_NOISY = 2000000000,
	TENANT_PROTECTED,
	TENANT_TWIN, /* the protected tenant's equal, but for the min */
};

#define DEMO_SPECIALS 3

/* Numbers of all tenants: 0 to demo_nr_files() - 1 -> tenant. */
uint32_t demo_nr_files(const struct demo_options *options);
uint32_t demo_file_tenant(const struct demo_options *options, uint32_t index);

/* How many rows a tenant has; their ids are 1 and up. */
uint32_t tenant_rows(uint32_t tenant);

/* What people call a tenant: "42", "noisy". */
#define TENANT_NAME_MAX 16
void tenant_name(uint32_t tenant, char name[TENANT_NAME_MAX]);

/* The tenant's database in @dir. */
void tenant_path(const char *dir, uint32_t tenant, char path[PATH_MAX]);

/* ---- The place ----------------------------------------------------------- */

/*
 * struct demo_place - The directory, ours alone while @lock is open.
 *
 * Children inherit the lock, so that it is not free before the last of them
 * has ended.
 */
struct demo_place {
	int lock;
};

/* Return: 0, or an exit code when it has said what is wrong. */
int demo_place_open(struct demo_place *place, struct demo_options *options);
void demo_place_close(struct demo_place *place);

/* Allow as many open files as the options need.  Return: as above. */
int demo_place_allow_files(const struct demo_options *options);

/* Make the files that are missing or of another layout.  Return: as above. */
int demo_files_make(const struct demo_options *options);

/* ---- Messages between the demo and its children -------------------------- */

/* The child's end of the socket: its standard input. */
#define DEMO_SOCKET 0

/* From the demo: first one setup, then any number of slices. */
struct demo_setup {
	struct demo_options options;
	enum demo_mode mode;
};

struct demo_slice {
	uint32_t round;
	double warm_seconds;
	double seconds;
};

/* Pages found in the cache, and pages that had to be read. */
struct demo_hits {
	uint64_t hits;
	uint64_t misses;
};

/*
 * struct demo_result - What a slice has shown.
 * @queries: Served within @seconds by all threads.
 * @cpu_seconds: Of processor time that the threads took for that.
 * @wrong: Answers that failed their check, since the child began.
 * @pages: Of all tenants but the specials.
 * @cache_peak: Bytes, since the child began.
 * @rss_peak: Bytes, since the child began.
 * @disk_bytes: Read from the disk, since the child began.
 * @idle: Tenants that had no query in this slice, nor in its warm-up.
 * @idle_bytes: Bytes of page cache that they held at its end.
 * @reclaimed: Pages that pressure took, since the child began; (c) and (d).
 * @scans: Whole scans of the noisy tenant, since the child began; (d).
 * @noisy_peak: Bytes, since the child began; (d).
 * @protected, @twin: (d).
 */
struct demo_result {
	uint64_t queries;
	double seconds;
	double cpu_seconds;
	uint64_t wrong;
	struct demo_hits pages;
	uint64_t cache_peak;
	uint64_t rss_peak;
	uint64_t disk_bytes;
	uint64_t idle;
	uint64_t idle_bytes;
	uint64_t reclaimed;
	uint64_t scans;
	uint64_t noisy_peak;
	struct demo_hits protected;
	struct demo_hits twin;
	struct histogram latency;
};

enum demo_reply_kind {
	DEMO_READY,
	DEMO_RESULT,
	DEMO_FAILURE,
};

/*
 * struct demo_reply - The answer to a setup or a slice.
 * @text: Of DEMO_FAILURE: what went wrong; of DEMO_RESULT: the first wrong
 *        answer, if any.
 */
struct demo_reply {
	enum demo_reply_kind kind;
	char text[1024];
	struct demo_result result;
};

/* ---- Children, seen from the demo ---------------------------------------- */

/* struct demo_process - A child; @socket is -1 when there is none. */
struct demo_process {
	int pid;
	int socket;
	enum demo_mode mode;
};

/*
 * Both return 0 when the child has answered: it has all connections open, or
 * has served the slice.  Else they return an exit code, and have said what is
 * wrong, but for EXIT_INTERRUPTED, which follows a signal to the demo.
 */
int demo_process_start(struct demo_process *process,
		       const struct demo_options *options, enum demo_mode mode);
int demo_process_run(struct demo_process *process,
		     const struct demo_slice *slice, struct demo_reply *reply);

/* End a child, if there is one, at its next query, and wait for it. */
void demo_process_end(struct demo_process *process);

/* ---- What was seen ------------------------------------------------------- */

/* struct demo_run - All that a run has shown, for the reports. */
struct demo_run {
	struct demo_options options;
	struct demo_result rounds[DEMO_MODES][DEMO_ROUNDS];
	struct demo_result total[DEMO_MODES];
	uint32_t checked; /* files that quick_check has looked at */
	char first_wrong[1024];
};

/* Sum the rounds up. */
void demo_run_total(struct demo_run *run);

/* Per cent of pages found; 0 where none was asked for. */
double demo_hit_rate(const struct demo_hits *pages);

/* Bytes of page cache per idle tenant; 0 where there was none. */
double demo_idle_bytes(const struct demo_result *result);

/* Queries per second. */
double demo_rate(const struct demo_result *result);

/* Processor time of a query, in microseconds. */
double demo_cpu_us(const struct demo_result *result);

/* Print the table, and then the sentences, to stdout. */
void demo_report(const struct demo_run *run);
void demo_sentences(const struct demo_run *run);

/*
 * Open the file, so that one that cannot be written is known before the run;
 * then write it.  Without a path both do nothing.  Return: 0 or EXIT_FAILED;
 * from end: @code, unless that is 0 and writing failed.
 */
int demo_json_begin(const char *path, int *file);
int demo_json_end(int file, const struct demo_run *run, int code);

/*
 * The three checks of a run: limits kept, answers right, files sound.  Each
 * that fails says so in a line.  Return: 0 or EXIT_FAILED.
 */
int demo_check(struct demo_run *run);

#endif /* WANE_TOOL_DEMO_H */
