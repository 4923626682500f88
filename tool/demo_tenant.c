// SPDX-License-Identifier: MIT
/*
 * demo_tenant.c - one tenant's connection, and the queries it answers
 *
 *	look up     one row by its id, or by its name through the index
 *	range       20 rows by id
 *	update      look up, then count one visit and renew the check value
 *
 * No answer is taken on trust: the row must be the one that was asked for, its
 * check value must be that of its columns and of this tenant, and there must
 * be neither a row too few nor one too many.
 *
 * Every function works as the tenant's group, so that what SQLite allocates
 * for a statement is the tenant's, too.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "demo_files.h"
#include "demo_tenant.h"

#define RANGE_ROWS 20

#define COLUMNS "SELECT id, name, body, visits, sum FROM item "

/* ---- Trouble ------------------------------------------------------------- */

static void tenant_fail(struct tenant *tenant, const char *doing)
{
	struct failure *failure = &tenant->trouble->failure;
	int err = sqlite3_extended_errcode(tenant->db);
	char path[PATH_MAX];

	tenant_path(tenant->dir, tenant->number, path);
	switch (err & 0xff) {
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		failure_set(failure,
			    "%s is damaged (%s); delete it, and it is made "
			    "again",
			    path, sqlite3_errmsg(tenant->db));
		break;
	case SQLITE_NOMEM:
		failure_set(failure,
			    "%s: %s: no memory within the budget; give a "
			    "larger --budget",
			    path, doing);
		break;
	case SQLITE_FULL:
		failure_set(failure,
			    "%s: %s: the disk is full; make room, or give "
			    "another --dir",
			    path, doing);
		break;
	default:
		failure_set(failure, "%s: %s: %s (%s)", path, doing,
			    sqlite3_errmsg(tenant->db),
			    strerror(sqlite3_system_errno(tenant->db)));
	}
}

static void tenant_wrong(struct tenant *tenant, int64_t id, const char *what)
{
	char path[PATH_MAX];

	tenant_path(tenant->dir, tenant->number, path);
	failure_set(&tenant->trouble->wrong, "%s, row %" PRId64 ": %s", path,
		    id, what);
	__atomic_fetch_add(&tenant->trouble->nr_wrong, 1, __ATOMIC_RELAXED);
}

/* ---- Opening and closing ------------------------------------------------- */

static bool prepare(struct tenant *tenant, const char *sql, sqlite3_stmt **stmt)
{
	if (!sqlite3_prepare_v3(tenant->db, sql, -1, SQLITE_PREPARE_PERSISTENT,
				stmt, NULL))
		return true;
	tenant_fail(tenant, "preparing a statement");
	return false;
}

static bool prepare_all(struct tenant *tenant)
{
	return prepare(tenant, COLUMNS "WHERE id = ?1", &tenant->by_id) &&
	       prepare(tenant, COLUMNS "WHERE name = ?1", &tenant->by_name) &&
	       prepare(tenant, COLUMNS "WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
		       &tenant->by_range) &&
	       prepare(tenant, COLUMNS "ORDER BY id", &tenant->all) &&
	       prepare(tenant,
		       "UPDATE item SET visits = ?2, sum = ?3 WHERE id = ?1",
		       &tenant->update);
}

/*
 * A journal that is emptied, not kept in memory: a process that is killed
 * leaves a database that the next one repairs.
 */
static bool set_up(struct tenant *tenant, int cache_size)
{
	char sql[128];
	int length;

	length = snprintf(sql, sizeof(sql),
			  "PRAGMA journal_mode=TRUNCATE;"
			  "PRAGMA synchronous=OFF;");
	if (cache_size)
		snprintf(sql + length, sizeof(sql) - (size_t)length,
			 "PRAGMA cache_size=%d;", cache_size);
	if (!sqlite3_exec(tenant->db, sql, NULL, NULL, NULL))
		return true;
	tenant_fail(tenant, "opening");
	return false;
}

/*
 * Pages that opening has read are let go.  With SQLite's own cache that also
 * frees the 20 pages which it allocates at once before it hears of its size.
 */
static void measure_frame(struct tenant *tenant)
{
	sqlite3_db_release_memory(tenant->db);
	tenant->frame = tenant_cache_used(tenant);
}

void tenant_open(struct tenant *tenant, int cache_size)
{
	struct wane_group *before = wane_group_enter(tenant->group);
	char path[PATH_MAX];

	tenant_path(tenant->dir, tenant->number, path);
	if (sqlite3_open_v2(path, &tenant->db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL))
		tenant_fail(tenant, "opening");
	else if (set_up(tenant, cache_size) && prepare_all(tenant))
		measure_frame(tenant);
	wane_group_leave(before);
}

void tenant_close(struct tenant *tenant)
{
	struct wane_group *before = wane_group_enter(tenant->group);

	sqlite3_finalize(tenant->by_id);
	sqlite3_finalize(tenant->by_name);
	sqlite3_finalize(tenant->by_range);
	sqlite3_finalize(tenant->all);
	sqlite3_finalize(tenant->update);
	sqlite3_close(tenant->db);
	wane_group_leave(before);
}

/* ---- Rows ---------------------------------------------------------------- */

static void read_row(sqlite3_stmt *stmt, struct row *row)
{
	row->id = sqlite3_column_int64(stmt, 0);
	row->name = (const char *)sqlite3_column_text(stmt, 1);
	row->name_length = (size_t)sqlite3_column_bytes(stmt, 1);
	row->body = (const char *)sqlite3_column_text(stmt, 2);
	row->body_length = (size_t)sqlite3_column_bytes(stmt, 2);
	row->visits = sqlite3_column_int64(stmt, 3);
	row->sum = sqlite3_column_int64(stmt, 4);
}

