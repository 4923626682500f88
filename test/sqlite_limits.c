// SPDX-License-Identifier: MIT
/*
 * sqlite_limits.c - the SQLite adapter: limits, and who has to give
 */
#include "sqlite_tenants.h"

static int nr_misses(sqlite3 *db)
{
	return db_status(db, SQLITE_DBSTATUS_CACHE_MISS);
}

/* ---- Limits -------------------------------------------------------------- */

static void max_holds(void **state)
{
	struct tenants *t = *state;
	const size_t max = 192 * KIB;
	sqlite3 *db = db_open(t, "a.db", t->a);

	assert_int_equal(wane_group_set_limit(t->a, WANE_MAX, max), 0);
	db_fill(db, 4 * ROWS);
	for (int i = 0; i < 3; i++)
		db_assert_rows(db, 4 * ROWS);
	assert_true(wane_group_peak(t->a) <= max);
	assert_true(db_info().reclaimed > 0);
	db_assert_sound(db);
	db_close(db);
}

/* More dirty pages than fit are written back early. */
static void a_large_transaction_spills(void **state)
{
	struct tenants *t = *state;
	const size_t max = 192 * KIB;
	sqlite3 *db = warm(t, "a.db", t->a);

	assert_int_equal(wane_group_set_limit(t->a, WANE_MAX, max), 0);
	db_run(db, "BEGIN; UPDATE t SET value = -value");
	assert_true(db_info().bytes <= max);
	db_run(db, "UPDATE t SET value = -value; COMMIT");
	db_assert_rows(db, ROWS);
	db_assert_sound(db);
	db_close(db);
}

static void a_neighbour_is_left_alone(void **state)
{
	struct tenants *t = *state;
	sqlite3 *quiet = warm(t, "b.db", t->b), *noisy;
	int misses;

	assert_int_equal(wane_group_set_limit(t->a, WANE_MAX, 192 * KIB), 0);
	noisy = warm(t, "a.db", t->a);
	db_assert_rows(noisy, ROWS);
	misses = nr_misses(quiet);
	db_assert_rows(quiet, ROWS);
	assert_int_equal(nr_misses(quiet), misses);
	db_close(noisy);
	db_close(quiet);
}

/* A cursor pins the pages from the root to its leaf. */
static int pin(sqlite3 *db, sqlite3_stmt **stmt, int id)
{
	int ret = sqlite3_prepare_v2(
		db, "SELECT value FROM t WHERE id >= ? ORDER BY id", -1, stmt,
		NULL);

	if (ret != SQLITE_OK)
		return ret;
	sqlite3_bind_int(*stmt, 1, id);
	ret = sqlite3_step(*stmt);
	return ret == SQLITE_ROW ? SQLITE_OK : ret;
}

#define CURSORS (ROWS / 20)

static void pinned_pages_may_be_too_many(void **state)
{
	struct tenants *t = *state;
	sqlite3 *db = warm(t, "a.db", t->a);
	sqlite3_stmt *stmt[CURSORS] = { 0 };
	int i, ret = SQLITE_OK;

	assert_int_equal(wane_group_set_limit(t->a, WANE_MAX, 192 * KIB), 0);
	for (i = 0; i < CURSORS && ret == SQLITE_OK; i++)
		ret = pin(db, &stmt[i], 1 + 20 * i);
	assert_int_equal(ret, SQLITE_NOMEM);
	assert_true(db_info().refused > 0);
	assert_true(wane_group_events(t->a, WANE_EVENT_OOM) > 0);
	for (i = 0; i < CURSORS; i++)
		sqlite3_finalize(stmt[i]);

	db_assert_sound(db);
	db_assert_rows(db, ROWS);
	db_close(db);
}

/* All dirty pages are pinned by cursors, too, so none can be written back. */
static void a_write_may_run_out_of_memory(void **state)
{
	struct tenants *t = *state;
	sqlite3 *db = warm(t, "a.db", t->a);
	sqlite3_stmt *stmt[CURSORS] = { 0 };
	int i;

	db_run(db, "BEGIN; UPDATE t SET value = 0 WHERE id < 100");
	for (i = 0; i < 30; i++)
		assert_int_equal(pin(db, &stmt[i], 1 + 20 * i), SQLITE_OK);
	assert_int_equal(wane_group_set_limit(t->a, WANE_MAX, 64 * KIB),
			 -EBUSY);
	assert_int_equal(db_try(db, "UPDATE t SET value = 0"), SQLITE_NOMEM);
	for (i = 0; i < CURSORS; i++)
		sqlite3_finalize(stmt[i]);
	db_try(db, "ROLLBACK");
	db_close(db);

	assert_int_equal(wane_group_set_limit(t->a, WANE_MAX, WANE_UNLIMITED),
			 0);
	db = db_open(t, "a.db", t->a);
	db_assert_sound(db);
	db_assert_rows(db, ROWS);
	db_close(db);
}

