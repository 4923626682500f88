// SPDX-License-Identifier: MIT
/*
 * contest_xarray.c - index -> pointer, in three shapes
 *
 *	dense    0 1 2 3 ...              all slots of a leaf in use
 *	single   0 64 128 192 ...         one slot of each leaf in use
 *	sparse   random words             hardly two in one leaf
 *
 * The peers: Judy, which one thread at a time may use, and liburcu's hash
 * table, whose readers need no lock as ours do not, but which has no order and
 * is made as large as it has to be, since it grows in a thread of its own.
 * Entries are stored by one thread.  Loads are in an order that no cache
 * foresees.
 */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include <urcu/urcu-bp.h>
#include <urcu/rculfhash.h>

#include "../src/port.h"
#include "../src/slab_cache.h"
#include "../src/xarray.h"
#include "../tool/random.h"

#include "contest.h"
#include "peers.h"
#include "worker.h"

struct entry {
	struct cds_lfht_node node;
	unsigned long key;
};

enum shape {
	DENSE,
	SINGLE,
	SPARSE,
};

static size_t nr_entries;
static struct entry *entries;
static unsigned long *order; /* the same keys, to look up */
static struct xarray xarray;
static void *judy_array;
static struct cds_lfht *table;

static unsigned long key_of(enum shape shape, size_t i)
{
	if (shape == SPARSE)
		return random_mix(i + 1);
	return shape == SINGLE ? i * XARRAY_SLOTS : i;
}

/* ---- Each structure ------------------------------------------------------------ */

static void fill_xarray(void)
{
	xarray_init(&xarray);
	for (size_t i = 0; i < nr_entries; i++)
		must(xarray_store(&xarray, entries[i].key, &entries[i], NULL),
		     "storing");
}

static void drop_xarray(void)
{
	xarray_destroy(&xarray);
}

static void fill_judy(void)
{
	for (size_t i = 0; i < nr_entries; i++)
		*judy.insert(&judy_array, entries[i].key, NULL) = &entries[i];
}

static void drop_judy(void)
{
	judy.free(&judy_array, NULL);
}

static int match(struct cds_lfht_node *node, const void *key)
{
	return caa_container_of(node, struct entry, node)->key ==
	       *(const unsigned long *)key;
}

static void fill_table(void)
{
	unsigned long buckets = 1;

	while (buckets < nr_entries)
		buckets *= 2;
	table = cds_lfht_new_flavor(buckets, 1, 0, 0, &urcu_bp_flavor, NULL);
	if (!table)
		must(-ENOMEM, "making a hash table");
	for (size_t i = 0; i < nr_entries; i++) {
		struct entry *entry = &entries[i];

		urcu_bp_read_lock();
		cds_lfht_add_unique(table, random_mix(entry->key), match,
				    &entry->key, &entry->node);
		urcu_bp_read_unlock();
	}
}

static void drop_table(void)
{
	struct cds_lfht_iter iter;
	struct cds_lfht_node *node;

	urcu_bp_read_lock();
	cds_lfht_for_each(table, &iter, node) cds_lfht_del(table, node);
	urcu_bp_read_unlock();
	cds_lfht_destroy(table, NULL);
}

/* ---- Load -------------------------------------------------------------------------- */

static void load_xarray(int thread, uint64_t times)
{
	(void)thread;
	for (uint64_t i = 0, at = 0; i < times; i++) {
		rcu_enter();
		keep(xarray_load(&xarray, order[at]));
		rcu_leave();
		at = at + 1 == nr_entries ? 0 : at + 1;
	}
}

static void load_judy(int thread, uint64_t times)
{
	(void)thread;
	for (uint64_t i = 0, at = 0; i < times; i++) {
		keep(*judy.get(judy_array, order[at], NULL));
		at = at + 1 == nr_entries ? 0 : at + 1;
	}
}

static void load_table(int thread, uint64_t times)
{
	struct cds_lfht_iter iter;

	(void)thread;
	for (uint64_t i = 0, at = 0; i < times; i++) {
		urcu_bp_read_lock();
		cds_lfht_lookup(table, random_mix(order[at]), match, &order[at],
				&iter);
		keep(cds_lfht_iter_get_node(&iter));
		urcu_bp_read_unlock();
		at = at + 1 == nr_entries ? 0 : at + 1;
	}
}

/* ---- Iterate: @times entries, from the start again at the end ------------------------- */

static void iterate_xarray(int thread, uint64_t times)
{
	(void)thread;
	while (times > 0) {
		struct xarray_cursor cursor = XARRAY_CURSOR(&xarray, 0);
		void *entry;

		rcu_enter();
		while (times > 0 && (entry = xarray_cursor_next(&cursor))) {
			keep(entry);
			times--;
		}
		rcu_leave();
	}
}

static void iterate_judy(int thread, uint64_t times)
{
	(void)thread;
	while (times > 0) {
		unsigned long index = 0;
		void **value = judy.first(judy_array, &index, NULL);

		for (; times > 0 && value; times--) {
			keep(*value);
			value = judy.next(judy_array, &index, NULL);
		}
	}
}

