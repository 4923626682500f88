/* SPDX-License-Identifier: MIT */
/*
 * stress_cache.c - caches as a program might have them, in many kinds
 *
 *	cache --> shrinker, one or two lrus, a slab
 *	  slots [0] object    listed, or in use
 *	        [1] -
 *	        [2] object
 *
 * A slot's lock covers its object.  A worker waits for it; a judge, which runs
 * under a list's lock, tries it and skips the object when it is taken.  What a
 * judge takes stays locked until it is freed or listed again.
 *
 * So, under a slot's lock, it is known whether an object is listed, and each
 * answer of the library is compared with that.
 */
#include <sched.h>
#include <stdlib.h>

#include "shrinker.h"
#include "slab_cache.h"
#include "stress_cache.h"

bool caches_refusing;
unsigned long caches_asked;
struct place places[NR_CACHES];

/* ---- Slots -------------------------------------------------------------------- */

static bool slot_try(struct slot *slot)
{
	return exchange_full(&slot->lock, 1) == 0;
}

static void slot_lock(struct slot *slot)
{
	while (!slot_try(slot))
		sched_yield();
}

static void slot_unlock(struct slot *slot)
{
	store_release(&slot->lock, 0);
}

struct wane_lru *slot_lru(const struct slot *slot)
{
	struct cache *cache = slot->cache;

	return cache->lru[(slot - cache->slot) % 2];
}

/* ---- Objects: under the slot's lock, or not in it yet ---------------------------- */

static void object_list(struct object *object)
{
	object->listed = true;
	add_relaxed(&object->slot->cache->added, 1);
	invariant(wane_lru_add(slot_lru(object->slot), &object->item,
			       object->group, object->node),
		  "it was not listed");
}

void object_unlist(struct object *object)
{
	bool removed = wane_lru_del(slot_lru(object->slot), &object->item,
				    object->group, object->node);

	invariant(removed == object->listed, "listed: %d", object->listed);
	object->listed = false;
	if (removed)
		add_relaxed(&object->slot->cache->removed, 1);
}

static struct object *object_alloc(struct cache *cache,
				   struct wane_group *group)
{
	unsigned int flags = one_in(8) ? WANE_NOWAIT : 0;
	struct wane_group *before;
	struct object *object;

	if (cache->by_hand && wane_charge(group, CHARGE_BY_HAND, flags))
		return NULL;
	before = wane_group_enter(group);
	object = wane_slab_alloc(cache->slab, one_in(2) ? NULL : group, flags);
	wane_group_leave(before);
	if (object && cache->charged)
		invariant(wane_slab_group(object) == group, "not its group");
	if (!object && cache->by_hand)
		wane_uncharge(group, CHARGE_BY_HAND);
	return object;
}

/* What is charged keeps its group; what is not holds a reference. */
static struct object *object_new(struct slot *slot)
{
	struct cache *cache = slot->cache;
	struct wane_group *group = group_pick();
	struct object *object = NULL;

	if (wane_lru_prepare(slot_lru(slot), group) == 0)
		object = object_alloc(cache, group);
	if (object) {
		*object = (struct object){
			.magic = OBJECT_MAGIC,
			.slot = slot,
			.group = group,
			.node = wane_slab_node(object),
			.pinned = one_in(16),
		};
		wane_item_init(&object->item);
	}
	if (!object || cache->charged || cache->by_hand)
		wane_group_put(group);
	return object;
}

void object_free(struct object *object)
{
	struct cache *cache = object->slot->cache;
	struct wane_group *group = object->group;

	invariant(object->magic == OBJECT_MAGIC, "freed twice");
	object->magic = 0;
	wane_slab_free(cache->slab, object);
	if (cache->by_hand)
		wane_uncharge(group, CHARGE_BY_HAND);
	else if (!cache->charged)
		wane_group_put(group);
}

/* ---- Callbacks ---------------------------------------------------------------------- */

static void check_called(const struct cache *cache)
{
	invariant(cache->magic == CACHE_MAGIC &&
			  load_acquire(&cache->state) == CACHE_STARTED,
		  "called in state %d", cache->state);
}

