// SPDX-License-Identifier: MIT
/*
 * tables_hot.c - hot paths, beside peers in the same process
 */
#include "bench.h"

static const char *const charge_columns[] = { "wane", "atomic add",
					      "add and sub", NULL };
static const char *const lru_columns[] = { "wane", "apart", "mutex", "global",
					   NULL };
static const char *const slab_columns[] = { "wane",	"charged", "mimalloc",
					    "jemalloc", "glibc",   NULL };
static const char *const xarray_columns[] = { "wane", "Judy", "lfht", NULL };
static const char *const instruction_columns[] = { "instructions", NULL };

static const struct table_row charge[] = {
	ROW_SECONDS("depth_1", "depth 1"),
	ROW_SECONDS("depth_3", "depth 3"),
	ROW_SECONDS("depth_6", "depth 6"),
	ROW_SECONDS("same_1", "2 threads, depth 1"),
	ROW_SECONDS("same_3", "2 threads, depth 3"),
	ROW_SECONDS("same_6", "2 threads, depth 6"),
	ROW_SECONDS("own_1", "2, own groups, depth 1"),
	ROW_SECONDS("own_3", "2, own groups, depth 3"),
	ROW_SECONDS("own_6", "2, own groups, depth 6"),
	{ 0 },
};

static const struct table_row lru[] = {
	ROW_SECONDS("add_del", "add and del"),
	ROW_SECONDS("add_del_same", "2 threads, one group"),
	ROW_SECONDS("add_del_own", "2 threads, 2 groups"),
	ROW_SECONDS("add_del_empty", "on an empty list"),
	ROW_SECONDS("take", "add and take"),
	ROW_SECONDS("take_same", "2 threads, one group"),
	ROW_SECONDS("take_own", "2 threads, 2 groups"),
	{ 0 },
};

static const struct table_row slab[] = {
	ROW_SECONDS("pairs_64", "64 B, pairs"),
	ROW_SECONDS("pairs_256", "256 B"),
	ROW_SECONDS("pairs_528", "528 B"),
	ROW_SECONDS("pairs_4096", "4,096 B"),
	ROW_SECONDS("batches_64", "64 B, batches of 1,000"),
	ROW_SECONDS("batches_256", "256 B"),
	ROW_SECONDS("batches_528", "528 B"),
	ROW_SECONDS("batches_4096", "4,096 B"),
	ROW_SECONDS("across_64", "64 B, freed across"),
	ROW_SECONDS("across_256", "256 B"),
	ROW_SECONDS("across_528", "528 B"),
	ROW_SECONDS("across_4096", "4,096 B"),
	ROW_BYTES("memory_64", "64 B, memory of each"),
	ROW_BYTES("memory_256", "256 B"),
	ROW_BYTES("memory_528", "528 B"),
	ROW_BYTES("memory_4096", "4,096 B"),
	{ 0 },
};

#define XARRAY_ROWS(how, what)                                             \
	ROW_SECONDS(how "_dense_1", what ", 1 entry"),                     \
		ROW_SECONDS(how "_dense_100", "dense, 100"),               \
		ROW_SECONDS(how "_dense_10000", "dense, 10,000"),          \
		ROW_SECONDS(how "_dense_1000000", "dense, 1,000,000"),     \
		ROW_SECONDS(how "_single_100", "1 a leaf, 100"),           \
		ROW_SECONDS(how "_single_10000", "1 a leaf, 10,000"),      \
		ROW_SECONDS(how "_single_100000", "1 a leaf, 100,000"),    \
		ROW_SECONDS(how "_single_1000000", "1 a leaf, 1,000,000"), \
		ROW_SECONDS(how "_sparse_100", "sparse, 100"),             \
		ROW_SECONDS(how "_sparse_10000", "sparse, 10,000"),        \
		ROW_SECONDS(how "_sparse_100000", "sparse, 100,000"),      \
		ROW_SECONDS(how "_sparse_1000000", "sparse, 1,000,000")

static const struct table_row xarray[] = {
	XARRAY_ROWS("load", "load"),
	XARRAY_ROWS("store", "store"),
	XARRAY_ROWS("iterate", "iterate"),
	ROW_BYTES("bytes_dense_1", "bytes per entry, 1"),
	ROW_BYTES("bytes_dense_100", "dense, 100"),
	ROW_BYTES("bytes_dense_10000", "dense, 10,000"),
	ROW_BYTES("bytes_dense_1000000", "dense, 1,000,000"),
	ROW_BYTES("bytes_single_10000", "1 a leaf, 10,000"),
	ROW_BYTES("bytes_sparse_10000", "sparse, 10,000"),
	ROW_BYTES("bytes_sparse_1000000", "sparse, 1,000,000"),
	{ 0 },
};

#define COUNT(key, label)                     \
	{                                     \
		key, label, UNIT_NUMBER, NULL \
	}

static const struct table_row instructions[] = {
	COUNT("charge", "charge, depth 1"),
	COUNT("charge_6", "charge, depth 6"),
	COUNT("add_and_sub", "  atomic add and sub"),
	COUNT("lru", "lru add and del"),
	COUNT("lru_empty", "  on an empty list"),
	COUNT("mutex", "  mutex and list"),
	COUNT("take", "lru add and take, an item"),
	COUNT("slab", "slab, 256 B"),
	COUNT("charged", "  charged"),
	COUNT("mimalloc", "  mimalloc"),
	COUNT("jemalloc", "  jemalloc"),
	COUNT("glibc", "  glibc"),
	COUNT("xarray", "xarray load, 10,000 dense"),
	COUNT("judy", "  Judy"),
	COUNT("lfht", "  lfht"),
	{ 0 },
};

const struct table tables_hot[] = {
	{ BENCH_CHARGE, "charge", "charge  A charge of 256 B and its undoing",
	  "Own groups: siblings below a common root, from depth 3 on.",
	  charge_columns, "atomic add", charge },
	{ BENCH_LRU, "lru", "lru  An item on its list and off, 1 node",
	  "apart: the two threads have lru and tree of their own.  mutex: an "
	  "intrusive list\nunder a mutex, one for each group.  global: one "
	  "for all.  On an empty list each add\nalso tells the group's bits; "
	  "else the list has an item already.",
	  lru_columns, "mutex", lru },
	{ BENCH_LRU, "lru4", "lru  The same on 4 nodes", NULL, lru_columns,
	  "mutex", lru },
	{ BENCH_SLAB, "slab", "slab  An object taken and given back",
	  "All are called through a pointer in the same process; peers are "
	  "loaded with their\nsymbols kept apart.  Across: another thread "
	  "frees; real time.  Memory: growth of\nwhat is resident, 32 MB of "
	  "objects, a process each.  '-': not installed.",
	  slab_columns, "mimalloc", slab },
	{ BENCH_XARRAY, "xarray", "xarray  Index -> pointer, per entry",
	  "Judy has no concurrent readers; lfht is made large enough at once "
	  "and has no order.\nA store builds all from nothing, and destroys it. "
	  " Bytes of lfht include its node in\neach entry.  1 a leaf: indices "
	  "0, 64, 128, ...  Sparse: random words, where each entry\nhas a path "
	  "of nodes for itself, and a look-up a cache miss for each of them: "
	  "this is not\nwhat an xarray is for.  A million of them, 4 GB, are "
	  "left out with --quick.",
	  xarray_columns, "wane", xarray },
	{ BENCH_INSTRUCTIONS, "instructions",
	  "instructions  Of one operation, counted by callgrind", NULL,
	  instruction_columns, NULL, instructions },
	{ 0 },
};
