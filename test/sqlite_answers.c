// SPDX-License-Identifier: MIT
/*
 * sqlite_answers.c - the SQLite adapter: the same answers as without it
 *
 * One long script runs on SQLite's own cache and on ours, with a thief at
 * work in between and without; what it prints must be the same.  Then the
 * sizes of pages, files that are broken, and the rules of installing.
 */
#include "sqlite_db.h"

#include <fcntl.h>

#define ROWS 2000

static int setup(void **state)
{
	static struct tenants tenants;

	*state = &tenants;
	tenants_begin(&tenants);
	return 0;
}

static int teardown(void **state)
{
	tenants_end(*state);
	return 0;
}

static void install(struct tenants *t)
{
	assert_int_equal(wane_sqlite_install(t->root), 0);
}

static void remove_again(void)
{
	assert_int_equal(db_info().bytes, 0);
	assert_int_equal(sqlite3_shutdown(), SQLITE_OK);
	assert_int_equal(wane_sqlite_remove(), 0);
}

/* ---- One script ---------------------------------------------------------- */

static const char *const script[] = {
	"CREATE TABLE t(id INTEGER PRIMARY KEY, word TEXT, n INT)",
	"CREATE INDEX t_word ON t(word)",
	"WITH RECURSIVE i(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM i "
	"WHERE n < 3000) INSERT INTO t SELECT n, printf('%x-%0100d', "
	"n * 48271 % 65537, n), n % 97 FROM i",
	"SELECT count(*), sum(n), min(word), max(word) FROM t",
	"SELECT word FROM t WHERE word LIKE 'ab%' ORDER BY n, id LIMIT 9",
	"SELECT count(DISTINCT n), count(DISTINCT substr(word, 1, 3)) FROM t",
	"SELECT sum(x.n * y.n) FROM t x JOIN t y ON y.id = x.n + 1",
	"SELECT n FROM t WHERE id < 9 UNION SELECT id FROM t WHERE n = 5",
	"SELECT n, count(*) FROM t GROUP BY n HAVING count(*) > 30",
	/* Savepoints, rollbacks, and a transaction of many pages. */
	"BEGIN",
	"UPDATE t SET word = word || 'x' WHERE n < 50",
	"SAVEPOINT a",
	"DELETE FROM t WHERE n > 50",
	"SELECT count(*), sum(length(word)) FROM t",
	"ROLLBACK TO a",
	"UPDATE t SET n = n + 1",
	"COMMIT",
	"SELECT count(*), sum(length(word)), sum(n) FROM t",
	"BEGIN",
	"DELETE FROM t",
	"ROLLBACK",
	"SELECT count(*), sum(length(word)), sum(n) FROM t",
	/* Temporary tables, other files, and moves between them. */
	"CREATE TEMP TABLE u AS SELECT id, word FROM t WHERE n % 2",
	"SELECT count(*), max(word) FROM temp.u",
	"ATTACH 'other.db' AS other",
	"CREATE TABLE other.v AS SELECT * FROM t ORDER BY word",
	"SELECT count(*) FROM other.v NATURAL JOIN main.t",
	"DELETE FROM u WHERE id IN (SELECT id FROM other.v WHERE n < 40)",
	"SELECT count(*), max(word) FROM temp.u",
	"DETACH other",
	/* Other sizes of pages, pages that move, files that shrink. */
	"PRAGMA page_size = 1024",
	"PRAGMA auto_vacuum = 1",
	"VACUUM",
	"SELECT count(*), sum(length(word)), sum(n) FROM t",
	"DELETE FROM t WHERE id % 3 = 0",
	"SELECT count(*), sum(length(word)), sum(n) FROM t",
	"PRAGMA page_count",
	"PRAGMA page_size = 65536",
	"VACUUM",
	"SELECT count(*), sum(length(word)), sum(n) FROM t",
	/* Write-ahead logging. */
	"PRAGMA journal_mode = wal",
	"UPDATE t SET word = upper(word) WHERE n < 30",
	"SELECT count(*), max(word) FROM t",
	"PRAGMA wal_checkpoint(truncate)",
	"INSERT INTO t SELECT id + 10000, word, n FROM t",
	"SELECT count(*), sum(length(word)), sum(n) FROM t",
	"PRAGMA integrity_check",
};

struct answers {
	char text[32768];
	size_t length;
};

static int answer(void *arg, int columns, char **values, char **names)
{
	struct answers *answers = arg;

	(void)names;
	for (int i = 0; i < columns; i++) {
		answers->length += (size_t)snprintf(
			answers->text + answers->length,
			sizeof(answers->text) - answers->length, "%s%c",
			values[i] ? values[i] : "NULL",
			i + 1 < columns ? '|' : '\n');
		assert_true(answers->length < sizeof(answers->text));
	}
	return 0;
}

/* With a @thief, no page stays longer than it has to. */
static void run_script(struct tenants *t, const char *name, bool thief,
		       struct answers *answers)
{
	sqlite3 *db = db_open(t, name, NULL);

