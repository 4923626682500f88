// SPDX-License-Identifier: MIT
/*
 * contest_lru.c - items on their group's list and off again, beside a mutex
 * with an intrusive list
 *
 *	wane      one lru, a group per thread       same: both use group 0
 *	apart     an lru and a tree per thread      they share nothing
 *	mutex     a list per thread, each with its mutex
 *	global    one list for all, with one mutex
 *
 * The peer's functions are not inlined, as those of a library are not.  Items
 * of a thread lie on the node that the row says; add and del touch 1,024 items
 * in turn, so that links come from the cache.  Who takes an item adds it the
 * next time, whoever added it before.
 */
#include <pthread.h>

#include <wane/wane.h>

#include "contest.h"
#include "worker.h"
#include "world.h"

#define ITEMS 1024
#define BATCH 128

struct items {
	_Alignas(128) struct wane_item item[ITEMS];
};

static struct items items[THREADS_MAX];
static struct cache caches[THREADS_MAX];
static struct wane_group *roots[THREADS_MAX];
static struct wane_group *groups[THREADS_MAX];
static struct wane_group *apart[THREADS_MAX];

static struct {
	_Alignas(128) struct wane_item group;
	struct wane_item apart;
	bool there;
} residents[THREADS_MAX];

static struct {
	_Alignas(128) pthread_mutex_t lock;
	struct wane_item head;
	long nr;
} lists[THREADS_MAX];

static int node_of(int thread)
{
	return thread % wane_nodes();
}

/* With an item that stays, no list is ever empty: no bit has to be set. */
static void add_resident(int t)
{
	wane_item_init(&residents[t].group);
	wane_item_init(&residents[t].apart);
	wane_lru_add(caches[0].lru, &residents[t].group, groups[t], node_of(t));
	wane_lru_add(caches[t].lru, &residents[t].apart, apart[t], node_of(t));
	residents[t].there = true;
}

static void del_resident(int t)
{
	wane_lru_del(caches[0].lru, &residents[t].group, groups[t], node_of(t));
	wane_lru_del(caches[t].lru, &residents[t].apart, apart[t], node_of(t));
	residents[t].there = false;
}

static uint64_t setup(const struct contest *contest)
{
	for (int t = 0; t < THREADS_MAX; t++) {
		groups_create(&roots[t], 1, NULL);
		groups_create(&groups[t], 1, roots[0]);
		groups_create(&apart[t], 1, roots[t]);
		cache_create(&caches[t]);
		cache_prepare(&caches[0], groups[t]);
		cache_prepare(&caches[t], apart[t]);
		pthread_mutex_init(&lists[t].lock, NULL);
		wane_item_init(&lists[t].head);
		for (int i = 0; i < ITEMS; i++)
			wane_item_init(&items[t].item[i]);
		if (contest->argument)
			add_resident(t);
	}
	return BATCH;
}

static void cleanup(void)
{
	for (int t = 0; t < THREADS_MAX; t++)
		if (residents[t].there)
			del_resident(t);
	caches_destroy(caches, THREADS_MAX);
	for (int t = 0; t < THREADS_MAX; t++) {
		wane_group_put(groups[t]);
		wane_group_put(apart[t]);
		wane_group_put(roots[t]);
		caches[t] = (struct cache){ 0 };
	}
}

/* ---- Add and del ------------------------------------------------------------- */

static void ours(int thread, uint64_t times, struct cache *cache,
		 struct wane_group *group)
{
	int node = node_of(thread);

	for (uint64_t i = 0; i < times; i++) {
		struct wane_item *item = &items[thread].item[i % ITEMS];

		wane_lru_add(cache->lru, item, group, node);
		wane_lru_del(cache->lru, item, group, node);
	}
}

static void ours_same(int thread, uint64_t times)
{
	ours(thread, times, &caches[0], groups[0]);
}

static void ours_own(int thread, uint64_t times)
{
	ours(thread, times, &caches[0], groups[thread]);
}

static void ours_apart(int thread, uint64_t times)
{
	ours(thread, times, &caches[thread], apart[thread]);
}

static void link_last(struct wane_item *item, struct wane_item *head)
{
	item->prev = head->prev;
	item->next = head;
	head->prev->next = item;
	head->prev = item;
}

static __attribute__((noinline)) bool peer_add(int list, struct wane_item *item)
{
	struct wane_item *head = &lists[list].head;
	bool added = false;

	pthread_mutex_lock(&lists[list].lock);
	if (item->next == item) {
		link_last(item, head);
		lists[list].nr++;
		added = true;
	}
	pthread_mutex_unlock(&lists[list].lock);
	return added;
}

