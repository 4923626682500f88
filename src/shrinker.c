/* SPDX-License-Identifier: MIT */
/*
 * shrinker.c - the registry of shrinkers
 *
 *	create   an id, no pins         walks pass over it, bits stay set
 *	start    1 pin                  walks pin it while they call back
 *	destroy  the pin is dropped     no walk can pin it any more;
 *	         the last one completes  so nothing runs, and nothing will
 *	         shares are put         in each group that has one
 *	         the id is given back   the next shrinker may get it
 *	         the struct goes        a grace period later: walks may look at it
 *
 * Destroy waits for whoever has this shrinker pinned and for no one else: not
 * for a grace period, not for other shrinkers' callbacks.
 *
 * Shrinkers bound to groups are found through bits of groups (core/); the few
 * that are not stand in one list.
 */
#include "shrinker.h"

#include <string.h>

#include "ids.h"
#include "lru.h"
#include "scan.h"

static struct lock global_lock = LOCK_INIT(RANK_LEAF);
static struct list globals = LIST_INIT(globals);

/* Names; nothing in here needs them. */
static struct ids shrinker_ids = IDS_INIT;

static size_t shrinker_size(void)
{
	return sizeof(struct wane_shrinker) +
	       (size_t)port_nr_nodes * sizeof(long);
}

static bool is_global(const struct wane_shrinker *shrinker)
{
	return shrinker->flags & WANE_SHRINKER_GLOBAL;
}

/* What this version knows of @ops: members that are not there read as zero. */
static int read_ops(struct wane_shrinker_ops *known,
		    const struct wane_shrinker_ops *ops)
{
	if (!ops || ops->size < offsetof(struct wane_shrinker_ops, batch))
		return -EINVAL;
	memset(known, 0, sizeof(*known));
	memcpy(known, ops, min_of(ops->size, sizeof(*known)));
	if (!known->count || !known->scan || known->cost < WANE_COST_NONE ||
	    (known->flags & ~WANE_SHRINKER_GLOBAL) ||
	    known->batch > LONG_MAX / 4)
		return -EINVAL;
	return 0;
}

static unsigned int seeks_of(int cost)
{
	if (cost == WANE_COST_NONE)
		return 0;
	return cost == 0 ? 2 : (unsigned int)cost;
}

static struct wane_shrinker *alloc_shrinker(const struct wane_shrinker_ops *ops,
					    void *cache)
{
	const char *name = ops->name ? ops->name : "";
	struct wane_shrinker *shrinker = port_zalloc(shrinker_size());
	char *copy = shrinker ? port_alloc(strlen(name) + 1) : NULL;

	if (!copy) {
		port_free(shrinker, shrinker_size());
		return NULL;
	}
	shrinker->count = ops->count;
	shrinker->scan = ops->scan;
	shrinker->cache = cache;
	shrinker->name = strcpy(copy, name);
	shrinker->batch = ops->batch ? ops->batch : SCAN_BATCH;
	shrinker->seeks = seeks_of(ops->cost);
	shrinker->flags = ops->flags;
	shrinker->id = -1;
	lock_init(&shrinker->lock, RANK_CACHE);
	list_init(&shrinker->lrus);
	list_init(&shrinker->global);
	return shrinker;
}

static void free_shrinker(struct wane_shrinker *shrinker)
{
	port_free((void *)shrinker->name, strlen(shrinker->name) + 1);
	port_free(shrinker, shrinker_size());
}

static void free_deferred(struct rcu_head *head)
{
	free_shrinker(rcu_deferred(head, struct wane_shrinker, rcu));
}

static int enter_groups(struct wane_shrinker *shrinker)
{
	int id = ids_take(&shrinker_ids);
	int err;

	if (id < 0)
		return id;
	err = shrinker_info_begin(&shrinker->info, GFP_KERNEL);
	if (err)
		ids_give(&shrinker_ids, id);
	else
		shrinker->id = id;
	return err;
}

