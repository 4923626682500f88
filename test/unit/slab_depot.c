/* SPDX-License-Identifier: MIT */
/*
 * Depots: objects that go from thread to thread without their runs, and back
 * to them.
 */
#include "slab.h"

#include <pthread.h>
#include <stdlib.h>

/* More than a depot and two magazines have. */
#define NR_OBJECTS 1400

static struct wane_slab *slab;
static void *object[NR_OBJECTS];
static size_t base;

static int make_slab(void **state)
{
	(void)state;
	base = base_now();
	slab = slab_make(72, 0, 0);
	return 0;
}

static int destroy_slab(void **state)
{
	(void)state;
	assert_int_equal(wane_slab_destroy(slab), 0);
	assert_base(base);
	return 0;
}

static void take(size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		object[i] = wane_slab_alloc(slab, NULL, 0);
		assert_non_null(object[i]);
	}
}

static void give(size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		wane_slab_free(slab, object[i]);
}

/* In the depots of all nodes. */
static size_t in_depots(void)
{
	size_t nr = 0;

	for (int node = 0; node < wane_nodes(); node++)
		nr += slab->home[node].depot.nr;
	return nr;
}

static struct slab_depot *depot_here(void)
{
	return &slab->home[wane_node_current()].depot;
}

static void check(size_t active)
{
	slab_assert_valid(slab);
	assert_int_equal(info_of(slab).active, active);
}

static void run_thread(void *(*fn)(void *), void *arg)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, fn, arg), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

/* ---- From thread to thread --------------------------------------------------- */

static void *give_all(void *unused)
{
	give(NR_OBJECTS);
	return unused;
}

static int compare(const void *a, const void *b)
{
	uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;

	return (x > y) - (x < y);
}

/* What one thread has given, another takes, and no run is asked for it. */
static void test_handed_over(void **state)
{
	size_t nr = slab->depot;
	void **given = calloc(nr, sizeof(*given));
	size_t total, untouched;

	(void)state;
	take(NR_OBJECTS);
	total = info_of(slab).total;
	run_thread(give_all, NULL);
	check(0);
	assert_int_equal(in_depots(), nr);
	/* The magazine of this thread has some: they come first. */
	slab_magazine_flush(slab);
	for (size_t i = 0; i < nr; i++)
		given[i] = depot_here()->object[i];
	qsort(given, nr, sizeof(*given), compare);

	untouched = slab->home[wane_node_current()].nr_used;
	take(nr);
	check(nr);
	assert_int_equal(in_depots(), 0);
	assert_int_equal(slab->home[wane_node_current()].nr_used, untouched);
	assert_true(info_of(slab).total <= total);
	qsort(object, nr, sizeof(*object), compare);
	assert_memory_equal(object, given, nr * sizeof(*given));
	give(nr);
	check(0);
	free(given);
}

/* One thread's own, again and again: the runs stay as they are. */
static void test_batches(void **state)
{
	size_t nr = slab->depot, used;

	(void)state;
	take(nr);
	give(nr);
	check(0);
	used = slab->home[wane_node_current()].nr_used;
	for (int i = 0; i < 10; i++) {
		take(nr / 2);
		check(nr / 2);
		give(nr / 2);
		check(0);
		assert_int_equal(slab->home[wane_node_current()].nr_used, used);
	}
}

/* What there is no room for goes to the runs. */
static void test_bounds(void **state)
{
	static const size_t size[] = { 8, 520, 4368, 60000, 65536 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(size); i++) {
		struct wane_slab *kept = slab;
		size_t nr;

		slab = slab_make(size[i], 0, 0);
		nr = slab->depot + slab->magazine + 10;
		assert_in_range(slab->depot, 1, 1024);
		assert_true(slab->depot * size[i] <= WANE_SLAB_DEPOT);
		take(nr);
		give(nr);
		check(0);
		assert_int_equal(in_depots(), slab->depot);
		assert_int_equal(wane_slab_destroy(slab), 0);
		slab = kept;
	}
}