static long cache_count(void *of, struct wane_shrink *sc)
{
	struct cache *cache = of;
	long nr = 0;

	check_called(cache);
	add_relaxed(&caches_asked, 1);
	if (!load_relaxed(&caches_refusing) && one_in(32))
		return -EAGAIN;
	for (int i = 0; i < 2; i++) {
		long some = wane_lru_count(cache->lru[i], sc->group, sc->node);

		invariant(some >= 0 && some <= NR_SLOTS, "counted %ld", some);
		nr += cache->lru[1] != cache->lru[0] || i == 0 ? some : 0;
	}
	check_called(cache);
	return nr;
}

static enum wane_verdict judge(struct wane_item *item, void *calls)
{
	struct object *object = container_of(item, struct object, item);
	enum wane_verdict verdict = WANE_TAKE;

	++*(size_t *)calls;
	if (!slot_try(object->slot))
		return WANE_SKIP;
	invariant(object->magic == OBJECT_MAGIC && object->listed &&
			  object->slot->object == object,
		  "judging what is not listed");
	if (one_in(64))
		verdict = WANE_STOP;
	else if (object->pinned || object->used)
		verdict = WANE_ROTATE;
	object->used = false;
	if (verdict != WANE_TAKE)
		slot_unlock(object->slot);
	return verdict;
}

/* Of those taken, most are freed, and some given back. */
static long dispose(struct wane_item *taken, size_t nr)
{
	struct wane_item *item;
	struct slot *slot;
	long freed = 0;

	while ((item = wane_item_pop(taken))) {
		struct object *object = container_of(item, struct object, item);

		slot = object->slot;
		object->listed = false;
		add_relaxed(&slot->cache->removed, 1);
		if (one_in(8)) {
			object_list(object);
		} else {
			slot->object = NULL;
			object_free(object);
			freed++;
		}
		slot_unlock(slot);
		nr--;
	}
	invariant(nr == 0, "taken: %zu more than were given", nr);
	return freed;
}

static long take(struct wane_lru *lru, struct wane_shrink *sc)
{
	struct wane_item taken;
	size_t calls = 0;
	size_t nr;

	wane_item_init(&taken);
	nr = wane_lru_take(lru, sc, judge, &calls, &taken);
	invariant(calls == sc->scanned && calls <= sc->to_scan,
		  "%zu of %zu judged, said to be %zu", calls, sc->to_scan,
		  sc->scanned);
	return dispose(&taken, nr);
}

/* Either lru may come first: the other one gets what is left to scan. */
static long cache_scan(void *of, struct wane_shrink *sc)
{
	struct cache *cache = of;
	unsigned int first = below(2);
	size_t scanned;
	long freed;

	check_called(cache);
	if (load_relaxed(&caches_refusing) || one_in(16))
		return -EAGAIN;
	freed = take(cache->lru[first], sc);
	if (cache->lru[1] != cache->lru[0]) {
		scanned = sc->scanned;
		sc->to_scan -= scanned;
		freed += take(cache->lru[!first], sc);
		sc->scanned += scanned;
	}
	check_called(cache);
	return freed;
}

/* ---- A cache's life -------------------------------------------------------------------- */

static const int costs[] = { 0, 0, 3, WANE_COST_NONE };

static struct wane_shrinker *shrinker_new(struct cache *cache)
{
	const struct wane_shrinker_ops ops = {
		.size = sizeof(ops),
		.name = "stress",
		.count = cache_count,
		.scan = cache_scan,
		.batch = one_in(2) ? 0 : 1 + below(20),
		.cost = costs[below(ARRAY_SIZE(costs))],
	};
	struct wane_shrinker *shrinker;

	invariant(wane_shrinker_create(&shrinker, &ops, cache) == 0, "memory");
	return shrinker;
}

static void cache_start(struct cache *cache)
{
	int new = CACHE_NEW;

	if (!try_exchange_full(&cache->state, &new, CACHE_STARTED))
		return;
	invariant(wane_shrinker_start(cache->shrinker) == 0, "started before");
}

static struct cache *cache_new(void)
{
	struct wane_slab_config config = {
		.size = sizeof(config),
		.name = "stress",
		.object_size =
			sizeof(struct object) + below(one_in(2) ? 3000 : 30000),
	};
	struct cache *cache = calloc(1, sizeof(*cache));

