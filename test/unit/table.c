// SPDX-License-Identifier: MIT
/*
 * table.c - tests of the hash table against an array of flags
 *
 * The keys are small numbers.  Three hashes: a good one, one under which all
 * keys collide, and one that puts all of them at the last slot, so that probes
 * go around the end.
 */
#include "../test.h"

#include <errno.h>
#include <pthread.h>

#include "port.h"
#include "table.h"

struct item {
	struct rcu_head rcu;
	unsigned int key;
};

static uint64_t hash_good(unsigned int key)
{
	return hash_mix(key);
}

static uint64_t hash_same(unsigned int key)
{
	(void)key;
	return 0;
}

static uint64_t hash_last(unsigned int key)
{
	(void)key;
	return UINT64_MAX;
}

static uint64_t (*const hashes[])(unsigned int key) = { hash_good, hash_same,
							hash_last };
static uint64_t (*hash_key)(unsigned int key) = hash_good;

static uint64_t hash_item(const void *entry)
{
	return hash_key(((const struct item *)entry)->key);
}

static bool match(const void *entry, const void *key)
{
	return ((const struct item *)entry)->key == *(const unsigned int *)key;
}

static struct item *find(const struct table *table, unsigned int key)
{
	return table_find(table, hash_key(key), match, &key);
}

static int add(struct table *table, struct item *item)
{
	int err = table_reserve(table, hash_item);

	if (!err)
		table_insert(table, hash_item(item), item);
	return err;
}

static void del(struct table *table, struct item *item)
{
	table_remove(table, hash_item(item), item);
}

#define MODEL 300

static struct item items[MODEL];

/* What table.h promises of the slots. */
static void check_slots(const struct table *table, unsigned int live)
{
	const struct table_slots *slots = table->slots;
	unsigned int nr_live = 0;
	unsigned int nr_used = 0;
	unsigned int nr = 0;
	struct item *item;

	assert_int_equal(table_count(table), live);
	table_for_each(table, i, item) {
		assert_true(item->key < MODEL);
		nr++;
	}
	assert_int_equal(nr, live);
	if (!slots)
		return;
	for (size_t i = 0; i <= slots->mask; i++) {
		nr_used += slots->slot[i] != NULL;
		nr_live += slots->slot[i] && slots->slot[i] != TABLE_REMOVED;
	}
	assert_int_equal(nr_live, live);
	assert_int_equal(nr_used, slots->used);
	assert_true(nr_used <= (slots->mask + 1) / 4 * 3 || nr_used == 1);
	assert_true(nr_live > 0);
}

static int setup(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < MODEL; i++)
		items[i].key = i;
	return 0;
}

static void test_empty(void **state)
{
	struct table table = { NULL };
	size_t base = test_base();

	(void)state;
	assert_null(find(&table, 0));
	assert_null(table_any(&table));
	assert_int_equal(table_count(&table), 0);
	table_unreserve(&table);
	test_assert_base(base);
}

static void test_one(void **state)
{
	struct table table = { NULL };
	size_t base = test_base();

	(void)state;
	assert_int_equal(add(&table, &items[7]), 0);
	assert_ptr_equal(find(&table, 7), &items[7]);
	assert_null(find(&table, 8));
	assert_ptr_equal(table_any(&table), &items[7]);
	assert_true(port_held() - base <=
		    sizeof(struct table_slots) + 2 * sizeof(void *));
	del(&table, &items[7]);
	assert_null(table.slots);
	assert_null(find(&table, 7));
	test_assert_base(base);
}

static void test_unreserve(void **state)
{
	struct table table = { NULL };
	size_t base = test_base();

	(void)state;
	assert_int_equal(table_reserve(&table, hash_item), 0);
	assert_null(find(&table, 1));
	assert_null(table_any(&table));
	table_unreserve(&table);
	test_assert_base(base);
	assert_int_equal(add(&table, &items[1]), 0);
	assert_int_equal(table_reserve(&table, hash_item), 0);
	table_unreserve(&table);
	assert_ptr_equal(find(&table, 1), &items[1]);
	del(&table, &items[1]);
	test_assert_base(base);
}

/* Up to all keys and down to none, looking for each one at each step. */
static void fill_and_empty(void)
{
	struct table table = { NULL };
	size_t base = test_base();

	for (unsigned int n = 1; n <= MODEL; n++) {
		assert_int_equal(add(&table, &items[n - 1]), 0);
		check_slots(&table, n);
		for (unsigned int key = 0; key < MODEL; key++)
			assert_ptr_equal(find(&table, key),
					 key < n ? &items[key] : NULL);
	}
	for (unsigned int n = 0; n < MODEL; n++) {
		del(&table, &items[n]);
		check_slots(&table, MODEL - 1 - n);
		for (unsigned int key = 0; key < MODEL; key++)
			assert_ptr_equal(find(&table, key),
					 key <= n ? NULL : &items[key]);
	}
	test_assert_base(base);
}

static void test_fill_and_empty(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(hashes); i++) {
		hash_key = hashes[i];
		fill_and_empty();
	}
	hash_key = hash_good;
}

static void test_any_empties(void **state)
{
	struct table table = { NULL };
	size_t base = test_base();
	struct item *item;
	unsigned int nr = 0;

	(void)state;
	for (unsigned int i = 0; i < MODEL; i++)
		assert_int_equal(add(&table, &items[i]), 0);
	while ((item = table_any(&table))) {
		assert_ptr_equal(find(&table, item->key), item);
		del(&table, item);
		nr++;
	}
	assert_int_equal(nr, MODEL);
	test_assert_base(base);
}

