// SPDX-License-Identifier: MIT
/*
 * tables_published.c - the tables that were published for Linux, and ours
 *
 * A cache stands for a mount of tmpfs, a group for a memory cgroup.  "dense"
 * is Linux 7.3 as it is.  Published bytes are all of a cgroup's slab memory,
 * its own structures of some 18 to 34 KB included; ours are the group's.
 */
#include "bench.h"

static const char *const columns[] = {
	"dense", "dense63", "array", "xarray_kmalloc", "xarray", "pairs", NULL
};
static const char *const sources[] = { "1k class", "512 class", "slab",
				       "aligned", NULL };

#define MEMORY_ROWS(bytes)                                                \
	{ "groups", "groups made", UNIT_NUMBER, NULL },                   \
	{                                                                 \
		"group_bytes", "bytes per empty group", UNIT_BYTES, bytes \
	}

#define WALK_ROWS                                                              \
	{ "walk_near_1", "walk, 1 cache", UNIT_SECONDS, NULL },                \
		{ "walk_near_2", "walk, 2 neighbours", UNIT_SECONDS, NULL },   \
		{ "walk_spread_2", "walk, 2 spread", UNIT_SECONDS, NULL },     \
		{ "walk_near_10", "walk, 10 neighbours", UNIT_SECONDS, NULL }, \
		{ "walk_spread_10", "walk, 10 spread", UNIT_SECONDS, NULL },   \
		{ "walk_spread_100", "walk, 100 spread", UNIT_SECONDS, NULL }, \
		{ "walk_near_clear_100", "100 neighbours, emptied",            \
		  UNIT_SECONDS, NULL },                                        \
	{                                                                      \
		"walk_spread_clear_100", "100 spread, emptied", UNIT_SECONDS,  \
			NULL                                                   \
	}

#define GROUP_ROWS                                                            \
	{ "create", "create a group", UNIT_SECONDS, NULL },                   \
		{ "retire", "retire a group", UNIT_SECONDS, NULL },           \
		{ "register_alone", "640 registrations, alone", UNIT_SECONDS, \
		  NULL },                                                     \
	{                                                                     \
		"register_groups", "640 with the groups", UNIT_SECONDS, NULL  \
	}

static const struct table_row p1[] = {
	MEMORY_ROWS("dense=548 KB|dense63=289 KB|array=42 KB"),
	{ "objects", "unit objects added", UNIT_NUMBER,
	  "dense=1,011,518|dense63=1,023,787|array=136" },
	{ "object_bytes", "bytes of one", UNIT_BYTES,
	  "dense=1,024|dense63=512|array=512" },
	{ "used_leaf_bytes", "2 caches used: leaf gets", UNIT_BYTES, NULL },
	{ "used_leaf_shares", "  without its lists", UNIT_BYTES, "array=4 KB" },
	{ "used_parent_shares", "  its parent", UNIT_BYTES, "array=4 KB" },
	{ "used_grandparent_shares", "  its grandparent", UNIT_BYTES,
	  "array=4 KB" },
	WALK_ROWS,
	GROUP_ROWS,
	{ 0 },
};

static const struct table_row p2[] = {
	MEMORY_ROWS("dense=185 KB|xarray=18 KB|array=22 KB"),
	{ "walk_empty_0", "walk, empty group", UNIT_SECONDS,
	  "dense=1.6 us|xarray=0.2 us|array=1.6 us" },
	{ "walk_near_100", "walk, 100 neighbours", UNIT_SECONDS,
	  "dense=1.9 us|xarray=0.9 us|array=1.7 us" },
	WALK_ROWS,
	GROUP_ROWS,
	{ 0 },
};