static void iterate_table(int thread, uint64_t times)
{
	(void)thread;
	while (times > 0) {
		struct cds_lfht_iter iter;
		struct cds_lfht_node *node;

		urcu_bp_read_lock();
		cds_lfht_for_each(table, &iter, node)
		{
			keep(node);
			if (--times == 0)
				break;
		}
		urcu_bp_read_unlock();
	}
}

/* ---- Store: all entries into an empty one, counted per entry ---------------------------- */

static void store_xarray(int thread, uint64_t times)
{
	(void)thread;
	for (uint64_t done = 0; done < times; done += nr_entries) {
		drop_xarray();
		fill_xarray();
	}
}

static void store_judy(int thread, uint64_t times)
{
	(void)thread;
	for (uint64_t done = 0; done < times; done += nr_entries) {
		drop_judy();
		fill_judy();
	}
}

static void store_table(int thread, uint64_t times)
{
	(void)thread;
	for (uint64_t done = 0; done < times; done += nr_entries) {
		drop_table();
		fill_table();
	}
}

/* ---- The contests ------------------------------------------------------------------------- */

static void make_entries(enum shape shape, size_t nr)
{
	struct random random = { 1 };

	nr_entries = nr;
	entries = must_alloc(nr, sizeof(*entries));
	order = must_alloc(nr, sizeof(*order));
	for (size_t i = 0; i < nr; i++)
		order[i] = entries[i].key = key_of(shape, i);
	for (size_t i = nr - 1; i > 0; i--) {
		size_t j = random_below(&random, (uint32_t)i + 1);
		unsigned long other = order[j];

		order[j] = order[i];
		order[i] = other;
	}
}

/* The argument: ten to its last digit entries, of the shape before that. */
static uint64_t setup(const struct contest *contest)
{
	size_t nr = 1;

	for (long i = contest->argument % 10; i > 0; i--)
		nr *= 10;
	make_entries((enum shape)(contest->argument / 10), nr);
	fill_xarray();
	fill_table();
	if (judy.insert)
		fill_judy();
	return nr_entries;
}

static void cleanup(void)
{
	drop_xarray();
	drop_table();
	if (judy.insert)
		drop_judy();
	free(entries);
	free(order);
}

#define CONTENDERS(how)                                \
	static const struct contender how##_ways[] = { \
		{ "wane", how##_xarray, NULL },        \
		{ "Judy", how##_judy, &judy },         \
		{ "lfht", how##_table, NULL },         \
		{ 0 },                                 \
	}

CONTENDERS(load);
CONTENDERS(iterate);
CONTENDERS(store);

#define CONTEST(how, name, digits)                                            \
	{                                                                     \
		.row = #how "_" name, .threads = 1, .argument = digits,       \
		.contenders = how##_ways, .setup = setup, .cleanup = cleanup, \
	}
#define CONTESTS(name, shape)                                      \
	CONTEST(load, name, shape), CONTEST(iterate, name, shape), \
		CONTEST(store, name, shape)

const struct contest contests_xarray[] = {
	CONTESTS("dense_1", 0),
	CONTESTS("dense_100", 2),
	CONTESTS("dense_10000", 4),
	CONTESTS("dense_1000000", 6),
	CONTESTS("single_100", 12),
	CONTESTS("single_10000", 14),
	CONTESTS("single_100000", 15),
	CONTESTS("sparse_100", 22),
	CONTESTS("sparse_10000", 24),
	CONTESTS("sparse_100000", 25),
	{ 0 },
};

/* A million sparse entries take 4 GB of nodes. */
const struct contest contests_xarray_large[] = {
	CONTESTS("single_1000000", 16),
	CONTESTS("sparse_1000000", 26),
	{ 0 },
};

/* ---- Memory ---------------------------------------------------------------------------------- */

static void count_nodes(const struct wane_slab *slab, size_t active, void *arg)
{
	if (slab == xarray_node_slab)
		*(size_t *)arg = active * slab->room;
}

/* Bytes from malloc() in use. */
static size_t allocated(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

static void measure_entries(enum shape shape, const char *name, size_t nr)
{
	size_t before = 0, bytes = 0;

	make_entries(shape, nr);
	slab_for_each(count_nodes, &before);
	fill_xarray();
	slab_for_each(count_nodes, &bytes);
	sample("wane", (double)(bytes - before) / (double)nr, "bytes_%s_%zu",
	       name, nr);
	drop_xarray();
	if (judy.bytes) {
		fill_judy();
		sample("Judy", (double)judy.bytes(judy_array) / (double)nr,
		       "bytes_%s_%zu", name, nr);
		drop_judy();
	}
	bytes = allocated();
	fill_table();
	/* Each entry has a node in it, too. */
	sample("lfht",
	       (double)(allocated() - bytes) / (double)nr +
		       sizeof(struct cds_lfht_node),
	       "bytes_%s_%zu", name, nr);
	drop_table();
	free(entries);
	free(order);
}

void worker_entries(void)
{
	static const char *const names[] = { "dense", "single", "sparse" };

	peers_find();
	wane_nodes();
	for (size_t nr = 1; nr <= 1000000; nr *= 100)
		for (int shape = DENSE; shape <= SPARSE; shape++)
			measure_entries((enum shape)shape, names[shape], nr);
}
