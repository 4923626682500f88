// SPDX-License-Identifier: MIT
/*
 * worker_world.c - other measurements of many groups and many caches
 *
 * Times are of this thread's processor time.
 */
#include <stdio.h>

#include <wane/wane.h>

#include "../src/slab_cache.h"
#include "../tool/random.h"

#include "worker.h"
#include "world.h"

/* ---- A cache for each group, with one item: passes until nothing is left ---- */

void worker_one_file(void)
{
	size_t nr = (size_t)parameter("groups", 4000);
	struct cache *caches = must_alloc(nr, sizeof(*caches));
	struct wane_group **groups = must_alloc(nr, sizeof(*groups));
	struct wane_item *items = must_alloc(nr, sizeof(*items));
	struct wane_group *root;

	groups_create(&root, 1, NULL);
	caches_create(caches, nr);
	groups_create(groups, nr, root);
	for (size_t i = 0; i < nr; i++)
		cache_fill(&caches[i], groups[i], &items[i]);
	sample("", (double)nr, "groups");
	for (int i = 1; i <= 4; i++) {
		uint64_t begin = clock_cpu_ns();

		wane_reclaim_all();
		sample("", cpu_since(begin), "pass_%d", i);
	}
}

/* ---- Sizes that follow from the code alone -------------------------------------- */

/* What an object takes, its part of what does not fill the slab included. */
static double room(size_t bytes, size_t align)
{
	struct wane_slab_config config = {
		.size = sizeof(config),
		.name = "size",
		.object_size = bytes,
		.align = align,
	};
	struct wane_slab_info info = { .size = sizeof(info) };
	struct wane_slab *slab;

	must(wane_slab_create(&slab, &config), "making a slab");
	wane_slab_info(slab, &info);
	wane_slab_destroy(slab);
	return (double)info.slab_bytes / (double)info.slab_objects;
}

static void sizes_of(const char *source, int ids, double bytes)
{
	sample(source, bytes, "unit_bytes");
	sample(source, bytes / ids, "id_bytes");
}

void worker_size(void)
{
	size_t unit64 = 8 + 64 * 8, unit63 = 8 + 63 * 8;

	sizes_of("1k class", 64, (double)wane_size_room(unit64));
	sizes_of("512 class", 63, (double)wane_size_room(unit63));
	sizes_of("slab", 64, room(unit64, 0));
	sizes_of("aligned", 64, room(unit64, 64));
	sample("1k class", (double)wane_size_room(2896), "node_bytes");
	sample("aligned", room(2896, 64), "node_bytes");
}

/* ---- One point of the curves ------------------------------------------------------- */

#define LATENCIES 640

static void latencies(struct cache *caches, struct wane_group *root)
{
	struct wane_group *group;
	double seconds, all = 0;

	for (int i = 0; i < LATENCIES; i++) {
		uint64_t begin = clock_ns();

		cache_create(&caches[i]);
		seconds = clock_to_seconds(clock_ns() - begin);
		all += seconds;
		sample("", seconds, "latency_register");
	}
	/* Of many, since only one in a unit's worth of them is slow. */
	sample("", all / LATENCIES, "register_mean");
	for (int i = 0; i < LATENCIES; i++) {
		uint64_t begin = clock_ns();

		groups_create(&group, 1, root);
		sample("", clock_to_seconds(clock_ns() - begin),
		       "latency_create");
		groups_retire(&group, 1);
	}
}

void worker_curve(void)
{
	size_t nr_caches = (size_t)parameter("caches", 1000);
	size_t nr_groups = (size_t)parameter("groups", 1000);
	struct cache *caches =
		must_alloc(nr_caches + LATENCIES, sizeof(*caches));
	struct wane_group **groups = must_alloc(nr_groups, sizeof(*groups));
	struct wane_group *root;
	struct memory before, after;
	uint64_t begin;

	groups_create(&root, 1, NULL);
	caches_create(caches, nr_caches);
	memory_read(&before);
	groups_create(groups, nr_groups, root);
	memory_read(&after);
	sample("", (double)(after.all - before.all) / (double)nr_groups,
	       "group_bytes");
	for (int i = 0; i < 3; i++) {
		begin = clock_cpu_ns();
		wane_reclaim_all();
		sample("", cpu_since(begin), "pass");
	}
	latencies(&caches[nr_caches], root);
	begin = clock_cpu_ns();
	groups_retire(groups, nr_groups);
	sample("", cpu_since(begin) / (double)nr_groups, "retire");
}

