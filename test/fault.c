/* SPDX-License-Identifier: MIT */
/*
 * The k-th allocation fails, for every k: an error, everything as it was
 * before, and nothing leaked.  Invariants 19 and 21, bugs 10, 19 to 21 and 27.
 *
 * What was there before a scenario is checked after each of its failures; what
 * it leaves is compared by test_fault_loop(), byte by byte.
 */
#include "cache.h"

#include <stdio.h>

/*
 * A tree for the scenarios, and one beside it that they must not change.  No
 * group but their roots stays, since tables that are not empty keep a size
 * that depends on what was in them.
 */
static struct wane_group *root;
static struct wane_group *beside;
static struct cache cache;

static int make_all(void **state)
{
	(void)state;
	root = group_make(NULL, NULL);
	beside = group_make(NULL, NULL);
	cache_open(&cache, EXACT);
	cache_fill(&cache, beside, 5);
	return 0;
}

static int put_all(void **state)
{
	(void)state;
	cache_empty(&cache, beside);
	cache_close(&cache);
	wane_group_put(beside);
	wane_group_put(root);
	return 0;
}

static void check_all(void)
{
	assert_int_equal(wane_group_usage(root), 0);
	assert_int_equal(wane_group_usage(beside), 5 * EXACT);
	assert_int_equal(cache_holds(&cache, beside), 5);
	assert_true(has_bit(cache.lru, beside, 0));
}

/* The end of each scenario. */
static int settle(int err)
{
	stock_drain(NULL);
	wane_barrier();
	slab_drain_all();
	check_all();
	return err;
}

/* At least one allocation was tried, so at least two runs have failed. */
static void try_all(int (*scenario)(void *arg), void *arg)
{
	long failed = test_fault_loop(scenario, arg);

	printf("# %ld failures\n", failed);
	assert_true(failed >= 2);
}

/* ---- Groups -------------------------------------------------------------------------- */

static int create_groups(void *arg)
{
	struct wane_group *group[40];
	int err = 0;
	int nr = 0;

	(void)arg;
	while (nr < 40 && !err) {
		err = wane_group_create(&group[nr], nr ? group[0] : root, NULL);
		nr += !err;
	}
	for (int i = 0; i < nr; i++) {
		struct wane_group *found =
			wane_group_find_id(wane_group_id(group[i]));

		assert_ptr_equal(found, group[i]);
		wane_group_put(found);
	}
	while (nr > 0)
		wane_group_put(group[--nr]);
	return settle(err);
}

/* A name that could not be given is free. */
static int create_named(void *arg)
{
	struct wane_group *group = NULL;
	int err = wane_group_create(&group, root, "name");

	(void)arg;
	if (err) {
		assert_null(wane_group_find(root, "/name"));
		err = wane_group_create(&group, root, "name");
	}
	wane_group_put(group);
	return settle(err);
}

static bool no_callback(struct wane_group *group, enum wane_event event,
			void *arg)
{
	(void)group, (void)event;
	++*(int *)arg;
	return false;
}

/* When it fails the callback is what it was. */
static int set_callback(void *arg)
{
	int told[2] = { 0, 0 };
	struct wane_group *group = arg;
	int err = wane_group_set_callback(group, no_callback, &told[0]);
	int again = 0;

	if (!err)
		again = wane_group_set_callback(group, no_callback, &told[1]);
	set_limit(group, WANE_MAX, 0);
	assert_int_equal(wane_charge(group, EXACT, WANE_NOWAIT), -EAGAIN);
	assert_int_equal(told[0], !err && again);
	assert_int_equal(told[1], !err && !again);
	set_limit(group, WANE_MAX, WANE_UNLIMITED);
	assert_int_equal(wane_group_set_callback(group, NULL, NULL), 0);
	return settle(err ? err : again);
}

static void test_groups(void **state)
{
	(void)state;
	try_all(create_groups, NULL);
	try_all(create_named, NULL);
	try_all(set_callback, root);
}

/* ---- Caches ----------------------------------------------------------------------------- */

static const struct wane_shrinker_ops ops = {
	.size = sizeof(ops),
	.name = "fault",
	.count = cache_count,
	.scan = cache_scan,
	.batch = CACHE_BATCH,
};

