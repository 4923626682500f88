// SPDX-License-Identifier: MIT
/*
 * worker_scale.c - as many groups as one wants, each with one cache in use
 *
 * Group i uses cache i mod the number of caches.  Times are of this thread's
 * processor time.
 */
#include <wane/wane.h>

#include "worker.h"
#include "world.h"

#define ACTIVE 1000
#define REGISTRATIONS 640

struct scale {
	size_t nr_caches;
	size_t nr_groups;
	struct cache *caches;
	struct wane_group **groups;
	struct wane_group *root;
	struct wane_item *items;
};

static struct cache *cache_of(struct scale *s, size_t group)
{
	return &s->caches[group % s->nr_caches];
}

static void per_group(struct scale *s, uint64_t begin, const char *row)
{
	sample("", cpu_since(begin) / (double)s->nr_groups, "%s", row);
}

static void create_and_use(struct scale *s)
{
	struct memory before, after;
	uint64_t begin = clock_cpu_ns();

	memory_read(&before);
	groups_create(s->groups, s->nr_groups, s->root);
	per_group(s, begin, "create");
	memory_read(&after);
	sample("", (double)(after.all - before.all) / (double)s->nr_groups,
	       "empty_bytes");
	begin = clock_cpu_ns();
	for (size_t i = 0; i < s->nr_groups; i++)
		cache_prepare(cache_of(s, i), s->groups[i]);
	per_group(s, begin, "use");
	memory_read(&after);
	sample("", (double)(after.all - before.all) / (double)s->nr_groups,
	       "group_bytes");
	sample("", (double)(after.all - before.all), "all_bytes");
}

static void time_passes(const char *row)
{
	for (int i = 0; i < 3; i++) {
		uint64_t begin = clock_cpu_ns();

		wane_reclaim_all();
		sample("", cpu_since(begin), "%s", row);
	}
}

static void passes(struct scale *s)
{
	size_t active = s->nr_groups < ACTIVE ? s->nr_groups : ACTIVE;
	size_t step = s->nr_groups / active;

	time_passes("pass_idle");
	for (size_t i = 0; i < active; i++)
		cache_fill(cache_of(s, i * step), s->groups[i * step],
			   &s->items[i]);
	time_passes("pass_active");
}

void worker_scale(void)
{
	struct scale s = {
		.nr_caches = (size_t)parameter("caches", 10000),
		.nr_groups = (size_t)parameter("groups", 10000),
	};
	uint64_t begin;

	s.caches = must_alloc(s.nr_caches + REGISTRATIONS, sizeof(*s.caches));
	s.groups = must_alloc(s.nr_groups, sizeof(struct wane_group *));
	s.items = must_alloc(ACTIVE, sizeof(*s.items));
	groups_create(&s.root, 1, NULL);
	caches_create(s.caches, s.nr_caches);
	for (size_t i = 0; i < s.nr_caches; i++) {
		s.caches[i].sticky = true;
		cache_prepare(&s.caches[i], s.root);
	}
	create_and_use(&s);
	passes(&s);
	begin = clock_cpu_ns();
	caches_create(&s.caches[s.nr_caches], REGISTRATIONS);
	sample("", cpu_since(begin) / REGISTRATIONS, "register");
	begin = clock_cpu_ns();
	groups_retire(s.groups, s.nr_groups);
	per_group(&s, begin, "retire");
}
