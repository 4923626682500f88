/* SPDX-License-Identifier: MIT */
/*
 * Slabs under load: threads, and allocations that fail.
 */
#include "slab.h"

#include <pthread.h>

/* In all threads' magazines. */
static size_t at_hand(struct wane_slab *slab)
{
	size_t nr;

	lock_take(&slabs_lock);
	nr = slab_magazine_count(slab);
	lock_drop(&slabs_lock);
	return nr;
}

/* ---- Threads ------------------------------------------------------------------ */

#define NR_HANDED 3000

struct handed {
	struct wane_slab *slab;
	void *object[NR_HANDED];
};

static void *take_all(void *arg)
{
	struct handed *handed = arg;

	for (size_t i = 0; i < NR_HANDED; i++) {
		handed->object[i] = wane_slab_alloc(handed->slab, NULL, 0);
		*(size_t *)handed->object[i] = i;
	}
	return NULL;
}

static void *give_all(void *arg)
{
	struct handed *handed = arg;

	for (size_t i = 0; i < NR_HANDED; i++) {
		if (*(size_t *)handed->object[i] != i)
			abort();
		wane_slab_free(handed->slab, handed->object[i]);
	}
	return NULL;
}

static void run_thread(void *(*fn)(void *), void *arg)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, fn, arg), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

/* A thread that ends keeps nothing, and any thread may free an object. */
static void test_handed_over(void **state)
{
	size_t base = base_now();
	struct handed *handed = calloc(1, sizeof(*handed));

	(void)state;
	handed->slab = slab_make(72, 0, 0);
	run_thread(take_all, handed);
	slab_assert_valid(handed->slab);
	assert_int_equal(info_of(handed->slab).active, NR_HANDED);
	assert_int_equal(at_hand(handed->slab), 0);

	run_thread(give_all, handed);
	slab_assert_valid(handed->slab);
	assert_int_equal(info_of(handed->slab).active, 0);
	assert_int_equal(at_hand(handed->slab), 0);

	take_all(handed);
	run_thread(give_all, handed);
	run_thread(take_all, handed);
	give_all(handed);
	slab_assert_valid(handed->slab);
	assert_int_equal(info_of(handed->slab).active, 0);
	assert_int_equal(wane_slab_destroy(handed->slab), 0);
	free(handed);
	assert_int_equal(base_now(), base);
}

/* ---- A slab goes while threads that used it live on ------------------------------ */

struct survivor {
	pthread_barrier_t step;
	struct wane_slab *slab;
};

static void *use_each(void *arg)
{
	struct survivor *survivor = arg;

	for (int i = 0; i < 20; i++) {
		pthread_barrier_wait(&survivor->step);
		for (int j = 0; j < 100; j++)
			wane_slab_free(survivor->slab,
				       wane_slab_alloc(survivor->slab, NULL,
						       0));
		pthread_barrier_wait(&survivor->step);
	}
	return NULL;
}

