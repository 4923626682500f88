// SPDX-License-Identifier: MIT
/*
 * sqlite.c - the SQLite adapter: who pays, and SQLite's own knobs
 */
#include "sqlite_tenants.h"

/* ---- Who pays ------------------------------------------------------------ */

static void the_current_group_pays(void **state)
{
	struct tenants *t = *state;
	sqlite3 *a = warm(t, "a.db", t->a);
	struct wane_sqlite_info info = db_info();

	assert_true(info.pages > 70);
	assert_true(info.bytes > info.pages * 4096);
	assert_int_equal(usage(t->a), info.bytes);
	assert_int_equal(usage(t->b), 0);
	db_close(a);
}

static void without_a_group_the_default_pays(void **state)
{
	struct tenants *t = *state;
	sqlite3 *db = warm(t, "x.db", NULL);

	assert_int_equal(usage(t->root), db_info().bytes);
	assert_int_equal(usage(t->a), 0);
	db_close(db);
}

static void a_uri_names_the_group(void **state)
{
	struct tenants *t = *state;
	struct wane_group *before = wane_group_enter(t->b);
	sqlite3 *db;

	assert_int_equal(db_try_open(t, &db, "a.db", "?wane_group=/a"),
			 SQLITE_OK);
	wane_group_leave(before);
	db_fill(db, ROWS);
	db_assert_rows(db, ROWS);
	assert_int_equal(usage(t->a), db_info().bytes);
	assert_int_equal(usage(t->b), 0);
	db_close(db);
}

static void a_uri_may_name_the_root(void **state)
{
	struct tenants *t = *state;
	sqlite3 *db;

	assert_int_equal(db_try_open(t, &db, "r.db", "?wane_group=/"),
			 SQLITE_OK);
	db_fill(db, ROWS);
	assert_int_equal(usage(t->a), 0);
	db_close(db);
}

static void an_unknown_group_fails_to_open(void **state)
{
	static const char *const wrong[] = { "/c", "/a/b", "", "a" };
	struct tenants *t = *state;
	char query[32];
	sqlite3 *db;

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		snprintf(query, sizeof(query), "?wane_group=%s", wrong[i]);
		assert_int_equal(db_try_open(t, &db, "a.db", query),
				 SQLITE_CANTOPEN);
		snprintf(query, sizeof(query), "\"%s\"", wrong[i]);
		assert_non_null(strstr(sqlite3_errmsg(db), query));
		db_close(db);
	}
	assert_int_equal(wane_group_retire(t->a), 0);
	assert_int_equal(db_try_open(t, &db, "a.db", "?wane_group=/a"),
			 SQLITE_CANTOPEN);
	db_close(db);
}

/* Also when SQLite was shut down in between, which forgets extensions. */
static void a_uri_works_after_shutdown(void **state)
{
	struct tenants *t = *state;

	a_uri_names_the_group(state);
	assert_int_equal(sqlite3_shutdown(), SQLITE_OK);
	assert_int_equal(usage(t->a), 0);
	a_uri_may_name_the_root(state);
	an_unknown_group_fails_to_open(state);
}

/* SQLite makes a new cache then, and says nothing about whose it is. */
static void a_new_page_size_keeps_the_group(void **state)
{
	struct tenants *t = *state;
	sqlite3 *db, *other;

	assert_int_equal(db_try_open(t, &db, "a.db", "?wane_group=/a"),
			 SQLITE_OK);
	other = db_open(t, "b.db", t->b);
	db_run(db, "PRAGMA page_size = 1024");
	db_fill(db, ROWS);
	db_close(other);
	assert_true(usage(t->a) > 256 * KIB);

	db_run(db, "PRAGMA page_size = 8192; VACUUM");
	db_assert_rows(db, ROWS);
	assert_int_equal(usage(t->a), db_info().bytes);
	db_close(db);
}

