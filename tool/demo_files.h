/* SPDX-License-Identifier: MIT */
/*
 * demo_files.h - what making and using the databases have in common
 */
#ifndef WANE_TOOL_DEMO_FILES_H
#define WANE_TOOL_DEMO_FILES_H

#include "demo.h"
#include "demo_text.h"
#include "progress.h"
#include "say.h"

#define DEMO_APPLICATION_ID 0x77616e65 /* "wane" */

/* Stands behind the name of a file until it is whole. */
#define DEMO_TEMPORARY ".tmp"

/* What a row takes in a file, its part of the index included; rounded up. */
#define ROW_FILE_BYTES 320

/* What user_version of the tenant's database must be. */
int32_t tenant_stamp(const struct words *words, uint32_t tenant);

/*
 * struct demo_making - A set of files being made by several threads.
 * @tenants: Whose files; @nr of them.
 * @next: The first that no thread has taken.
 */
struct demo_making {
	const struct demo_options *options;
	const struct words *words;
	uint32_t *tenants;
	uint32_t nr;
	uint32_t next;
	struct progress progress;
	struct failure failure;
};

/* Make one file.  Failing, it sets @making->failure and leaves no file. */
void demo_file_make(struct demo_making *making, uint32_t tenant);

#endif /* WANE_TOOL_DEMO_FILES_H */
