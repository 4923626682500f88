// SPDX-License-Identifier: MIT
/*
 * plan.c - what is run, how large, and in which order
 *
 *	round 1   dense  dense63  array  ...  pairs
 *	round 2   dense  dense63  array  ...  pairs     rivals take turns
 *
 * Groups are as many as the shape says, or as fit into the memory that is set
 * aside, estimated for each implementation: a third of what is available.
 */
#include <stdlib.h>
#include <string.h>

#include "../tool/interrupt.h"
#include "../tool/say.h"
#include "bench.h"

#define GROUP_BYTES 1200 /* struct, name, ring: a generous guess */
#define ENTRY_BYTES 5000 /* of a sparse xarray, with its path of nodes */

/*
 * struct step - One measurement.
 * @group: Of its samples; NULL ends a list.
 * @worker: Its name in the worker.
 * @rivals: By each implementation, or by the default alone.
 * @whole: Left out where not all groups fit.
 * @rounds, @quick_rounds: How often.
 * @groups: How many groups, or entries.
 * @quick_groups: How many with --quick; 0: none, the step is left out.
 * @more: A further parameter, or NULL.
 */
struct step {
	enum bench_name bench;
	const char *group;
	const char *worker;
	bool rivals, whole;
	int nodes, rounds, quick_rounds;
	size_t caches, groups, quick_groups;
	const char *more;
};

#define SHAPE(group, nodes, caches, groups, quick)                         \
	{                                                                  \
		BENCH_PUBLISHED, group, "shape", true, false, nodes, 3, 1, \
			caches, groups, quick, NULL                        \
	}
#define CURVE(group, caches, groups, quick)                                 \
	{                                                                   \
		BENCH_CURVES, group, "curve", true, false, 4, 1, 1, caches, \
			groups, quick, NULL                                 \
	}
#define HOT(bench, group, worker, nodes, more)                                 \
	{                                                                      \
		bench, group, worker, false, false, nodes, 1, 1, 0, 1, 1, more \
	}
#define SCALE(group, groups, quick)                                      \
	{                                                                \
		BENCH_SCALE, group, "scale", true, true, 1, 1, 1, 10000, \
			groups, quick, NULL                              \
	}
#define MEMORY(allocator, size)                                               \
	{                                                                     \
		BENCH_SLAB, "slab", "memory", false, false, 1, 1, 1, 0, 1, 1, \
			"allocator=" #allocator " size=" #size                \
	}
#define MEMORIES(size)                                                      \
	MEMORY(0, size), MEMORY(1, size), MEMORY(2, size), MEMORY(3, size), \
		MEMORY(4, size)

static const struct step steps[] = {
	SHAPE("P1", 4, 8000, 2000, 500),
	SHAPE("P2", 1, 20000, 2000, 1000),
	SHAPE("P3", 4, 50000, 20000, 4000),
	{ BENCH_PUBLISHED, "P4", "one-file", true, false, 4, 3, 2, 4000, 4000,
	  4000, NULL },
	HOT(BENCH_PUBLISHED, "sizes", "size", 1, NULL),
	CURVE("caches_640", 640, 500, 200),
	CURVE("caches_6400", 6400, 500, 200),
	CURVE("caches_20000", 20000, 500, 200),
	CURVE("caches_50000", 50000, 500, 200),
	CURVE("groups_100", 5000, 100, 100),
	CURVE("groups_1000", 5000, 1000, 1000),
	CURVE("groups_4000", 5000, 4000, 0),
	CURVE("groups_20000", 5000, 20000, 0),
	HOT(BENCH_CHARGE, "charge", "charge", 1, NULL),
	HOT(BENCH_LRU, "lru", "lru", 1, NULL),
	HOT(BENCH_LRU, "lru4", "lru", 4, NULL),
	HOT(BENCH_SLAB, "slab", "slab", 1, NULL),
	MEMORIES(64),
	MEMORIES(256),
	MEMORIES(528),
	MEMORIES(4096),
	HOT(BENCH_XARRAY, "xarray", "xarray", 1, NULL),
	HOT(BENCH_XARRAY, "xarray", "entries", 1, NULL),
	{ BENCH_XARRAY, "xarray", "xarray_large", false, true, 1, 1, 1, 0,
	  1000000, 0, NULL },
	{ BENCH_RECLAIM, "reclaim", "reclaim", true, false, 1, 3, 1, 64, 100000,
	  100000, NULL },
	{ BENCH_RETIRE, "retire", "retire", true, false, 1, 3, 1, 1000, 100,
	  100, NULL },
	SCALE("scale_10000", 10000, 10000),
	SCALE("scale_100000", 100000, 100000),
	SCALE("scale_1000000", 1000000, 0),
	{ 0 },
};

