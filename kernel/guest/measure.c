// SPDX-License-Identifier: GPL-2.0-only
/*
 * measure.c - what shrinkers cost the kernel that this runs on
 *
 *	measure shape MOUNTS CGROUPS	memory, mounts, drop_caches, dying
 *	measure walks			walks of cgroups that use 0 to 100 caches
 *	measure own CGROUPS		cgroups with a file system of their own
 *
 * The same program is run on each kernel, once for each boot: what is measured
 * later in a boot must not depend on what came before.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "measure.h"

static void usage(const char *wrong)
{
	fprintf(stderr,
		"measure: %s\n"
		"usage: measure shape MOUNTS CGROUPS | walks | own CGROUPS\n",
		wrong);
	exit(2);
}

static int number(char **argument, int most)
{
	char *end;
	long value;

	if (!*argument)
		usage("a number is missing");
	value = strtol(*argument, &end, 10);
	if (*end || value < 1 || value > most)
		usage("a number is too small, too large or none");
	return (int)value;
}

/* The rows are of a machine with these nodes and the driver. */
static void look_around(void)
{
	struct stat about;

	if (stat("/sys/kernel/debug/wane/ctl", &about))
		die("there is no test driver in this kernel");
	if (stat("/sys/devices/system/node/node3", &about))
		die("the machine has to have %d nodes", NODES);
}

int main(int count, char **argument)
{
	const char *part = count > 1 ? argument[1] : "";

	setvbuf(stdout, NULL, _IOLBF, 0);
	look_around();
	if (!strcmp(part, "shape")) {
		int nr_mounts = number(argument + 2, 100000);

		measure_shape(nr_mounts, number(argument + 3, 60000));
	} else if (!strcmp(part, "walks")) {
		measure_walks();
	} else if (!strcmp(part, "own")) {
		measure_own(number(argument + 2, 60000));
	} else {
		usage("which part?");
	}
	return 0;
}