static void test_destroy_behind_threads(void **state)
{
	struct survivor survivor;
	pthread_t thread[3];
	size_t base = base_now();
	unsigned int index = 0;

	(void)state;
	pthread_barrier_init(&survivor.step, NULL, ARRAY_SIZE(thread) + 1);
	for (size_t i = 0; i < ARRAY_SIZE(thread); i++)
		pthread_create(&thread[i], NULL, use_each, &survivor);
	for (size_t i = 0; i < 20; i++) {
		survivor.slab = slab_make(8 + i * 1000, 0, 0);
		assert_true(i == 0 || survivor.slab->index == index);
		index = survivor.slab->index;
		pthread_barrier_wait(&survivor.step);
		pthread_barrier_wait(&survivor.step);
		assert_int_equal(info_of(survivor.slab).active, 0);
		slab_assert_valid(survivor.slab);
		assert_int_equal(wane_slab_destroy(survivor.slab), 0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(thread); i++)
		pthread_join(thread[i], NULL);
	pthread_barrier_destroy(&survivor.step);
	assert_int_equal(base_now(), base);
}

/* ---- Threads that free each other's objects ----------------------------------------- */

#define NR_SLOTS 2000
#define NR_TAKES 100000

static struct {
	struct wane_slab *slab[3];
	struct wane_group *group;
	/* Its lowest bits say of which slab it is. */
	uintptr_t slot[NR_SLOTS];
} shared;

static void slot_free(uintptr_t held)
{
	uintptr_t *object = (uintptr_t *)(held & ~3ul);

	if (!object)
		return;
	if (*object != (uintptr_t)object)
		abort();
	wane_slab_free(shared.slab[held & 3], object);
}

static void *exchange(void *arg)
{
	struct test_random *random = arg;

	for (int i = 0; i < NR_TAKES; i++) {
		size_t which = test_random_below(random, 3);
		size_t at = test_random_below(random, NR_SLOTS);
		uintptr_t object = (uintptr_t)wane_slab_alloc(
			shared.slab[which], shared.group, 0);

		if (object)
			*(uintptr_t *)object = object;
		slot_free(exchange_full(&shared.slot[at], object | which));
		if (test_random_one_in(random, 10000))
			wane_slab_shrink(shared.slab[which]);
		if (test_random_one_in(random, 1000)) {
			store_relaxed(&slab_trimmed, port_second() - 1);
			slab_trim();
		}
	}
	return NULL;
}

static void test_exchange(void **state)
{
	static const size_t size[] = { 8, 520, 4368 };
	struct test_random random[4];
	pthread_t thread[4];
	size_t base = base_now(), live = 0, total = 0;

	(void)state;
	shared.group = group_make(NULL, NULL);
	for (size_t i = 0; i < 3; i++)
		shared.slab[i] =
			slab_make(size[i], 0, i ? WANE_SLAB_CHARGED : 0);
	for (size_t i = 0; i < ARRAY_SIZE(thread); i++) {
		random[i].state = test_seed() + i;
		pthread_create(&thread[i], NULL, exchange, &random[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(thread); i++)
		pthread_join(thread[i], NULL);
	for (size_t i = 0; i < NR_SLOTS; i++)
		live += shared.slot[i] > 3;
	for (size_t i = 0; i < 3; i++) {
		slab_assert_valid(shared.slab[i]);
		total += info_of(shared.slab[i]).active;
	}
	assert_int_equal(total, live);
	for (size_t i = 0; i < NR_SLOTS; i++)
		slot_free(shared.slot[i]);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(wane_slab_destroy(shared.slab[i]), 0);
	wane_group_put(shared.group);
	assert_int_equal(base_now(), base);
}

/* ---- Pages are given back while others take them ---------------------------------------- */

#define NR_LARGE 120

/* Each round leaves more free chunks than may keep their pages, in all. */
static void *fill_and_empty(void *arg)
{
	struct wane_slab *slab = arg;
	size_t *object[NR_LARGE];

	for (size_t round = 0; round < 300; round++) {
		for (size_t i = 0; i < NR_LARGE; i++) {
			object[i] = wane_slab_alloc(slab, NULL, 0);
			*object[i] = (size_t)object[i] + round;
		}
		for (size_t i = 0; i < NR_LARGE; i++) {
			if (*object[i] != (size_t)object[i] + round)
				abort();
			wane_slab_free(slab, object[i]);
		}
	}
	return NULL;
}

static void test_discard(void **state)
{
	static const size_t size[] = { 60000, 33000, 17000, 9000 };
	struct wane_slab *slab[4];
	pthread_t thread[4];
	size_t base = base_now();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(thread); i++) {
		slab[i] = slab_make(size[i], 0, 0);
		pthread_create(&thread[i], NULL, fill_and_empty, slab[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(thread); i++)
		pthread_join(thread[i], NULL);
	for (size_t i = 0; i < ARRAY_SIZE(thread); i++) {
		slab_assert_valid(slab[i]);
		assert_int_equal(wane_slab_destroy(slab[i]), 0);
	}
	assert_int_equal(base_now(), base);
}

/* ---- Allocations that fail ------------------------------------------------------------- */

/*
 * Nine runs of charged and constructed objects, more than a region has.  When
 * an allocation fails, all objects taken before are intact and can be given
 * back, and nothing else is taken or charged.
 */
static int grow(void *arg)
{
	struct wane_group *group = arg;
	struct wane_slab *slab;
	uint64_t *object[70];
	size_t nr = 0;

	slab_drain_all();
	if (slab_try_make(&slab, 60000, 0, WANE_SLAB_CHARGED, stay_zero))
		return -ENOMEM;
	while (nr < ARRAY_SIZE(object)) {
		object[nr] = wane_slab_alloc(slab, group, 0);
		slab_assert_valid(slab);
		if (!object[nr])
			break;
		assert_int_equal(*object[nr], 0);
		assert_ptr_equal(wane_slab_group(object[nr]), group);
		nr++;
	}
	assert_int_equal(info_of(slab).active, nr);
	stock_drain(NULL);
	assert_int_equal(wane_group_usage(group), nr * wane_slab_charge(slab));
	for (size_t i = 0; i < nr; i++)
		wane_slab_free(slab, object[i]);
	stock_drain(NULL);
	assert_int_equal(wane_group_usage(group), 0);
	assert_int_equal(info_of(slab).active, 0);
	slab_assert_valid(slab);
	assert_int_equal(wane_slab_destroy(slab), 0);
	slab_drain_all();
	return nr == ARRAY_SIZE(object) ? 0 : -ENOMEM;
}

static void test_faults(void **state)
{
	struct wane_group *group = group_make(NULL, NULL);

	(void)state;
	/* The slab, directory, magazine, a region at least, the runs' books. */
	assert_true(test_fault_loop(grow, group) >= 2 * 13);
	wane_group_put(group);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_handed_over),
		cmocka_unit_test(test_destroy_behind_threads),
		cmocka_unit_test(test_exchange),
		cmocka_unit_test(test_discard),
		cmocka_unit_test(test_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
