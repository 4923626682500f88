/* SPDX-License-Identifier: MIT */
/*
 * How much is asked for: the arithmetic at its edges, and what is deferred.
 */
#include "with_group.h"

#include <limits.h>
#include <pthread.h>

#include "scan.h"

#define COUNT_MAX (LONG_MAX / 4)

/* ---- Arithmetic ------------------------------------------------------------------------ */

static void test_delta(void **state)
{
	(void)state;
	assert_int_equal(scan_delta(1000, 3, 2), 250);
	assert_int_equal(scan_delta(1000, 0, 2), 2000);
	assert_int_equal(scan_delta(4096, 12, 2), 2);
	assert_int_equal(scan_delta(4095, 12, 2), 0);
	assert_int_equal(scan_delta(1000, 3, 3), 166);
	assert_int_equal(scan_delta(1000, 3, 1000), 0);
	/* What costs nothing to build again: half of it, at each priority. */
	assert_int_equal(scan_delta(1001, 12, 0), 500);
	assert_int_equal(scan_delta(1, 0, 0), 0);
	/* The largest count there is. */
	assert_int_equal(scan_delta(COUNT_MAX, 0, 1), COUNT_MAX * 4);
	assert_int_equal(scan_delta(COUNT_MAX, 0, UINT_MAX),
			 COUNT_MAX * 4 / UINT_MAX);
}

static void test_total(void **state)
{
	(void)state;
	assert_int_equal(scan_total(400, 250, 1000, 3), 300);
	assert_int_equal(scan_total(4095, 0, 1000, 12), 0);
	assert_int_equal(scan_total(4096, 0, 1000, 12), 1);
	assert_int_equal(scan_total(5000, 0, 1000, 0), 2000); /* twice */
	assert_int_equal(scan_total(0, 2000, 1000, 0), 2000);
	assert_int_equal(scan_total(LONG_MAX / 2, COUNT_MAX * 4, COUNT_MAX, 0),
			 COUNT_MAX * 2);
	assert_int_equal(scan_total(LONG_MAX, COUNT_MAX * 4, 1, 0), 2);
}

static void test_leftover(void **state)
{
	(void)state;
	assert_int_equal(scan_leftover(400, 250, 256, 1000), 394);
	assert_int_equal(scan_leftover(0, 250, 256, 1000), 0);
	assert_int_equal(scan_leftover(0, 250, 250, 1000), 0);
	assert_int_equal(scan_leftover(5000, 250, 0, 1000), 2000);
	assert_int_equal(scan_leftover(0, 1, COUNT_MAX, 1), 0);
	assert_int_equal(scan_leftover(LONG_MAX / 2, COUNT_MAX * 4, 0,
				       COUNT_MAX),
			 COUNT_MAX * 2);
	assert_int_equal(scan_leftover(LONG_MAX, COUNT_MAX * 4, 0, 1), 2);
}

/* ---- A shrinker that plays what it is told ---------------------------------------------- */

struct player {
	struct cache cache;
	long count; /* its answer */
	long freed; /* of scan: its answer */
	size_t scanned; /* what it says; KEEP: what it was asked */
	int counts;
	int scans;
	size_t asked; /* over all calls */
	size_t asked_last;
	long count_next; /* from the second count on, when not NONE */
};

#define KEEP SIZE_MAX
#define NONE LONG_MIN

static long play_count(void *arg, struct wane_shrink *sc)
{
	struct player *p = container_of(arg, struct player, cache);

	assert_ptr_equal(sc->group, group);
	p->counts++;
	if (p->counts > 1 && p->count_next != NONE)
		return p->count_next;
	return p->count;
}

static long play_scan(void *arg, struct wane_shrink *sc)
{
	struct player *p = container_of(arg, struct player, cache);

	assert_int_equal(sc->scanned, sc->to_scan);
	p->scans++;
	assert_true(p->scans <= 1000000); /* bounded */
	p->asked += sc->to_scan;
	p->asked_last = sc->to_scan;
	if (p->scanned != KEEP)
		sc->scanned = p->scanned;
	return p->freed;
}

static void player_start(struct player *p, size_t batch, int cost)
{
	const struct wane_shrinker_ops ops = {
		.size = sizeof(ops),
		.count = play_count,
		.scan = play_scan,
		.batch = batch,
		.cost = cost,
	};

	*p = (struct player){ .scanned = KEEP, .count_next = NONE };
	cache_open_with(&p->cache, EXACT, &ops);
	assert_int_equal(wane_lru_prepare(p->cache.lru, group), 0);
}

/* Ask it once, with its bit set. */
static size_t play(struct player *p, int priority)
{
	const struct shrinker_share share = share_of(p->cache.lru, group);

	share_set(&share, 0);
	p->counts = p->scans = 0;
	p->asked = 0;
	return scan_group(group, 0, priority, 0);
}

static long player_deferred(struct player *p)
{
	return deferred(p->cache.lru, group, 0);
}

