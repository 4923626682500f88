/* SPDX-License-Identifier: MIT */
/*
 * Shrinkers as they are called: by whom, until when, and while others sleep.
 */
#include "with_root.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

/* ---- A callback that sleeps ----------------------------------------------------------- */

static struct {
	bool entered;
	bool may_leave;
	bool left;
	bool destroyed;
} nap; /* atomic */

static void wait_for(bool *flag)
{
	while (!load_acquire(flag))
		sched_yield();
}

static long scan_slowly(void *arg, struct wane_shrink *sc)
{
	long freed;

	store_release(&nap.entered, true);
	wait_for(&nap.may_leave);
	freed = cache_scan(arg, sc);
	store_release(&nap.left, true);
	return freed;
}

static const struct wane_shrinker_ops slow = {
	.size = sizeof(slow),
	.scan = scan_slowly,
};

static void *reclaim_group_in_thread(void *group)
{
	wane_group_reclaim(group, WANE_ALL);
	return NULL;
}

static void *destroy_in_thread(void *shrinker)
{
	wane_shrinker_destroy(shrinker);
	if (!load_acquire(&nap.left))
		abort();
	store_release(&nap.destroyed, true);
	return NULL;
}

static void start_thread(pthread_t *thread, void *(*fn)(void *), void *arg)
{
	assert_int_equal(pthread_create(thread, NULL, fn, arg), 0);
}

/* A reclaimer sleeps in the callback of @cache when it returns. */
static void fall_asleep(struct cache *cache, struct wane_group *group,
			pthread_t *thread)
{
	memset(&nap, 0, sizeof(nap));
	cache_create(cache, EXACT, &slow);
	wane_shrinker_start(cache->shrinker);
	cache_fill(cache, group, 1);
	start_thread(thread, reclaim_group_in_thread, group);
	wait_for(&nap.entered);
}

/* Bugs 12 to 14, invariant 24: all of this returns while it sleeps. */
static void test_others_do_not_wait(void **state)
{
	struct wane_group *group = group_make(root, "a");
	struct wane_group *other;
	struct cache asleep, cache;
	pthread_t thread;

	(void)state;
	fall_asleep(&asleep, group, &thread);
	cache_open(&cache, EXACT);
	other = group_make(group, "b");
	cache_fill(&cache, group, 10);
	cache_fill(&cache, other, 10);
	assert_int_equal(wane_group_reclaim(other, WANE_ALL), 10 * EXACT);
	cache_fill(&asleep, other, 1);
	assert_int_equal(wane_group_retire(other), 0);
	wane_group_put(other);
	cache_empty(&cache, group);
	cache_close(&cache);
	wane_barrier();
	assert_false(load_acquire(&nap.left));
	store_release(&nap.may_leave, true);
	pthread_join(thread, NULL);
	cache_empty(&asleep, group);
	cache_close(&asleep);
	wane_group_put(group);
}

/* Invariant 13: it has returned when destroy does. */
static void test_destroy_waits_for_its_own(void **state)
{
	struct wane_group *group = group_make(root, "a");
	struct cache asleep;
	pthread_t reclaimer, destroyer;

	(void)state;
	fall_asleep(&asleep, group, &reclaimer);
	start_thread(&destroyer, destroy_in_thread, asleep.shrinker);
	for (int i = 0; i < 1000; i++)
		sched_yield();
	assert_false(load_acquire(&nap.destroyed));
	store_release(&nap.may_leave, true);
	pthread_join(reclaimer, NULL);
	pthread_join(destroyer, NULL);
	cache_empty(&asleep, group);
	wane_lru_destroy(asleep.lru);
	wane_group_put(group);
}

/* ---- Attach: what a cache keeps in something else than an lru -------------------------- */

struct own {
	struct wane_group *group; /* who is asked about */
	long held[WANE_MAX_NODES];
	long counts[WANE_MAX_NODES];
	long answer; /* of count, when not 0 */
};

static long own_count(void *cache, struct wane_shrink *sc)
{
	struct own *own = cache;

	assert_ptr_equal(sc->group, own->group);
	own->counts[sc->node]++;
	return own->answer ? own->answer : own->held[sc->node];
}

static long own_scan(void *cache, struct wane_shrink *sc)
{
	struct own *own = cache;
	long freed = min_of((long)sc->to_scan, own->held[sc->node]);

	assert_ptr_equal(sc->group, own->group);
	own->held[sc->node] -= freed;
	return freed;
}

static struct wane_shrinker *make_own(struct own *own, struct wane_group *group)
{
	const struct wane_shrinker_ops ops = {
		.size = sizeof(ops),
		.count = own_count,
		.scan = own_scan,
		.batch = 1,
	};
	struct wane_shrinker *shrinker;

	*own = (struct own){ .group = group };
	assert_int_equal(wane_shrinker_create(&shrinker, &ops, own), 0);
	assert_int_equal(wane_shrinker_start(shrinker), 0);
	return shrinker;
}

static void forget_counts(struct own *own)
{
	memset(own->counts, 0, sizeof(own->counts));
}