/* Removed marks must not make a table grow whose number of entries does not. */
static void test_removed_marks_vanish(void **state)
{
	struct table table = { NULL };
	unsigned int mask;

	(void)state;
	for (unsigned int i = 0; i < 10; i++)
		assert_int_equal(add(&table, &items[i]), 0);
	mask = table.slots->mask;
	for (unsigned int i = 10; i < 20 * MODEL; i++) {
		assert_int_equal(add(&table, &items[i % MODEL]), 0);
		del(&table, &items[(i - 10) % MODEL]);
		check_slots(&table, 10);
		assert_true(table.slots->mask <= 2 * mask + 1);
	}
	while (table_any(&table))
		del(&table, table_any(&table));
}

static void random_steps(struct test_random *random)
{
	struct table table = { NULL };
	bool in[MODEL] = { false };
	unsigned int live = 0;

	for (int step = 0; step < 8000; step++) {
		/* Sometimes few of the keys, sometimes all. */
		unsigned int range = (step / 1000) % 2 ? MODEL : 12;
		unsigned int key =
			(unsigned int)test_random_below(random, range);

		assert_ptr_equal(find(&table, key),
				 in[key] ? &items[key] : NULL);
		if (in[key])
			del(&table, &items[key]);
		else
			assert_int_equal(add(&table, &items[key]), 0);
		in[key] = !in[key];
		live += in[key] ? 1 : -1u;
		check_slots(&table, live);
		assert_int_equal(table_any(&table) != NULL, live > 0);
	}
	for (unsigned int key = 0; key < MODEL; key++)
		if (in[key])
			del(&table, &items[key]);
	assert_null(table.slots);
}

static void test_random_steps(void **state)
{
	struct test_random random = { test_seed() };
	size_t base = test_base();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(hashes); i++) {
		hash_key = hashes[i];
		random_steps(&random);
	}
	hash_key = hash_good;
	test_assert_base(base);
}

static int add_many(void *arg)
{
	struct table table = { NULL };
	unsigned int nr = 0;
	int err = 0;

	(void)arg;
	while (nr < 100 && !(err = add(&table, &items[nr])))
		nr++;
	check_slots(&table, nr);
	for (unsigned int key = 0; key < MODEL; key++)
		assert_ptr_equal(find(&table, key),
				 key < nr ? &items[key] : NULL);
	for (unsigned int key = 0; key < nr; key++)
		del(&table, &items[key]);
	return err;
}

static void test_no_memory(void **state)
{
	(void)state;
	/* 2, 4, 8, ... 256 slots are less than needed, each fails twice. */
	assert_true(test_fault_loop(add_many, NULL) >= 2 * 7);
}

/* ---- Readers beside a writer --------------------------------------------- */

#define READERS 2
#define STAYS 8 /* every 8th key is there all the time */
#define KEYS 64u
#define CHANGES 20000
#define LOOKUPS 50000

static struct table shared;
static struct item *shared_items[KEYS];
static long errors;
static int reading;

static void item_free(struct rcu_head *head)
{
	struct item *item = rcu_deferred(head, struct item, rcu);

	item->key = UINT32_MAX;
	port_free(item, sizeof(*item));
}

static struct item *item_new(unsigned int key)
{
	struct item *item = port_zalloc(sizeof(*item));

	item->key = key;
	return item;
}

static void shared_flip(unsigned int key)
{
	struct item *item = shared_items[key];

	if (item) {
		del(&shared, item);
		rcu_defer(&item->rcu, item_free);
		shared_items[key] = NULL;
	} else {
		shared_items[key] = item_new(key);
		if (add(&shared, shared_items[key]))
			add_full(&errors, 1);
	}
}

static void *reader(void *arg)
{
	struct test_random random = { test_seed() + *(uint64_t *)arg };

	for (int i = 0; i < LOOKUPS; i++) {
		unsigned int key =
			(unsigned int)test_random_below(&random, KEYS);
		struct item *item;

		rcu_enter();
		item = find(&shared, key);
		if (item ? item->key != key : key % STAYS == 0)
			add_full(&errors, 1);
		rcu_leave();
	}
	sub_full(&reading, 1);
	return NULL;
}

/* Move those that come and go, until all readers are through. */
static void write_beside_readers(void)
{
	struct test_random random = { test_seed() + 100 };

	for (int i = 0; i < CHANGES || load_acquire(&reading) > 0; i++) {
		unsigned int key =
			(unsigned int)test_random_below(&random, KEYS);

		if (key % STAYS)
			shared_flip(key);
	}
}

static void beside_readers(void)
{
	pthread_t thread[READERS];
	uint64_t number[READERS];

	for (unsigned int key = 0; key < KEYS; key += STAYS)
		shared_flip(key);
	reading = READERS;
	for (int i = 0; i < READERS; i++) {
		number[i] = (uint64_t)i + 1;
		assert_int_equal(pthread_create(&thread[i], NULL, reader,
						&number[i]),
				 0);
	}
	write_beside_readers();
	for (int i = 0; i < READERS; i++)
		pthread_join(thread[i], NULL);
	for (unsigned int key = 0; key < KEYS; key++)
		if (shared_items[key])
			shared_flip(key);
	assert_int_equal(errors, 0);
	assert_null(shared.slots);
}

static void test_readers(void **state)
{
	size_t base = test_base();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(hashes); i++) {
		hash_key = hashes[i];
		beside_readers();
	}
	hash_key = hash_good;
	test_assert_base(base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_one),
		cmocka_unit_test(test_unreserve),
		cmocka_unit_test(test_fill_and_empty),
		cmocka_unit_test(test_any_empties),
		cmocka_unit_test(test_removed_marks_vanish),
		cmocka_unit_test(test_random_steps),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_readers),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