/* ---- Memory ------------------------------------------------------------------- */

static void test_shrink(void **state)
{
	struct wane_slab_info info;

	(void)state;
	take(NR_OBJECTS);
	give(NR_OBJECTS);
	info = info_of(slab);
	assert_int_equal(info.active, 0);
	assert_true(info.bytes > 0 && in_depots() > 0);
	assert_int_equal(wane_slab_shrink(slab),
			 info.total / info.slab_objects * info.slab_bytes);
	check(0);
	assert_int_equal(info_of(slab).bytes, 0);
	assert_null(depot_here()->object);
	assert_int_equal(wane_slab_shrink(slab), 0);
}

static void test_destroy_full(void **state)
{
	struct wane_slab *full = slab_make(500, 0, WANE_SLAB_CHARGED);
	struct wane_slab *kept = slab;

	(void)state;
	slab = full;
	take(NR_OBJECTS);
	give(NR_OBJECTS - 1);
	assert_int_equal(in_depots(), slab->depot);
	assert_int_equal(wane_slab_destroy(slab), -EBUSY);
	check(1);
	wane_slab_free(slab, object[NR_OBJECTS - 1]);
	check(0);
	assert_int_equal(in_depots(), slab->depot);
	assert_int_equal(wane_slab_destroy(slab), 0);
	slab = kept;
}

/* ---- Trims -------------------------------------------------------------------- */

/* As if the last one was long ago. */
static void trim(void)
{
	store_relaxed(&slab_trimmed, port_second() - 1);
	slab_trim();
}

/* What it held throughout goes, and the rest stays. */
static void test_working_set(void **state)
{
	size_t full = slab->depot, half = full / 2;
	struct slab_home *home = &slab->home[wane_node_current()];
	size_t used;

	(void)state;
	take(NR_OBJECTS);
	give(NR_OBJECTS);
	trim();
	assert_int_equal(in_depots(), full);
	check(0);

	slab_magazine_flush(slab);
	take(half);
	give(half);
	half = home->depot.least;
	assert_in_range(half, 1, full - 1);
	full = in_depots();
	used = home->nr_used;
	trim();
	assert_int_equal(in_depots(), full - half);
	assert_int_equal(home->nr_used, used - half);
	check(0);

	/* Nothing was taken since. */
	trim();
	assert_int_equal(in_depots(), 0);
	assert_null(home->depot.object);
	check(0);
}

/* Those that were given first are the ones that go. */
static void test_oldest(void **state)
{
	struct slab_depot *depot = depot_here();
	void *newest;

	(void)state;
	take(NR_OBJECTS);
	give(NR_OBJECTS);
	newest = depot->object[depot->nr - 1];
	depot->least = depot->nr - 1;
	trim();
	assert_int_equal(depot->nr, 1);
	assert_ptr_equal(depot->object[0], newest);
	check(0);
}

static void test_reclaim_trims(void **state)
{
	struct wane_group *group = group_make(NULL, NULL);
	unsigned int now;

	(void)state;
	take(NR_OBJECTS);
	give(NR_OBJECTS);
	trim();
	store_relaxed(&slab_trimmed, port_second() - 1);
	assert_int_equal(wane_group_reclaim(group, 1), 0);
	assert_int_equal(in_depots(), 0);
	check(0);

	take(NR_OBJECTS);
	give(NR_OBJECTS);
	trim();
	/* In the second of a trim there is no other one. */
	now = load_relaxed(&slab_trimmed);
	wane_reclaim_all();
	if (load_relaxed(&slab_trimmed) == now)
		assert_int_equal(in_depots(), slab->depot);
	store_relaxed(&slab_trimmed, port_second() - 1);
	wane_reclaim_all();
	assert_int_equal(in_depots(), 0);
	check(0);
	wane_group_put(group);
}

/* ---- No memory ------------------------------------------------------------------ */

