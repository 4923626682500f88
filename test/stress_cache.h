/* SPDX-License-Identifier: MIT */
/*
 * stress_cache.h - caches and their objects, for those who use and check them
 */
#ifndef WANE_TEST_STRESS_CACHE_H
#define WANE_TEST_STRESS_CACHE_H

#include "shrinker.h"
#include "stress.h"

#define CACHE_MAGIC 0x6361636865ull
#define OBJECT_MAGIC 0x6f626a656374ull
#define CHARGE_BY_HAND 700

enum cache_state {
	CACHE_NEW,
	CACHE_STARTED,
	CACHE_ENDED
};

struct object {
	uint64_t magic;
	struct wane_item item;
	struct slot *slot;
	struct wane_group *group;
	int node;
	bool listed;
	bool used;
	bool pinned;
	unsigned int met;
};

struct slot {
	int lock;
	struct cache *cache;
	struct object *object;
};

/**
 * struct cache - One that lives, behind the lock of its place.
 * @by_hand: Objects are charged by wane_charge(), not by their slab.
 * @added, @removed: Items listed and unlisted so far, also by callbacks.
 */
struct cache {
	uint64_t magic;
	int state;
	struct wane_shrinker *shrinker;
	struct wane_lru *lru[2];
	struct wane_slab *slab;
	bool charged;
	bool by_hand;
	unsigned long added;
	unsigned long removed;
	struct slot slot[NR_SLOTS];
};

struct place {
	pthread_rwlock_t lock;
	struct cache *cache;
};

extern struct place places[NR_CACHES];

/* At a quiet point: callbacks refuse to scan, and count honestly. */
extern bool caches_refusing;

/* How often a count callback was called. */
extern unsigned long caches_asked;

struct wane_lru *slot_lru(const struct slot *slot);

void object_unlist(struct object *object);
void object_free(struct object *object);

/* No worker uses it, but reclaim may call it until its shrinker is destroyed. */
void cache_free(struct cache *cache);

#endif /* WANE_TEST_STRESS_CACHE_H */
