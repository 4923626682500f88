/* SPDX-License-Identifier: MIT */
/*
 * with_root.h - tests that begin with a root group, and leave nothing behind
 *
 *	with_root.h	root			ROOT_TEST(fn)
 *	with_group.h	root, group		GROUP_TEST(fn)
 *	with_cache.h	root, group, cache	CACHE_TEST(fn)
 *	with_groups.h	root, group[], cache	GROUPS_TEST(fn)
 *
 * A program includes one of them: what it declares is this program's own, and
 * new in each test.
 */
#ifndef WANE_TEST_WITH_ROOT_H
#define WANE_TEST_WITH_ROOT_H

#include "../cache.h"

static struct wane_group *root;
static size_t base;

static inline int root_setup(void **state)
{
	(void)state;
	base = base_now();
	root = group_make(NULL, NULL);
	return 0;
}

/* Invariant 19: each test leaves nothing behind. */
static inline int root_teardown(void **state)
{
	(void)state;
	wane_group_put(root);
	return base_now() == base ? 0 : -1;
}

#define ROOT_TEST(fn) \
	cmocka_unit_test_setup_teardown(fn, root_setup, root_teardown)

#endif /* WANE_TEST_WITH_ROOT_H */
