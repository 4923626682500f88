// SPDX-License-Identifier: MIT
/*
 * instructions.c - how many instructions an operation takes
 *
 * A loop runs twice under callgrind, the second time FEW + MANY times: the
 * difference divided by MANY is exact, whatever the start of a process takes.
 */
#include <string.h>

#include "bench.h"

#define FEW 20000
#define MANY 100000

/* Indices into the lists of contest.c and contest_*.c. */
static const struct loop {
	const char *row;
	int bench, contest, contender;
} loops[] = {
	{ "charge", 0, 0, 0 },	    { "charge_6", 0, 2, 0 },
	{ "add_and_sub", 0, 0, 2 }, { "lru", 1, 0, 0 },
	{ "mutex", 1, 0, 1 },	    { "take", 1, 4, 0 },
	{ "lru_empty", 1, 3, 0 },   { "slab", 2, 1, 0 },
	{ "charged", 2, 1, 1 },	    { "mimalloc", 2, 1, 2 },
	{ "jemalloc", 2, 1, 3 },    { "glibc", 2, 1, 4 },
	{ "xarray", 3, 6, 0 },	    { "judy", 3, 6, 1 },
	{ "lfht", 3, 6, 2 },
};

#define NR_LOOPS (sizeof(loops) / sizeof(loops[0]))

static const char *missing;

static int count(const struct loop *loop, int times, double *instructions)
{
	char text[4][32];
	const char *arguments[] = { "loop",  text[0], text[1],
				    text[2], text[3], NULL };

	snprintf(text[0], sizeof(text[0]), "bench=%d", loop->bench);
	snprintf(text[1], sizeof(text[1]), "row=%d", loop->contest);
	snprintf(text[2], sizeof(text[2]), "contender=%d", loop->contender);
	snprintf(text[3], sizeof(text[3]), "times=%d", times);
	return run_counted(implementation_default(), arguments, instructions);
}

size_t instructions_steps(void)
{
	return NR_LOOPS;
}

const char *instructions_missing(void)
{
	return missing;
}

int instructions_run(struct progress *progress)
{
	for (size_t i = 0; i < NR_LOOPS; i++) {
		double few = 0, many = 0;

		if (!count(&loops[i], FEW, &few) &&
		    !count(&loops[i], FEW + MANY, &many))
			samples_add("instructions", "instructions",
				    loops[i].row, (many - few) / MANY);
		else
			missing = "some are missing; valgrind or a peer may "
				  "not be installed";
		progress_step(progress, 1);
	}
	return 0;
}