/* Bug 42: a cache smaller than a batch is scanned at priority 0. */
static void test_batch_larger_than_freeable(void **state)
{
	struct player p;

	(void)state;
	player_start(&p, 128, 0);
	p.count = 100;
	p.freed = 1;
	assert_int_equal(play(&p, 2), 0); /* 50: too little for a call */
	assert_int_equal(p.scans, 0);
	assert_int_equal(player_deferred(&p), 50);
	/* 250, but not over 200; the last 72 are neither a batch nor all. */
	assert_int_equal(play(&p, 0), 1);
	assert_int_equal(p.asked, 128);
	assert_int_equal(player_deferred(&p), 122);
	cache_close(&p.cache);
}

/* Bug 41: light pressure on a small cache adds up, and is not lost. */
static void test_light_pressure_adds_up(void **state)
{
	struct player p;
	int rounds = 0;

	(void)state;
	player_start(&p, 128, 0);
	p.count = 200;
	p.freed = 0;
	do {
		play(&p, 2); /* 100 each time */
		rounds++;
	} while (p.scans == 0 && rounds < 100);
	assert_int_equal(rounds, 3); /* 100, 125, 150 */
	cache_close(&p.cache);
}

static void test_exact_batches(void **state)
{
	struct player p;

	(void)state;
	player_start(&p, 128, 0);
	p.count = 1000;
	p.freed = 3;
	add_deferred(p.cache.lru, group, 0, 400);
	assert_int_equal(play(&p, 3), 6); /* the example in scan.c */
	assert_int_equal(p.asked, 256);
	assert_int_equal(player_deferred(&p), 394);
	cache_close(&p.cache);
}

static void test_cost_none(void **state)
{
	struct player p;

	(void)state;
	player_start(&p, 1, WANE_COST_NONE);
	p.count = 100;
	play(&p, 12);
	assert_int_equal(p.asked, 50);
	cache_close(&p.cache);
}

static void test_largest_count(void **state)
{
	struct player p;

	(void)state;
	player_start(&p, COUNT_MAX, 1);
	p.count = COUNT_MAX;
	p.freed = 1;
	add_deferred(p.cache.lru, group, 0, LONG_MAX / 2);
	assert_int_equal(play(&p, 0), 2);
	assert_int_equal(p.asked, (size_t)COUNT_MAX * 2);
	assert_int_equal(player_deferred(&p), COUNT_MAX * 2);
	add_deferred(p.cache.lru, group, 0, -player_deferred(&p));
	assert_int_equal(play(&p, 0), 2);
	cache_close(&p.cache);
}

/* Bug 40, invariant 26: no work, no loss, and asked again. */
static void test_no_sensible_count(void **state)
{
	static const long answers[] = { COUNT_MAX + 1, LONG_MAX, -1, LONG_MIN,
					-EAGAIN };
	struct player p;

	(void)state;
	player_start(&p, 1, 0);
	add_deferred(p.cache.lru, group, 0, 50);
	for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
		p.count = answers[i];
		assert_int_equal(play(&p, 0), 0);
		assert_int_equal(p.counts, 1);
		assert_int_equal(p.scans, 0);
		assert_true(has_bit(p.cache.lru, group, 0));
		assert_int_equal(player_deferred(&p), 50);
	}
	cache_close(&p.cache);
}

/* ---- What scan may answer ------------------------------------------------------------------ */

/* Bug 44: it cannot work now, and is left alone; the work is deferred. */
static void test_scan_refuses(void **state)
{
	struct player p;

	(void)state;
	player_start(&p, 100, 0);
	p.count = 1000;
	p.freed = -EAGAIN;
	assert_int_equal(play(&p, 1), 0);
	assert_int_equal(p.scans, 1);
	assert_int_equal(player_deferred(&p), 1000);
	assert_int_equal(play(&p, 0), 0);
	assert_int_equal(p.scans, 1);
	assert_int_equal(player_deferred(&p), 2000); /* not more than twice */
	assert_true(has_bit(p.cache.lru, group, 0));
	/* Once it works again it does what was put off, and no more. */
	p.freed = 100;
	assert_int_equal(play(&p, 0), 2000);
	assert_int_equal(p.asked, 2000);
	assert_int_equal(player_deferred(&p), 2000);
	cache_close(&p.cache);
}

/* It looked at none: that is no progress, whatever else it says. */
static void test_scanned_none(void **state)
{
	struct player p;

	(void)state;
	player_start(&p, 100, 0);
	p.count = 1000;
	p.scanned = 0;
	for (long freed = 0; freed < 2; freed++) {
		long before = player_deferred(&p);

		p.freed = freed;
		assert_int_equal(play(&p, 2), freed);
		assert_int_equal(p.scans, 1);
		assert_int_equal(player_deferred(&p), before + 500);
	}
	cache_close(&p.cache);
}

