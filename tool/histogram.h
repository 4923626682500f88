/* SPDX-License-Identifier: MIT */
/*
 * histogram.h - how often each duration occurred, to within 3 per cent
 */
#ifndef WANE_TOOL_HISTOGRAM_H
#define WANE_TOOL_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_BITS 5
#define HISTOGRAM_STEPS (1u << HISTOGRAM_BITS)
#define HISTOGRAM_OCTAVES 36
#define HISTOGRAM_BUCKETS (HISTOGRAM_STEPS * HISTOGRAM_OCTAVES)

struct histogram {
	uint64_t counts[HISTOGRAM_BUCKETS];
};

/* Count one @value.  Neither allocates nor fails. */
void histogram_add(struct histogram *histogram, uint64_t value);

void histogram_merge(struct histogram *into, const struct histogram *from);

uint64_t histogram_total(const struct histogram *histogram);

/* The value that @part (0 to 1) of all values do not pass; 0 without any. */
double histogram_quantile(const struct histogram *histogram, double part);

#endif /* WANE_TOOL_HISTOGRAM_H */
