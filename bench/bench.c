// SPDX-License-Identifier: MIT
/*
 * bench.c - wane bench: each claim that wane makes, beside its rivals
 *
 * Rivals of core/shrinker_info are whole builds of the library, each in a
 * worker program of its own; peers from the distribution run in the worker of
 * the default build.  All take turns, and what counts are ratios.
 */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../tool/command.h"
#include "../tool/interrupt.h"
#include "../tool/options.h"
#include "../tool/say.h"
#include "bench.h"

const char *const bench_names[NR_BENCHES] = {
	[BENCH_PUBLISHED] = "published", [BENCH_CURVES] = "curves",
	[BENCH_CHARGE] = "charge",	 [BENCH_LRU] = "lru",
	[BENCH_SLAB] = "slab",		 [BENCH_XARRAY] = "xarray",
	[BENCH_RECLAIM] = "reclaim",	 [BENCH_RETIRE] = "retire",
	[BENCH_SCALE] = "scale",	 [BENCH_INSTRUCTIONS] = "instructions",
};

void command_bench_help(void)
{
	puts("usage: wane bench [NAME]... [OPTION]...\n\n"
	     "Measure what wane claims beside its rivals, and print times, "
	     "bytes and ratios.\n\n"
	     "  published     the tables published for Linux, each way to keep "
	     "shares\n"
	     "  curves        how bytes, registration and passes grow; for "
	     "--plots\n"
	     "  charge        charge and uncharge, beside an atomic add\n"
	     "  lru           lists, beside a mutex and a list\n"
	     "  slab          objects, beside mimalloc, jemalloc and glibc\n"
	     "  xarray        index to pointer, beside Judy and liburcu\n"
	     "  reclaim       a pass over 100,000 groups, beside naive loops\n"
	     "  retire        groups with 0, 1 and 100 used caches\n"
	     "  scale         up to a million groups\n"
	     "  instructions  of the hot paths, counted by callgrind\n\n"
	     "Without a name: all of them.\n\n"
	     "  --quick         fewer groups and samples\n"
	     "  --seed N        of what is chosen at random (1)\n"
	     "  --json FILE     write every sample\n"
	     "  --plots DIR     draw pictures with gnuplot; measures curves\n"
	     "  --results FILE  write the page of results");
}

static int add_name(struct bench_options *options, const char *name)
{
	for (int i = 0; i < NR_BENCHES; i++) {
		if (!strcmp(bench_names[i], name)) {
			options->names |= 1u << i;
			return 0;
		}
	}
	return say_usage("bench: no measurement '%s'; there are published, "
			 "curves, charge, lru, slab, xarray, reclaim, retire, "
			 "scale and instructions",
			 name);
}

static int set_option(struct bench_options *options, int option)
{
	switch (option) {
	case 'q':
		options->quick = true;
		return 0;
	case 's':
		return option_number("seed", optarg, 0, INT64_MAX,
				     &options->seed);
	case 'j':
		options->json = optarg;
		return 0;
	case 'p':
		options->plots = optarg;
		return 0;
	default:
		options->results = optarg;
		return 0;
	}
}

static int unknown_option(int option, char **argv)
{
	if (option == ':')
		return option_unknown(option, argv, "bench");
	return say_usage("bench: unknown option '%s'; there are --quick, "
			 "--seed, --json, --plots, --results and --help",
			 argv[optind - 1]);
}

static int read_names(int argc, char **argv, struct bench_options *options)
{
	for (; optind < argc; optind++) {
		int code = add_name(options, argv[optind]);

		if (code)
			return code;
	}
	if (!options->names)
		options->names = (1u << NR_BENCHES) - 1;
	if (options->plots)
		options->names |= 1u << BENCH_CURVES;
	return 0;
}

/* Return: an exit code, or -1 to go on. */
static int read_options(int argc, char **argv, struct bench_options *options)
{
	static const struct option long_options[] = {
		{ "quick", no_argument, NULL, 'q' },
		{ "seed", required_argument, NULL, 's' },
		{ "json", required_argument, NULL, 'j' },
		{ "plots", required_argument, NULL, 'p' },
		{ "results", required_argument, NULL, 'r' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int option, code;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":", long_options, NULL)) !=
	       -1) {
		if (option == '?' || option == ':')
			return unknown_option(option, argv);
		if (option == 'h') {
			command_bench_help();
			return EXIT_DONE;
		}
		code = set_option(options, option);
		if (code)
			return code;
	}
	code = read_names(argc, argv, options);
	return code ? code : -1;
}

/* The command line, and when and where it runs. */
static void note_circumstances(int argc, char **argv,
			       struct bench_options *options)
{
	static char command[1024] = "wane";
	time_t now = time(NULL);
	struct tm utc;

	for (int i = 0; i < argc; i++) {
		size_t length = strlen(command);

		snprintf(command + length, sizeof(command) - length, " %s",
			 argv[i]);
	}
	options->command = command;
	strftime(options->date, sizeof(options->date), "%Y-%m-%d %H:%M UTC",
		 gmtime_r(&now, &utc));
	machine_read(&options->machine);
}

static int check_file(const char *option, const char *path)
{
	FILE *file = path ? fopen(path, "ae") : NULL;

	if (path && !file)
		return say_failure("%s: cannot write '%s': %s", option, path,
				   strerror(errno));
	if (file)
		fclose(file);
	return 0;
}

/* What would fail in the end had better fail now. */
static int check_files(const struct bench_options *options)
{
	int code = check_file("--json", options->json);

	if (!code)
		code = check_file("--results", options->results);
	if (!code && options->plots)
		code = plots_check(options->plots);
	return code;
}

static int write_files(const struct bench_options *options)
{
	int code = options->json ? json_write(options) : 0;

	if (!code && options->results)
		code = results_write(options);
	if (!code && options->plots)
		code = plots_write(options->plots);
	return code;
}

int command_bench(int argc, char **argv)
{
	struct bench_options options = { .seed = 1 };
	int code;

	note_circumstances(argc, argv, &options);
	code = read_options(argc, argv, &options);
	if (code >= 0)
		return code;
	interrupt_catch();
	code = check_files(&options);
	if (!code)
		code = plan_run(&options);
	if (code)
		return code;
	report_print(stdout, &options);
	return write_files(&options);
}