static void test_scanned_more(void **state)
{
	struct player p;

	(void)state;
	player_start(&p, 100, 0);
	p.count = 1000;
	p.freed = 10;
	p.scanned = 250;
	assert_int_equal(play(&p, 1), 40);
	assert_int_equal(p.asked, 400);
	assert_int_equal(player_deferred(&p), 0);
	p.scanned = KEEP - 1;
	assert_int_equal(play(&p, 1), 10);
	assert_int_equal(player_deferred(&p), 0);
	cache_close(&p.cache);
}

static void test_scanned_less(void **state)
{
	struct player p;

	(void)state;
	player_start(&p, 100, 0);
	p.count = 1000;
	p.freed = 0;
	p.scanned = 50;
	play(&p, 2); /* 500: asked for 100 each time, 50 looked at */
	assert_int_equal(p.scans, 9);
	assert_int_equal(player_deferred(&p), 50);
	cache_close(&p.cache);
}

/* ---- The handshake -------------------------------------------------------------------------- */

/* Invariants 4 and 23: what has nothing is not asked again. */
static void test_empty_is_not_asked_again(void **state)
{
	struct player p;

	(void)state;
	player_start(&p, 1, 0);
	assert_int_equal(play(&p, 0), 0);
	assert_int_equal(p.counts, 2); /* once more after the clear */
	assert_false(has_bit(p.cache.lru, group, 0));
	assert_int_equal(scan_group(group, 0, 0, 0), 0);
	assert_int_equal(p.counts, 2);
	cache_close(&p.cache);
}

/* B1: an item came between the count and the clear. */
static void test_second_count_sets_it_again(void **state)
{
	static const long answers[] = { 7, -EAGAIN, LONG_MAX };
	struct player p;

	(void)state;
	player_start(&p, 1, 0);
	p.freed = 1;
	for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
		p.count_next = answers[i];
		play(&p, 0);
		assert_int_equal(p.counts, 2);
		assert_true(has_bit(p.cache.lru, group, 0));
		assert_int_equal(p.scans > 0, answers[i] == 7);
	}
	cache_close(&p.cache);
}

/* A count of 0 leaves what was deferred where it is. */
static void test_empty_keeps_deferred(void **state)
{
	struct player p;

	(void)state;
	player_start(&p, 1, 0);
	add_deferred(p.cache.lru, group, 0, 30);
	play(&p, 0);
	assert_int_equal(player_deferred(&p), 30);
	cache_close(&p.cache);
}

/* ---- Deferred work: taken once, and none is lost ----------------------------------------------- */

#define THREADS 3

static struct player shared;
static size_t asked_of_shared; /* atomic */

static long refuse_or_take(void *arg, struct wane_shrink *sc)
{
	(void)arg;
	add_relaxed(&asked_of_shared, sc->to_scan);
	return 0;
}

static long count_some(void *arg, struct wane_shrink *sc)
{
	(void)arg, (void)sc;
	return 1024;
}

static void *scan_often(void *arg)
{
	for (int i = 0; i < 5000; i++)
		scan_group(group, 0, 10, 0);
	return arg;
}

/*
 * Bug 37, invariant 10: at priority 10 each pass adds 2, and a batch of 8 is
 * worked off as soon as it is deferred: what was asked and what is left are
 * together what the passes added.
 */
static void test_none_is_lost_and_none_doubled(void **state)
{
	const struct wane_shrinker_ops ops = {
		.size = sizeof(ops),
		.count = count_some,
		.scan = refuse_or_take,
		.batch = 1,
	};
	pthread_t thread[THREADS];
	size_t added = (size_t)THREADS * 5000 * 2;

	(void)state;
	asked_of_shared = 0;
	cache_open_with(&shared.cache, EXACT, &ops);
	cache_fill(&shared.cache, group, 1);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(
			pthread_create(&thread[i], NULL, scan_often, NULL), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	assert_int_equal(asked_of_shared +
				 (size_t)deferred(shared.cache.lru, group, 0),
			 added);
	cache_empty(&shared.cache, group);
	cache_close(&shared.cache);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_delta),
		cmocka_unit_test(test_total),
		cmocka_unit_test(test_leftover),
		GROUP_TEST(test_batch_larger_than_freeable),
		GROUP_TEST(test_light_pressure_adds_up),
		GROUP_TEST(test_exact_batches),
		GROUP_TEST(test_cost_none),
		GROUP_TEST(test_largest_count),
		GROUP_TEST(test_no_sensible_count),
		GROUP_TEST(test_scan_refuses),
		GROUP_TEST(test_scanned_none),
		GROUP_TEST(test_scanned_more),
		GROUP_TEST(test_scanned_less),
		GROUP_TEST(test_empty_is_not_asked_again),
		GROUP_TEST(test_second_count_sets_it_again),
		GROUP_TEST(test_empty_keeps_deferred),
		GROUP_TEST(test_none_is_lost_and_none_doubled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
