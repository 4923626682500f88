/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * test.h - what the tests in the guest have in common
 *
 * One static program holds them all: `test NAME [--seconds N] [--seed N]`.
 * It prints TAP.  A check is a line "ok" or "not ok"; what it was found by
 * stands before it, in lines with '#'.  The kernel's log is none of its
 * business: who reads the console looks at that.
 *
 * Groups are below /cg, where cgroup2 is mounted; file systems that come and go
 * below /w, a tmpfs.
 */
#ifndef _TEST_H
#define _TEST_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>
#include <sys/types.h>

#define NODES 4
#define PATH 160

/* Options. */
extern unsigned int seconds;
extern uint64_t seed;

/* The tests: each prints its checks. */
void test_reach(void);
void test_race(void);
void test_chaos(void);
void test_faults(void);
void test_bits(void);
void test_lists(void);
void test_alloc(void);

/* ---- Report ----------------------------------------------------------------- */

/* A line "ok" or "not ok", when @ok does not hold; returns @ok. */
bool check(bool ok, const char *name, ...)
	__attribute__((format(printf, 2, 3)));
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The test can't go on: the world is not as it must be. */
void die(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));

/* ---- Chance and time ---------------------------------------------------------- */

struct chance {
	uint64_t state;
};

/* Each worker has a sequence of its own, which depends on the seed. */
struct chance chance_of(unsigned int worker);
unsigned int chance_below(struct chance *chance, unsigned int n);

double now(void);
void nap(unsigned int milliseconds);

/* ---- Files --------------------------------------------------------------------- */

/* Both return bytes, or -errno.  What was read ends in 0. */
ssize_t file_write(const char *path, const char *text);
ssize_t file_read(const char *path, char *text, size_t size);
void make_directory(const char *path);

/* ---- Groups -------------------------------------------------------------------- */

struct group {
	char path[PATH];
	unsigned long id;
};

/* Named by printf; false when the directory can't be made (see errno). */
bool group_try(struct group *group, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void group_make(struct group *group, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void group_remove(const struct group *group);
/* Ask for @amount bytes back: 0, or -errno; -EAGAIN when there was less. */
int group_reclaim(const struct group *group, const char *amount);
/* A process in @group that does @work: its exit status, or its id. */
int group_run(const struct group *group, int (*work)(void *), void *data);
pid_t group_start(const struct group *group, int (*work)(void *), void *data);
int process_end(pid_t pid);
/* Removed groups that someone still holds, at the latest after @seconds. */
long groups_dying(unsigned int seconds);

/* ---- File systems ------------------------------------------------------------------ */

/* A small ext4 with some files, made of the empty one in the guest's image. */
#define IMAGE_FILES 16 /* /file0, ... in it */
void image_make(void);
/* It as /dev/loopNR, to be mounted MS_RDONLY. */
void loop_make(unsigned int nr, char *device, size_t size);

/* Objects of one super block or of all, by the debugfs files of shrinkers. */
struct counted {
	unsigned long group; /* its id */
	unsigned long objects;
};
/* How many lines, of at most @max: each a group with objects. */
int shrinker_count(const char *name, struct counted *counted, int max);
/* Call @visit for each shrinker whose name begins so. */
void shrinkers_visit(const char *prefix,
		     void (*visit)(const char *name, void *data), void *data);

/* ---- The driver (kernel/driver) ------------------------------------------------------ */

/* Its answer's first number, or -1 when it says "error". */
long driver_try(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, but an error ends the test. */
long driver(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* What it said last. */
extern char driver_answer[256];
bool driver_is_there(void);
/* Whether lists are by group: not when Linux was booted with "nokmem". */
bool lists_are_by_group(void);
/* Until a removed group, which is pinned, has been taken out of service. */
void group_wait_offline(const struct group *group);
/* A check: no item without a bit, in any group on any node. */
void driver_check(const char *when);

#endif /* _TEST_H */
