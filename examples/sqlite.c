// SPDX-License-Identifier: MIT
/*
 * sqlite.c - two tenants' databases, one budget
 *
 *	/            max 1 MiB
 *	|-- quiet    min 256 KiB
 *	`-- noisy
 *
 * The quiet tenant reads its whole database once.  The noisy one then reads a
 * database that is larger than the budget, again and again.  It takes all the
 * memory that no one else needs, but not what is promised to the quiet one.
 *
 *	cc sqlite.c $(pkg-config --cflags --libs wane-sqlite sqlite3)
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>
#include <wane/sqlite.h>
#include <wane/wane.h>

#define KIB ((size_t)1024)

static void check(int ret, const char *what)
{
	if (ret == 0)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(-ret));
	exit(1);
}

static void run(sqlite3 *db, const char *sql)
{
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK)
		return;
	fprintf(stderr, "%s: %s\n", sql, sqlite3_errmsg(db));
	exit(1);
}

/* All pages of the database belong to @tenant: that is all there is to it. */
static sqlite3 *open_for(struct wane_group *tenant, const char *file)
{
	struct wane_group *before = wane_group_enter(tenant);
	sqlite3 *db;

	if (sqlite3_open(file, &db) != SQLITE_OK) {
		fprintf(stderr, "%s: %s\n", file, sqlite3_errmsg(db));
		exit(1);
	}
	wane_group_leave(before);
	return db;
}

static void fill(sqlite3 *db, int rows)
{
	char sql[256];

	snprintf(sql, sizeof(sql),
		 "CREATE TABLE t(id INTEGER PRIMARY KEY, text);"
		 "WITH RECURSIVE n(id) AS (VALUES (1) UNION ALL "
		 "  SELECT id + 1 FROM n WHERE id < %d) "
		 "INSERT INTO t SELECT id, printf('%%0200d', id) FROM n",
		 rows);
	run(db, sql);
}

static int misses(sqlite3 *db)
{
	int now, highest;

	sqlite3_db_status(db, SQLITE_DBSTATUS_CACHE_MISS, &now, &highest, 0);
	return now;
}

static void report(const struct wane_group *group)
{
	printf("  %-6s holds %4zu KiB, never more than %4zu KiB\n",
	       wane_group_name(group), wane_group_usage(group) / KIB,
	       wane_group_peak(group) / KIB);
}

int main(void)
{
	struct wane_group *root, *quiet, *noisy;
	sqlite3 *small, *large;
	char dir[] = "/tmp/wane-example-XXXXXX";
	int before;

	check(wane_group_create(&root, NULL, "budget"), "group");
	check(wane_group_create(&quiet, root, "quiet"), "group");
	check(wane_group_create(&noisy, root, "noisy"), "group");
	check(wane_sqlite_install(root), "install");
	check(wane_group_set_limit(root, WANE_MAX, 1024 * KIB), "max");
	check(wane_group_set_limit(quiet, WANE_MIN, 256 * KIB), "min");
	check(mkdtemp(dir) && chdir(dir) == 0 ? 0 : -errno, dir);

	small = open_for(quiet, "small.db");
	fill(small, 800);
	run(small, "SELECT sum(length(text)) FROM t");
	before = misses(small);

	large = open_for(noisy, "large.db");
	fill(large, 20000);
	for (int i = 0; i < 5; i++)
		run(large, "SELECT sum(length(text)) FROM t");

	run(small, "SELECT sum(length(text)) FROM t");
	printf("Under a budget of 1,024 KiB:\n");
	report(root);
	report(noisy);
	report(quiet);
	printf("The noisy tenant read %d pages, the quiet one %d again.\n",
	       misses(large), misses(small) - before);

	sqlite3_close(small);
	sqlite3_close(large);
	sqlite3_shutdown();
	check(wane_sqlite_remove(), "remove");
	wane_group_put(quiet);
	wane_group_put(noisy);
	wane_group_put(root);
	return unlink("small.db") || unlink("large.db") || rmdir(dir);
}
