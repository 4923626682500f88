// SPDX-License-Identifier: MIT
/*
 * xarray_readers.c - tests of readers that take no lock, beside a writer
 *
 * Some entries stay all the time, and no load or walk may miss one.  Others
 * come and go, so that nodes do too, and the tree's height changes.  An entry
 * carries its index, and its memory goes after a grace period.
 */
#include "xarray_edges.h"

#include <pthread.h>

#include "port.h"

#define READERS 2
#ifdef WANE_TSAN
#define PASSES 1000
#define CHANGES 10000
#else
#define PASSES 5000
#define CHANGES 50000
#endif

/**
 * struct shared - An array that readers walk while a writer changes it.
 * @stays: The edges whose entries stay, a bit each; they are marked.
 * @reading: Atomic: readers that are not through.
 * @errors: Atomic: what a reader saw and should not have.
 */
struct shared {
	struct xarray xa;
	unsigned long stays;
	int reading;
	long errors;
};

struct reader {
	struct shared *shared;
	struct test_random random;
	pthread_t thread;
};

/* An entry that knows where it belongs, freed after a grace period. */
struct item {
	struct rcu_head rcu;
	unsigned long index;
};

static void item_free(struct rcu_head *head)
{
	struct item *item = rcu_deferred(head, struct item, rcu);

	item->index = ~item->index;
	port_free(item, sizeof(*item));
}

static void expect(struct shared *shared, bool holds)
{
	if (!holds)
		add_full(&shared->errors, 1);
}

static bool edge_stays(const struct shared *shared, size_t edge)
{
	return shared->stays >> edge & 1;
}

/* Follows a walk and expects that it is in order and misses none that stays. */
struct follow {
	struct shared *shared;
	size_t edge; /* the next that may come */
};

static void follow_entry(struct follow *follow, unsigned long index,
			 const struct item *item)
{
	struct shared *shared = follow->shared;

	expect(shared, item->index == index);
	while (follow->edge < EDGES && edges[follow->edge] < index)
		expect(shared, !edge_stays(shared, follow->edge++));
	expect(shared, follow->edge < EDGES && edges[follow->edge] == index);
	follow->edge++;
}

static void follow_end(struct follow *follow)
{
	for (; follow->edge < EDGES; follow->edge++)
		expect(follow->shared,
		       !edge_stays(follow->shared, follow->edge));
}

static void read_one(struct shared *shared, size_t edge)
{
	bool stays = edge_stays(shared, edge);
	struct item *item;

	rcu_enter();
	item = xarray_load(&shared->xa, edges[edge]);
	expect(shared, item ? item->index == edges[edge] : !stays);
	if (stays)
		expect(shared, xarray_get_mark(&shared->xa, edges[edge],
					       XARRAY_MARK_1));
	rcu_leave();
}

static void read_by_find(struct reader *reader, enum xarray_mark mark)
{
	struct follow follow = { .shared = reader->shared };
	struct xarray *xa = &reader->shared->xa;
	unsigned long index = 0;
	struct item *item;

	rcu_enter();
	for (item = xarray_find(xa, &index, ULONG_MAX, mark); item;
	     item = xarray_find_after(xa, &index, ULONG_MAX, mark))
		follow_entry(&follow, index, item);
	rcu_leave();
	follow_end(&follow);
}

static void read_by_cursor(struct reader *reader)
{
	struct follow follow = { .shared = reader->shared };
	struct xarray_cursor cursor = XARRAY_CURSOR(&reader->shared->xa, 0);
	struct item *item;

	rcu_enter();
	while ((item = xarray_cursor_next(&cursor))) {
		follow_entry(&follow, cursor.index, item);
		if (!test_random_one_in(&reader->random, 8))
			continue;
		xarray_cursor_pause(&cursor);
		rcu_leave();
		rcu_enter();
	}
	rcu_leave();
	follow_end(&follow);
}

