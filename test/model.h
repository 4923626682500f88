/* SPDX-License-Identifier: MIT */
/*
 * model.h - what groups, lists and caches are, said as plainly as possible
 *
 * Arrays, searched from one end to the other.  The model knows nothing of
 * bits, units, stocks or locks; what a reclaim frees it hears from its own
 * callbacks, and checks that they were asked for what is there.
 *
 *	model.c        random operations, done here and in the library
 *	model_groups.c those on groups
 *	model_cache.c  the callbacks, and what they change here
 *	model_check.c  is it the same here and there?
 */
#ifndef WANE_TEST_MODEL_H
#define WANE_TEST_MODEL_H

#include "cache.h"

#define GROUPS 16
#define CACHES 5
#define ITEMS 256

/**
 * struct m_group - A group, as long as it can be seen.
 * @group: NULL when this place is free.
 * @parent: NULL for the root.
 * @held: The model has not put it.
 * @retired: It was retired.
 * @own: Bytes charged to it.
 * @raw: How many of them are no items.
 * @limit: As they were set.
 * @loose: Per node: what the loose cache has of it.
 * @kept: The loose cache has a reference, since it has any.
 * @last_usage: When it was checked last.
 */
struct m_group {
	struct wane_group *group;
	struct m_group *parent;
	uint64_t id;
	bool held;
	bool retired;
	bool kept;
	size_t own;
	size_t raw;
	size_t limit[4];
	long loose[WANE_MAX_NODES];
	size_t last_usage;
};

/**
 * struct m_cache - A shrinker and an lru; free when both are NULL.
 */
struct m_cache {
	struct wane_shrinker *shrinker;
	struct wane_lru *lru;
	bool started;
};

/**
 * struct m_item - An object.
 * @payer: Who pays; NULL when this place is free.
 * @listed: On the list of @payer's nearest living ancestor.
 */
struct m_item {
	struct wane_item item;
	struct m_group *payer;
	struct m_cache *cache;
	int node;
	bool listed;
	enum wane_verdict verdict;
};

/**
 * struct m_list - A list of one (cache, group, node), the oldest first.
 */
struct m_list {
	int nr;
	struct m_item *item[ITEMS];
};

/**
 * struct model - All of it.
 * @random: Where chance comes from.
 * @trace: A hash of all that was done and of what came of it.
 * @pinned: A group is never freed while a reclaim runs: same seed, same trace.
 * @loose: A shrinker that keeps numbers instead of items.
 * @reclaimed: Whose subtree is reclaimed by min, or NULL.
 * @freed: Bytes that the callbacks freed, since it was set to 0.
 */
struct model {
	struct test_random random;
	uint64_t trace;
	bool pinned;
	int nodes;
	struct m_group group[GROUPS];
	struct m_cache cache[CACHES];
	struct m_item item[ITEMS];
	struct m_list list[CACHES][GROUPS][4];
	struct wane_shrinker *loose;
	struct m_group *reclaimed;
	size_t freed;
	const char *operation;
};

extern struct model model;

/* ---- Chance ----------------------------------------------------------------- */

uint64_t m_below(uint64_t bound);
bool m_one_in(uint64_t n);

/* One that the model may use; the root in the worst case. */
struct m_group *m_random_group(void);

/* ---- Operations -------------------------------------------------------------- */

void m_create_group(void);
void m_retire_group(void);
void m_put_some_group(void);
void m_find_group(void);
void m_charge_some(void);
void m_uncharge_some(void);
void m_set_some_limit(void);

int m_charge_group(struct m_group *group, size_t bytes);
void m_put_group(struct m_group *group);

/* With the last reference and the last byte a group goes; so may its parent. */
void m_forget_groups(void);

/* ---- What there is -------------------------------------------------------------- */

/* All that is done and found goes into the trace. */
void m_note(uint64_t what);

/* Itself, or its nearest ancestor that is not retired. */
struct m_group *m_living(struct m_group *group);
struct m_group *m_find(const struct wane_group *group);
size_t m_usage(const struct m_group *group);

/* What min keeps of a group in a reclaim of @root's subtree, about. */
double m_protection(const struct m_group *group, const struct m_group *root);

/* The deferred work of all groups and caches, as the library has it. */
long m_deferred(void);

struct m_list *m_list_of(const struct m_cache *cache,
			 const struct m_group *group, int node);
void m_list_add(struct m_item *item);
void m_list_del(struct m_item *item);

/* The item is freed, here and there. */
void m_item_free(struct m_item *item);

/* The ops of both kinds of caches. */
extern const struct wane_shrinker_ops m_cache_ops;
extern const struct wane_shrinker_ops m_loose_ops;

/* A take, done here and there, and compared.  Returns how many were taken. */
size_t m_take(struct m_cache *cache, struct wane_shrink *sc);

/* Compare everything. */
void m_check(void);

#endif /* WANE_TEST_MODEL_H */
