/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * measure.h - what the parts of the measuring program share
 *
 * It prints lines "KEY<TAB>VALUE", one for each time a thing was measured: who
 * reads them takes medians. Lines that begin with '#' say what it is at.
 */
#ifndef _MEASURE_H
#define _MEASURE_H

#include <stdbool.h>
#include <stddef.h>

#define CGROUPS "/sys/fs/cgroup"
#define NODES 4

/* ---- The parts: `measure shape MOUNTS CGROUPS` and so on ------------------ */

void measure_shape(int nr_mounts, int nr_cgroups);
void measure_walks(void);
void measure_own(int nr_cgroups);

/* ---- Report and time (measure_util.c) ------------------------------------- */

void row(double value, const char *key, ...)
	__attribute__((format(printf, 2, 3)));
void step(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The world is not as it must be. */
void die(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));

double now(void); /* seconds */
void file_write(const char *path, const char *text);
/* As text that ends in 0, to be freed. */
char *file_read(const char *path);

/* One command to the driver; an error ends the program. */
struct answer {
	long first, second;
};
struct answer driver(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/*
 * Nanoseconds of one time of what the driver does when TIMES is put after this
 * command.  It is the median of many short samples, as long for a slow kernel
 * as for a fast one: what the host does meanwhile hits few of them.
 */
double driver_time(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* Seconds of one `drop_caches`, slab only; the best of several. */
double drop_caches(void);
double best_drop(int times);

/* ---- Memory (measure_slab.c) ---------------------------------------------- */

#define NAME_SIZE 40
#define MAX_CACHES 400

/**
 * struct memory - What slabs take at one moment.
 * @unreclaimable: Bytes, as /proc/meminfo has it.
 * @percpu: Bytes, likewise.
 * @nr: Caches, as /proc/slabinfo has them.
 */
struct memory {
	double unreclaimable;
	double percpu;
	int nr;
	struct cache {
		char name[NAME_SIZE];
		double objects;
		double object_size;
		double bytes;
	} cache[MAX_CACHES];
};

/* Waits until what is about to be freed is freed, and no cache keeps it. */
void memory_read(struct memory *memory);
/* What has been added since @before to one cache; 0 where it is not there. */
double added_objects(const struct memory *after, const struct memory *before,
		     const char *name);
double added_bytes(const struct memory *after, const struct memory *before,
		   const char *name);
/* The same for all caches whose name begins so. */
double added_objects_like(const struct memory *after,
			  const struct memory *before, const char *prefix);

/* ---- Mounts and cgroups (measure_world.c) --------------------------------- */

/* File systems are numbered in the order of mount; the last go first. */
extern int mounted;
void mount_dirs(int upto); /* so that time is not taken for them */
double mount_more(int nr); /* seconds */
double unmount_last(int nr);

void cgroup_path(char *path, size_t size, int nr);
void cgroup_make(int nr);
long cgroup_id(int nr);
void cgroup_remove(int nr);
/* All that are removed and not yet gone. */
long cgroups_dying(void);

/* A process in the cgroup does @work, and is waited for. */
void cgroup_run(int nr, void (*work)(int argument), int argument);
/* It looks up a name that is not there, in @nr file systems of all, spread. */
void look_up(int nr);

#endif /* _MEASURE_H */
