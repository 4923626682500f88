/* SPDX-License-Identifier: MIT */
/*
 * bench.h - wane bench: plans, samples, tables
 *
 *	plan ---> run (a worker) ---> samples ---> tables, targets
 *	                                 |-------> JSON
 *	                                 '-------> plots, doc/results.md
 *
 * A sample has a group (what was measured), a column (who) and a row (which
 * number of it).
 */
#ifndef WANE_BENCH_BENCH_H
#define WANE_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <wane/wane.h>

#include "../tool/machine.h"
#include "../tool/progress.h"

/* Each name of a measurement, as a bit. */
enum bench_name {
	BENCH_PUBLISHED,
	BENCH_CURVES,
	BENCH_CHARGE,
	BENCH_LRU,
	BENCH_SLAB,
	BENCH_XARRAY,
	BENCH_RECLAIM,
	BENCH_RETIRE,
	BENCH_SCALE,
	BENCH_INSTRUCTIONS,
	NR_BENCHES,
};

extern const char *const bench_names[NR_BENCHES];

struct bench_options {
	unsigned int names; /* bit per enum bench_name */
	bool quick;
	const char *json;
	const char *plots;
	const char *results;
	uint64_t seed;
	const char *command; /* the whole line */
	struct machine machine;
	char date[32];
};

/* ---- Implementations, and their workers --------------------------------- */

#define NR_IMPLEMENTATIONS 6
extern const char *const implementations[NR_IMPLEMENTATIONS];

/* The one that the library is built with. */
const char *implementation_default(void);

/*
 * Run `bench-<implementation> arguments...`, ended by NULL, with @nodes
 * pretended nodes, and store its samples as @group's.
 * Return: 0, or an exit code when it has said what is wrong.
 */
int run_worker(const char *implementation, int nodes, const char *group,
	       const char *const *arguments);

/*
 * The same under callgrind, for its count of instructions.
 * Return: 0, or -1 without a word.
 */
int run_counted(const char *implementation, const char *const *arguments,
		double *instructions);

/* ---- Plans ----------------------------------------------------------------- */

/* Run all that @options name.  Return: an exit code. */
int plan_run(const struct bench_options *options);

/* How many runs instructions are, and do them. */
size_t instructions_steps(void);
int instructions_run(struct progress *progress);
const char *instructions_missing(void);

/* ---- Samples ---------------------------------------------------------------- */

void samples_add(const char *group, const char *column, const char *row,
		 double value);
bool samples_have(const char *group);

/* Of some samples: quartiles. */
struct summary {
	double low;
	double median;
	double high;
};

/* Return: whether there are any. */
bool samples_summary(const char *group, const char *column, const char *row,
		     struct summary *summary);

/*
 * Each sample of the one divided by the sample of the other that was taken
 * beside it.
 */
bool samples_ratio(const char *group, const char *column, const char *row,
		   const char *base_column, const char *base_row,
		   struct summary *summary);

/* All samples, as JSON.  A borrowed json_t. */
void *samples_json(void);

/* What a worker says of the libraries beside it; in a line, and as JSON. */
void samples_version(const char *name, const char *text);
void samples_print_versions(FILE *out);
void *samples_versions_json(void);

/* ---- Tables ------------------------------------------------------------------ */

enum unit {
	UNIT_SECONDS,
	UNIT_BYTES,
	UNIT_NUMBER,
};

/* Three digits and a unit. */
void format_value(char *text, size_t size, enum unit unit, double value);

#define COLUMNS_MAX 6

struct table_row {
	const char *key;
	const char *label;
	enum unit unit;
	const char *published; /* "column=figure|column=figure" or NULL */
};

/* A row that stands for itself, without a published figure beside it. */
#define ROW_SECONDS(key, label)                \
	{                                      \
		key, label, UNIT_SECONDS, NULL \
	}
#define ROW_BYTES(key, label)                \
	{                                    \
		key, label, UNIT_BYTES, NULL \
	}

/*
 * struct table - Rows from one group of samples.
 * @columns: Names, ended by NULL.
 * @base: The column that others are divided by, or NULL.
 * @rows: Ended by one without key.
 */
struct table {
	enum bench_name bench;
	const char *group;
	const char *title;
	const char *note;
	const char *const *columns;
	const char *base;
	const struct table_row *rows;
};

extern const struct table tables_published[], tables_hot[], tables_world[];

/* Print one, when there are samples for it. */
void table_print(FILE *out, const struct table *table);

/* Everything that was measured: machine, tables, targets. */
void report_print(FILE *out, const struct bench_options *options);

/* Print what is aimed at, and whether it was reached. */
void targets_print(FILE *out);

/* P0's host, from measured bytes. */
void extrapolation_print(FILE *out);

/* ---- For machines, and pictures ------------------------------------------------ */

/* Return: 0, or an exit code when it has said what is wrong. */
int json_write(const struct bench_options *options);
int plots_write(const char *directory);
/* Before anything is measured: whether pictures could be drawn there. */
int plots_check(const char *directory);
int results_write(const struct bench_options *options);

extern const char *const plot_names[];
extern const char *const plot_titles[];

#endif /* WANE_BENCH_BENCH_H */
