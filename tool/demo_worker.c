// SPDX-License-Identifier: MIT
/*
 * demo_worker.c - one thread of a configuration, and the mix it serves
 *
 *	a slice   read all pages, the rarest   the mix,      | the mix,
 *	          tenants first                not measured  | measured
 *	                                                     '- all threads meet
 *
 * The other configurations have updated the same files meanwhile, so SQLite
 * drops what it had of them.  Reading everything first brings each cache to
 * where it would be after a long time: full, with the frequent tenants' pages
 * used last.  A cache without a limit then has it all.
 *
 * Tenants are drawn by Zipf's law.  One in ten of them sleeps, in each round
 * another tenth, so that it can be seen what is kept for tenants that were
 * served before and ask nothing now.
 */
#include "clock.h"
#include "demo_child.h"

#define SLEEP_ONE_IN 10

/* Of (d): the rare tenants ask once in so many queries of the first worker. */
#define RARE_ONE_IN 1000

/* The mix, per cent. */
#define MIX_LOOK_UP 85
#define MIX_RANGE 10

void *worker_open(void *arg)
{
	struct worker *worker = arg;
	struct child *child = worker->child;

	for (uint32_t i = 0; i < worker->nr && !child_ends(child); i++)
		tenant_open(&worker->tenants[i], child_cache_size(child));
	__atomic_fetch_sub(&child->running, 1, __ATOMIC_RELEASE);
	return NULL;
}

static bool asleep(const struct worker *worker, uint32_t i)
{
	uint32_t turn = worker->child->slice.round % SLEEP_ONE_IN;

	return worker->nr >= SLEEP_ONE_IN &&
	       i % SLEEP_ONE_IN == SLEEP_ONE_IN - 1 - turn;
}

/* ---- The mix ------------------------------------------------------------- */

/* Every now and then it is the turn of a rare tenant, or of its twin. */
static struct tenant *draw_rare(struct worker *worker)
{
	struct child *child = worker->child;
	uint64_t turn = worker->asked % RARE_ONE_IN;

	if (child->setup.mode != DEMO_NOISY || worker != child->workers)
		return NULL;
	if (turn == 0)
		return child_special(child, TENANT_PROTECTED);
	if (turn == RARE_ONE_IN / 2)
		return child_special(child, TENANT_TWIN);
	return NULL;
}

static struct tenant *draw_tenant(struct worker *worker)
{
	struct tenant *rare = draw_rare(worker);
	uint32_t i;

	worker->asked++;
	if (rare)
		return rare;
	do {
		i = zipf_draw(&worker->zipf, &worker->random);
	} while (asleep(worker, i));
	return &worker->tenants[i];
}

static void serve(struct tenant *tenant, struct random *random)
{
	uint32_t kind = random_below(random, 100);

	if (kind < MIX_LOOK_UP && kind % 2)
		tenant_look_up_id(tenant, random);
	else if (kind < MIX_LOOK_UP)
		tenant_look_up_name(tenant, random);
	else if (kind < MIX_LOOK_UP + MIX_RANGE)
		tenant_look_up_range(tenant, random);
	else
		tenant_update(tenant, random);
}

/* Serve until @end; queries and their times go to @result unless NULL. */
static void serve_until(struct worker *worker, uint64_t end,
			struct demo_result *result)
{
	uint64_t now;

	do {
		struct tenant *tenant = draw_tenant(worker);
		uint64_t begin = clock_ns();

		serve(tenant, &worker->random);
		now = clock_ns();
		if (result) {
			histogram_add(&result->latency, now - begin);
			result->queries++;
		}
	} while (now < end && !child_ends(worker->child));
}

/* ---- A slice ------------------------------------------------------------- */

static void add_hits(struct demo_hits *to, struct demo_hits hits)
{
	to->hits += hits.hits;
	to->misses += hits.misses;
}

static void take_hits(struct worker *worker, struct demo_result *result)
{
	struct child *child = worker->child;

	for (uint32_t i = 0; i < worker->nr; i++)
		add_hits(&result->pages, tenant_take_hits(&worker->tenants[i]));
	if (child->setup.mode != DEMO_NOISY || worker != child->workers)
		return;
	result->protected =
		tenant_take_hits(child_special(child, TENANT_PROTECTED));
	result->twin = tenant_take_hits(child_special(child, TENANT_TWIN));
}