static void leave_groups(struct wane_shrinker *shrinker)
{
	shrinker_info_forget(&shrinker->info);
	ids_give(&shrinker_ids, shrinker->id);
}

static int enter_globals(struct wane_shrinker *shrinker)
{
	lock_take(&global_lock);
	list_add_last(&shrinker->global, &globals);
	lock_drop(&global_lock);
	return 0;
}

static void leave_globals(struct wane_shrinker *shrinker)
{
	lock_take(&global_lock);
	list_del(&shrinker->global);
	lock_drop(&global_lock);
}

int wane_shrinker_create(struct wane_shrinker **shrinker,
			 const struct wane_shrinker_ops *ops, void *cache)
{
	struct wane_shrinker_ops known;
	struct wane_shrinker *new;
	int err = read_ops(&known, ops);

	if (err)
		return err;
	new = alloc_shrinker(&known, cache);
	if (!new)
		return -ENOMEM;
	err = is_global(new) ? enter_globals(new) : enter_groups(new);
	if (err)
		free_shrinker(new);
	else
		*shrinker = new;
	return err;
}

int wane_shrinker_start(struct wane_shrinker *shrinker)
{
	return shrinker_info_start(&shrinker->info) ? 0 : -EALREADY;
}

/* The lru that stands for shares without lists, made when first needed. */
static int attached_lru(struct wane_shrinker *shrinker, struct wane_lru **lru)
{
	struct wane_lru *new = NULL;
	int err;

	*lru = rcu_read(&shrinker->attached);
	if (*lru)
		return 0;
	err = lru_create(&new, shrinker, true);
	if (err)
		return err;
	if (try_exchange_full(&shrinker->attached, lru, new))
		*lru = new;
	else
		wane_lru_destroy(new);
	return 0;
}

int wane_shrinker_attach(struct wane_shrinker *shrinker,
			 struct wane_group *group)
{
	struct wane_lru *lru;
	int err;

	if (!group || is_global(shrinker))
		return -EINVAL;
	err = attached_lru(shrinker, &lru);
	if (err)
		return err;
	err = wane_lru_prepare(lru, group);
	if (err)
		return err;
	lru_announce(lru, group);
	return 0;
}

int wane_shrinker_id(const struct wane_shrinker *shrinker)
{
	return shrinker->id;
}

const char *wane_shrinker_name(const struct wane_shrinker *shrinker)
{
	return shrinker->name;
}

/*
 * End the shares that its lrus have.  They get no others: who has waited for
 * the lock finds the shrinker gone.
 */
static void leave_lrus(struct wane_shrinker *shrinker)
{
	lock_take(&shrinker->lock);
	while (!list_empty(&shrinker->lrus)) {
		struct wane_lru *lru = list_entry(shrinker->lrus.next,
						  struct wane_lru, of_shrinker);

		list_del_init(&lru->of_shrinker);
		lru_leave_shrinker(lru);
	}
	lock_drop(&shrinker->lock);
}

void wane_shrinker_destroy(struct wane_shrinker *shrinker)
{
	if (!shrinker)
		return;
	lock_assert_none();
	shrinker_info_stop(&shrinker->info);
	leave_lrus(shrinker);
	wane_lru_destroy(shrinker->attached);
	if (is_global(shrinker))
		leave_globals(shrinker);
	else
		leave_groups(shrinker);
	rcu_defer(&shrinker->rcu, free_deferred);
}

struct wane_shrinker *shrinker_global_next(struct wane_shrinker *last)
{
	struct list *link = last ? &last->global : &globals;
	struct wane_shrinker *next = NULL;

	/* A pinned shrinker is still listed: destroy waits for the pin. */
	rcu_enter();
	while ((link = list_next(link)) != &globals) {
		next = list_entry(link, struct wane_shrinker, global);
		if (shrinker_info_pin(&next->info))
			break;
		next = NULL;
	}
	rcu_leave();
	if (last)
		shrinker_info_unpin(&last->info);
	return next;
}
