/* SPDX-License-Identifier: MIT */
/*
 * Groups: names, paths, ids, references, and a great many of them.
 */
#include "with_root.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "group.h"

/* ---- Names ---------------------------------------------------------------------- */

static void assert_refused(struct wane_group *parent, const char *name, int err)
{
	struct wane_group *group = root;

	assert_int_equal(wane_group_create(&group, parent, name), err);
	assert_ptr_equal(group, root); /* not written */
}

static void test_bad_names(void **state)
{
	char name[WANE_NAME_MAX + 2];
	struct wane_group *group;

	(void)state;
	assert_refused(root, "", -EINVAL);
	assert_refused(root, "/", -EINVAL);
	assert_refused(root, "a/b", -EINVAL);
	assert_refused(root, "a/", -EINVAL);
	memset(name, 'x', sizeof(name));
	name[WANE_NAME_MAX + 1] = '\0';
	assert_refused(root, name, -EINVAL);
	name[WANE_NAME_MAX] = '\0';
	group = group_make(root, name);
	assert_string_equal(wane_group_name(group), name);
	wane_group_put(group);
}

static void test_names_are_unique_among_siblings(void **state)
{
	struct wane_group *a = group_make(root, "a");
	struct wane_group *b = group_make(root, "b");
	struct wane_group *in_b = group_make(b, "a"); /* elsewhere: no clash */
	struct wane_group *other = group_make(NULL, "a"); /* nor among roots */

	(void)state;
	assert_refused(root, "a", -EEXIST);
	assert_refused(b, "a", -EEXIST);
	wane_group_put(other);
	wane_group_put(in_b);
	wane_group_put(b);
	wane_group_put(a);
}

static void test_name_is_copied_and_case_counts(void **state)
{
	char name[] = "Tenant";
	struct wane_group *group = group_make(root, name);
	struct wane_group *lower = group_make(root, "tenant");

	(void)state;
	name[0] = 'X';
	assert_string_equal(wane_group_name(group), "Tenant");
	assert_ptr_equal(wane_group_parent(group), root);
	wane_group_put(lower);
	wane_group_put(group);
}

static void test_no_name_is_the_id(void **state)
{
	struct wane_group *group = group_make(root, NULL);
	char id[24];

	(void)state;
	snprintf(id, sizeof(id), "%" PRIu64, wane_group_id(group));
	assert_string_equal(wane_group_name(group), id);
	wane_group_put(group);
}

static void test_name_is_free_again(void **state)
{
	struct wane_group *retired = group_make(root, "a");
	struct wane_group *group;

	(void)state;
	assert_int_equal(wane_group_retire(retired), 0);
	group = group_make(root, "a"); /* the retired one still lives */
	assert_ptr_not_equal(group, retired);
	assert_string_equal(wane_group_name(retired), "a");
	wane_group_put(retired);
	wane_group_put(group); /* not retired: the last put frees it, too */
	group = group_make(root, "a");
	wane_group_put(group);
}

/* ---- Paths ----------------------------------------------------------------------- */

static void assert_path(struct wane_group *group, const char *path)
{
	char buffer[64];
	size_t length = strlen(path);

	for (size_t size = 0; size <= length + 2; size++) {
		memset(buffer, '#', sizeof(buffer));
		assert_int_equal(wane_group_path(group, buffer, size), length);
		if (size > 0) {
			size_t written = min_of(length, size - 1);

			assert_memory_equal(buffer, path, written);
			assert_int_equal(buffer[written], '\0');
		}
		/* Nothing behind what was allowed. */
		for (size_t i = size; i < sizeof(buffer); i++)
			assert_int_equal(buffer[i], '#');
	}
	assert_int_equal(wane_group_path(group, NULL, 0), length);
}

static void test_paths(void **state)
{
	struct wane_group *tenants = group_make(root, "tenants");
	struct wane_group *group = group_make(tenants, "42");
	struct wane_group *deep = group_make(group, "x");

	(void)state;
	assert_path(root, "/");
	assert_path(tenants, "/tenants");
	assert_path(group, "/tenants/42");
	assert_path(deep, "/tenants/42/x");
	assert_int_equal(wane_group_retire(deep), 0);
	assert_path(deep, "/tenants/42/x");
	wane_group_put(deep);
	wane_group_put(group);
	wane_group_put(tenants);
}

static void assert_found(const char *path, struct wane_group *expected)
{
	struct wane_group *found = wane_group_find(root, path);

	assert_ptr_equal(found, expected);
	wane_group_put(found);
}

