/* SPDX-License-Identifier: MIT */
/*
 * demo_tenant.h - one tenant's connection, and the queries it answers
 *
 * A connection is used by one thread at a time.
 */
#ifndef WANE_TOOL_DEMO_TENANT_H
#define WANE_TOOL_DEMO_TENANT_H

#include <sqlite3.h>

#include <wane/group.h>

#include "demo.h"
#include "demo_text.h"
#include "random.h"
#include "say.h"

/* struct demo_trouble - Where threads leave what went wrong. */
struct demo_trouble {
	struct failure failure; /* the run cannot go on */
	struct failure wrong; /* the first wrong answer */
	uint64_t nr_wrong;
};

/*
 * struct tenant - One tenant.
 * @group: Who pays for its pages; NULL with SQLite's own cache.
 * @frame: Bytes that SQLite counts as page cache while it holds no page.
 */
struct tenant {
	uint32_t number;
	uint32_t rows;
	const char *dir;
	const struct words *words;
	struct demo_trouble *trouble;
	struct wane_group *group;
	sqlite3 *db;
	sqlite3_stmt *by_id;
	sqlite3_stmt *by_name;
	sqlite3_stmt *by_range;
	sqlite3_stmt *all;
	sqlite3_stmt *update;
	size_t frame;
};

/*
 * Open the database and prepare the statements; @cache_size as in PRAGMA
 * cache_size, or 0 to leave it.  Failures go to @tenant->trouble; then close
 * it all the same.
 */
void tenant_open(struct tenant *tenant, int cache_size);
void tenant_close(struct tenant *tenant);

/*
 * Queries.  Each answer is checked by itself; a wrong one is counted in
 * @tenant->trouble, and there, too, goes what SQLite cannot do.
 */
void tenant_look_up_id(struct tenant *tenant, struct random *random);
void tenant_look_up_name(struct tenant *tenant, struct random *random);
void tenant_look_up_range(struct tenant *tenant, struct random *random);
void tenant_update(struct tenant *tenant, struct random *random);

/*
 * All rows, checked.  Return: true when it got to the end; false when *@stop
 * was set on the way, or it failed.
 */
bool tenant_scan(struct tenant *tenant, const bool *stop);

/* Read every page once, table and index. */
void tenant_warm(struct tenant *tenant);

/* Pages found and missed since the last call. */
struct demo_hits tenant_take_hits(struct tenant *tenant);

/* Bytes of page cache, as SQLite counts them. */
size_t tenant_cache_used(struct tenant *tenant);

#endif /* WANE_TOOL_DEMO_TENANT_H */
