// SPDX-License-Identifier: MIT
/*
 * histogram.c - how often each duration occurred, to within 3 per cent
 *
 * Each power of two, an octave, is cut into 32 equal steps, so a bucket is
 * never wider than 1/32 of the values in it.  Values below 32 have a bucket
 * each.  The bucket of a value follows from its highest bit and the 5 bits
 * below that:
 *
 *	value      0 .. 31 | 32 33 .. 63 | 64 66 .. 126 | 128 132 ..
 *	bucket     0 .. 31 | 32 33 .. 63 | 64 65 ..  95 |  96  97 ..
 *	width         1    |      1      |      2       |     4
 */
#include "histogram.h"

static unsigned int bucket_of(uint64_t value)
{
	unsigned int shift, bucket;

	if (value < HISTOGRAM_STEPS)
		return (unsigned int)value;
	shift = 63 - (unsigned int)__builtin_clzll(value) - HISTOGRAM_BITS;
	bucket = (shift << HISTOGRAM_BITS) + (unsigned int)(value >> shift);
	return bucket < HISTOGRAM_BUCKETS ? bucket : HISTOGRAM_BUCKETS - 1;
}

/* The middle of a bucket. */
static double bucket_value(unsigned int bucket)
{
	unsigned int shift;
	uint64_t lowest;

	if (bucket < HISTOGRAM_STEPS)
		return bucket;
	shift = (bucket >> HISTOGRAM_BITS) - 1;
	lowest = (uint64_t)(bucket - (shift << HISTOGRAM_BITS)) << shift;
	return (double)lowest + (double)(1ull << shift) / 2;
}

void histogram_add(struct histogram *histogram, uint64_t value)
{
	histogram->counts[bucket_of(value)]++;
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++)
		into->counts[i] += from->counts[i];
}

uint64_t histogram_total(const struct histogram *histogram)
{
	uint64_t total = 0;

	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++)
		total += histogram->counts[i];
	return total;
}

double histogram_quantile(const struct histogram *histogram, double part)
{
	uint64_t total = histogram_total(histogram);
	uint64_t seen = 0;

	if (total == 0)
		return 0;
	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++) {
		seen += histogram->counts[i];
		if ((double)seen >= part * (double)total)
			return bucket_value(i);
	}
	return bucket_value(HISTOGRAM_BUCKETS - 1);
}
