// SPDX-License-Identifier: MIT
/*
 * demo_check.c - the three things that must be true after a run
 *
 *	limits    wane's peak within the budget, the noisy tenant's in its max
 *	answers   none was wrong
 *	files     PRAGMA quick_check finds nothing in 50 of them
 */
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "demo.h"
#include "random.h"
#include "say.h"

#define SAMPLED_FILES 50

static int check_budget(const struct demo_run *run, enum demo_mode mode)
{
	uint64_t peak = run->total[mode].cache_peak;

	if (peak <= run->options.budget)
		return 0;
	return say_failure("(%c) passed the budget: peak %" PRIu64
			   " bytes of %zu",
			   'a' + mode, peak, run->options.budget);
}

static int check_noisy(const struct demo_run *run)
{
	uint64_t peak = run->total[DEMO_NOISY].noisy_peak;

	if (peak <= DEMO_NOISY_MAX)
		return 0;
	return say_failure("the noisy tenant passed its max: peak %" PRIu64
			   " bytes of %zu",
			   peak, DEMO_NOISY_MAX);
}

static int check_answers(const struct demo_run *run)
{
	uint64_t wrong = 0;

	for (int mode = 0; mode < DEMO_MODES; mode++)
		wrong += run->total[mode].wrong;
	if (!wrong)
		return 0;
	return say_failure("%" PRIu64 " wrong answers, the first: %s; delete "
			   "the file, and it is made again",
			   wrong, run->first_wrong);
}

/* Keeps the first line that quick_check says. */
static int note_line(void *arg, int columns, char **values, char **names)
{
	char *line = arg;

	(void)names;
	if (columns == 1 && !line[0])
		snprintf(line, 128, "%s", values[0] ? values[0] : "?");
	return 0;
}

static int check_file(const char *dir, uint32_t tenant)
{
	char path[PATH_MAX], line[128] = "";
	sqlite3 *db;
	int err;

	tenant_path(dir, tenant, path);
	err = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL);
	if (!err)
		err = sqlite3_exec(db, "PRAGMA quick_check(1)", note_line, line,
				   NULL);
	if (err)
		snprintf(line, sizeof(line), "%s", sqlite3_errmsg(db));
	sqlite3_close(db);
	if (!strcmp(line, "ok"))
		return 0;
	return say_failure("%s is damaged (%s); delete it, and it is made "
			   "again",
			   path, line);
}

/* Up to 50 files: all, or the special tenants' and others by chance. */
static int check_files(struct demo_run *run)
{
	const struct demo_options *options = &run->options;
	struct random random = { options->seed };
	uint32_t nr = demo_nr_files(options);
	int worst = 0;

	while (run->checked < SAMPLED_FILES && run->checked < nr) {
		uint32_t file = nr - 1 - run->checked++;

		if (nr > SAMPLED_FILES && run->checked > DEMO_SPECIALS)
			file = random_below(&random, options->tenants);
		worst |= check_file(options->dir,
				    demo_file_tenant(options, file));
	}
	return worst;
}

int demo_check(struct demo_run *run)
{
	int worst = 0;

	worst |= check_files(run);
	worst |= check_budget(run, DEMO_WANE);
	worst |= check_budget(run, DEMO_NOISY);
	worst |= check_noisy(run);
	worst |= check_answers(run);
	return worst;
}
