/* SPDX-License-Identifier: MIT */
/*
 * The cases that are run in a kernel, too; and what happens when memory runs
 * out, which is easier to arrange here.
 */
#include "../cache.h"

/* ---- The cases ---------------------------------------------------------------- */

/* What the library holds before a case, and after it. */
static size_t base;

static int note_base(void **state)
{
	(void)state;
	base = base_now();
	return 0;
}

static int check_base(void **state)
{
	(void)state;
	return base_now() == base ? 0 : -1;
}

static void *case_alloc(size_t size)
{
	void *memory = calloc(1, size);

	assert_non_null(memory);
	return memory;
}

/* What asks for memory at all is noticed; not what other threads ask for. */
static unsigned long asked;

static void case_lock(void)
{
	asked = port_asked();
}

static void case_unlock(void)
{
	assert_int_equal(port_asked(), asked);
}

#define CASE void **test
#define EXPECT(cond) ((void)test, assert_true(cond))
#define EXPECT_EQ(a, b) ((void)test, assert_int_equal(a, b))
#define EXPECT_PTR(a, b) ((void)test, assert_ptr_equal(a, b))
#define case_free(memory) free(memory)
#define case_barrier() wane_barrier()

#include "../../core/test/share_cases.h"

/* ---- Failing allocations ------------------------------------------------------- */

static int try_get(struct member *m, struct shrinker_info_group *group)
{
	struct share_room room = { 0 };
	int err = share_room_get(&room, group, &m->info, GFP_KERNEL);

	if (!err)
		err = share_get(&m->share, group, &m->info, &room);
	share_room_put(&room);
	return err;
}

/* Bugs 20 and 21: nothing changed, and nothing is leaked. */
static int get_many(void *arg)
{
	struct shrinker_info_group *group = arg;
	static struct member m[80];
	int err = 0;
	int nr, begun;

	for (begun = 0; begun < 80; begun++) {
		err = shrinker_info_begin(&m[begun].info, GFP_KERNEL);
		if (err)
			break;
	}
	for (nr = 0; nr < begun && !err; nr++) {
		err = try_get(&m[nr], group);
		if (err)
			break;
		share_set(&m[nr].share, 0);
	}
	for (int i = 0; i < nr; i++) {
		assert_true(share_test(&m[i].share, 0));
		share_put(&m[i].share);
	}
	for (int i = 0; i < begun; i++)
		stop(&m[i]);
	wane_barrier();
	slab_drain_all();
	return err;
}

static void failing_allocations(void **test)
{
	struct shrinker_info_group *group = group_new(test);

	assert_true(test_fault_loop(get_many, group) > 0);
	group_old(group);
}

#define SHARE_TEST(name) \
	cmocka_unit_test_setup_teardown(name, note_base, check_base)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SHARE_CASES(SHARE_TEST),
		SHARE_TEST(failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