/* Invariant 4: count says 0, and it is not asked again until attached. */
static void test_attach(void **state)
{
	struct wane_group *group = group_make(root, "a");
	struct own own;
	struct wane_shrinker *shrinker = make_own(&own, group);

	(void)state;
	own.held[0] = 10;
	wane_group_reclaim(root, WANE_ALL);
	assert_int_equal(own.counts[0], 0); /* not told of yet */
	for (int round = 0; round < 3; round++) {
		own.held[0] = 10;
		own.held[wane_nodes() - 1] = 10;
		forget_counts(&own);
		assert_int_equal(wane_shrinker_attach(shrinker, group), 0);
		wane_group_reclaim(root, WANE_ALL);
		assert_int_equal(own.held[0], 0);
		assert_int_equal(own.held[wane_nodes() - 1], 0);
		wane_group_reclaim(root, WANE_ALL); /* hears of 0 at last */
		for (int node = 0; node < wane_nodes(); node++)
			assert_true(own.counts[node] > 0);
		forget_counts(&own);
		wane_group_reclaim(root, WANE_ALL);
		for (int node = 0; node < wane_nodes(); node++)
			assert_int_equal(own.counts[node], 0);
	}
	wane_shrinker_destroy(shrinker);
	wane_group_put(group);
}

/* Invariant 26, bug 40: what is no sensible answer means: ask again. */
static void test_answers_that_mean_ask_again(void **state)
{
	static const long answers[] = { -EAGAIN, -1, LONG_MIN, LONG_MAX,
					LONG_MAX / 4 + 1 };
	struct own own;
	struct wane_shrinker *shrinker = make_own(&own, root);

	(void)state;
	assert_int_equal(wane_shrinker_attach(shrinker, root), 0);
	for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
		own.answer = answers[i];
		own.held[0] = 10;
		forget_counts(&own);
		wane_group_reclaim(root, WANE_ALL);
		assert_int_equal(own.held[0], 10);
		assert_true(own.counts[0] > 0);
	}
	own.answer = 0;
	wane_group_reclaim(root, WANE_ALL);
	assert_int_equal(own.held[0], 0);
	wane_shrinker_destroy(shrinker);
}

/* The bit moves with the group, though there is no list that shows it. */
static void test_attached_group_retires(void **state)
{
	struct wane_group *group = group_make(root, "a");
	struct own own;
	struct wane_shrinker *shrinker = make_own(&own, root);

	(void)state;
	assert_int_equal(wane_shrinker_attach(shrinker, group), 0);
	assert_int_equal(wane_group_retire(group), 0);
	own.held[0] = 10;
	wane_group_reclaim(root, WANE_ALL);
	assert_int_equal(own.held[0], 0);
	/* Attached when retired: its living ancestor is. */
	wane_group_reclaim(root, WANE_ALL);
	own.held[0] = 10;
	assert_int_equal(wane_shrinker_attach(shrinker, group), 0);
	wane_group_reclaim(root, WANE_ALL);
	assert_int_equal(own.held[0], 0);
	wane_shrinker_destroy(shrinker);
	wane_group_put(group);
}

static void test_attached_group_without_bit_retires(void **state)
{
	struct wane_group *group = group_make(root, "a");
	struct own own;
	struct wane_shrinker *shrinker = make_own(&own, group);

	(void)state;
	assert_int_equal(wane_shrinker_attach(shrinker, group), 0);
	wane_group_reclaim(root, WANE_ALL); /* none: the bit is cleared */
	assert_int_equal(wane_group_retire(group), 0);
	forget_counts(&own);
	wane_group_reclaim(root, WANE_ALL);
	assert_int_equal(own.counts[0], 0);
	wane_shrinker_destroy(shrinker);
	wane_group_put(group);
}

/* ---- How much is asked for ------------------------------------------------------------- */

/* At a light pressure, by cost: 1 of 1,000 objects. */
static size_t freed_at_cost(int cost)
{
	struct wane_shrinker_ops ops = {
		.size = sizeof(ops),
		.cost = cost,
		.batch = 1,
	};
	struct cache cache;
	size_t freed;

	cache_open_with(&cache, EXACT, &ops);
	cache_fill(&cache, root, 1000);
	freed = wane_group_reclaim(root, EXACT) / EXACT;
	cache_empty(&cache, root);
	cache_close(&cache);
	return freed;
}

static void test_dearer_is_asked_for_less(void **state)
{
	(void)state;
	assert_int_equal(freed_at_cost(WANE_COST_NONE), 500);
	assert_int_equal(freed_at_cost(0), freed_at_cost(2));
	assert_true(freed_at_cost(1) >= freed_at_cost(2));
	assert_true(freed_at_cost(2) < 10);
	assert_true(freed_at_cost(2) > 0);
}

static size_t asked_most;
static size_t asked_least;

static long scan_and_note(void *arg, struct wane_shrink *sc)
{
	asked_most = max_of(asked_most, sc->to_scan);
	asked_least = min_of(asked_least, sc->to_scan);
	assert_int_equal(sc->scanned, sc->to_scan); /* as the header says */
	return cache_scan(arg, sc);
}

static void test_batch(void **state)
{
	static const size_t batches[] = { 0, 1, 7, 128 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(batches); i++) {
		struct wane_shrinker_ops ops = {
			.size = sizeof(ops),
			.scan = scan_and_note,
			.batch = batches[i],
		};
		struct cache cache;

		cache_open_with(&cache, EXACT, &ops);
		cache_fill(&cache, root, 1000);
		asked_most = 0;
		asked_least = SIZE_MAX;
		wane_group_reclaim(root, 200 * EXACT);
		assert_int_equal(asked_most, batches[i] ? batches[i] : 128);
		assert_int_equal(asked_least, asked_most);
		cache_empty(&cache, root);
		cache_close(&cache);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ROOT_TEST(test_others_do_not_wait),
		ROOT_TEST(test_destroy_waits_for_its_own),
		ROOT_TEST(test_attach),
		ROOT_TEST(test_answers_that_mean_ask_again),
		ROOT_TEST(test_attached_group_retires),
		ROOT_TEST(test_attached_group_without_bit_retires),
		ROOT_TEST(test_dearer_is_asked_for_less),
		ROOT_TEST(test_batch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