	answers->length = 0;
	for (size_t i = 0; i < ARRAY_SIZE(script); i++) {
		if (sqlite3_exec(db, script[i], answer, answers, NULL))
			fail_msg("%s: %s", script[i], sqlite3_errmsg(db));
		if (thief)
			wane_reclaim_all();
	}
	db_close(db);
	assert_int_equal(unlink("other.db"), 0);
}

static void answers_are_the_same(void **state)
{
	static struct answers before, with, with_thief;
	struct tenants *t = *state;

	assert_int_equal(chdir(t->dir), 0);
	run_script(t, "1.db", false, &before);
	assert_int_equal(sqlite3_shutdown(), SQLITE_OK);

	install(t);
	run_script(t, "2.db", false, &with);
	run_script(t, "3.db", true, &with_thief);
	assert_true(db_info().reclaimed > 100);
	remove_again();
	assert_int_equal(chdir("/"), 0);

	assert_non_null(strstr(before.text, "\nok\n"));
	assert_string_equal(with.text, before.text);
	assert_string_equal(with_thief.text, before.text);
}

/* ---- Sizes of pages ------------------------------------------------------ */

static void use_pages_of(struct tenants *t, int size)
{
	char name[32], sql[64];
	sqlite3 *db;

	snprintf(name, sizeof(name), "%d.db", size);
	db = db_open(t, name, t->a);
	snprintf(sql, sizeof(sql), "PRAGMA page_size = %d", size);
	db_run(db, sql);
	db_fill(db, ROWS);
	db_assert_rows(db, ROWS);
	db_assert_number(db, "PRAGMA page_size", size);
	assert_true(db_info().pages * (size_t)size > 256 * 1024);
	assert_in_range(usage(t->a), db_info().pages * (size_t)size,
			db_info().bytes);

	wane_group_reclaim(t->root, WANE_ALL);
	assert_true(db_info().pages <= 1);
	db_run(db, "UPDATE t SET value = -value; UPDATE t SET value = -value");
	db_assert_rows(db, ROWS);
	db_assert_sound(db);
	db_close(db);
	assert_int_equal(usage(t->root), 0);
}

static void all_sizes_of_pages_work(void **state)
{
	struct tenants *t = *state;

	install(t);
	for (int size = 512; size <= 65536; size *= 2)
		use_pages_of(t, size);
	remove_again();
}

/* Two connections, one cache: whoever opened it first pays. */
static void a_shared_cache_is_the_first_ones(void **state)
{
	struct tenants *t = *state;
	sqlite3 *one, *two;

	install(t);
	assert_int_equal(db_try_open(t, &one, "s.db",
				     "?cache=shared&wane_group=/a"),
			 SQLITE_OK);
	assert_int_equal(db_try_open(t, &two, "s.db", "?cache=shared"),
			 SQLITE_OK);
	db_fill(one, ROWS);
	assert_int_equal(db_info().caches, 1);
	wane_reclaim_all();
	db_assert_rows(two, ROWS);
	assert_int_equal(usage(t->a), db_info().bytes);
	db_close(one);
	db_assert_rows(two, ROWS);
	db_close(two);
	remove_again();
}

/* ---- Broken files -------------------------------------------------------- */

static void path_of(struct tenants *t, const char *name, char *path,
		    size_t size)
{
	snprintf(path, size, "%s/%s", t->dir, name);
}

/* Write garbage over a file at @offset. */
static void spoil(struct tenants *t, const char *name, off_t offset,
		  struct test_random *random)
{
	char path[128];
	uint64_t garbage[32];
	int file;

	path_of(t, name, path, sizeof(path));
	for (size_t i = 0; i < ARRAY_SIZE(garbage); i++)
		garbage[i] = test_random_next(random);
	file = open(path, O_WRONLY | O_CREAT, 0600);
	assert_true(file >= 0);
	assert_int_equal(pwrite(file, garbage, sizeof(garbage), offset),
			 sizeof(garbage));
	assert_int_equal(close(file), 0);
}

static void a_file_that_is_no_database_is_refused(void **state)
{
	struct test_random random = { test_seed() };
	struct tenants *t = *state;
	sqlite3 *db;

	install(t);
	for (off_t i = 0; i < 20; i++)
		spoil(t, "x.db", i * 256, &random);
	db = db_open(t, "x.db", t->a);
	assert_int_equal(db_try(db, "SELECT * FROM sqlite_schema"),
			 SQLITE_NOTADB);
	db_close(db);
	assert_int_equal(usage(t->root), 0);
	remove_again();
}

/* SQLite itself finds other words, too, for what garbage means. */
static bool is_honest(int ret)
{
	return ret == SQLITE_OK || ret == SQLITE_CORRUPT ||
	       ret == SQLITE_NOTADB || ret == SQLITE_ERROR ||
	       ret == SQLITE_FULL || ret == SQLITE_CONSTRAINT ||
	       ret == SQLITE_TOOBIG;
}

