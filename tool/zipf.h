/* SPDX-License-Identifier: MIT */
/*
 * zipf.h - draw numbers of which few are frequent and most are rare
 */
#ifndef WANE_TOOL_ZIPF_H
#define WANE_TOOL_ZIPF_H

#include <stdint.h>

#include "random.h"

/*
 * struct zipf - Weighted numbers 0 to @nr - 1.
 * @cumulated: Of each number, the weights up to it and including it.
 */
struct zipf {
	uint32_t nr;
	double *cumulated;
};

/* Room for @nr numbers.  Return: 0 or -ENOMEM. */
int zipf_create(struct zipf *zipf, uint32_t nr);

void zipf_destroy(struct zipf *zipf);

/*
 * Append a number with the weight that the law gives to @rank, 0 for the most
 * frequent: 1 / (rank + 1).
 */
void zipf_add_rank(struct zipf *zipf, uint32_t rank);

/* One of the numbers added; there is at least one. */
uint32_t zipf_draw(const struct zipf *zipf, struct random *random);

#endif /* WANE_TOOL_ZIPF_H */
