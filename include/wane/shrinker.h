/* SPDX-License-Identifier: MIT */
/*
 * Shrinkers: a cache's promise to give memory back.
 *
 *	create ---> start ---> destroy
 *	   |          '- count and scan may be called -'
 *	   '- lists may be made and filled; nothing is called, nothing is lost
 */
#ifndef WANE_SHRINKER_H
#define WANE_SHRINKER_H

#include <wane/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct wane_shrink - One request to a shrinker.
 * @group: In: the group under pressure; NULL for a shrinker that is not bound
 *         to groups.
 * @node: In: the memory node under pressure.
 * @to_scan: In, for scan: how many items to look at.
 * @scanned: Out, from scan: how many were looked at.  Set to @to_scan before
 *           the call, so only a scan that stops early has to touch it.
 */
struct wane_shrink {
	struct wane_group *group;
	int node;
	size_t to_scan;
	size_t scanned;
};

/* wane_shrinker_ops.flags: one cache for all groups, asked with no group. */
#define WANE_SHRINKER_GLOBAL (1u << 0)

/* wane_shrinker_ops.cost: what it holds costs nothing to build again. */
#define WANE_COST_NONE (-1)

/**
 * struct wane_shrinker_ops - What a cache tells the library about itself.
 * @size: sizeof(struct wane_shrinker_ops).  Members past it read as zero,
 *        which is how members are added without breaking built programs.
 * @name: Shown by tools; copied.
 * @count: How many items of sc->group could be freed, roughly and fast.
 *         0 means none, and the group is not asked about again until
 *         wane_lru_add() or wane_shrinker_attach() names it; -EAGAIN means
 *         cannot tell now, ask again.  Other negative values and values over
 *         LONG_MAX / 4 count as -EAGAIN.
 * @scan: Look at sc->to_scan items of sc->group and free what can go.
 *        Returns how many were freed, or -EAGAIN when it cannot work now (a
 *        lock is taken, say) and should be left alone in this round.
 * @batch: Items per scan call; 0 for the usual 128.
 * @cost: How dear an item is to build again: 0 for the usual 2, higher to be
 *        asked for less, WANE_COST_NONE when it costs nothing.
 * @flags: 0 or WANE_SHRINKER_GLOBAL.
 *
 * Both callbacks may run in several threads at once, also for one group.
 * They may call functions of context Any, and no others.
 */
struct wane_shrinker_ops {
	size_t size;
	const char *name;
	long (*count)(void *cache, struct wane_shrink *sc);
	long (*scan)(void *cache, struct wane_shrink *sc);
	size_t batch;
	int cost;
	unsigned int flags;
};

/**
 * wane_shrinker_create() - Make a shrinker; it is not called yet.
 * @shrinker: Receives the shrinker.
 * @ops: The callbacks and settings; copied.
 * @cache: Passed to the callbacks.
 *
 * Creating and starting are two steps so that no callback ever meets a cache
 * that is half built: create, wane_lru_create(), then start.  Items listed in
 * between are found by the first walk after the start.
 *
 * Context: Blocks.
 * Return: 0; -ENOMEM; -EINVAL when a callback is missing, the cost is less
 *         than WANE_COST_NONE, or a flag is unknown.
 */
WANE_CHECKED int wane_shrinker_create(struct wane_shrinker **shrinker,
				      const struct wane_shrinker_ops *ops,
				      void *cache);

/**
 * wane_shrinker_start() - Let reclaim call the shrinker from now on.
 * @shrinker: A shrinker that was created.
 *
 * Context: Any.
 * Return: 0, or -EALREADY when it was started before.
 */
WANE_API int wane_shrinker_start(struct wane_shrinker *shrinker);

/**
 * wane_shrinker_attach() - Let pressure in one group reach a shrinker.
 * @shrinker: The shrinker.
 * @group: A group with items in the cache; retired: its living ancestor.
 *
 * For caches that keep their items in something other than an lru, whose
 * functions do this themselves.  The group is asked about on each node until
 * count says 0; call it again when the cache has items of the group again.
 *
 * Context: Blocks.
 * Return: 0; -ENOMEM; -EINVAL for a WANE_SHRINKER_GLOBAL shrinker, or no group.
 */
WANE_CHECKED int wane_shrinker_attach(struct wane_shrinker *shrinker,
				      struct wane_group *group);

/**
 * wane_shrinker_id() - The lowest number that was free when it was created.
 * @shrinker: The shrinker.
 *
 * Context: Any.
 * Return: The id, reused after destroy; -1 for a WANE_SHRINKER_GLOBAL one.
 */
WANE_API int wane_shrinker_id(const struct wane_shrinker *shrinker);

/**
 * wane_shrinker_name() - The name given to wane_shrinker_create().
 * @shrinker: The shrinker, which owns the string.
 *
 * Context: Any.
 * Return: The name, "" when it was NULL.
 */
WANE_API const char *wane_shrinker_name(const struct wane_shrinker *shrinker);

/**
 * wane_shrinker_destroy() - Stop a shrinker and free it.
 * @shrinker: The shrinker, started or not, or NULL.
 *
 * Waits for running callbacks of this shrinker, and of no other.  When it
 * returns, none runs or ever will, and the cache behind it may be freed.  Its
 * lists may go before it, at the same time or after it; items are not freed.
 *
 * Context: Blocks; hold no lock that its callbacks take.
 */
WANE_API void wane_shrinker_destroy(struct wane_shrinker *shrinker);

#ifdef __cplusplus
}
#endif

#endif /* WANE_SHRINKER_H */