/* What a tenant's page cache holds: as SQLite counts it, or as wane does. */
static uint64_t cache_bytes(struct tenant *tenant)
{
	size_t used;

	if (tenant->group)
		return wane_group_usage(tenant->group);
	used = tenant_cache_used(tenant);
	return used > tenant->frame ? used - tenant->frame : 0;
}

/* wane knows its peak by itself. */
static void sample_cache(struct worker *worker, int sample)
{
	worker->cache_used[sample] = 0;
	if (demo_mode_uses_wane(worker->child->setup.mode))
		return;
	for (uint32_t i = 0; i < worker->nr; i++)
		worker->cache_used[sample] += cache_bytes(&worker->tenants[i]);
}

static void take_idle(struct worker *worker, struct demo_result *result)
{
	for (uint32_t i = 0; i < worker->nr; i++) {
		if (!asleep(worker, i))
			continue;
		result->idle++;
		result->idle_bytes += cache_bytes(&worker->tenants[i]);
	}
}

static void warm(struct worker *worker)
{
	struct child *child = worker->child;
	double seconds = child->slice.warm_seconds;

	if (child->setup.mode == DEMO_NOISY && worker == child->workers) {
		tenant_warm(child_special(child, TENANT_PROTECTED));
		tenant_warm(child_special(child, TENANT_TWIN));
	}
	for (uint32_t i = worker->nr; i-- > 0 && !child_ends(child);)
		if (!asleep(worker, i))
			tenant_warm(&worker->tenants[i]);
	serve_until(worker, clock_ns() + clock_from_seconds(seconds), NULL);
}

static void measure(struct worker *worker)
{
	struct demo_result *result = &worker->result;
	double seconds = worker->child->slice.seconds;
	uint64_t begin = clock_ns(), cpu_begin = clock_cpu_ns();

	for (int i = 1; i < DEMO_SAMPLES; i++) {
		double part = (double)i / (DEMO_SAMPLES - 1);

		serve_until(worker, begin + clock_from_seconds(seconds * part),
			    result);
		sample_cache(worker, i);
	}
	result->seconds = clock_to_seconds(clock_ns() - begin);
	result->cpu_seconds = clock_to_seconds(clock_cpu_ns() - cpu_begin);
}

void *worker_slice(void *arg)
{
	struct worker *worker = arg;
	struct child *child = worker->child;
	struct demo_result unmeasured = { 0 };

	worker->result = (struct demo_result){ 0 };
	warm(worker);
	sample_cache(worker, 0);
	pthread_barrier_wait(&child->measure);
	take_hits(worker, &unmeasured);
	measure(worker);
	take_hits(worker, &worker->result);
	take_idle(worker, &worker->result);
	__atomic_fetch_sub(&child->running, 1, __ATOMIC_RELEASE);
	return NULL;
}

void *noisy_scan(void *arg)
{
	struct child *child = arg;
	struct tenant *noisy = child_special(child, TENANT_NOISY);

	while (!failure_happened(&child->trouble.failure) &&
	       tenant_scan(noisy, &child->noisy_stop))
		child->scans++;
	return NULL;
}

static void collect_worker(struct demo_result *to, const struct worker *worker)
{
	const struct demo_result *from = &worker->result;

	to->queries += from->queries;
	to->cpu_seconds += from->cpu_seconds;
	if (to->seconds < from->seconds)
		to->seconds = from->seconds;
	add_hits(&to->pages, from->pages);
	add_hits(&to->protected, from->protected);
	add_hits(&to->twin, from->twin);
	to->idle += from->idle;
	to->idle_bytes += from->idle_bytes;
	histogram_merge(&to->latency, &from->latency);
}

void child_collect(struct child *child, struct demo_result *result)
{
	for (uint32_t i = 0; i < child->setup.options.threads; i++)
		collect_worker(result, &child->workers[i]);
	for (int sample = 0; sample < DEMO_SAMPLES; sample++) {
		uint64_t used = 0;

		for (uint32_t i = 0; i < child->setup.options.threads; i++)
			used += child->workers[i].cache_used[sample];
		if (result->cache_peak < used)
			result->cache_peak = used;
	}
	result->wrong = child->trouble.nr_wrong;
}