static void corrupt_pages_do_no_harm(void **state)
{
	static const char *const statements[] = {
		"SELECT sum(length(text)), sum(value) FROM t",
		"SELECT * FROM pragma_integrity_check",
		"UPDATE t SET text = text || 'abc', value = 1",
		"DELETE FROM t WHERE id % 7",
		"SELECT count(*) FROM t",
		"VACUUM",
	};
	struct test_random random = { test_seed() };
	struct tenants *t = *state;
	int found = 0, ret;
	char name[16];
	sqlite3 *db;

	install(t);
	for (int round = 0; round < 30; round++) {
		snprintf(name, sizeof(name), "%d.db", round);
		db = db_open(t, name, t->a);
		db_fill(db, ROWS / 4);
		db_close(db);
		for (int i = 0; i < 8; i++)
			spoil(t, name,
			      (off_t)(1024 +
				      test_random_below(&random, 80 * 1024)),
			      &random);
		db = db_open(t, name, t->a);
		for (size_t i = 0; i < ARRAY_SIZE(statements); i++) {
			ret = db_try(db, statements[i]);
			assert_true(is_honest(ret));
			found += ret == SQLITE_CORRUPT;
		}
		db_close(db);
	}
	assert_true(found > 0);
	assert_int_equal(usage(t->root), 0);
	remove_again();
}

/* ---- Install and remove -------------------------------------------------- */

static void it_is_installed_before_sqlite_is_used(void **state)
{
	struct tenants *t = *state;

	assert_int_equal(wane_sqlite_install(NULL), -EINVAL);
	assert_int_equal(wane_sqlite_remove(), -EALREADY);
	assert_int_equal(sqlite3_initialize(), SQLITE_OK);
	assert_int_equal(wane_sqlite_install(t->root), -EBUSY);
	assert_int_equal(sqlite3_shutdown(), SQLITE_OK);

	install(t);
	assert_int_equal(wane_sqlite_install(t->root), -EALREADY);
	assert_int_equal(wane_sqlite_remove(), 0);
	assert_int_equal(wane_sqlite_remove(), -EALREADY);
}

static void it_is_removed_after_sqlite_is_used(void **state)
{
	struct tenants *t = *state;
	sqlite3 *db;

	install(t);
	db = db_open(t, "x.db", NULL);
	assert_int_equal(wane_sqlite_remove(), -EBUSY);
	db_fill(db, ROWS);
	db_close(db);
	assert_int_equal(wane_sqlite_remove(), -EBUSY);
	assert_int_equal(wane_sqlite_install(t->root), -EALREADY);
	remove_again();

	/* SQLite's own cache again, and no extension. */
	assert_int_equal(db_try_open(t, &db, "x.db", "?wane_group=/none"),
			 SQLITE_OK);
	db_assert_rows(db, ROWS);
	assert_int_equal(usage(t->root), 0);
	db_close(db);
	assert_int_equal(sqlite3_shutdown(), SQLITE_OK);
}

static int inits, shutdowns;

static int count_init(void *arg)
{
	assert_ptr_equal(arg, &inits);
	inits++;
	return SQLITE_OK;
}

static void count_shutdown(void *arg)
{
	assert_ptr_equal(arg, &inits);
	shutdowns++;
}

static void the_original_is_initialised_too(void **state)
{
	sqlite3_pcache_methods2 own, counting, found;

	assert_int_equal(sqlite3_config(SQLITE_CONFIG_GETPCACHE2, &own), 0);
	counting = own;
	counting.pArg = &inits;
	counting.xInit = count_init;
	counting.xShutdown = count_shutdown;
	assert_int_equal(sqlite3_config(SQLITE_CONFIG_PCACHE2, &counting), 0);

	install(*state);
	assert_int_equal(sqlite3_initialize(), SQLITE_OK);
	assert_int_equal(inits, 1);
	remove_again();
	assert_int_equal(shutdowns, 1);

	assert_int_equal(sqlite3_config(SQLITE_CONFIG_GETPCACHE2, &found), 0);
	assert_memory_equal(&found, &counting, sizeof(found));
	assert_int_equal(sqlite3_config(SQLITE_CONFIG_PCACHE2, &own), 0);
}

static void numbers_fit_older_programs(void **state)
{
	struct wane_sqlite_info info = { .size = sizeof(info) };
	struct tenants *t = *state;
	sqlite3 *db;

	wane_sqlite_info(&info);
	assert_int_equal(info.caches, 0);
	install(t);
	db = db_open(t, "x.db", NULL);
	info.size = offsetof(struct wane_sqlite_info, pages);
	info.pages = 12345;
	wane_sqlite_info(&info);
	assert_int_equal(info.caches, 1);
	assert_int_equal(info.pages, 12345);
	db_close(db);
	remove_again();
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(answers_are_the_same),
		TEST(all_sizes_of_pages_work),
		TEST(a_shared_cache_is_the_first_ones),
		TEST(a_file_that_is_no_database_is_refused),
		TEST(corrupt_pages_do_no_harm),
		TEST(it_is_installed_before_sqlite_is_used),
		TEST(it_is_removed_after_sqlite_is_used),
		TEST(the_original_is_initialised_too),
		TEST(numbers_fit_older_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
