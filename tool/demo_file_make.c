// SPDX-License-Identifier: MIT
/*
 * demo_file_make.c - make one tenant's database
 *
 *	CREATE TABLE item (id, name, body, visits, sum)
 *	rows 1 .. n, in order of id, so that each page is written once
 *	CREATE INDEX item_name, sorted by SQLite in one go
 *
 * One transaction, no journal and no fsync: until it has its name the file is
 * worth nothing, and it gets that when it is whole.
 */
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "demo_files.h"
#include "interrupt.h"

static const char begin_sql[] =
	"PRAGMA page_size=4096;"
	"PRAGMA journal_mode=OFF;"
	"PRAGMA synchronous=OFF;"
	"PRAGMA locking_mode=EXCLUSIVE;"
	"PRAGMA application_id=%d;"
	"PRAGMA user_version=%d;"
	"BEGIN;"
	"CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT NOT NULL,"
	" body TEXT NOT NULL, visits INTEGER NOT NULL, sum INTEGER NOT NULL);";

static const char insert_sql[] = "INSERT INTO item VALUES(?1,?2,?3,0,?4)";

static const char end_sql[] = "CREATE UNIQUE INDEX item_name ON item(name);"
			      "COMMIT;";

static int insert_row(sqlite3_stmt *insert, const struct words *words,
		      uint32_t tenant, int64_t id)
{
	char name[ROW_NAME_MAX + 1], body[ROW_BODY_MAX];
	struct row row = {
		.id = id,
		.name = name,
		.name_length = row_name(words, tenant, id, name),
		.body = body,
		.body_length = row_body(words, tenant, id, body),
	};

	sqlite3_bind_int64(insert, 1, id);
	sqlite3_bind_text(insert, 2, name, (int)row.name_length, NULL);
	sqlite3_bind_text(insert, 3, body, (int)row.body_length, NULL);
	sqlite3_bind_int64(insert, 4, row_sum(tenant, &row));
	sqlite3_step(insert);
	return sqlite3_reset(insert);
}

static int insert_rows(sqlite3 *db, const struct words *words, uint32_t tenant)
{
	uint32_t rows = tenant_rows(tenant);
	sqlite3_stmt *insert;
	int err = sqlite3_prepare_v2(db, insert_sql, -1, &insert, NULL);

	for (uint32_t id = 1; !err && id <= rows; id++)
		err = insert_row(insert, words, tenant, id);
	sqlite3_finalize(insert);
	return err;
}

static int fill(sqlite3 *db, const struct words *words, uint32_t tenant)
{
	char begin[sizeof(begin_sql) + 32];
	int err;

	snprintf(begin, sizeof(begin), begin_sql, DEMO_APPLICATION_ID,
		 tenant_stamp(words, tenant));
	err = sqlite3_exec(db, begin, NULL, NULL, NULL);
	if (!err)
		err = insert_rows(db, words, tenant);
	if (!err)
		err = sqlite3_exec(db, end_sql, NULL, NULL, NULL);
	return err;
}

static void fail(struct demo_making *making, const char *path, sqlite3 *db,
		 int err)
{
	int os_error = sqlite3_system_errno(db);

	if ((err & 0xff) == SQLITE_FULL)
		failure_set(&making->failure,
			    "%s: the disk is full; make room, or give another "
			    "--dir or less --tenants",
			    path);
	else
		failure_set(&making->failure,
			    "%s: cannot be made: %s (%s); give another --dir",
			    path, sqlite3_errmsg(db), strerror(os_error));
}

/* Fill the file at @path, which is there when this returns 0, and only then. */
static int make_temporary(struct demo_making *making, uint32_t tenant,
			  const char *path)
{
	sqlite3 *db;
	int err;

	err = sqlite3_open_v2(path, &db,
			      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
				      SQLITE_OPEN_NOMUTEX,
			      NULL);
	if (!err)
		err = fill(db, making->words, tenant);
	if (err)
		fail(making, path, db, err);
	sqlite3_close(db);
	if (err)
		unlink(path);
	return err;
}

/*
 * An old file's journal must not outlive it: SQLite would play it back into
 * the new one.
 */
static void remove_old(const char *path)
{
	char journal[PATH_MAX + 16];

	snprintf(journal, sizeof(journal), "%s-journal", path);
	unlink(path);
	unlink(journal);
}

void demo_file_make(struct demo_making *making, uint32_t tenant)
{
	char path[PATH_MAX], temporary[PATH_MAX + 16];

	tenant_path(making->options->dir, tenant, path);
	snprintf(temporary, sizeof(temporary), "%s" DEMO_TEMPORARY, path);
	if (make_temporary(making, tenant, temporary))
		return;
	remove_old(path);
	if (!rename(temporary, path))
		return;
	failure_set(&making->failure, "%s: cannot be renamed: %s", temporary,
		    strerror(errno));
	unlink(temporary);
}