static void test_find(void **state)
{
	struct wane_group *tenants = group_make(root, "tenants");
	struct wane_group *group = group_make(tenants, "42");
	struct wane_group *found;

	(void)state;
	assert_found("/", root);
	assert_found("/tenants", tenants);
	assert_found("/tenants/42", group);
	assert_found("/tenants/4", NULL);
	assert_found("/tenants/421", NULL);
	assert_found("/42", NULL);
	assert_found("/tenants/42/", NULL);
	assert_found("//tenants", NULL);
	assert_found("/tenants//42", NULL);
	assert_found("tenants", NULL);
	assert_found("", NULL);
	assert_found(NULL, NULL);
	assert_null(wane_group_find(NULL, "/"));
	found = wane_group_find(tenants, "/42"); /* from anywhere */
	assert_ptr_equal(found, group);
	wane_group_put(found);
	assert_int_equal(wane_group_retire(group), 0);
	assert_found("/tenants/42", NULL);
	wane_group_put(group);
	wane_group_put(tenants);
}

/* ---- Ids -------------------------------------------------------------------------- */

/* Invariant 18, bug 23: unique among all that can be looked up, and for ever. */
static void test_ids_are_never_reused(void **state)
{
	uint64_t last = 0;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		struct wane_group *group = group_make(root, "same");

		assert_true(wane_group_id(group) > last);
		last = wane_group_id(group);
		wane_group_put(group);
	}
	assert_refused(root, "", -EINVAL);
}

static void test_find_id(void **state)
{
	struct wane_group *group = group_make(root, "a");
	uint64_t id = wane_group_id(group);
	struct wane_group *found = wane_group_find_id(id);

	(void)state;
	assert_ptr_equal(found, group);
	wane_group_put(found);
	assert_null(wane_group_find_id(0));
	assert_null(wane_group_find_id(UINT64_MAX));
	assert_int_equal(wane_group_retire(group), 0);
	found = wane_group_find_id(id); /* retired or not */
	assert_ptr_equal(found, group);
	wane_group_put(found);
	wane_group_put(group);
	assert_null(wane_group_find_id(id));
}

/* ---- References --------------------------------------------------------------------- */

static void test_references(void **state)
{
	struct wane_group *group = group_make(root, "a");
	uint64_t id = wane_group_id(group);

	(void)state;
	assert_ptr_equal(wane_group_get(group), group);
	wane_group_put(group);
	assert_string_equal(wane_group_name(group), "a");
	wane_group_put(group);
	assert_null(wane_group_find_id(id));
	wane_group_put(NULL);
}

static void test_children_keep_parents(void **state)
{
	struct wane_group *parent = group_make(root, "parent");
	struct wane_group *child = group_make(parent, "child");
	uint64_t id = wane_group_id(parent);

	(void)state;
	wane_group_put(parent);
	wane_barrier();
	parent = wane_group_find_id(id);
	assert_non_null(parent);
	assert_ptr_equal(wane_group_parent(child), parent);
	wane_group_put(parent);
	wane_group_put(child);
	wane_barrier();
	assert_null(wane_group_find_id(id));
}

/* The last byte, not the last put, is what frees a group. */
static void test_charges_keep_groups(void **state)
{
	struct wane_group *group = group_make(root, "a");
	uint64_t id = wane_group_id(group);

	(void)state;
	charge(group, 3 * EXACT);
	wane_group_put(group);
	wane_barrier();
	assert_int_equal(wane_group_usage(root), 3 * EXACT);
	wane_uncharge(group, EXACT);
	wane_barrier();
	group = wane_group_find_id(id);
	assert_non_null(group);
	assert_int_equal(wane_group_usage(group), 2 * EXACT);
	wane_group_put(group);
	wane_uncharge(group, 2 * EXACT);
	wane_barrier();
	assert_null(wane_group_find_id(id));
	assert_int_equal(wane_group_usage(root), 0);
}

static void test_create_below_a_retired_parent(void **state)
{
	struct wane_group *a = group_make(root, "a");
	struct wane_group *b = group_make(a, "b");
	struct wane_group *c;

	(void)state;
	assert_int_equal(wane_group_retire(b), 0);
	c = group_make(b, "c");
	assert_ptr_equal(wane_group_parent(c), a);
	assert_path(c, "/a/c");
	assert_refused(b, "c", -EEXIST);
	assert_int_equal(wane_group_retire(c), 0);
	assert_int_equal(wane_group_retire(a), 0);
	wane_group_put(c);
	c = group_make(b, "c");
	assert_ptr_equal(wane_group_parent(c), root);
	wane_group_put(c);
	wane_group_put(b);
	wane_group_put(a);
}

/* ---- The current group ---------------------------------------------------------------- */

