// SPDX-License-Identifier: MIT
/*
 * json.c - every sample, and what it was taken with, for machines
 *
 *	{ "format": 1, "command": "", "date": "", "machine": {},
 *	  "versions": {}, "options": {},
 *	  "samples": { group: { column: { row: [ ... ] } } } }
 *
 * Seconds, bytes and counts.
 */
#include <jansson.h>

#include "../tool/say.h"
#include "bench.h"

#define FORMAT 1

static json_t *versions_json(void)
{
	json_t *versions = json_pack("{s:s, s:s, s:s}", "wane", wane_version(),
				     "compiler", COMPILER, "shrinker_info",
				     implementation_default());

	if (versions && samples_versions_json())
		json_object_update(versions, samples_versions_json());
	return versions;
}

static json_t *document(const struct bench_options *options)
{
	const struct machine *machine = &options->machine;

	return json_pack(
		"{s:i, s:s, s:s, s:{s:s, s:s, s:i, s:I}, s:o, s:{s:b, s:I}, "
		"s:O}",
		"format", FORMAT, "command", options->command, "date",
		options->date, "machine", "processor", machine->processor,
		"kernel", machine->kernel, "processors",
		(int)machine->processors, "memory", (json_int_t)machine->memory,
		"versions", versions_json(), "options", "quick", options->quick,
		"seed", (json_int_t)options->seed, "samples", samples_json());
}

int json_write(const struct bench_options *options)
{
	json_t *json = document(options);
	int failed = !json ||
		     json_dump_file(json, options->json,
				    JSON_INDENT(1) | JSON_PRESERVE_ORDER |
					    JSON_REAL_PRECISION(9));

	json_decref(json);
	return failed ? say_failure("cannot write '%s'", options->json) : 0;
}
