// SPDX-License-Identifier: MIT
/*
 * sqlite_fault.c - the SQLite adapter when memory runs out
 *
 * Each allocation fails once, wane's own and SQLite's, in install, open, query
 * and update.  A statement may then fail with SQLITE_NOMEM, and nothing else
 * may happen: no other error, no leak, and a database as it was.
 */
#include "sqlite_db.h"

#include "port.h"

#define ROWS 500

static struct tenants tenants;

static int setup(void **state)
{
	sqlite3 *db;

	*state = &tenants;
	tenants_begin(&tenants);
	db = db_open(&tenants, "a.db", NULL);
	db_fill(db, ROWS);
	db_close(db);
	return sqlite3_shutdown();
}

static int teardown(void **state)
{
	tenants_end(*state);
	return 0;
}

static bool no_memory(int ret)
{
	return ret == SQLITE_NOMEM || ret == SQLITE_IOERR_NOMEM;
}

/* Reads and writes most pages and leaves all rows as they were. */
static int use(sqlite3 *db)
{
	static const char *const statements[] = {
		"SELECT sum(value), max(text) FROM t",
		"SELECT DISTINCT value % 10 FROM t",
		"BEGIN",
		"UPDATE t SET value = -value",
		"UPDATE t SET value = -value",
		"COMMIT",
	};
	int ret = SQLITE_OK;

	for (size_t i = 0; i < ARRAY_SIZE(statements) && !ret; i++)
		ret = db_try(db, statements[i]);
	return ret;
}

static int open_and_use(void)
{
	sqlite3 *db;
	int ret = db_try_open(&tenants, &db, "a.db", "?wane_group=/a");

	if (ret == SQLITE_OK)
		ret = use(db);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	return ret;
}

static void check_database(void)
{
	sqlite3 *db = db_open(&tenants, "a.db", tenants.b);

	db_assert_rows(db, ROWS);
	db_assert_sound(db);
	db_close(db);
}

/* ---- Allocations of wane ------------------------------------------------- */

/* From install to remove, so that nothing is there from the time before. */
static int whole_life(void *arg)
{
	int ret = wane_sqlite_install(tenants.root);

	(void)arg;
	if (ret)
		return ret;
	ret = open_and_use();
	assert_int_equal(db_info().bytes, 0);
	assert_int_equal(usage(tenants.root), 0);
	assert_int_equal(sqlite3_shutdown(), SQLITE_OK);
	assert_int_equal(wane_sqlite_remove(), 0);
	quiet_base();
	if (no_memory(ret))
		return -ENOMEM;
	assert_int_equal(ret, SQLITE_OK);
	return 0;
}

static void wane_runs_out_of_memory(void **state)
{
	(void)state;
	assert_true(test_fault_loop(whole_life, NULL) > 20);
	check_database();
	assert_int_equal(sqlite3_shutdown(), SQLITE_OK);
}

/* ---- Allocations of SQLite ----------------------------------------------- */

static struct sqlite3_mem_methods real;
static long allocations_left; /* until one fails; 0: none will */
static bool failed;

static bool fails_now(void)
{
	if (allocations_left == 0 || --allocations_left > 0)
		return false;
	failed = true;
	return true;
}

static void *failing_malloc(int bytes)
{
	return fails_now() ? NULL : real.xMalloc(bytes);
}

static void *failing_realloc(void *memory, int bytes)
{
	return fails_now() ? NULL : real.xRealloc(memory, bytes);
}

/* Returns whether there was a @k-th allocation. */
static bool fail_the_kth(long k)
{
	int ret;

	failed = false;
	allocations_left = k;
	ret = open_and_use();
	allocations_left = 0;

	assert_true(ret == SQLITE_OK || (failed && no_memory(ret)));
	assert_int_equal(db_info().bytes, 0);
	assert_int_equal(usage(tenants.root), 0);
	if (k % 20 == 0)
		check_database();
	return failed;
}

static void sqlite_runs_out_of_memory(void **state)
{
	struct sqlite3_mem_methods failing;
	long k = 1;

	(void)state;
	assert_int_equal(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real),
			 SQLITE_OK);
	failing = real;
	failing.xMalloc = failing_malloc;
	failing.xRealloc = failing_realloc;
	assert_int_equal(sqlite3_config(SQLITE_CONFIG_MALLOC, &failing),
			 SQLITE_OK);
	assert_int_equal(wane_sqlite_install(tenants.root), 0);

	while (fail_the_kth(k))
		k++;
	assert_true(k > 100);
	check_database();

	assert_int_equal(sqlite3_shutdown(), SQLITE_OK);
	assert_int_equal(wane_sqlite_remove(), 0);
	assert_int_equal(sqlite3_config(SQLITE_CONFIG_MALLOC, &real),
			 SQLITE_OK);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(wane_runs_out_of_memory),
		TEST(sqlite_runs_out_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
