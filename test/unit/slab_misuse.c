/* SPDX-License-Identifier: MIT */
/*
 * Slabs that are misused: what debug builds must catch, each in a child.
 */
#include "../test.h"

#include <stdlib.h>

#include <wane/wane.h>

#include "slab_cache.h"

static struct wane_slab *misused;

static void free_twice(void *object)
{
	wane_slab_free(misused, object);
	wane_slab_free(misused, object);
}

static void free_twice_later(void *object)
{
	void *other[200];

	wane_slab_free(misused, object);
	for (size_t i = 0; i < ARRAY_SIZE(other); i++)
		other[i] = slab_take(misused, NODE_HERE);
	for (size_t i = 0; i < ARRAY_SIZE(other); i++)
		if (other[i] != object)
			wane_slab_free(misused, other[i]);
		else
			wane_slab_free(misused, object);
	slab_drain_all();
	wane_slab_free(misused, object);
}

static void free_inside(void *object)
{
	wane_slab_free(misused, (char *)object + 8);
}

static void free_foreign(void *object)
{
	(void)object;
	wane_slab_free(misused, malloc(40));
}

static void free_stack(void *object)
{
	long local = (long)object;

	wane_slab_free(misused, &local);
}

static void free_header(void *object)
{
	wane_slab_free(misused, region_of(object));
}

static void free_unused(void *object)
{
	struct slab_run *run = run_of(object);

	wane_slab_free(misused, slab_object(run, run->slab->objects - 1));
}

static void free_to_another(void *object)
{
	wane_slab_free(slab_size_class(40), object);
}

static void free_as_size(void *object)
{
	wane_size_free(object);
}

static void group_of_foreign(void *object)
{
	long local = (long)object;

	(void)wane_slab_group(&local);
}

static void test_misuse(void **state)
{
	static void (*const misuse[])(void *) = {
		free_twice,   free_twice_later, free_inside, free_foreign,
		free_stack,   free_header,	free_unused, free_to_another,
		free_as_size, group_of_foreign,
	};
	void *object;

	(void)state;
	for (unsigned int flags = 0; flags <= WANE_SLAB_CHARGED; flags++) {
		struct wane_slab_config config = {
			.size = sizeof(config),
			.object_size = 40,
			.flags = flags,
		};

		assert_int_equal(wane_slab_create(&misused, &config), 0);
		object = wane_slab_alloc(misused, NULL, 0);
		for (size_t i = 0; i < ARRAY_SIZE(misuse); i++)
			test_expect_abort(misuse[i], object);
		wane_slab_free(misused, object);
		assert_int_equal(wane_slab_destroy(misused), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_misuse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
