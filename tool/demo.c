// SPDX-License-Identifier: MIT
/*
 * demo.c - wane demo: thousands of SQLite databases in one process
 *
 *	make or check the databases
 *	start a process per configuration      (a) (b) (c) (d)
 *	4 rounds, one at a time                 a b c d  a b c d  a b c d ...
 *	check limits, answers, files
 *	report
 *
 * They take turns so that whatever else the machine does meanwhile meets all
 * of them alike.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "demo.h"
#include "interrupt.h"
#include "progress.h"
#include "say.h"

/* At most so much of the mix goes unmeasured before each slice. */
#define WARM_SECONDS 1.0

static int start_all(struct demo_process processes[DEMO_MODES],
		     const struct demo_options *options)
{
	struct progress progress;
	int code = 0;

	progress_begin(&progress, "opening connections", DEMO_MODES);
	for (int mode = 0; !code && mode < DEMO_MODES; mode++) {
		code = demo_process_start(&processes[mode], options,
					  (enum demo_mode)mode);
		progress_step(&progress, 1);
	}
	progress_end(&progress);
	return code;
}

/* Have each configuration serve its slice of a round. */
static int run_round(struct demo_process processes[DEMO_MODES],
		     struct demo_run *run, uint32_t round,
		     struct progress *progress)
{
	double seconds = run->options.seconds / DEMO_ROUNDS;
	struct demo_slice slice = {
		.round = round,
		.warm_seconds = seconds < WARM_SECONDS ? seconds : WARM_SECONDS,
		.seconds = seconds,
	};
	struct demo_reply reply;
	int code;

	for (int mode = 0; mode < DEMO_MODES; mode++) {
		code = demo_process_run(&processes[mode], &slice, &reply);
		if (code)
			return code;
		run->rounds[mode][round] = reply.result;
		if (!run->first_wrong[0])
			strcpy(run->first_wrong, reply.text);
		progress_step(progress, 1);
	}
	return 0;
}

static int run_rounds(struct demo_process processes[DEMO_MODES],
		      struct demo_run *run)
{
	struct progress progress;
	int code = 0;

	progress_begin(&progress, "serving queries", DEMO_ROUNDS * DEMO_MODES);
	for (uint32_t round = 0; !code && round < DEMO_ROUNDS; round++)
		code = run_round(processes, run, round, &progress);
	progress_end(&progress);
	return code;
}

static int serve(struct demo_run *run)
{
	struct demo_process processes[DEMO_MODES];
	int code;

	for (int mode = 0; mode < DEMO_MODES; mode++)
		processes[mode].socket = -1;
	code = start_all(processes, &run->options);
	if (!code)
		code = run_rounds(processes, run);
	for (int mode = 0; mode < DEMO_MODES; mode++)
		demo_process_end(&processes[mode]);
	return code;
}

/* Everything in the directory, which is ours alone meanwhile. */
static int run_in_place(struct demo_run *run)
{
	int code = demo_files_make(&run->options);

	if (!code)
		code = serve(run);
	if (code)
		return code;
	demo_run_total(run);
	code = demo_check(run);
	demo_report(run);
	return code;
}

static int run_demo(struct demo_run *run)
{
	struct demo_place place;
	int json = -1;
	int code = demo_place_allow_files(&run->options);

	if (!code)
		code = demo_place_open(&place, &run->options);
	if (code)
		return code;
	code = demo_json_begin(run->options.json, &json);
	if (!code)
		code = run_in_place(run);
	if (!code || run->checked)
		code = demo_json_end(json, run, code);
	demo_place_close(&place);
	return code;
}

int command_demo(int argc, char **argv)
{
	struct demo_run *run = calloc(1, sizeof(*run));
	int code;

	if (!run)
		return say_failure("out of memory");
	code = demo_options_read(&run->options, argc, argv);
	if (!code) {
		interrupt_catch();
		code = run_demo(run);
	}
	free(run);
	return code;
}