/* ---- Few of many hold something ------------------------------------------------------ */

/*
 * What is done where there are caches and tenants but no bits: ask each cache
 * about each group.
 */
static size_t naive_pass(struct cache *caches, size_t nr_caches,
			 struct wane_group **groups, size_t nr_groups)
{
	size_t found = 0;

	for (size_t g = 0; g < nr_groups; g++)
		for (size_t c = 0; c < nr_caches; c++)
			found += wane_lru_count(caches[c].lru, groups[g], 0) >
				 0;
	return found;
}

/* The same with a counter for each pair at hand: the least it can cost. */
static size_t flat_pass(const uint32_t *count, size_t nr)
{
	size_t found = 0;

	for (size_t i = 0; i < nr; i++)
		if (__atomic_load_n(&count[i], __ATOMIC_RELAXED) > 0)
			found++;
	return found;
}

#define HOLDERS 10

static void reclaim_measure(struct cache *caches, size_t nr_caches,
			    struct wane_group **groups, size_t nr_groups)
{
	uint32_t *flat = must_alloc(nr_caches * nr_groups, sizeof(*flat));
	size_t found = 0;

	for (long i = 0; i < parameter("repeats", 3); i++) {
		uint64_t begin = clock_cpu_ns();

		wane_reclaim_all();
		sample("", cpu_since(begin), "pass");
		begin = clock_cpu_ns();
		found += naive_pass(caches, nr_caches, groups, nr_groups);
		sample("naive", cpu_since(begin), "pass");
		begin = clock_cpu_ns();
		found += flat_pass(flat, nr_caches * nr_groups);
		sample("counters", cpu_since(begin), "pass");
	}
	keep(&found);
	free(flat);
}

void worker_reclaim(void)
{
	size_t nr_groups = (size_t)parameter("groups", 100000);
	size_t nr_caches = (size_t)parameter("caches", 64);
	struct cache *caches = must_alloc(nr_caches, sizeof(*caches));
	struct wane_group **groups = must_alloc(nr_groups, sizeof(*groups));
	struct random random = { (uint64_t)parameter("seed", 1) };
	struct wane_item items[HOLDERS];
	struct wane_group *root;

	groups_create(&root, 1, NULL);
	caches_create(caches, nr_caches);
	groups_create(groups, nr_groups, root);
	for (size_t i = 0; i < nr_caches; i++) {
		caches[i].sticky = true;
		cache_prepare(&caches[i], root);
	}
	for (size_t i = 0; i < HOLDERS; i++)
		cache_fill(&caches[random_below(&random, (uint32_t)nr_caches)],
			   groups[random_below(&random, (uint32_t)nr_groups)],
			   &items[i]);
	sample("", (double)nr_groups, "groups");
	reclaim_measure(caches, nr_caches, groups, nr_groups);
}

/* ---- Retire ------------------------------------------------------------------------------ */

void worker_retire(void)
{
	static const size_t uses[] = { 0, 1, 100 };
	size_t nr = (size_t)parameter("groups", 100);
	struct cache *caches = must_alloc(1000, sizeof(*caches));
	struct wane_group **groups = must_alloc(nr, sizeof(*groups));
	struct wane_group *root;

	groups_create(&root, 1, NULL);
	caches_create(caches, 1000);
	for (size_t u = 0; u < 3; u++) {
		for (long i = 0; i < parameter("repeats", 5); i++) {
			uint64_t begin;

			groups_create(groups, nr, root);
			for (size_t g = 0; g < nr; g++)
				for (size_t c = 0; c < uses[u]; c++)
					cache_prepare(&caches[c * 10],
						      groups[g]);
			begin = clock_cpu_ns();
			groups_retire(groups, nr);
			sample("", cpu_since(begin) / (double)nr, "retire_%zu",
			       uses[u]);
			wane_barrier();
		}
	}
}
