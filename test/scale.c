/* SPDX-License-Identifier: MIT */
/*
 * scale.c - what 10,000 groups and 1,000 caches cost, where few meet
 *
 * The promise that the library was made for: memory follows the pairs that are
 * used.  So the whole is bounded by so much per group, per shrinker and per
 * pair, and a pair that is not used costs nothing.
 */
#include "test.h"

#include <string.h>

#include "slab_cache.h"
#include "types.h"

#define NR_GROUPS 10000
#define NR_SHRINKERS 1000
#define NR_PAIRS 5000

/* Bytes; that of lists and shares is per node. */
#define PER_GROUP 1024
#define PER_SHRINKER 1024
#define PER_LRU 1152
#define PER_PAIR 1792
/* Memory of slabs comes from the system by the region. */
#define IN_REGIONS (3 * REGION_BYTES)

static struct wane_group *root, *groups[NR_GROUPS];
static struct wane_shrinker *shrinkers[NR_SHRINKERS];
static struct wane_lru *lrus[NR_SHRINKERS];

static long none(void *unused, struct wane_shrink *sc)
{
	(void)unused;
	(void)sc;
	return 0;
}

static void create_groups(void)
{
	assert_int_equal(wane_group_create(&root, NULL, NULL), 0);
	for (int i = 0; i < NR_GROUPS; i++)
		assert_int_equal(wane_group_create(&groups[i], root, NULL), 0);
}

static void create_caches(void)
{
	const struct wane_shrinker_ops ops = {
		.size = sizeof(ops),
		.count = none,
		.scan = none,
	};

	for (int i = 0; i < NR_SHRINKERS; i++) {
		assert_int_equal(
			wane_shrinker_create(&shrinkers[i], &ops, NULL), 0);
		assert_int_equal(wane_lru_create(&lrus[i], shrinkers[i]), 0);
		wane_shrinker_start(shrinkers[i]);
	}
}

static void use_pairs(void)
{
	struct test_random random = { test_seed() };

	for (int i = 0; i < NR_PAIRS; i++) {
		struct wane_group *group =
			groups[test_random_below(&random, NR_GROUPS)];
		struct wane_lru *lru =
			lrus[test_random_below(&random, NR_SHRINKERS)];

		assert_int_equal(wane_lru_prepare(lru, group), 0);
	}
}

/* What is held, but for memory that waits to be used or freed. */
static size_t held(void)
{
	wane_barrier();
	slab_drain_all();
	return port_held();
}

static void destroy_caches(void)
{
	for (int i = 0; i < NR_SHRINKERS; i++) {
		wane_shrinker_destroy(shrinkers[i]);
		wane_lru_destroy(lrus[i]);
	}
}

static void destroy_groups(void)
{
	for (int i = 0; i < NR_GROUPS; i++)
		wane_group_put(groups[i]);
	wane_group_put(root);
}

/* Implementations that are there to be compared with promise less. */
static void skip_unless_on_demand(void)
{
	static const char *const more[] = { "/array.h", "/dense.h",
					    "/dense63.h", "_kmalloc.h" };

	for (size_t i = 0; i < ARRAY_SIZE(more); i++)
		if (strstr(SHRINKER_INFO_HEADER, more[i]))
			skip();
}

static void memory_follows_use(void **state)
{
	size_t nodes = (size_t)wane_nodes();
	size_t base = held();
	size_t with_groups, with_caches, with_pairs;

	(void)state;
	skip_unless_on_demand();
	create_groups();
	with_groups = held() - base;
	create_caches();
	with_caches = held() - base - with_groups;
	use_pairs();
	with_pairs = held() - base - with_groups - with_caches;
	print_message("# %zu bytes a group, %zu a cache, %zu a pair\n",
		      with_groups / NR_GROUPS, with_caches / NR_SHRINKERS,
		      with_pairs / NR_PAIRS);

	assert_true(with_groups <= NR_GROUPS * PER_GROUP + IN_REGIONS);
	assert_true(with_caches <=
		    NR_SHRINKERS * (PER_SHRINKER + nodes * PER_LRU));
	/* Each shrinker in use has a pair with the root, too. */
	assert_true(
		with_pairs <=
		nodes * ((NR_PAIRS + NR_SHRINKERS) * PER_PAIR + IN_REGIONS));

	destroy_caches();
	destroy_groups();
	assert_int_equal(held(), base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_follows_use),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