/* Without memory for a depot the runs take everything. */
static void test_fault(void **state)
{
	(void)state;
	take(NR_OBJECTS);
	fault_inject(1, true);
	give(NR_OBJECTS);
	assert_true(fault_happened());
	fault_inject(0, false);
	check(0);
	assert_int_equal(in_depots(), 0);
	assert_null(depot_here()->object);
	take(NR_OBJECTS);
	give(NR_OBJECTS);
	check(0);
	assert_int_equal(in_depots(), slab->depot);
}

/* ---- At once ------------------------------------------------------------------- */

#define NR_ROUNDS 3000
#define NR_TAKEN 40

static bool over;

static void *take_and_give(void *unused)
{
	void *taken[NR_TAKEN];

	for (int round = 0; round < NR_ROUNDS; round++) {
		for (size_t i = 0; i < NR_TAKEN; i++) {
			taken[i] = wane_slab_alloc(slab, NULL, 0);
			*(void **)taken[i] = taken[i];
		}
		for (size_t i = 0; i < NR_TAKEN; i++) {
			if (*(void **)taken[i] != taken[i])
				abort();
			wane_slab_free(slab, taken[i]);
		}
	}
	return unused;
}

static void *shrink_often(void *unused)
{
	while (!load_acquire(&over))
		wane_slab_shrink(slab);
	return unused;
}

/* An array goes while others hand objects over, or look at it. */
static void race_with(void *(*other)(void *))
{
	struct wane_slab *kept = slab;
	pthread_t thread[3], third;

	slab = slab_make(4000, 0, 0); /* small magazines */
	over = false;
	for (size_t i = 0; i < ARRAY_SIZE(thread); i++)
		pthread_create(&thread[i], NULL, take_and_give, NULL);
	pthread_create(&third, NULL, other, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(thread); i++)
		pthread_join(thread[i], NULL);
	store_release(&over, true);
	pthread_join(third, NULL);
	check(0);
	assert_int_equal(wane_slab_destroy(slab), 0);
	slab = kept;
}

static void *trim_often(void *unused)
{
	while (!load_acquire(&over))
		trim();
	return unused;
}

static void test_shrink_race(void **state)
{
	(void)state;
	race_with(shrink_often);
}

static void test_trim_race(void **state)
{
	(void)state;
	race_with(trim_often);
}

/* The next trim takes all. */
static void make_idle(void)
{
	struct slab_home *home = &slab->home[wane_node_current()];

	lock_take(&home->lock);
	home->depot.least = home->depot.nr;
	lock_drop(&home->lock);
}

/*
 * A slab with a full depot is counted and goes, each time with a trim on its
 * way: that has neither objects in its hands nor a slab that is gone.
 */
static void test_trim_destroy(void **state)
{
	struct wane_slab *kept = slab;
	pthread_t thread;

	(void)state;
	over = false;
	pthread_create(&thread, NULL, trim_often, NULL);
	for (int round = 0; round < 2000; round++) {
		slab = slab_make(100, 0, 0);
		take(200);
		give(200);
		make_idle();
		/* Sooner or later the trim is in the midst of it. */
		for (int i = 0; i < round % 200; i++)
			cpu_relax();
		assert_int_equal(info_of(slab).active, 0);
		assert_int_equal(wane_slab_destroy(slab), 0);
	}
	store_release(&over, true);
	pthread_join(thread, NULL);
	slab = kept;
}

#define depot_test(test) \
	cmocka_unit_test_setup_teardown(test, make_slab, destroy_slab)

int main(void)
{
	const struct CMUnitTest tests[] = {
		depot_test(test_handed_over),  depot_test(test_batches),
		depot_test(test_bounds),       depot_test(test_shrink),
		depot_test(test_destroy_full), depot_test(test_fault),
		depot_test(test_shrink_race),  depot_test(test_trim_race),
		depot_test(test_trim_destroy), depot_test(test_working_set),
		depot_test(test_oldest),       depot_test(test_reclaim_trims),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
