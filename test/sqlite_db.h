/* SPDX-License-Identifier: MIT */
/*
 * sqlite_db.h - what the tests of the SQLite adapter share
 *
 * Row @id of the table t holds row_value(@id), so every answer can be checked
 * without a second database.
 */
#ifndef WANE_TEST_SQLITE_DB_H
#define WANE_TEST_SQLITE_DB_H

#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>
#include <wane/sqlite.h>
#include <wane/wane.h>

#include "slab_cache.h"
#include "stock.h"

/**
 * struct tenants - Two groups below one root, and a directory of files.
 */
struct tenants {
	size_t base;
	char dir[64];
	struct wane_group *root;
	struct wane_group *a;
	struct wane_group *b;
};

/*
 * What the library holds when nothing is kept at hand.  All is quiet: no
 * other thread uses it, and the one that frees after a grace period is done.
 */
static inline size_t quiet_base(void)
{
	wane_barrier();
	stock_drain(NULL);
	wane_barrier();
	slab_drain_all();
	return port_held();
}

static inline void tenants_begin(struct tenants *t)
{
	t->base = quiet_base();
	strcpy(t->dir, "/tmp/wane-sqlite-XXXXXX");
	assert_non_null(mkdtemp(t->dir));
	assert_int_equal(wane_group_create(&t->root, NULL, "root"), 0);
	assert_int_equal(wane_group_create(&t->a, t->root, "a"), 0);
	assert_int_equal(wane_group_create(&t->b, t->root, "b"), 0);
}

static inline void tenants_end(struct tenants *t)
{
	char command[96];

	wane_group_put(t->a);
	wane_group_put(t->b);
	wane_group_put(t->root);
	snprintf(command, sizeof(command), "rm -rf '%s'", t->dir);
	assert_int_equal(system(command), 0);
}

/* What is charged to a group and not only kept at hand by threads. */
static inline size_t usage(const struct wane_group *group)
{
	stock_drain(NULL);
	return wane_group_usage(group);
}

/* ---- Connections --------------------------------------------------------- */

/* Open @name in the directory, with @query behind it as the URI's, or "". */
static inline int db_try_open(struct tenants *t, sqlite3 **db, const char *name,
			      const char *query)
{
	char uri[256];

	snprintf(uri, sizeof(uri), "file:%s/%s%s", t->dir, name, query);
	return sqlite3_open_v2(uri, db,
			       SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
				       SQLITE_OPEN_URI,
			       NULL);
}

static inline sqlite3 *db_open(struct tenants *t, const char *name,
			       struct wane_group *group)
{
	struct wane_group *before = wane_group_enter(group);
	sqlite3 *db;

	assert_int_equal(db_try_open(t, &db, name, ""), SQLITE_OK);
	wane_group_leave(before);
	return db;
}

static inline void db_close(sqlite3 *db)
{
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static inline int db_try(sqlite3 *db, const char *sql)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL);
}

static inline void db_run(sqlite3 *db, const char *sql)
{
	int ret = db_try(db, sql);

	if (ret != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
}

/* The first column of the first row, or an error as a negative number. */
static inline int64_t db_try_number(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *stmt;
	int64_t number = -1;
	int ret = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);

	if (ret != SQLITE_OK)
		return -ret;
	if (sqlite3_step(stmt) == SQLITE_ROW)
		number = sqlite3_column_int64(stmt, 0);
	ret = sqlite3_finalize(stmt);
	return ret == SQLITE_OK ? number : -ret;
}

#define db_assert_number(db, sql, number) \
	assert_int_equal(db_try_number(db, sql), number)

static inline void db_assert_sound(sqlite3 *db)
{
	db_assert_number(
		db, "SELECT quick_check = 'ok' FROM pragma_quick_check", 1);
}

static inline int db_status(sqlite3 *db, int what)
{
	int value = 0, highest;

	sqlite3_db_status(db, what, &value, &highest, 0);
	return value;
}

static inline struct wane_sqlite_info db_info(void)
{
	struct wane_sqlite_info info = { .size = sizeof(info) };

	wane_sqlite_info(&info);
	return info;
}

/* ---- Rows ---------------------------------------------------------------- */

static inline int64_t row_value(int64_t id)
{
	return id * 7919 % 10007;
}

/* Some 150 bytes a row, 26 rows a page of 4096 bytes. */
static inline void db_fill(sqlite3 *db, int rows)
{
	char sql[320];

	snprintf(sql, sizeof(sql),
		 "CREATE TABLE t(id INTEGER PRIMARY KEY, value INT, text);"
		 "WITH RECURSIVE n(id) AS (VALUES (1) UNION ALL "
		 "  SELECT id + 1 FROM n WHERE id < %d) "
		 "INSERT INTO t SELECT id, id * 7919 %% 10007, "
		 "  printf('%%0140d', id) FROM n;",
		 rows);
	db_run(db, sql);
}

static inline void db_assert_rows(sqlite3 *db, int rows)
{
	int64_t sum = 0;

	for (int id = 1; id <= rows; id++)
		sum += row_value(id);
	db_assert_number(db, "SELECT sum(value) FROM t", sum);
	db_assert_number(db, "SELECT sum(id = CAST(text AS INT)) FROM t", rows);
}

static inline void db_assert_row(sqlite3 *db, int id)
{
	char sql[64];

	snprintf(sql, sizeof(sql), "SELECT value FROM t WHERE id = %d", id);
	db_assert_number(db, sql, row_value(id));
}

#endif /* WANE_TEST_SQLITE_DB_H */