/* ---- Memory ----------------------------------------------------------------- */

/* Bytes that programs could get now, from /proc/meminfo; 0: unknown. */
static double memory_available(void)
{
	FILE *file = fopen("/proc/meminfo", "re");
	char line[128];
	double kilobytes = 0;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "MemAvailable: %lf", &kilobytes) == 1)
			break;
	if (file)
		fclose(file);
	return kilobytes * 1024;
}

static double group_bytes(const char *implementation, const struct step *step)
{
	double units = (double)step->caches / 64 * step->nodes;

	if (step->bench == BENCH_XARRAY)
		return ENTRY_BYTES;
	if (!strcmp(implementation, "dense"))
		return GROUP_BYTES + units * (1024 + 8);
	if (!strcmp(implementation, "dense63"))
		return GROUP_BYTES + units * (512 + 8) * 64 / 63;
	if (!strcmp(implementation, "array"))
		return GROUP_BYTES + units * 8 * 2;
	return GROUP_BYTES;
}

/* How many groups fit, of those that @step wants. */
static size_t groups_that_fit(const char *implementation,
			      const struct step *step, bool quick)
{
	size_t wanted = quick ? step->quick_groups : step->groups;
	double room = memory_available() / (quick ? 12 : 3);
	double fit = room / group_bytes(implementation, step);

	if (fit >= (double)wanted)
		return wanted;
	return step->whole ? 0 : (size_t)fit + 1;
}

/* ---- Running ------------------------------------------------------------------ */

static bool is_wanted(const struct bench_options *options,
		      const struct step *step)
{
	return (options->names >> step->bench & 1) &&
	       (!options->quick || step->quick_groups);
}

static int rounds_of(const struct bench_options *options,
		     const struct step *step)
{
	return options->quick ? step->quick_rounds : step->rounds;
}

static int run_one(const struct bench_options *options, const struct step *step,
		   const char *implementation)
{
	size_t groups = groups_that_fit(implementation, step, options->quick);
	char text[5][40], more[64];
	const char *arguments[] = { step->worker, text[0], text[1],
				    text[2],	  text[3], text[4],
				    NULL,	  NULL,	   NULL };
	int at = 6;

	if (groups == 0)
		return 0;
	snprintf(text[0], sizeof(text[0]), "caches=%zu", step->caches);
	snprintf(text[1], sizeof(text[1]), "groups=%zu", groups);
	snprintf(text[2], sizeof(text[2]), "repeats=%d",
		 options->quick ? 2 : 3);
	snprintf(text[3], sizeof(text[3]), "samples=%d",
		 options->quick ? 11 : 51);
	snprintf(text[4], sizeof(text[4]), "seed=%llu",
		 (unsigned long long)options->seed);
	snprintf(more, sizeof(more), "%s", step->more ? step->more : "");
	for (char *word = strtok(more, " "); word; word = strtok(NULL, " "))
		arguments[at++] = word;
	return run_worker(implementation, step->nodes, step->group, arguments);
}

static int run_round(const struct bench_options *options,
		     const struct step *step, struct progress *progress)
{
	int err = 0;

	if (!step->rivals) {
		err = run_one(options, step, implementation_default());
		progress_step(progress, 1);
		return err;
	}
	for (int i = 0; !err && i < NR_IMPLEMENTATIONS; i++) {
		err = run_one(options, step, implementations[i]);
		progress_step(progress, 1);
	}
	return err;
}

static size_t count_steps(const struct bench_options *options)
{
	size_t nr = 0;

	for (const struct step *s = steps; s->group; s++)
		if (is_wanted(options, s))
			nr += (size_t)rounds_of(options, s) *
			      (s->rivals ? NR_IMPLEMENTATIONS : 1);
	if (options->names >> BENCH_INSTRUCTIONS & 1)
		nr += instructions_steps();
	return nr;
}

static int run_steps(const struct bench_options *options,
		     struct progress *progress)
{
	int err = 0;

	for (const struct step *s = steps; !err && s->group; s++) {
		if (!is_wanted(options, s))
			continue;
		for (int i = 0; !err && i < rounds_of(options, s); i++)
			err = run_round(options, s, progress);
	}
	if (!err && (options->names >> BENCH_INSTRUCTIONS & 1))
		err = instructions_run(progress);
	return err;
}

int plan_run(const struct bench_options *options)
{
	struct progress progress;
	int err;

	progress_begin(&progress, "measuring", count_steps(options));
	err = run_steps(options, &progress);
	progress_end(&progress);
	return err;
}