static const struct table_row p3[] = {
	MEMORY_ROWS("dense=1.6 MB|array=65 KB|xarray=34 KB"),
	{ "container_bytes", "of it the container", UNIT_BYTES,
	  "dense=32 KB|array=32 KB|xarray=0" },
	{ "register_alone", "640 registrations, alone", UNIT_SECONDS,
	  "dense=0.08 s|array=0.08 s|xarray=0.07 s" },
	{ "register_groups", "640 with the groups", UNIT_SECONDS,
	  "dense=1.41 s|array=1.31 s|xarray=0.10 s" },
	{ "register_each", "  of one, per group alive", UNIT_SECONDS, NULL },
	{ "pass", "a pass over all", UNIT_SECONDS,
	  "dense=23 s|array=11.3 s|xarray=1.3 s" },
	{ "pass_each", "  per group and node", UNIT_SECONDS,
	  "dense=22.8 us|array=10.7 us|xarray=0.5 us" },
	{ "create", "create a group", UNIT_SECONDS, NULL },
	{ "retire", "retire a group", UNIT_SECONDS, NULL },
	{ "used_leaf_shares", "2 caches used: leaf gets", UNIT_BYTES, NULL },
	WALK_ROWS,
	{ 0 },
};

static const struct table_row p4[] = {
	{ "pass_1", "first pass", UNIT_SECONDS, "dense=0.93 s" },
	{ "pass_2", "second pass", UNIT_SECONDS, "dense=0.00 s" },
	{ "pass_3", "third pass", UNIT_SECONDS, "dense=0.00 s" },
	{ "pass_4", "fourth pass", UNIT_SECONDS, "dense=0.00 s" },
	{ 0 },
};

static const struct table_row sizes[] = {
	{ "unit_bytes", "P1b: bytes of a unit", UNIT_BYTES,
	  "1k class=1,024|512 class=512|slab=528|aligned=576" },
	{ "id_bytes", "P1b: bytes per id", UNIT_NUMBER,
	  "1k class=16|512 class=8.1|slab=8.3|aligned=9" },
	{ "node_bytes", "P5: bytes for 2,896", UNIT_NUMBER,
	  "1k class=4,096|aligned=2,944" },
	{ 0 },
};

const struct table tables_published[] = {
	{ BENCH_PUBLISHED, "P1",
	  "P1  8,000 caches, 4 nodes, 2,000 empty groups, then some used",
	  "Spread: with ids over all units.  A walk is of one group on one "
	  "node, whose caches\nhold one item each, or held one (emptied).",
	  columns, "dense", p1 },
	{ BENCH_PUBLISHED, "P2", "P2  20,000 caches, 1 node, 2,000 groups",
	  NULL, columns, "dense", p2 },
	{ BENCH_PUBLISHED, "P3", "P3  50,000 caches, 4 nodes, 20,000 groups",
	  "Where fewer groups were made than was asked for, more would not "
	  "have fitted into\nthe memory set aside; times of a pass and of "
	  "registrations are then for those.",
	  columns, "dense", p3 },
	{ BENCH_PUBLISHED, "P4",
	  "P4  4,000 groups, each with a cache of its own and one item in it",
	  "Published: 0.93 s after SHRINK_EMPTY, and 6.80, 4.61, 4.61, 4.61 s "
	  "before.",
	  columns, "dense", p4 },
	{ BENCH_PUBLISHED, "sizes",
	  "P1b, P5  Rounding: where an object comes from",
	  "Bytes of memory divided by the objects that fit in.", sources, NULL,
	  sizes },
	{ 0 },
};

void extrapolation_print(FILE *out)
{
	struct summary s;
	char text[32];

	if (!samples_have("P3"))
		return;
	fputs("\nP0  The host that started it: 45,000 groups, 52,480 ids, 4 "
	      "nodes: 145 GB\nEXTRAPOLATED from P3's measured bytes of an "
	      "empty group, ids in proportion:\nnot measured.\n\n",
	      out);
	for (const char *const *c = columns; *c; c++) {
		if (!samples_summary("P3", *c, "group_bytes", &s))
			continue;
		format_value(text, sizeof(text), UNIT_BYTES,
			     s.median * 45000 * 52480 / 50000);
		fprintf(out, "%-26s%13s\n", *c, text);
	}
}
