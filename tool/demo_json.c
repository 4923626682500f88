// SPDX-License-Identifier: MIT
/*
 * demo_json.c - all numbers of a run, for machines
 *
 *	{ "format": 1, "versions": {}, "machine": {}, "options": {},
 *	  "configurations": [ { "name": "a", "total": {}, "rounds": [ {}, ] }, ],
 *	  "exit_code": 0, ... }
 *
 * Bytes, seconds and microseconds; the unit is in the name where it is not
 * bytes.
 */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

#include <wane/base.h>

#include "demo.h"
#include "machine.h"
#include "say.h"

#define FORMAT 1

static json_t *integer(uint64_t value)
{
	return json_integer((json_int_t)value);
}

static json_t *versions(void)
{
	return json_pack("{s:s, s:s, s:s}", "wane", wane_version(), "sqlite",
			 sqlite3_libversion(), "compiler", COMPILER);
}

static json_t *machine(void)
{
	struct machine machine;

	machine_read(&machine);
	return json_pack("{s:s, s:s, s:i, s:o}", "processor", machine.processor,
			 "kernel", machine.kernel, "processors",
			 (int)machine.processors, "memory",
			 integer(machine.memory));
}

static json_t *options(const struct demo_options *options)
{
	return json_pack("{s:i, s:i, s:o, s:f, s:o, s:s, s:i}", "tenants",
			 (int)options->tenants, "threads",
			 (int)options->threads, "budget",
			 integer(options->budget), "seconds", options->seconds,
			 "seed", integer(options->seed), "dir", options->dir,
			 "rounds", DEMO_ROUNDS);
}

static json_t *pages(const struct demo_hits *pages)
{
	return json_pack("{s:o, s:o, s:f}", "hits", integer(pages->hits),
			 "misses", integer(pages->misses), "hit_rate_percent",
			 demo_hit_rate(pages));
}

static json_t *latency(const struct histogram *latency)
{
	static const struct {
		const char *name;
		double part;
	} quantiles[] = {
		{ "p50_us", 0.5 },
		{ "p90_us", 0.9 },
		{ "p99_us", 0.99 },
		{ "p999_us", 0.999 },
	};
	json_t *object = json_object();

	for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++) {
		double ns = histogram_quantile(latency, quantiles[i].part);

		json_object_set_new(object, quantiles[i].name,
				    json_real(ns / 1000));
	}
	return object;
}

static void add_noisy(json_t *object, const struct demo_result *result)
{
	json_object_set_new(object, "noisy_max", integer(DEMO_NOISY_MAX));
	json_object_set_new(object, "noisy_peak", integer(result->noisy_peak));
	json_object_set_new(object, "noisy_scans", integer(result->scans));
	json_object_set_new(object, "protected_min",
			    integer(DEMO_PROTECTED_MIN));
	json_object_set_new(object, "protected", pages(&result->protected));
	json_object_set_new(object, "twin_without_min", pages(&result->twin));
}

static json_t *numbers(enum demo_mode mode, const struct demo_result *result)
{
	json_t *object = json_object();

	json_object_set_new(object, "queries", integer(result->queries));
	json_object_set_new(object, "seconds", json_real(result->seconds));
	json_object_set_new(object, "queries_per_second",
			    json_real(demo_rate(result)));
	json_object_set_new(object, "cpu_seconds",
			    json_real(result->cpu_seconds));
	json_object_set_new(object, "pages", pages(&result->pages));
	json_object_set_new(object, "latency", latency(&result->latency));
	json_object_set_new(object, "cache_peak", integer(result->cache_peak));
	json_object_set_new(object, "rss_peak", integer(result->rss_peak));
	json_object_set_new(object, "disk_bytes", integer(result->disk_bytes));
	json_object_set_new(object, "idle_tenants", integer(result->idle));
	json_object_set_new(object, "idle_bytes", integer(result->idle_bytes));
	json_object_set_new(object, "wrong_answers", integer(result->wrong));
	if (demo_mode_uses_wane(mode))
		json_object_set_new(object, "reclaimed_pages",
				    integer(result->reclaimed));
	if (mode == DEMO_NOISY)
		add_noisy(object, result);
	return object;
}

static json_t *configuration(const struct demo_run *run, enum demo_mode mode)
{
	const char name[] = { (char)('a' + mode), '\0' };
	json_t *rounds = json_array();

	for (int round = 0; round < DEMO_ROUNDS; round++)
		json_array_append_new(rounds,
				      numbers(mode, &run->rounds[mode][round]));
	return json_pack("{s:s, s:s, s:o, s:o}", "name", name, "title",
			 demo_mode_title(mode), "total",
			 numbers(mode, &run->total[mode]), "rounds", rounds);
}

static json_t *document(const struct demo_run *run, int code)
{
	json_t *configurations = json_array();

	for (int mode = 0; mode < DEMO_MODES; mode++)
		json_array_append_new(configurations,
				      configuration(run, (enum demo_mode)mode));
	return json_pack("{s:i, s:o, s:o, s:o, s:o, s:i, s:s, s:i}", "format",
			 FORMAT, "versions", versions(), "machine", machine(),
			 "options", options(&run->options), "configurations",
			 configurations, "files_checked", (int)run->checked,
			 "first_wrong_answer", run->first_wrong, "exit_code",
			 code);
}

int demo_json_begin(const char *path, int *file)
{
	*file = -1;
	if (!path)
		return 0;
	*file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (*file >= 0)
		return 0;
	return say_failure("--json: cannot write %s: %s", path,
			   strerror(errno));
}

int demo_json_end(int file, const struct demo_run *run, int code)
{
	json_t *json;
	int failed;

	if (file < 0)
		return code;
	json = document(run, code);
	/* A pipe or terminal cannot be cut, and need not be. */
	failed = (ftruncate(file, 0) && errno != EINVAL) || !json ||
		 json_dumpfd(json, file, JSON_INDENT(2)) ||
		 write(file, "\n", 1) != 1;
	json_decref(json);
	close(file);
	if (!failed || code)
		return code;
	return say_failure("--json: cannot write %s: %s", run->options.json,
			   strerror(errno));
}
