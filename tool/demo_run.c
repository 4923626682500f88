// SPDX-License-Identifier: MIT
/*
 * demo_run.c - what a run has shown, summed up over its rounds
 *
 * Counts and times are added.  What a child counts since it began, peaks
 * among it, only grows, so there the last round has it all.  Idle tenants are
 * those of the last round: all of them have been served in an earlier one.
 */
#include "demo.h"

static void add_hits(struct demo_hits *to, const struct demo_hits *from)
{
	to->hits += from->hits;
	to->misses += from->misses;
}

static void add_round(struct demo_result *total,
		      const struct demo_result *round)
{
	total->queries += round->queries;
	total->seconds += round->seconds;
	total->cpu_seconds += round->cpu_seconds;
	add_hits(&total->pages, &round->pages);
	add_hits(&total->protected, &round->protected);
	add_hits(&total->twin, &round->twin);
	histogram_merge(&total->latency, &round->latency);
	if (total->cache_peak < round->cache_peak)
		total->cache_peak = round->cache_peak;
	total->wrong = round->wrong;
	total->rss_peak = round->rss_peak;
	total->disk_bytes = round->disk_bytes;
	total->idle = round->idle;
	total->idle_bytes = round->idle_bytes;
	total->reclaimed = round->reclaimed;
	total->scans = round->scans;
	total->noisy_peak = round->noisy_peak;
}

void demo_run_total(struct demo_run *run)
{
	for (int mode = 0; mode < DEMO_MODES; mode++)
		for (int round = 0; round < DEMO_ROUNDS; round++)
			add_round(&run->total[mode], &run->rounds[mode][round]);
}

double demo_hit_rate(const struct demo_hits *pages)
{
	uint64_t all = pages->hits + pages->misses;

	return all ? 100.0 * (double)pages->hits / (double)all : 0;
}

double demo_idle_bytes(const struct demo_result *result)
{
	if (!result->idle)
		return 0;
	return (double)result->idle_bytes / (double)result->idle;
}

double demo_rate(const struct demo_result *result)
{
	if (!(result->seconds > 0))
		return 0;
	return (double)result->queries / result->seconds;
}

double demo_cpu_us(const struct demo_result *result)
{
	if (!result->queries)
		return 0;
	return result->cpu_seconds * 1e6 / (double)result->queries;
}