/* As cache_open(), but it may fail. */
static int try_open(struct cache *new)
{
	int err;

	*new = (struct cache){ .bytes = EXACT };
	err = wane_shrinker_create(&new->shrinker, &ops, new);
	if (!err)
		err = wane_lru_create(&new->lru, new->shrinker);
	if (!err)
		err = wane_shrinker_start(new->shrinker);
	return err;
}

static int create_cache(void *arg)
{
	struct cache fresh;
	int err = try_open(&fresh);

	(void)arg;
	cache_close(&fresh);
	return settle(err);
}

static int create_shrinkers(void *arg)
{
	struct wane_shrinker *many[70];
	int err = 0;
	int nr = 0;

	(void)arg;
	while (nr < 70 && !err) {
		err = wane_shrinker_create(&many[nr], &ops, NULL);
		if (err)
			break;
		/* The lowest that is free, whatever failed before. */
		assert_int_equal(wane_shrinker_id(many[nr]), nr + 1);
		nr++;
	}
	while (nr > 0)
		wane_shrinker_destroy(many[--nr]);
	return settle(err);
}

static int create_global(void *arg)
{
	struct wane_shrinker_ops global = ops;
	struct wane_shrinker *shrinker = NULL;
	int err;

	(void)arg;
	global.flags = WANE_SHRINKER_GLOBAL;
	err = wane_shrinker_create(&shrinker, &global, NULL);
	wane_shrinker_destroy(shrinker);
	return settle(err);
}

static void test_caches(void **state)
{
	(void)state;
	try_all(create_cache, NULL);
	try_all(create_shrinkers, NULL);
	try_all(create_global, NULL);
}

/* ---- Lists -------------------------------------------------------------------------------- */

#define LEVELS 3
#define LOWEST (LEVELS - 1)

/* Groups one below the other, and a cache; nothing is listed yet. */
struct fresh {
	struct wane_group *level[LEVELS];
	struct cache cache;
	struct wane_lru *second; /* of the same shrinker, or NULL */
};

/* What could not be made is NULL, and so is all that comes after it. */
static int try_fresh(struct fresh *fresh)
{
	struct wane_group *parent = root;
	int err = 0;

	*fresh = (struct fresh){ 0 };
	for (int i = 0; i < LEVELS && !err; i++) {
		err = wane_group_create(&fresh->level[i], parent, NULL);
		parent = fresh->level[i];
	}
	if (!err)
		err = try_open(&fresh->cache);
	return err;
}

static int try_fresh_and_prepare(struct fresh *fresh)
{
	int err = try_fresh(fresh);

	if (!err)
		err = wane_lru_prepare(fresh->cache.lru, fresh->level[LOWEST]);
	return err;
}

/* The end of a scenario that had it. */
static int settle_fresh(struct fresh *fresh, int err)
{
	cache_close(&fresh->cache);
	wane_lru_destroy(fresh->second);
	for (int i = 0; i < LEVELS; i++)
		wane_group_put(fresh->level[i]);
	return settle(err);
}

static void add_and_del(struct cache *in, struct wane_group *group)
{
	struct wane_item item;

	for (int node = 0; node < wane_nodes(); node++) {
		wane_item_init(&item);
		assert_true(wane_lru_add(in->lru, &item, group, node));
		assert_true(has_bit(in->lru, group, node));
		assert_true(wane_lru_del(in->lru, &item, group, node));
	}
}

static bool prepared(const struct fresh *fresh, int level)
{
	return fresh->cache.lru && fresh->level[level] &&
	       has_lists(fresh->cache.lru, fresh->level[level]);
}

/* What ancestors got stays, and is used the next time. */
static int prepare_levels(void *arg)
{
	struct fresh fresh;
	int err = try_fresh_and_prepare(&fresh);

	(void)arg;
	assert_int_equal(prepared(&fresh, LOWEST), !err);
	for (int i = 1; i < LEVELS; i++)
		if (prepared(&fresh, i))
			assert_true(prepared(&fresh, i - 1));
	if (err && fresh.cache.lru)
		err = wane_lru_prepare(fresh.cache.lru, fresh.level[LOWEST]);
	if (prepared(&fresh, LOWEST)) {
		add_and_del(&fresh.cache, fresh.level[LOWEST]);
		add_and_del(&fresh.cache, root);
	}
	return settle_fresh(&fresh, err);
}

