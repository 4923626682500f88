/* SPDX-License-Identifier: MIT */
/* with_groups.h - tests that begin with ten groups and a cache: see with_root.h */
#ifndef WANE_TEST_WITH_GROUPS_H
#define WANE_TEST_WITH_GROUPS_H

#include "with_root.h"

static struct wane_group *group[10];
static struct cache cache;

static inline int groups_setup(void **state)
{
	root_setup(state);
	for (size_t i = 0; i < ARRAY_SIZE(group); i++)
		group[i] = group_make(root, NULL);
	cache_open(&cache, EXACT);
	return 0;
}

static inline int groups_teardown(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(group); i++) {
		cache_empty(&cache, group[i]);
		wane_group_put(group[i]);
	}
	cache_empty(&cache, root);
	cache_close(&cache);
	return root_teardown(state);
}

/* @nr objects in each of them. */
static inline void groups_fill(int nr)
{
	for (size_t i = 0; i < ARRAY_SIZE(group); i++)
		cache_fill(&cache, group[i], nr);
}

#define GROUPS_TEST(fn) \
	cmocka_unit_test_setup_teardown(fn, groups_setup, groups_teardown)

#endif /* WANE_TEST_WITH_GROUPS_H */
