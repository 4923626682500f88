/* SPDX-License-Identifier: MIT */
/* with_group.h - tests that begin with a root group and a child: see with_root.h */
#ifndef WANE_TEST_WITH_GROUP_H
#define WANE_TEST_WITH_GROUP_H

#include "with_root.h"

static struct wane_group *group;

static inline int group_setup(void **state)
{
	root_setup(state);
	group = group_make(root, "group");
	return 0;
}

static inline int group_teardown(void **state)
{
	wane_group_put(group);
	return root_teardown(state);
}

#define GROUP_TEST(fn) \
	cmocka_unit_test_setup_teardown(fn, group_setup, group_teardown)

#endif /* WANE_TEST_WITH_GROUP_H */
