// SPDX-License-Identifier: MIT
/*
 * tables_world.c - many groups and many caches, the implementations compared
 */
#include "bench.h"

static const char *const columns[] = {
	"dense", "dense63", "array", "xarray_kmalloc", "xarray", "pairs", NULL
};
static const char *const reclaim_columns[] = { "dense", "array",    "xarray",
					       "pairs", "counters", "naive",
					       NULL };

static const struct table_row reclaim[] = {
	{ "groups", "groups made", UNIT_NUMBER, NULL },
	ROW_SECONDS("pass", "a pass"),
	{ 0 },
};

static const struct table_row retire[] = {
	ROW_SECONDS("retire_0", "no cache used"),
	ROW_SECONDS("retire_1", "1 cache used"),
	ROW_SECONDS("retire_100", "100 caches used"),
	{ 0 },
};

static const struct table_row scale[] = {
	ROW_BYTES("all_bytes", "bytes in all"),
	ROW_BYTES("empty_bytes", "bytes per group, empty"),
	ROW_BYTES("group_bytes", "with 1 cache used"),
	ROW_SECONDS("create", "create a group"),
	ROW_SECONDS("use", "use a cache"),
	ROW_SECONDS("retire", "retire a group"),
	ROW_SECONDS("register", "register a cache"),
	ROW_SECONDS("pass_idle", "a pass, none active"),
	ROW_SECONDS("pass_active", "a pass, 1,000 active"),
	{ 0 },
};

#define SCALE(group, number)                                               \
	{                                                                  \
		BENCH_SCALE, group,                                        \
			"scale  " number " groups, 10,000 caches, 1 node", \
			"'-': would not fit into the memory set aside.",   \
			columns, "xarray", scale                           \
	}

const struct table tables_world[] = {
	{ BENCH_RECLAIM, "reclaim",
	  "reclaim  100,000 groups x 64 caches, 10 pairs hold an item",
	  "naive: ask each cache about each group, as programs do.  counters: "
	  "the same loop over\na flat array of counters, the least that it "
	  "can cost.",
	  reclaim_columns, "naive", reclaim },
	{ BENCH_RETIRE, "retire", "retire  A group, 1,000 caches, 1 node", NULL,
	  columns, "dense", retire },
	SCALE("scale_10000", "10,000"),
	SCALE("scale_100000", "100,000"),
	SCALE("scale_1000000", "1,000,000"),
	{ 0 },
};
