// SPDX-License-Identifier: MIT
/*
 * zipf.c - draw numbers of which few are frequent and most are rare
 *
 * By Zipf's law the most frequent of n things occurs twice as often as the
 * second, three times as often as the third.  The weights are summed up once,
 * and a draw is a search for a point on that scale:
 *
 *	|------ 0 ------|-- 1 --|- 2 -|- 3 |...|     cumulated[]
 *	                      ^ random point: 1
 *
 * The ranks need not be all there: a thread adds those of its own tenants.
 */
#include <errno.h>
#include <stdlib.h>

#include "zipf.h"

int zipf_create(struct zipf *zipf, uint32_t nr)
{
	zipf->nr = 0;
	zipf->cumulated = malloc(nr * sizeof(*zipf->cumulated));
	return zipf->cumulated ? 0 : -ENOMEM;
}

void zipf_destroy(struct zipf *zipf)
{
	free(zipf->cumulated);
}

void zipf_add_rank(struct zipf *zipf, uint32_t rank)
{
	double before = zipf->nr ? zipf->cumulated[zipf->nr - 1] : 0;

	zipf->cumulated[zipf->nr++] = before + 1.0 / ((double)rank + 1.0);
}

uint32_t zipf_draw(const struct zipf *zipf, struct random *random)
{
	uint32_t low = 0, high = zipf->nr - 1;
	double point = random_unit(random) * zipf->cumulated[high];

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (zipf->cumulated[middle] > point)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}
