/* SPDX-License-Identifier: MIT */
/*
 * sqlite_tenants.h - for tests that find the adapter installed
 *
 * Each finds two tenants, "a" and "b".  After it, SQLite is shut down and the
 * adapter removed, and all memory is back.
 */
#ifndef WANE_TEST_SQLITE_TENANTS_H
#define WANE_TEST_SQLITE_TENANTS_H

#include "sqlite_db.h"

#define KIB 1024
#define MIB (1024 * KIB)
#define ROWS 2000 /* of db_fill(): some 80 pages */

static inline int setup(void **state)
{
	static struct tenants tenants;

	*state = &tenants;
	tenants_begin(&tenants);
	return wane_sqlite_install(tenants.root);
}

static inline int remove_all(struct tenants *t)
{
	assert_int_equal(db_info().caches, 0);
	assert_int_equal(db_info().pages, 0);
	assert_int_equal(db_info().bytes, 0);
	assert_int_equal(usage(t->root), 0);
	assert_int_equal(sqlite3_shutdown(), SQLITE_OK);
	assert_int_equal(wane_sqlite_remove(), 0);
	tenants_end(t);
	return 0;
}

static inline int teardown(void **state)
{
	struct tenants *t = *state;

	remove_all(t);
	assert_int_equal(quiet_base(), t->base);
	return 0;
}

/* A filled database of tenant @group, its cache warm. */
static inline sqlite3 *warm(struct tenants *t, const char *name,
			    struct wane_group *group)
{
	sqlite3 *db = db_open(t, name, group);

	db_fill(db, ROWS);
	db_assert_rows(db, ROWS);
	return db;
}

/* What the library keeps once it was used is there before the first base. */
static inline int use_once(void **state)
{
	setup(state);
	db_close(warm(*state, "a.db", NULL));
	return remove_all(*state);
}

#endif /* WANE_TEST_SQLITE_TENANTS_H */
