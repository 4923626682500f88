// SPDX-License-Identifier: MIT
/*
 * ids.c - tests of the id allocator against an array of flags
 */
#include "../test.h"

#include <errno.h>
#include <pthread.h>

#include "ids.h"

static void test_lowest_first(void **state)
{
	struct ids ids;
	size_t base = test_base();

	(void)state;
	ids_init(&ids);
	for (int i = 0; i < 200; i++)
		assert_int_equal(ids_take(&ids), i);
	ids_give(&ids, 130);
	ids_give(&ids, 63);
	ids_give(&ids, 64);
	ids_give(&ids, 0);
	assert_int_equal(ids_take(&ids), 0);
	assert_int_equal(ids_take(&ids), 63);
	assert_int_equal(ids_take(&ids), 64);
	assert_int_equal(ids_take(&ids), 130);
	assert_int_equal(ids_take(&ids), 200);
	for (int i = 0; i <= 200; i++)
		ids_give(&ids, i);
	test_assert_base(base);
}

static void test_nothing_held_when_all_free(void **state)
{
	struct ids ids = IDS_INIT;
	size_t base = test_base();

	(void)state;
	test_assert_base(base);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(ids_take(&ids), 0);
		assert_int_not_equal(port_held(), base);
		ids_give(&ids, 0);
		test_assert_base(base);
	}
}

static void test_all_taken(void **state)
{
	struct ids ids = IDS_INIT;
	size_t base = test_base();

	(void)state;
	for (int i = 0; i <= IDS_MAX; i++)
		if (ids_take(&ids) != i)
			fail_msg("id %d was not the lowest", i);
	assert_int_equal(ids_take(&ids), -ENOSPC);
	ids_give(&ids, IDS_MAX);
	ids_give(&ids, 77);
	assert_int_equal(ids_take(&ids), 77);
	assert_int_equal(ids_take(&ids), IDS_MAX);
	assert_int_equal(ids_take(&ids), -ENOSPC);
	for (int i = IDS_MAX; i >= 0; i--)
		ids_give(&ids, i);
	test_assert_base(base);
}

#define MODEL 700

static int lowest_free(const bool *taken)
{
	int i = 0;

	while (taken[i])
		i++;
	return i;
}

/* Between nearly none and nearly all of the model, back and forth. */
static void test_random(void **state)
{
	struct test_random random = { test_seed() };
	struct ids ids = IDS_INIT;
	bool taken[MODEL + 1] = { false };
	size_t base = test_base();

	(void)state;
	for (int step = 0; step < 50000; step++) {
		bool more = (step / 5000) % 2 == 0;
		int id = (int)test_random_below(&random, MODEL);

		if (test_random_one_in(&random, 3) ? !more : more) {
			id = lowest_free(taken);
			if (id == MODEL)
				continue;
			assert_int_equal(ids_take(&ids), id);
			taken[id] = true;
		} else if (taken[id]) {
			ids_give(&ids, id);
			taken[id] = false;
		}
	}
	for (int id = 0; id < MODEL; id++)
		if (taken[id])
			ids_give(&ids, id);
	test_assert_base(base);
}

/* Take ids until there is no memory, and give back what came. */
static int take_many(void *arg)
{
	struct ids ids = IDS_INIT;
	int nr = 0;
	int id = 0;

	(void)arg;
	while (nr < 1000 && (id = ids_take(&ids)) >= 0)
		assert_int_equal(id, nr++);
	for (int i = 0; i < nr; i++)
		ids_give(&ids, i);
	return id < 0 ? id : 0;
}

static void test_no_memory(void **state)
{
	(void)state;
	/* 1, 2, 4, 8, 16 words of 64 ids, each failing once and for good. */
	assert_int_equal(test_fault_loop(take_many, NULL), 2 * 5);
}

#define THREADS 4
#define THREAD_STEPS 20000

static struct ids shared_ids = IDS_INIT;
static int owner_of[2 * 64 * THREADS];
static int errors;

static void own(int id, int before, int after)
{
	if (id < 0 || exchange_full(&owner_of[id], after) != before)
		add_full(&errors, 1);
}

static void *take_and_give(void *arg)
{
	int me = *(int *)arg;
	struct test_random random = { test_seed() + (uint64_t)me };
	int mine[64];
	unsigned int nr = 0;

	for (int step = 0; step < THREAD_STEPS; step++) {
		if (nr < 64 && test_random_one_in(&random, 2)) {
			mine[nr] = ids_take(&shared_ids);
			own(mine[nr++], 0, me);
		} else if (nr > 0) {
			own(mine[--nr], me, 0);
			ids_give(&shared_ids, mine[nr]);
		}
	}
	while (nr > 0) {
		own(mine[--nr], me, 0);
		ids_give(&shared_ids, mine[nr]);
	}
	return NULL;
}

static void test_threads(void **state)
{
	pthread_t thread[THREADS];
	int number[THREADS];
	size_t base = test_base();

	(void)state;
	for (int i = 0; i < THREADS; i++) {
		number[i] = i + 1;
		assert_int_equal(pthread_create(&thread[i], NULL, take_and_give,
						&number[i]),
				 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(errors, 0);
	test_assert_base(base);
}

static void give(void *arg)
{
	struct ids ids = IDS_INIT;

	(void)ids_take(&ids);
	ids_give(&ids, *(int *)arg);
}

static void test_misuse(void **state)
{
	static int never_taken[] = { 1, 64, -1, IDS_MAX };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(never_taken); i++)
		test_expect_abort(give, &never_taken[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lowest_first),
		cmocka_unit_test(test_nothing_held_when_all_free),
		cmocka_unit_test(test_all_taken),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_misuse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