/* Retire needs no memory, and so does what comes to the parent by it. */
static int retire_after_prepare(void *arg)
{
	struct fresh fresh;
	int err = try_fresh_and_prepare(&fresh);

	(void)arg;
	if (fresh.level[LOWEST])
		assert_int_equal(wane_group_retire(fresh.level[LOWEST]), 0);
	if (!err)
		add_and_del(&fresh.cache, fresh.level[LOWEST - 1]);
	return settle_fresh(&fresh, err);
}

/* Two lrus on one shrinker, which share what is made. */
static int prepare_two(void *arg)
{
	struct fresh fresh;
	int err = try_fresh(&fresh);

	(void)arg;
	if (!err)
		err = wane_lru_create(&fresh.second, fresh.cache.shrinker);
	if (!err)
		err = wane_lru_prepare(fresh.cache.lru, fresh.level[LOWEST]);
	if (!err)
		err = wane_lru_prepare(fresh.second, fresh.level[LOWEST]);
	if (prepared(&fresh, LOWEST))
		add_and_del(&fresh.cache, fresh.level[LOWEST]);
	return settle_fresh(&fresh, err);
}

static int attach_twice(void *arg)
{
	struct wane_group *lowest;
	struct fresh fresh;
	int err = try_fresh(&fresh);

	(void)arg;
	lowest = fresh.level[LOWEST];
	if (!err) {
		err = wane_shrinker_attach(fresh.cache.shrinker, lowest);
		if (err)
			err = wane_shrinker_attach(fresh.cache.shrinker,
						   lowest);
	}
	if (!err) {
		wane_group_reclaim(root, WANE_ALL);
		assert_true(fresh.cache.counts > 0);
	}
	return settle_fresh(&fresh, err);
}

static void test_lists(void **state)
{
	(void)state;
	try_all(prepare_levels, NULL);
	try_all(retire_after_prepare, NULL);
	try_all(prepare_two, NULL);
	try_all(attach_twice, NULL);
}

/* ---- Charges and objects ---------------------------------------------------------------------- */

/* Neither does a charge, nor a list, nor reclaim need memory. */
static int charge_and_reclaim(void *arg)
{
	struct wane_item item;

	(void)arg;
	charge(root, 100);
	wane_uncharge(root, 100);
	set_limit(beside, WANE_MAX, 6 * EXACT);
	assert_int_equal(wane_charge(beside, 2 * EXACT, WANE_NOWAIT), -EAGAIN);
	set_limit(beside, WANE_MAX, WANE_UNLIMITED);
	wane_item_init(&item);
	assert_true(wane_lru_add(cache.lru, &item, beside, 0));
	assert_true(wane_lru_del(cache.lru, &item, beside, 0));
	assert_int_equal(wane_group_reclaim(root, WANE_ALL), 0);
	return settle(0);
}

static void test_no_memory_needed(void **state)
{
	(void)state;
	assert_int_equal(test_fault_loop(charge_and_reclaim, NULL), 0);
}

#define OBJECTS 300

/* An object that cannot be had is not paid for either. */
static int take_objects(void *arg)
{
	struct wane_slab_config config = {
		.size = sizeof(config),
		.name = "fault",
		.object_size = 1000,
		.flags = WANE_SLAB_CHARGED,
	};
	void *object[OBJECTS];
	struct wane_slab *slab;
	int err = wane_slab_create(&slab, &config);
	int nr = 0;

	(void)arg;
	if (err)
		return settle(err);
	while (nr < OBJECTS) {
		object[nr] = wane_slab_alloc(slab, root, 0);
		if (!object[nr])
			break;
		assert_ptr_equal(wane_slab_group(object[nr]), root);
		nr++;
	}
	err = nr < OBJECTS ? -ENOMEM : 0;
	stock_drain(NULL);
	assert_int_equal(wane_group_usage(root),
			 (size_t)nr * wane_slab_charge(slab));
	while (nr > 0)
		wane_slab_free(slab, object[--nr]);
	assert_int_equal(wane_slab_destroy(slab), 0);
	return settle(err);
}

static void test_objects(void **state)
{
	(void)state;
	try_all(take_objects, NULL);
}

#define FAULT_TEST(fn) cmocka_unit_test_setup_teardown(fn, make_all, put_all)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAULT_TEST(test_groups),  FAULT_TEST(test_caches),
		FAULT_TEST(test_lists),	  FAULT_TEST(test_no_memory_needed),
		FAULT_TEST(test_objects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
