// SPDX-License-Identifier: MIT
/*
 * sqlite.c - wane for SQLite: install, remove, and whose a connection is
 *
 * SQLite has one table of page cache methods per process, chosen before it is
 * first used.  We put ours there, keep the one that was there, and put it
 * back on removal.
 *
 *	install           initialize       shutdown        remove
 *	   |-------- methods --+-----------------+-------------|
 *	                       '-- extension ----'
 *
 * SQLite forgets its automatic extensions on shutdown, cannot take one while
 * it is being initialised, and is initialised by taking one.  So install leaves
 * that alone, and ours is registered when the first cache is made: within the
 * first sqlite3_open(), before that looks for extensions.
 *
 * A method is not told which connection it works for.  So the extension, which
 * runs at the end of each sqlite3_open(), reads the URI parameter, names the
 * group in a variable of this thread, and asks SQLite how much cache the
 * connection uses: SQLite then asks each of its caches for a number of pages,
 * and that is where they are bound to the group (cache_count()).
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "cache.h"

static pthread_mutex_t install_lock = PTHREAD_MUTEX_INITIALIZER;
static struct sqlite3_pcache_methods2 original;

/* ---- The group of a connection ------------------------------------------- */

static int connection_bind(sqlite3 *db, struct wane_group *group)
{
	struct binding binding = { .group = group };
	int used, highest;

	cache_binding = &binding;
	sqlite3_db_status(db, SQLITE_DBSTATUS_CACHE_USED, &used, &highest, 0);
	cache_binding = NULL;
	return binding.ret ? SQLITE_NOMEM : SQLITE_OK;
}

static int connection_opened(sqlite3 *db, char **error, const void *api)
{
	const char *file = sqlite3_db_filename(db, "main");
	const char *path = sqlite3_uri_parameter(file, WANE_SQLITE_PARAMETER);
	struct wane_group *group;
	int ret;

	(void)api;
	if (!path)
		return SQLITE_OK;
	group = wane_group_find(cache_default_group, path);
	if (!group) {
		*error = sqlite3_mprintf(
			"no such " WANE_SQLITE_PARAMETER ": \"%s\"", path);
		return SQLITE_CANTOPEN;
	}
	ret = connection_bind(db, group);
	wane_group_put(group);
	return ret;
}

/* ---- SQLite's table ------------------------------------------------------ */

/* SQLite was initialised and has our extension. */
static bool registered;

/*
 * The original cache is not used, but initialised all the same: SQLite takes
 * other memory, too, through its functions, under its lock.
 */
static int methods_init(void *arg)
{
	(void)arg;
	__atomic_store_n(&registered, false, __ATOMIC_RELAXED);
	return original.xInit ? original.xInit(original.pArg) : SQLITE_OK;
}

static void methods_shutdown(void *arg)
{
	(void)arg;
	if (original.xShutdown)
		original.xShutdown(original.pArg);
}

/*
 * Threads that open their first databases at once may all register it, which
 * SQLite takes once; none goes on before it is there.
 */
static int extension_register(void)
{
	int ret;

	if (__atomic_load_n(&registered, __ATOMIC_ACQUIRE))
		return SQLITE_OK;
	ret = sqlite3_auto_extension((void (*)(void))connection_opened);
	if (ret == SQLITE_OK)
		__atomic_store_n(&registered, true, __ATOMIC_RELEASE);
	return ret;
}

static struct sqlite3_pcache *methods_create(int page_size, int extra_size,
					     int purgeable)
{
	if (extension_register() != SQLITE_OK)
		return NULL;
	return cache_create(page_size, extra_size, purgeable);
}

static const struct sqlite3_pcache_methods2 methods = {
	.iVersion = 1,
	.xInit = methods_init,
	.xShutdown = methods_shutdown,
	.xCreate = methods_create,
	.xCachesize = cache_set_size,
	.xPagecount = cache_count,
	.xFetch = cache_fetch,
	.xUnpin = cache_unpin,
	.xRekey = cache_rekey,
	.xTruncate = cache_truncate,
	.xDestroy = cache_destroy,
	.xShrink = cache_shrink,
};

/* ---- Install and remove -------------------------------------------------- */

static int start(void)
{
	int ret = caches_start();

	if (ret)
		return ret;
	ret = pages_start();
	if (ret)
		caches_stop();
	return ret;
}

static int install(struct wane_group *group)
{
	int ret;

	if (cache_default_group)
		return -EALREADY;
	if (sqlite3_config(SQLITE_CONFIG_GETPCACHE2, &original) != SQLITE_OK)
		return -EBUSY;
	ret = start();
	if (ret)
		return ret;
	if (sqlite3_config(SQLITE_CONFIG_PCACHE2, &methods) != SQLITE_OK) {
		pages_stop();
		caches_stop();
		return -EBUSY;
	}
	cache_default_group = wane_group_get(group);
	return 0;
}

int wane_sqlite_install(struct wane_group *group)
{
	int ret;

	if (!group)
		return -EINVAL;
	pthread_mutex_lock(&install_lock);
	ret = install(group);
	pthread_mutex_unlock(&install_lock);
	return ret;
}

/* SQLite refuses the first step while it is in use. */
static int uninstall(void)
{
	if (!cache_default_group)
		return -EALREADY;
	if (sqlite3_config(SQLITE_CONFIG_PCACHE2, &original) != SQLITE_OK)
		return -EBUSY;
	if (caches_stop()) {
		sqlite3_config(SQLITE_CONFIG_PCACHE2, &methods);
		return -EBUSY;
	}
	pages_stop();
	wane_group_put(cache_default_group);
	cache_default_group = NULL;
	return 0;
}

int wane_sqlite_remove(void)
{
	int ret;

	pthread_mutex_lock(&install_lock);
	ret = uninstall();
	pthread_mutex_unlock(&install_lock);
	return ret;
}

static void read_info(struct wane_sqlite_info *info)
{
	if (!cache_default_group)
		return;
	caches_info(info);
	pages_info(info);
}

void wane_sqlite_info(struct wane_sqlite_info *info)
{
	struct wane_sqlite_info all = { .size = info->size };

	pthread_mutex_lock(&install_lock);
	read_info(&all);
	pthread_mutex_unlock(&install_lock);
	memcpy(info, &all, info->size < sizeof(all) ? info->size : sizeof(all));
}