static __attribute__((noinline)) bool peer_del(int list, struct wane_item *item)
{
	bool removed = false;

	pthread_mutex_lock(&lists[list].lock);
	if (item->next != item) {
		item->prev->next = item->next;
		item->next->prev = item->prev;
		wane_item_init(item);
		lists[list].nr--;
		removed = true;
	}
	pthread_mutex_unlock(&lists[list].lock);
	return removed;
}

static void peer(int thread, uint64_t times, int list)
{
	for (uint64_t i = 0; i < times; i++) {
		struct wane_item *item = &items[thread].item[i % ITEMS];

		peer_add(list, item);
		peer_del(list, item);
	}
}

static void peer_own(int thread, uint64_t times)
{
	peer(thread, times, thread);
}

static void peer_same(int thread, uint64_t times)
{
	peer(thread, times, 0);
	(void)thread;
}

/* ---- Take --------------------------------------------------------------------- */

/* What each thread has to add. */
static struct {
	_Alignas(128) struct wane_item head;
} owned[THREADS_MAX];

static struct wane_item *begin_to_own(int thread)
{
	struct wane_item *own = &owned[thread].head;

	wane_item_init(own);
	for (int i = 0; i < BATCH; i++)
		link_last(&items[thread].item[i], own);
	return own;
}

static void disown(struct wane_item *own)
{
	while (wane_item_pop(own))
		;
}

static void take(int thread, uint64_t times, struct wane_group *group)
{
	struct wane_shrink sc = { .group = group, .node = node_of(thread) };
	struct wane_item *own = begin_to_own(thread);
	struct wane_item *item;

	for (uint64_t done = 0; done < times; done += BATCH) {
		while ((item = wane_item_pop(own)))
			wane_lru_add(caches[0].lru, item, group, sc.node);
		sc.to_scan = BATCH;
		wane_lru_take(caches[0].lru, &sc, NULL, NULL, own);
	}
	disown(own);
}

static void take_same(int thread, uint64_t times)
{
	take(thread, times, groups[0]);
}

static void take_own(int thread, uint64_t times)
{
	take(thread, times, groups[thread]);
}

static __attribute__((noinline)) void peer_take_batch(int list, int nr,
						      struct wane_item *taken)
{
	pthread_mutex_lock(&lists[list].lock);
	for (; nr > 0; nr--) {
		struct wane_item *item = wane_item_pop(&lists[list].head);

		if (!item)
			break;
		link_last(item, taken);
		lists[list].nr--;
	}
	pthread_mutex_unlock(&lists[list].lock);
}

static void peer_take(int thread, uint64_t times, int list)
{
	struct wane_item *own = begin_to_own(thread);
	struct wane_item *item;

	for (uint64_t done = 0; done < times; done += BATCH) {
		while ((item = wane_item_pop(own)))
			peer_add(list, item);
		peer_take_batch(list, BATCH, own);
	}
	disown(own);
}

static void peer_take_own(int thread, uint64_t times)
{
	peer_take(thread, times, thread);
}

static void peer_take_same(int thread, uint64_t times)
{
	peer_take(thread, times, 0);
}

/* ---- The contests --------------------------------------------------------------- */

static const struct contender same[] = {
	{ "wane", ours_same, NULL },
	{ "mutex", peer_same, NULL },
	{ 0 },
};
static const struct contender own[] = {
	{ "wane", ours_own, NULL },
	{ "apart", ours_apart, NULL },
	{ "mutex", peer_own, NULL },
	{ "global", peer_same, NULL },
	{ 0 },
};
static const struct contender taking_same[] = {
	{ "wane", take_same, NULL },
	{ "mutex", peer_take_same, NULL },
	{ 0 },
};
static const struct contender taking_own[] = {
	{ "wane", take_own, NULL },
	{ "mutex", peer_take_own, NULL },
	{ 0 },
};

#define CONTEST(name, nr_threads, stays, who)                          \
	{                                                              \
		.row = name, .threads = nr_threads, .argument = stays, \
		.contenders = who, .setup = setup, .cleanup = cleanup, \
	}

const struct contest contests_lru[] = {
	CONTEST("add_del", 1, true, same),
	CONTEST("add_del_same", 2, true, same),
	CONTEST("add_del_own", 2, true, own),
	CONTEST("add_del_empty", 1, false, same),
	CONTEST("take", 1, false, taking_same),
	CONTEST("take_own", 2, false, taking_own),
	CONTEST("take_same", 2, false, taking_same),
	{ 0 },
};