/* Return: true when the row is the one with @id, and whole. */
static bool check_row(struct tenant *tenant, const struct row *row, int64_t id)
{
	const char *wrong = NULL;

	if (row->id != id)
		wrong = "another row was found";
	else if (!row->name || !row->body)
		wrong = "a column is missing";
	else if (row->sum != row_sum(tenant->number, row))
		wrong = "the check value does not fit";
	if (wrong)
		tenant_wrong(tenant, id, wrong);
	return !wrong;
}

/* Step through the rows of ids @first to @last and check each. */
static void check_rows(struct tenant *tenant, sqlite3_stmt *stmt, int64_t first,
		       int64_t last)
{
	int64_t id = first;
	struct row row;

	while (sqlite3_step(stmt) == SQLITE_ROW) {
		read_row(stmt, &row);
		check_row(tenant, &row, id++);
	}
	if (sqlite3_reset(stmt))
		tenant_fail(tenant, "looking up");
	else if (id != last + 1)
		tenant_wrong(tenant, id, "not the right number of rows");
}

static int64_t random_id(struct tenant *tenant, struct random *random)
{
	return 1 + random_below(random, tenant->rows);
}

void tenant_look_up_id(struct tenant *tenant, struct random *random)
{
	struct wane_group *before = wane_group_enter(tenant->group);
	int64_t id = random_id(tenant, random);

	sqlite3_bind_int64(tenant->by_id, 1, id);
	check_rows(tenant, tenant->by_id, id, id);
	wane_group_leave(before);
}

void tenant_look_up_name(struct tenant *tenant, struct random *random)
{
	struct wane_group *before = wane_group_enter(tenant->group);
	int64_t id = random_id(tenant, random);
	char name[ROW_NAME_MAX + 1];
	size_t length = row_name(tenant->words, tenant->number, id, name);

	sqlite3_bind_text(tenant->by_name, 1, name, (int)length, NULL);
	check_rows(tenant, tenant->by_name, id, id);
	wane_group_leave(before);
}

void tenant_look_up_range(struct tenant *tenant, struct random *random)
{
	struct wane_group *before = wane_group_enter(tenant->group);
	int64_t first, last;

	first = 1 + random_below(random, tenant->rows - RANGE_ROWS);
	last = first + RANGE_ROWS - 1;
	sqlite3_bind_int64(tenant->by_range, 1, first);
	sqlite3_bind_int64(tenant->by_range, 2, last);
	check_rows(tenant, tenant->by_range, first, last);
	wane_group_leave(before);
}

/*
 * Look a row up and bind what it becomes.  Return: whether there is something
 * to be updated.
 */
static bool bind_update(struct tenant *tenant, int64_t id)
{
	sqlite3_stmt *found = tenant->by_id;
	bool right = false;
	struct row row;

	sqlite3_bind_int64(found, 1, id);
	if (sqlite3_step(found) == SQLITE_ROW) {
		read_row(found, &row);
		right = check_row(tenant, &row, id);
	}
	if (right) {
		row.visits++;
		row.sum = row_sum(tenant->number, &row);
		sqlite3_bind_int64(tenant->update, 1, id);
		sqlite3_bind_int64(tenant->update, 2, row.visits);
		sqlite3_bind_int64(tenant->update, 3, row.sum);
	}
	if (sqlite3_reset(found))
		tenant_fail(tenant, "looking up");
	return right;
}

void tenant_update(struct tenant *tenant, struct random *random)
{
	struct wane_group *before = wane_group_enter(tenant->group);
	int64_t id = random_id(tenant, random);

	if (bind_update(tenant, id)) {
		sqlite3_step(tenant->update);
		if (sqlite3_reset(tenant->update))
			tenant_fail(tenant, "updating");
		else if (sqlite3_changes(tenant->db) != 1)
			tenant_wrong(tenant, id, "not one row was updated");
	}
	wane_group_leave(before);
}

/* ---- The whole database -------------------------------------------------- */

bool tenant_scan(struct tenant *tenant, const bool *stop)
{
	struct wane_group *before = wane_group_enter(tenant->group);
	int64_t id = 0;
	struct row row;
	bool stopped = false;

	while (!stopped && sqlite3_step(tenant->all) == SQLITE_ROW) {
		read_row(tenant->all, &row);
		check_row(tenant, &row, ++id);
		stopped = __atomic_load_n(stop, __ATOMIC_RELAXED);
	}
	if (sqlite3_reset(tenant->all))
		tenant_fail(tenant, "scanning");
	else if (!stopped && id != tenant->rows)
		tenant_wrong(tenant, id, "not the right number of rows");
	wane_group_leave(before);
	return !stopped && id == tenant->rows;
}

void tenant_warm(struct tenant *tenant)
{
	struct wane_group *before = wane_group_enter(tenant->group);

	if (sqlite3_exec(tenant->db,
			 "SELECT sum(visits) FROM item NOT INDEXED;"
			 "SELECT count(name) FROM item INDEXED BY item_name;",
			 NULL, NULL, NULL))
		tenant_fail(tenant, "reading");
	wane_group_leave(before);
}

/* ---- Numbers ------------------------------------------------------------- */

static uint64_t status(struct tenant *tenant, int what, bool reset)
{
	int current = 0, highest = 0;

	sqlite3_db_status(tenant->db, what, &current, &highest, reset);
	return (uint64_t)current;
}

struct demo_hits tenant_take_hits(struct tenant *tenant)
{
	return (struct demo_hits){
		.hits = status(tenant, SQLITE_DBSTATUS_CACHE_HIT, true),
		.misses = status(tenant, SQLITE_DBSTATUS_CACHE_MISS, true),
	};
}

size_t tenant_cache_used(struct tenant *tenant)
{
	return status(tenant, SQLITE_DBSTATUS_CACHE_USED, false);
}