	invariant(cache, "memory");
	cache->magic = CACHE_MAGIC;
	cache->charged = !one_in(3);
	cache->by_hand = !cache->charged && one_in(2);
	config.flags = cache->charged ? WANE_SLAB_CHARGED : 0;
	for (int i = 0; i < NR_SLOTS; i++)
		cache->slot[i].cache = cache;
	cache->shrinker = shrinker_new(cache);
	invariant(wane_lru_create(&cache->lru[0], cache->shrinker) == 0,
		  "memory");
	cache->lru[1] = cache->lru[0];
	if (one_in(2))
		invariant(wane_lru_create(&cache->lru[1], cache->shrinker) == 0,
			  "memory");
	invariant(wane_slab_create(&cache->slab, &config) == 0, "memory");
	if (!one_in(4))
		cache_start(cache);
	return cache;
}

static void free_lrus(struct cache *cache)
{
	if (cache->lru[1] != cache->lru[0])
		wane_lru_destroy(cache->lru[1]);
	wane_lru_destroy(cache->lru[0]);
}

static void empty_slots(struct cache *cache)
{
	for (int i = 0; i < NR_SLOTS; i++) {
		struct object *object = cache->slot[i].object;

		if (!object)
			continue;
		object_unlist(object);
		object_free(object);
	}
	invariant(cache->added == cache->removed, "added %lu, removed %lu",
		  cache->added, cache->removed);
}

/* No worker uses it, but reclaim may call it until its shrinker is destroyed. */
void cache_free(struct cache *cache)
{
	bool lists_first = load_acquire(&cache->state) == CACHE_NEW;

	if (lists_first) {
		empty_slots(cache);
		free_lrus(cache);
	}
	wane_shrinker_destroy(cache->shrinker);
	store_release(&cache->state, CACHE_ENDED);
	if (!lists_first) {
		empty_slots(cache);
		free_lrus(cache);
	}
	invariant(wane_slab_destroy(cache->slab) == 0, "objects are left");
	cache->magic = 0;
	free(cache);
}

void cache_replace(void)
{
	struct place *place = &places[below(NR_CACHES)];

	if (pthread_rwlock_trywrlock(&place->lock))
		return;
	if (place->cache)
		cache_free(place->cache);
	place->cache = one_in(8) ? NULL : cache_new();
	pthread_rwlock_unlock(&place->lock);
}

void caches_begin(void)
{
	for (int i = 0; i < NR_CACHES; i++) {
		pthread_rwlock_init(&places[i].lock, NULL);
		places[i].cache = cache_new();
	}
}

/* ---- Work ------------------------------------------------------------------------------- */

static void fill(struct slot *slot)
{
	/* Allocating may reclaim, which may want this lock: so not under it. */
	struct object *object = object_new(slot);

	if (!object)
		return;
	slot_lock(slot);
	if (!slot->object) {
		slot->object = object;
		if (!one_in(8))
			object_list(object);
		object = NULL;
	}
	slot_unlock(slot);
	if (object)
		object_free(object);
}

static void touch(struct slot *slot)
{
	slot_lock(slot);
	if (slot->object) {
		object_unlist(slot->object);
		slot->object->used = one_in(2);
		if (!one_in(8))
			object_list(slot->object);
	}
	slot_unlock(slot);
}

static void drop(struct slot *slot)
{
	struct object *object;

	slot_lock(slot);
	object = slot->object;
	if (object)
		object_unlist(object);
	slot->object = NULL;
	slot_unlock(slot);
	if (object)
		object_free(object);
}

static void take_by_hand(struct slot *slot)
{
	struct wane_shrink sc = {
		.group = group_pick(),
		.node = (int)below((unsigned int)wane_nodes()),
		.to_scan = below(8),
	};

	take(slot_lru(slot), &sc);
	wane_group_put(sc.group);
}

/* As a reclaim does once in a second. */
static void trim(void)
{
	store_relaxed(&slab_trimmed, port_second() - 1);
	slab_trim();
}

static void cache_use(struct cache *cache)
{
	struct slot *slot = &cache->slot[below(NR_SLOTS)];
	unsigned int what = below(100);

	if (what < 45)
		fill(slot);
	else if (what < 75)
		touch(slot);
	else if (what < 90)
		drop(slot);
	else if (what < 97)
		take_by_hand(slot);
	else if (what < 98)
		wane_slab_shrink(cache->slab);
	else if (what < 99)
		trim();
	else
		cache_start(cache);
}

void cache_work(void)
{
	struct place *place = &places[below(NR_CACHES)];

	if (pthread_rwlock_tryrdlock(&place->lock))
		return;
	for (int i = 0; place->cache && i < 4; i++)
		cache_use(place->cache);
	pthread_rwlock_unlock(&place->lock);
}
