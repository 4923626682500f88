/* SPDX-License-Identifier: MIT */
/*
 * Calls recorded in a Linux kernel, played again: see data/README.md.
 *
 *	vectors FILE
 *
 * Each line is replayed twice: by the three functions of the arithmetic, and
 * by a real shrinker whose callbacks answer what the recorded one did.
 */
#include "cache.h"

#include <stdio.h>
#include <string.h>

#include "scan.h"

#define LINES 8341

static const char *path;

struct line {
	unsigned int seeks;
	long batch;
	int priority;
	long deferred;
	long freeable;
	long delta;
	long total;
	long freed;
	long new_deferred;
	long last_total;
	long scanned;
};

/* The columns of a line, by their number in the file. */
static void read_columns(char *text, long *column, int nr)
{
	for (int i = 0; i < nr; i++) {
		char *end = strchr(text, '\t');

		column[i] = strtol(text, NULL, 10);
		assert_non_null(end);
		text = end + 1;
	}
}

static struct line read_line(char *text)
{
	long column[17];

	read_columns(text, column, 17);
	assert_int_equal(column[11] - column[15], column[16]);
	return (struct line){
		.seeks = (unsigned int)column[2],
		.batch = column[3],
		.priority = (int)column[7],
		.deferred = column[8],
		.freeable = column[9],
		.delta = column[10],
		.total = column[11],
		.freed = column[12],
		.new_deferred = column[14],
		.last_total = column[15],
		.scanned = column[16],
	};
}

/* Run @fn over all lines; returns how many there were. */
static int for_each_line(void (*fn)(const struct line *line))
{
	FILE *file = fopen(path, "r");
	char text[512];
	int nr = 0;

	if (!file)
		fail_msg("%s cannot be read", path);
	assert_non_null(fgets(text, sizeof(text), file)); /* the titles */
	while (fgets(text, sizeof(text), file)) {
		const struct line line = read_line(text);

		fn(&line);
		nr++;
	}
	fclose(file);
	return nr;
}

/* ---- The arithmetic --------------------------------------------------------------- */

static void compute(const struct line *line)
{
	long delta = scan_delta(line->freeable, line->priority, line->seeks);

	assert_int_equal(delta, line->delta);
	assert_int_equal(scan_total(line->deferred, delta, line->freeable,
				    line->priority),
			 line->total);
	assert_int_equal(scan_leftover(line->deferred, delta, line->scanned,
				       line->freeable),
			 line->new_deferred);
}

static void test_arithmetic(void **state)
{
	(void)state;
	assert_int_equal(for_each_line(compute), LINES);
}

/* ---- A shrinker that plays a line ---------------------------------------------------- */

static struct wane_group *group;

static struct player {
	struct cache cache;
	const struct line *line;
	long left; /* of line->scanned */
	long freed; /* of line->freed */
} player;

static long play_count(void *cache, struct wane_shrink *sc)
{
	(void)cache, (void)sc;
	return player.line->freeable;
}

/*
 * The recorded sum alone is known: so the first call scans what is more than
 * whole batches, each further one a batch, and then it refuses.
 */
static long play_scan(void *cache, struct wane_shrink *sc)
{
	long nr = player.left % player.line->batch;
	long freed = player.freed;

	(void)cache;
	if (player.left == 0)
		return -EAGAIN;
	if (nr == 0)
		nr = player.line->batch;
	assert_true((long)sc->to_scan >= nr);
	player.left -= nr;
	player.freed = 0;
	sc->scanned = (size_t)nr;
	return freed;
}

static void play(const struct line *line)
{
	const struct wane_shrinker_ops ops = {
		.size = sizeof(ops),
		.count = play_count,
		.scan = play_scan,
		.batch = (size_t)line->batch,
		.cost = line->seeks ? (int)line->seeks : WANE_COST_NONE,
	};
	struct shrinker_share share;

	cache_create(&player.cache, EXACT, &ops);
	wane_shrinker_start(player.cache.shrinker);
	assert_int_equal(wane_lru_prepare(player.cache.lru, group), 0);
	player.line = line;
	player.left = line->scanned;
	player.freed = line->freed;

	share = share_of(player.cache.lru, group);
	share_set(&share, 0);
	share_add_deferred(&share, 0, line->deferred);
	assert_int_equal(scan_group(group, 0, line->priority, 0), line->freed);
	assert_int_equal(player.left, 0);
	assert_int_equal(share_take_deferred(&share, 0), line->new_deferred);
	cache_close(&player.cache);
}

static void test_shrinker(void **state)
{
	size_t base = base_now();

	(void)state;
	group = group_make(NULL, NULL);
	assert_int_equal(for_each_line(play), LINES);
	wane_group_put(group);
	assert_base(base);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arithmetic),
		cmocka_unit_test(test_shrinker),
	};

	if (argc != 2) {
		fprintf(stderr, "usage: vectors FILE\n");
		return 2;
	}
	path = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
