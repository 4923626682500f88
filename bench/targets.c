// SPDX-License-Identifier: MIT
/*
 * targets.c - what is aimed at, and whether it was reached
 *
 * Each is a ratio of samples taken side by side, and the most it may be; or a
 * number of bytes.  A miss is a result, not a failure of the command.
 */
#include "bench.h"

#define LRU_WHY \
	"the list is looked up in its group, under RCU; the mutex's is at hand"
#define BATCH_WHY                                                          \
	"most of it is the same short way as in pairs; one process takes " \
	"a quarter\n    longer than another, all along, and why is not known"
#define REGISTER_WHY                                                     \
	"only where units are in arrays is each group visited; a small " \
	"excess\n    without them is not explained"

/*
 * @why: What is known of the reason, where it is missed.
 * @base_column, @base_row: What is divided by; NULL: a number for itself.
 * @column: NULL: of the implementation that the library is built with.
 */
static const struct target {
	const char *text;
	const char *group, *column, *row, *base_column, *base_row;
	double most;
	const char *why;
} targets[] = {
	{ "charge, depth 1 / atomic add", "charge", "wane", "depth_1",
	  "atomic add", "depth_1", 3, NULL },
	{ "lru add and del / mutex + list", "lru", "wane", "add_del", "mutex",
	  "add_del", 1.2, LRU_WHY },
	{ "lru add and take / mutex + list", "lru", "wane", "take", "mutex",
	  "take", 1.2, LRU_WHY },
	{ "lru, 2 groups / nothing shared", "lru", "wane", "add_del_own",
	  "apart", "add_del_own", 1 / 0.95, NULL },
	{ "slab 64 B, pairs / mimalloc", "slab", "wane", "pairs_64", "mimalloc",
	  "pairs_64", 1, NULL },
	{ "slab 256 B, pairs / mimalloc", "slab", "wane", "pairs_256",
	  "mimalloc", "pairs_256", 1, NULL },
	{ "slab 528 B, pairs / mimalloc", "slab", "wane", "pairs_528",
	  "mimalloc", "pairs_528", 1, NULL },
	{ "slab 64 B, batches / mimalloc", "slab", "wane", "batches_64",
	  "mimalloc", "batches_64", 1, BATCH_WHY },
	{ "slab 256 B, batches / mimalloc", "slab", "wane", "batches_256",
	  "mimalloc", "batches_256", 1, NULL },
	{ "slab 528 B, batches / mimalloc", "slab", "wane", "batches_528",
	  "mimalloc", "batches_528", 1, NULL },
	{ "slab 4,096 B, batches / mimalloc", "slab", "wane", "batches_4096",
	  "mimalloc", "batches_4096", 1, NULL },
	{ "slab 64 B, charged / mimalloc", "slab", "charged", "pairs_64",
	  "mimalloc", "pairs_64", 1.5, NULL },
	{ "slab 256 B, charged / mimalloc", "slab", "charged", "pairs_256",
	  "mimalloc", "pairs_256", 1.5, NULL },
	{ "slab 528 B, charged / mimalloc", "slab", "charged", "pairs_528",
	  "mimalloc", "pairs_528", 1.5, NULL },
	{ "P2: bytes of a group, 1 node", "P2", NULL, "group_bytes", NULL, NULL,
	  512, NULL },
	{ "P2: registration, groups / none", "P2", NULL, "register_groups", "",
	  "register_alone", 1.05, REGISTER_WHY },
	{ "P3: registration, groups / none", "P3", NULL, "register_groups", "",
	  "register_alone", 1.05, REGISTER_WHY },
	{ 0 },
};

static bool measure(const struct target *t, struct summary *s)
{
	const char *column = t->column ? t->column : implementation_default();

	if (!t->base_column)
		return samples_summary(t->group, column, t->row, s);
	return samples_ratio(t->group, column, t->row,
			     *t->base_column ? t->base_column : column,
			     t->base_row, s);
}

void targets_print(FILE *out)
{
	bool titled = false;
	struct summary s;

	for (const struct target *t = targets; t->text; t++) {
		if (!measure(t, &s))
			continue;
		if (!titled)
			fprintf(out, "\nTargets (%s)\n\n%-36s%9s%18s%9s\n",
				implementation_default(), "", "median",
				"quartiles", "most");
		titled = true;
		fprintf(out, "%-36s%9.2f%9.2f to %5.2f%9.2f  %s\n", t->text,
			s.median, s.low, s.high, t->most,
			s.median <= t->most ? "met" : "NOT met");
		if (s.median > t->most && t->why)
			fprintf(out, "    %s\n", t->why);
	}
}