static void *read_all(void *arg)
{
	struct reader *reader = arg;

	for (int pass = 0; pass < PASSES; pass++) {
		for (int i = 0; i < 20; i++)
			read_one(reader->shared,
				 test_random_below(&reader->random, EDGES));
		for (int i = 0; i < 20; i++)
			read_one(reader->shared, 0);
		read_by_find(reader, XARRAY_PRESENT);
		read_by_find(reader, XARRAY_MARK_1);
		read_by_cursor(reader);
	}
	sub_full(&reader->shared->reading, 1);
	return NULL;
}

/* Nothing but index 0, which stays: in the head, or at the end of the way. */
static void *read_index_0(void *arg)
{
	struct reader *reader = arg;

	for (int i = 0; i < 200 * PASSES; i++)
		read_one(reader->shared, 0);
	sub_full(&reader->shared->reading, 1);
	return NULL;
}

static void shared_put(struct shared *shared, size_t edge)
{
	struct item *item = port_zalloc(sizeof(*item));
	struct item *old = NULL;
	void *was;

	item->index = edges[edge];
	expect(shared, xarray_store(&shared->xa, edges[edge], item, &was) == 0);
	old = was;
	if (old)
		rcu_defer(&old->rcu, item_free);
	xarray_set_mark(&shared->xa, edges[edge], XARRAY_MARK_1);
}

static void shared_drop(struct shared *shared, size_t edge)
{
	struct item *item = xarray_erase(&shared->xa, edges[edge]);

	if (item)
		rcu_defer(&item->rcu, item_free);
}

/* Change what does not stay until all readers are through. */
static void write_all(struct shared *shared)
{
	struct test_random random = { test_seed() + 1000 };

	for (int i = 0; i < CHANGES || load_acquire(&shared->reading); i++) {
		size_t edge = test_random_below(&random, EDGES);

		if (edge_stays(shared, edge))
			continue;
		/* Mostly few entries: the height changes more often. */
		if (test_random_one_in(&random, i / 1000 % 2 ? 2 : 8))
			shared_put(shared, edge);
		else
			shared_drop(shared, edge);
		if (i % 64 == 0)
			xarray_assert_valid(&shared->xa);
	}
}

/* Grow and shrink as fast as can be, now by one level, now by all. */
static void write_heights(struct shared *shared)
{
	for (int i = 0; i < CHANGES || load_acquire(&shared->reading); i++) {
		size_t edge = i % 4 ? 1 : EDGES - 1;

		shared_put(shared, edge);
		shared_drop(shared, edge);
	}
}

static void beside(unsigned long stays, void *(*read)(void *arg),
		   void (*write)(struct shared *shared))
{
	struct shared shared = { .stays = stays, .reading = READERS };
	struct reader reader[READERS];

	xarray_init(&shared.xa);
	for (size_t edge = 0; edge < EDGES; edge++)
		if (edge_stays(&shared, edge))
			shared_put(&shared, edge);
	for (unsigned int i = 0; i < READERS; i++) {
		reader[i].shared = &shared;
		reader[i].random.state = test_seed() + i;
		assert_int_equal(pthread_create(&reader[i].thread, NULL, read,
						&reader[i]),
				 0);
	}
	write(&shared);
	for (unsigned int i = 0; i < READERS; i++)
		pthread_join(reader[i].thread, NULL);
	assert_int_equal(shared.errors, 0);
	for (size_t edge = 0; edge < EDGES; edge++)
		shared_drop(&shared, edge);
	assert_true(xarray_empty(&shared.xa));
}

/* Index 0 alone: it is now in the head, now below up to 11 or 32 nodes. */
static void test_index_0_stays(void **state)
{
	(void)state;
	beside(1ul << 0, read_all, write_all);
}

static void test_index_0_at_each_height(void **state)
{
	(void)state;
	beside(1ul << 0, read_index_0, write_heights);
}

static void test_last_index_stays(void **state)
{
	(void)state;
	beside(1ul << (EDGES - 1), read_all, write_all);
}

static void test_some_stay(void **state)
{
	(void)state;
	beside(0x55555, read_all, write_all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_index_0_stays),
		TEST(test_index_0_at_each_height),
		TEST(test_last_index_stays),
		TEST(test_some_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
