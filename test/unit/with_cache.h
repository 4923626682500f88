/* SPDX-License-Identifier: MIT */
/* with_cache.h - tests that begin with a group and a cache: see with_root.h */
#ifndef WANE_TEST_WITH_CACHE_H
#define WANE_TEST_WITH_CACHE_H

#include "with_group.h"

static struct cache cache;

static inline int cache_setup(void **state)
{
	group_setup(state);
	cache_open(&cache, EXACT);
	return 0;
}

/* Objects may be in the group, or have become its parent's. */
static inline int cache_teardown(void **state)
{
	cache_empty(&cache, group);
	cache_empty(&cache, root);
	cache_close(&cache);
	return group_teardown(state);
}

#define CACHE_TEST(fn) \
	cmocka_unit_test_setup_teardown(fn, cache_setup, cache_teardown)

#endif /* WANE_TEST_WITH_CACHE_H */
