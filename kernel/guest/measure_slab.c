// SPDX-License-Identifier: GPL-2.0-only
/*
 * measure_slab.c - what slabs take, in all and cache by cache
 *
 * Objects that are freed stay for a while: until a grace period has passed, then
 * in sheaves of each CPU and node, where slabinfo counts them as used, then in
 * slabs that are kept.  So caches are shrunk before they are looked at.
 * Counters of pages are kept per CPU and folded now and then; stat_refresh does
 * it at once.
 *
 * The kernel must run with slab_nomerge, else caches hide behind others' names.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure.h"

#define PAGE 4096.0

static double line_of(const char *text, const char *name)
{
	const char *line = strstr(text, name);

	if (!line)
		die("/proc/meminfo has no %s", name);
	return strtod(line + strlen(name), NULL) * 1024;
}

static void read_meminfo(struct memory *memory)
{
	char *text;

	file_write("/proc/sys/vm/stat_refresh", "1");
	text = file_read("/proc/meminfo");
	memory->unreclaimable = line_of(text, "SUnreclaim:");
	memory->percpu = line_of(text, "Percpu:");
	free(text);
}

static bool read_cache(const char *line, struct cache *cache)
{
	double pages, slabs;

	if (sscanf(line,
		   "%39s %lf %*f %lf %*f %lf : tunables %*f %*f %*f : "
		   "slabdata %*f %lf",
		   cache->name, &cache->objects, &cache->object_size, &pages,
		   &slabs) != 5)
		return false;
	cache->bytes = slabs * pages * PAGE;
	return true;
}

static void read_slabinfo(struct memory *memory)
{
	char *text = file_read("/proc/slabinfo"), *rest = NULL, *line;

	memory->nr = 0;
	for (line = strtok_r(text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (memory->nr < MAX_CACHES &&
		    read_cache(line, &memory->cache[memory->nr]))
			memory->nr++;
	}
	free(text);
	if (!memory->nr)
		die("/proc/slabinfo is not as expected");
}

static void shrink_caches(void)
{
	DIR *caches = opendir("/sys/kernel/slab");
	struct dirent *cache;
	char path[512];

	if (!caches)
		die("there is no /sys/kernel/slab");
	while ((cache = readdir(caches))) {
		if (cache->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/sys/kernel/slab/%s/shrink",
			 cache->d_name);
		file_write(path, "1");
	}
	closedir(caches);
}

void memory_read(struct memory *memory)
{
	usleep(500000);
	shrink_caches();
	read_meminfo(memory);
	read_slabinfo(memory);
}

/* ---- What was added --------------------------------------------------------- */

static const struct cache *find(const struct memory *memory, const char *name)
{
	static const struct cache none;
	int i;

	for (i = 0; i < memory->nr; i++) {
		if (!strcmp(memory->cache[i].name, name))
			return &memory->cache[i];
	}
	return &none;
}

double added_objects(const struct memory *after, const struct memory *before,
		     const char *name)
{
	return find(after, name)->objects - find(before, name)->objects;
}

double added_bytes(const struct memory *after, const struct memory *before,
		   const char *name)
{
	return find(after, name)->bytes - find(before, name)->bytes;
}

double added_objects_like(const struct memory *after,
			  const struct memory *before, const char *prefix)
{
	double sum = 0;
	int i;

	for (i = 0; i < after->nr; i++) {
		if (!strncmp(after->cache[i].name, prefix, strlen(prefix)))
			sum += added_objects(after, before,
					     after->cache[i].name);
	}
	return sum;
}
