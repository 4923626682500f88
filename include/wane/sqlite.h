/* SPDX-License-Identifier: MIT */
/*
 * wane for SQLite: the page cache of every connection, on groups and lists.
 *
 *	wane_sqlite_install(root);            before anything else of SQLite
 *	before = wane_group_enter(tenant);
 *	sqlite3_open("42.db", &db);           its pages are the tenant's now
 *	wane_group_leave(before);
 *
 * or, for programs that cannot be changed beyond a file name:
 *
 *	sqlite3_open("file:42.db?wane_group=/tenants/42", &db);   with URIs on
 *
 * Pages that no statement uses stay on their group's list and go when memory
 * is needed, from any thread.  What a cache holds is charged to its group: the
 * pages, their headers, and the table that finds them.
 */
#ifndef WANE_SQLITE_H
#define WANE_SQLITE_H

#include <wane/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The name of the URI parameter: a path for wane_group_find(). */
#define WANE_SQLITE_PARAMETER "wane_group"

/**
 * wane_sqlite_install() - Replace SQLite's page cache, for the whole process.
 * @group: Pays for the caches of connections that name no group, and is where
 *         the paths of URI parameters begin; held until
 *         wane_sqlite_remove().
 *
 * The group of a connection is the thread's current group while it is opened;
 * a URI parameter goes before it, and opening fails with SQLITE_CANTOPEN when
 * no such group lives.  SQLite reads parameters with SQLITE_OPEN_URI or
 * SQLITE_CONFIG_URI alone, and has none for an in-memory database.  A cache
 * that connections share belongs to the first of them.
 *
 * Caches that a statement makes later (temporary tables, DISTINCT, VACUUM,
 * ATTACH) are charged to the thread's current group then, or else to @group.
 * One that takes another's place, since the page size has changed, is charged
 * to the thread's current group, or else to the group of the other.
 *
 * PRAGMA cache_size and shrink_memory, sqlite3_db_release_memory() and
 * in-memory databases keep their meaning.  As with any replaced page cache,
 * sqlite3_release_memory() finds no pages, SQLITE_CONFIG_PAGECACHE is unused,
 * and the soft and hard heap limits do not count pages: limits of groups do.
 *
 * When a group is at its max, idle pages go first; then a transaction writes
 * dirty pages early; and when all are pinned by open cursors, the statement
 * fails with SQLITE_NOMEM, as SQLite does when memory runs out.  When a group
 * is retired, its connections go on, and its parent pays.
 *
 * Context: Blocks.
 * Return: 0; -EINVAL when @group is NULL; -EALREADY when it is installed;
 *         -EBUSY when SQLite is in use already; -ENOMEM.
 */
WANE_CHECKED int wane_sqlite_install(struct wane_group *group);

/**
 * wane_sqlite_remove() - Give SQLite its own page cache back.
 *
 * Close every connection and call sqlite3_shutdown() first.  Install may be
 * called again then.
 *
 * Context: Blocks.
 * Return: 0; -EALREADY when it is not installed; -EBUSY when SQLite is in
 *         use, or was shut down with a connection open.
 */
WANE_API int wane_sqlite_remove(void);

/**
 * struct wane_sqlite_info - The numbers of all page caches together.
 * @size: sizeof(struct wane_sqlite_info), set by the caller.
 * @caches: Page caches that exist.
 * @pages: Pages in them.
 * @bytes: Bytes charged for them.
 * @reclaimed: Pages that pressure has taken since the installation.
 * @refused: Pages that were refused because a group was over its max.
 */
struct wane_sqlite_info {
	size_t size;
	size_t caches;
	size_t pages;
	size_t bytes;
	uint64_t reclaimed;
	uint64_t refused;
};

/**
 * wane_sqlite_info() - Read them.
 * @info: Filled up to its size member.
 *
 * Context: Any.
 */
WANE_API void wane_sqlite_info(struct wane_sqlite_info *info);

#ifdef __cplusplus
}
#endif

#endif /* WANE_SQLITE_H */
