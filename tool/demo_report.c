// SPDX-License-Identifier: MIT
/*
 * demo_report.c - what a run has shown, as a table
 *
 *	                              (a)      (b)      (c)      (d)
 *	queries per second         12,345   ...
 *
 * A row is a number, a column a configuration.
 */
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>

#include <wane/base.h>

#include "demo.h"
#include "machine.h"

#define LABEL_WIDTH 30
#define COLUMN_WIDTH 11

const char *demo_mode_title(enum demo_mode mode)
{
	static const char *const titles[DEMO_MODES] = {
		[DEMO_SPLIT] = "SQLite's cache, the budget split evenly",
		[DEMO_DEFAULT] = "SQLite's cache at its defaults, no budget",
		[DEMO_WANE] = "wane, one budget for all",
		[DEMO_NOISY] = "wane, with a noisy and a protected tenant",
	};

	return titles[mode];
}

static double hit_rate(const struct demo_result *result)
{
	return demo_hit_rate(&result->pages);
}

static double median_us(const struct demo_result *result)
{
	return histogram_quantile(&result->latency, 0.5) / 1000;
}

static double slow_us(const struct demo_result *result)
{
	return histogram_quantile(&result->latency, 0.99) / 1000;
}

static double cache_mib(const struct demo_result *result)
{
	return (double)result->cache_peak / (1 << 20);
}

static double rss_mib(const struct demo_result *result)
{
	return (double)result->rss_peak / (1 << 20);
}

static double idle_kib(const struct demo_result *result)
{
	return demo_idle_bytes(result) / 1024;
}

static const struct {
	const char *label;
	int decimals;
	double (*value)(const struct demo_result *result);
} rows[] = {
	{ "queries per second", 0, demo_rate },
	{ "pages found in the cache, %", 2, hit_rate },
	{ "processor time per query, us", 1, demo_cpu_us },
	{ "latency, median, us", 1, median_us },
	{ "latency, 99 of 100 below, us", 1, slow_us },
	{ "page cache, peak, MiB", 1, cache_mib },
	{ "resident memory, peak, MiB", 1, rss_mib },
	{ "kept per idle tenant, KiB", 1, idle_kib },
};

static void print_head(const struct demo_run *run)
{
	const struct demo_options *options = &run->options;
	struct machine machine;

	machine_read(&machine);
	printf("%u tenants, budget %.1f MiB, %u threads, %g s of each in %d "
	       "rounds, seed %" PRIu64 "\n",
	       options->tenants, (double)options->budget / (1 << 20),
	       options->threads, options->seconds, DEMO_ROUNDS, options->seed);
	printf("%u x %s, %.1f GiB, %s\n", machine.processors, machine.processor,
	       (double)machine.memory / (1 << 30), machine.kernel);
	printf("wane %s, SQLite %s, %s\n\n", wane_version(),
	       sqlite3_libversion(), COMPILER);
	for (int mode = 0; mode < DEMO_MODES; mode++)
		printf("(%c) %s\n", 'a' + mode,
		       demo_mode_title((enum demo_mode)mode));
}

static void print_columns(void)
{
	printf("\n%-*s", LABEL_WIDTH, "");
	for (int mode = 0; mode < DEMO_MODES; mode++)
		printf("%*s(%c)", COLUMN_WIDTH - 3, "", 'a' + mode);
	putchar('\n');
}

static void print_rows(const struct demo_run *run)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		printf("%-*s", LABEL_WIDTH, rows[i].label);
		for (int mode = 0; mode < DEMO_MODES; mode++)
			printf("%*.*f", COLUMN_WIDTH, rows[i].decimals,
			       rows[i].value(&run->total[mode]));
		putchar('\n');
	}
}

static void print_noisy(const struct demo_run *run)
{
	const struct demo_result *noisy = &run->total[DEMO_NOISY];

	printf("\n(d) noisy tenant: peak %.2f MiB, max %.2f MiB, %" PRIu64
	       " scans of its database\n",
	       (double)noisy->noisy_peak / (1 << 20),
	       (double)DEMO_NOISY_MAX / (1 << 20), noisy->scans);
	printf("(d) rarely visited tenant, pages found: %.2f %% with min "
	       "%.0f MiB, %.2f %% without\n\n",
	       demo_hit_rate(&noisy->protected),
	       (double)DEMO_PROTECTED_MIN / (1 << 20),
	       demo_hit_rate(&noisy->twin));
}

void demo_report(const struct demo_run *run)
{
	print_head(run);
	print_columns();
	print_rows(run);
	print_noisy(run);
	demo_sentences(run);
}
