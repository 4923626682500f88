// SPDX-License-Identifier: MIT
/*
 * demo_options.c - what `wane demo` was asked for
 *
 * The least budget is what must be held at once however hard pressure is:
 *
 *	per tenant   the frame of its page cache and its table of pages
 *	per thread   the pages of one query, all pinned, and a stock of charges
 *	of (d)       the protected tenant's min, and the noisy tenant's pages
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <wane/wane.h>

#include "command.h"
#include "demo.h"
#include "options.h"
#include "say.h"

/* A page of 4 KiB with SQLite's and wane's headers. */
#define PAGE_BYTES ((size_t)4608)
#define PINNED_PAGES 16
#define FRAME_BYTES ((size_t)3072)

enum {
	OPTION_TENANTS = 1,
	OPTION_BUDGET,
	OPTION_SECONDS,
	OPTION_THREADS,
	OPTION_DIR,
	OPTION_JSON,
	OPTION_SEED,
	OPTION_HELP,
};

static const struct option long_options[] = {
	{ "tenants", required_argument, NULL, OPTION_TENANTS },
	{ "budget", required_argument, NULL, OPTION_BUDGET },
	{ "seconds", required_argument, NULL, OPTION_SECONDS },
	{ "threads", required_argument, NULL, OPTION_THREADS },
	{ "dir", required_argument, NULL, OPTION_DIR },
	{ "json", required_argument, NULL, OPTION_JSON },
	{ "seed", required_argument, NULL, OPTION_SEED },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ NULL, 0, NULL, 0 },
};

void command_demo_help(void)
{
	puts("usage: wane demo [OPTION]...\n\n"
	     "Make one SQLite database per tenant and serve a skewed mix of "
	     "queries from all\nof them in one process, in four ways: (a) "
	     "SQLite's own cache, the budget split\nevenly; (b) SQLite's own "
	     "cache, no budget; (c) wane, one budget; (d) as (c),\nwith a "
	     "noisy and a protected tenant.  Then say what was seen.\n\n"
	     "  --tenants N    how many databases (2000; 300 KiB each)\n"
	     "  --budget SIZE  memory for page caches: bytes, or with K, M, "
	     "G (64M)\n"
	     "  --seconds S    measured time of each way, in 4 rounds (20)\n"
	     "  --threads N    threads that serve (2)\n"
	     "  --dir DIR      where the databases are kept and reused\n"
	     "                 ($XDG_CACHE_HOME/wane-demo, or "
	     "~/.cache/wane-demo; if that\n"
	     "                 cannot be written, $TMPDIR/wane-demo-UID or "
	     "/tmp/wane-demo-UID)\n"
	     "  --json FILE    write all numbers to FILE, too\n"
	     "  --seed N       another order of tenants and queries (1)\n\n"
	     "Exit code: 0; 1 when a limit was passed, an answer was wrong, a "
	     "file is damaged,\nor the demo could not run; 2 for wrong usage; "
	     "130 when interrupted.");
}

size_t demo_least_budget(const struct demo_options *options)
{
	size_t per_thread = PINNED_PAGES * PAGE_BYTES + WANE_STOCK_MAX;

	return options->tenants * FRAME_BYTES +
	       (options->threads + 1) * per_thread + DEMO_PROTECTED_MIN;
}

static int read_dir(struct demo_options *options, const char *text)
{
	size_t length = strlen(text);

	if (length == 0 || length >= DEMO_DIR_MAX)
		return say_usage("--dir: give the path of a directory, of 1 "
				 "to %d bytes",
				 DEMO_DIR_MAX - 1);
	strcpy(options->dir, text);
	options->own_dir = true;
	return 0;
}

/* As option_number(), for numbers of 32 bits. */
static int read_number(const char *name, uint32_t most, uint32_t *value)
{
	uint64_t number;
	int code = option_number(name, optarg, 1, most, &number);

	if (!code)
		*value = (uint32_t)number;
	return code;
}

static int read_option(struct demo_options *options, int option)
{
	switch (option) {
	case OPTION_TENANTS:
		return read_number("tenants", DEMO_TENANTS_MAX,
				   &options->tenants);
	case OPTION_BUDGET:
		return option_size("budget", optarg, &options->budget);
	case OPTION_SECONDS:
		return option_seconds("seconds", optarg, 0.1, 86400,
				      &options->seconds);
	case OPTION_THREADS:
		return read_number("threads", DEMO_THREADS_MAX,
				   &options->threads);
	case OPTION_DIR:
		return read_dir(options, optarg);
	case OPTION_JSON:
		options->json = optarg;
		return 0;
	default:
		return option_number("seed", optarg, 0, UINT64_MAX,
				     &options->seed);
	}
}

static int check_together(const struct demo_options *options)
{
	size_t least = demo_least_budget(options);

	if (options->threads > options->tenants)
		return say_usage("--threads: %u threads, but only %u tenants; "
				 "a tenant is served by one thread",
				 options->threads, options->tenants);
	if (options->budget < least)
		return say_usage("--budget: %zuK is less than what %u tenants "
				 "and %u threads pin at once; give at least "
				 "%zuK",
				 options->budget >> 10, options->tenants,
				 options->threads, (least + 1023) >> 10);
	return 0;
}

int demo_options_read(struct demo_options *options, int argc, char **argv)
{
	int option, code;

	*options = (struct demo_options){
		.tenants = 2000,
		.threads = 2,
		.budget = (size_t)64 << 20,
		.seconds = 20,
		.seed = 1,
	};
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":", long_options, NULL)) !=
	       -1) {
		if (option == '?' || option == ':')
			return option_unknown(option, argv, "demo");
		if (option == OPTION_HELP) {
			command_demo_help();
			exit(EXIT_DONE);
		}
		code = read_option(options, option);
		if (code)
			return code;
	}
	if (optind < argc)
		return option_extra(argv[optind], "demo");
	return check_together(options);
}