/* Closing another connection is not that. */
static void a_closed_connection_leaves_nothing(void **state)
{
	struct tenants *t = *state;
	sqlite3 *a = warm(t, "a.db", t->a), *db = db_open(t, "x.db", NULL);
	sqlite3_stmt *stmt;

	/* Preparing makes the cache of the temporary tables, without a page. */
	assert_int_equal(sqlite3_prepare_v2(db, "CREATE TEMP TABLE x(y)", -1,
					    &stmt, NULL),
			 SQLITE_OK);
	db_close(a);
	assert_int_equal(sqlite3_step(stmt), SQLITE_DONE);
	assert_int_equal(sqlite3_finalize(stmt), SQLITE_OK);
	db_run(db, "CREATE TABLE z(y)");
	assert_int_equal(usage(t->a), 0);
	db_close(db);
}

static void later_caches_are_the_current_groups(void **state)
{
	struct tenants *t = *state;
	sqlite3 *db = db_open(t, "x.db", NULL);
	struct wane_group *before = wane_group_enter(t->b);
	char sql[160];

	db_run(db, "CREATE TEMP TABLE u AS WITH RECURSIVE n(i) AS (VALUES (1) "
		   "UNION ALL SELECT i + 1 FROM n WHERE i < 9999) "
		   "SELECT i FROM n");
	snprintf(sql, sizeof(sql), "ATTACH '%s/y.db' AS y; CREATE TABLE y.t(z)",
		 t->dir);
	db_run(db, sql);
	wane_group_leave(before);
	assert_true(usage(t->b) > 20 * 4096);
	db_assert_number(db, "SELECT sum(i) FROM u", 9999 * 10000 / 2);
	db_close(db);
}

static void a_retired_group_goes_on(void **state)
{
	struct tenants *t = *state;
	sqlite3 *db = warm(t, "a.db", t->a);
	size_t pages = db_info().pages;

	assert_int_equal(wane_group_retire(t->a), 0);
	db_assert_rows(db, ROWS);
	db_run(db, "UPDATE t SET value = value + 1; "
		   "UPDATE t SET value = value - 1");
	db_assert_rows(db, ROWS);
	assert_int_equal(usage(t->root), db_info().bytes);

	wane_group_reclaim(t->root, WANE_ALL);
	assert_true(db_info().pages < pages / 10);
	db_assert_rows(db, ROWS);
	db_close(db);
}

/* ---- SQLite's own knobs -------------------------------------------------- */

static void cache_size_is_kept(void **state)
{
	struct tenants *t = *state;
	sqlite3 *db = warm(t, "a.db", t->a);

	db_run(db, "PRAGMA cache_size = 20");
	assert_true(db_info().pages <= 20);
	db_assert_rows(db, ROWS);
	assert_in_range(db_info().pages, 15, 20);
	db_run(db, "PRAGMA cache_size = 50");
	db_assert_rows(db, ROWS);
	assert_in_range(db_info().pages, 45, 50);
	assert_int_equal(db_info().reclaimed, 0);
	db_run(db, "PRAGMA cache_size = 0");
	db_assert_rows(db, ROWS);
	assert_true(db_info().pages < 10);
	db_run(db, "UPDATE t SET value = value + id; "
		   "UPDATE t SET value = value - id");
	db_assert_rows(db, ROWS);
	db_close(db);
}

static void memory_is_released_on_request(void **state)
{
	struct tenants *t = *state;
	sqlite3 *db = warm(t, "a.db", t->a);

	assert_true(db_info().pages > 70);
	db_run(db, "PRAGMA shrink_memory");
	assert_true(db_info().pages <= 1);
	db_assert_rows(db, ROWS);
	assert_true(db_info().pages > 70);
	assert_int_equal(sqlite3_db_release_memory(db), SQLITE_OK);
	assert_int_equal(db_info().pages, 0);
	db_assert_rows(db, ROWS);
	db_close(db);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(the_current_group_pays),
		TEST(without_a_group_the_default_pays),
		TEST(a_uri_names_the_group),
		TEST(a_uri_may_name_the_root),
		TEST(an_unknown_group_fails_to_open),
		TEST(a_uri_works_after_shutdown),
		TEST(a_new_page_size_keeps_the_group),
		TEST(a_closed_connection_leaves_nothing),
		TEST(later_caches_are_the_current_groups),
		TEST(a_retired_group_goes_on),
		TEST(cache_size_is_kept),
		TEST(memory_is_released_on_request),
	};

	return cmocka_run_group_tests(tests, use_once, NULL);
}