static void many_tenants_share_a_budget(void **state)
{
	enum {
		NR = 40
	};
	struct tenants *t = *state;
	const size_t budget = 3 * MIB;
	struct wane_group *group[NR];
	sqlite3 *db[NR];
	char name[16];

	assert_int_equal(wane_group_set_limit(t->root, WANE_MAX, budget), 0);
	for (int i = 0; i < NR; i++) {
		snprintf(name, sizeof(name), "%d.db", i);
		assert_int_equal(wane_group_create(&group[i], t->root, NULL),
				 0);
		db[i] = warm(t, name, group[i]);
	}
	for (int i = 0; i < 20 * NR; i++)
		db_assert_row(db[i * 7 % NR], 1 + i * 131 % ROWS);
	assert_true(wane_group_peak(t->root) <= budget);
	assert_true(db_info().bytes > budget / 2);
	for (int i = 0; i < NR; i++) {
		db_assert_rows(db[i], ROWS);
		db_close(db[i]);
		wane_group_put(group[i]);
	}
}

/* ---- Reclaim ------------------------------------------------------------- */

static void reclaim_takes_idle_pages(void **state)
{
	struct tenants *t = *state;
	sqlite3 *a = warm(t, "a.db", t->a), *b = warm(t, "b.db", t->b);
	size_t freed, half = db_info().pages / 2;

	freed = wane_group_reclaim(t->a, WANE_ALL);
	assert_true(freed > (half - 2) * 4096);
	assert_in_range(db_info().pages, half - 2, half + 2);
	assert_true(db_info().reclaimed >= half - 2);

	assert_true(wane_reclaim_all() >= half - 2);
	assert_true(db_info().pages <= 2);
	db_assert_rows(a, ROWS);
	db_assert_rows(b, ROWS);
	db_close(a);
	db_close(b);
}

static void pinned_pages_stay(void **state)
{
	struct tenants *t = *state;
	sqlite3 *db = warm(t, "a.db", t->a);
	sqlite3_stmt *stmt;
	int rows = 1;

	assert_int_equal(pin(db, &stmt, 1), SQLITE_OK);
	for (; sqlite3_step(stmt) == SQLITE_ROW; rows++) {
		assert_int_equal(sqlite3_column_int64(stmt, 0),
				 row_value(1 + rows));
		if (rows % 100 == 0)
			wane_reclaim_all();
	}
	assert_int_equal(sqlite3_finalize(stmt), SQLITE_OK);
	assert_int_equal(rows, ROWS);
	db_close(db);
}

static void dirty_pages_stay(void **state)
{
	struct tenants *t = *state;
	sqlite3 *db = warm(t, "a.db", t->a);

	db_run(db, "BEGIN; UPDATE t SET value = -value WHERE id < 500; "
		   "SAVEPOINT s; UPDATE t SET value = 7");
	wane_reclaim_all();
	db_assert_number(db, "SELECT sum(value) FROM t", 7 * ROWS);
	db_run(db, "ROLLBACK TO s; UPDATE t SET value = -value WHERE id < 500");
	wane_reclaim_all();
	db_run(db, "COMMIT");
	wane_reclaim_all();
	db_assert_rows(db, ROWS);
	db_close(db);
}

/* A page that is read again and again outlives those of a long scan. */
static void a_scan_spares_what_is_used(void **state)
{
	enum {
		ROUNDS = 40,
		PART = 20 * ROWS / ROUNDS
	};
	struct tenants *t = *state;
	sqlite3 *hot = warm(t, "hot.db", t->a), *cold = db_open(t, "c", t->a);
	char sql[80];
	int before;

	db_fill(cold, 20 * ROWS);
	assert_int_equal(wane_group_set_limit(t->a, WANE_MAX, MIB), 0);
	db_assert_rows(hot, ROWS);
	before = nr_misses(hot);
	for (int i = 0; i < ROUNDS; i++) {
		for (int id = 1; id < ROWS / 2; id += 25)
			db_assert_row(hot, id);
		snprintf(sql, sizeof(sql),
			 "SELECT count(text) FROM t WHERE id BETWEEN %d AND %d",
			 1 + i * PART, (i + 1) * PART);
		db_assert_number(cold, sql, PART);
	}
	/* The scan went through the list of some 230 pages six times. */
	assert_true(nr_misses(cold) > 1400);
	assert_true(nr_misses(hot) - before < 40);
	db_close(hot);
	db_close(cold);
}

static void memory_databases_stay(void **state)
{
	struct tenants *t = *state;
	struct wane_group *before = wane_group_enter(t->a);
	sqlite3 *db;

	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	wane_group_leave(before);
	db_fill(db, ROWS);
	assert_int_equal(usage(t->a), db_info().bytes);
	for (int i = 0; i < 3; i++)
		wane_reclaim_all();
	db_run(db, "PRAGMA cache_size = 5; PRAGMA shrink_memory");
	assert_true(db_info().pages > 70);
	db_assert_rows(db, ROWS);
	db_close(db);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(max_holds),
		TEST(a_large_transaction_spills),
		TEST(a_neighbour_is_left_alone),
		TEST(pinned_pages_may_be_too_many),
		TEST(a_write_may_run_out_of_memory),
		TEST(many_tenants_share_a_budget),
		TEST(reclaim_takes_idle_pages),
		TEST(pinned_pages_stay),
		TEST(dirty_pages_stay),
		TEST(a_scan_spares_what_is_used),
		TEST(memory_databases_stay),
	};

	return cmocka_run_group_tests(tests, use_once, NULL);
}