static void test_current_group_nests(void **state)
{
	struct wane_group *a = group_make(root, "a");
	struct wane_group *b = group_make(root, "b");
	struct wane_group *first, *second, *third;

	(void)state;
	assert_null(wane_group_current());
	first = wane_group_enter(a);
	assert_null(first);
	second = wane_group_enter(b);
	assert_ptr_equal(second, a);
	assert_ptr_equal(wane_group_current(), b);
	third = wane_group_enter(NULL);
	assert_null(wane_group_current());
	wane_group_leave(third);
	assert_ptr_equal(wane_group_current(), b);
	wane_group_leave(second);
	assert_ptr_equal(wane_group_current(), a);
	wane_group_leave(first);
	assert_null(wane_group_current());
	wane_group_put(b);
	wane_group_put(a);
}

/* ---- Many, and deep ---------------------------------------------------------------------- */

#define MANY (SANITIZED ? 20000 : 1000000)
#define PER_PARENT 1000
#define BYTES_MAX 512

/* Bug 58, and invariant 20: no array by id, no limit of their number. */
static void test_a_million_groups(void **state)
{
	struct wane_group **group = calloc(MANY, sizeof(*group));
	size_t before, held, names = 0;
	char path[64];

	(void)state;
	assert_non_null(group);
	before = base_now();
	for (int i = 0; i < MANY; i++) {
		struct wane_group *parent =
			i % PER_PARENT ? group[i - i % PER_PARENT] : root;

		group[i] = group_make(parent, NULL);
		names += strlen(wane_group_name(group[i])) + 1;
	}
	held = (base_now() - before - names) / MANY;
	printf("# %d groups: %zu bytes each, and their names\n", MANY, held);
	if (wane_nodes() == 1)
		assert_true(held <= BYTES_MAX);

	for (int i = 1; i < MANY; i += MANY / 100) {
		struct wane_group *found;

		wane_group_path(group[i], path, sizeof(path));
		assert_found(path, group[i]);
		found = wane_group_find_id(wane_group_id(group[i]));
		assert_ptr_equal(found, group[i]);
		wane_group_put(found);
	}
	for (int i = 0; i < MANY; i++)
		wane_group_put(group[i]);
	free(group);
}

#define DEEP 200

static void test_a_deep_tree(void **state)
{
	struct wane_group *group[DEEP];
	char path[2 * DEEP + 1];

	(void)state;
	for (int i = 0; i < DEEP; i++)
		group[i] = group_make(i ? group[i - 1] : root, "x");
	assert_int_equal(wane_group_path(group[DEEP - 1], path, sizeof(path)),
			 2 * DEEP);
	assert_found(path, group[DEEP - 1]);
	charge(group[DEEP - 1], EXACT);
	assert_int_equal(wane_group_usage(root), EXACT);
	wane_uncharge(group[DEEP - 1], EXACT);
	for (int i = 0; i < DEEP; i++)
		wane_group_put(group[i]);
}

#define DEEPER (UINT16_MAX + 10)

/*
 * Left behind: to free a chain takes two grace periods for each of its groups.
 */
static void test_a_very_deep_tree(void **state)
{
	struct wane_group *top = group_make(NULL, "top");
	struct wane_group *group = top;

	(void)state;
	for (int i = 0; i < DEEPER; i++)
		group = group_make(group, "x");
	assert_true(group_is_below(group, top));
	assert_false(group_is_below(top, group));
	charge(group, EXACT);
	assert_int_equal(wane_group_usage(top), EXACT);
	assert_int_equal(wane_group_path(group, NULL, 0), 2 * DEEPER);
	rcu_enter();
	assert_non_null(group_next(group->parent, top));
	rcu_leave();
	wane_uncharge(group, EXACT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ROOT_TEST(test_bad_names),
		ROOT_TEST(test_names_are_unique_among_siblings),
		ROOT_TEST(test_name_is_copied_and_case_counts),
		ROOT_TEST(test_no_name_is_the_id),
		ROOT_TEST(test_name_is_free_again),
		ROOT_TEST(test_paths),
		ROOT_TEST(test_find),
		ROOT_TEST(test_ids_are_never_reused),
		ROOT_TEST(test_find_id),
		ROOT_TEST(test_references),
		ROOT_TEST(test_children_keep_parents),
		ROOT_TEST(test_charges_keep_groups),
		ROOT_TEST(test_create_below_a_retired_parent),
		ROOT_TEST(test_current_group_nests),
		ROOT_TEST(test_a_million_groups),
		ROOT_TEST(test_a_deep_tree),
		cmocka_unit_test(test_a_very_deep_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
