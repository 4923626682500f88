/* SPDX-License-Identifier: MIT */
/*
 * slab.c - caches of objects of one size: making, ending, counting them
 *
 *   slab_take() ---> magazine of this thread        no lock     slab_cache.h
 *                        | empty: half a magazine               slab_magazine.c
 *                        v
 *                    depot of this node             RANK_SLAB   slab_depot.c
 *                        | empty
 *                        v
 *                    runs of this node              RANK_SLAB   slab_memory.c
 *                        | none with free objects
 *                        v
 *                    regions of this node           RANK_REGION slab_region.c
 *
 * slab_give() takes the same way back.  This file knows none of it but how
 * the pieces are sized: a run is as short as it can be with at least eight
 * objects and at most a sixteenth wasted; where no length wastes so little,
 * the one that wastes least.  (520 bytes: 31 in 16 KiB, 528.5 bytes each;
 * 4,368 bytes, a page of SQLite: 15 in 64 KiB, 16 bytes wasted.)
 *
 * A group pays an equal part of a whole run and its books for each object, so
 * that the groups together pay for a run once it is full.  The region's own
 * header, a 256th, is nobody's.
 */
#include <string.h>

#include "slab_cache.h"

#define OBJECTS_MIN 8
#define WASTE_SHIFT 4
#define ALIGN_MAX 4096

#ifdef WANE_TINY
#define MAGAZINE_MAX 4u
#define DEPOT_MAX 10u
#else
#define MAGAZINE_MAX 128u
#define DEPOT_MAX 1024u
#endif

struct lock slabs_lock = LOCK_INIT(RANK_SLABS);
static struct list slabs = LIST_INIT(slabs);

static size_t round_up(size_t value, size_t align)
{
	return (value + align - 1) & ~(align - 1);
}

/* ---- Sizes ------------------------------------------------------------------ */

static bool config_valid(const struct wane_slab_config *config)
{
	return config->object_size > 0 &&
	       config->object_size <= WANE_SLAB_MAX &&
	       config->align <= ALIGN_MAX &&
	       (config->align & (config->align - 1)) == 0 &&
	       (config->flags & ~WANE_SLAB_CHARGED) == 0;
}

/* A pointer's alignment, or the largest that fits into the object. */
static size_t usual_align(size_t size)
{
	size_t align = sizeof(void *);

	while (align > size)
		align /= 2;
	return align;
}

static unsigned int best_order(unsigned int room)
{
	size_t least = SIZE_MAX;
	unsigned int best = 0;

	for (unsigned int order = 0; order <= RUN_ORDER_MAX; order++) {
		size_t bytes = CHUNK_BYTES << order;
		size_t wasted = bytes % room;
		size_t part = wasted << (RUN_ORDER_MAX - order);

		if (bytes / room < OBJECTS_MIN)
			continue;
		if (wasted <= bytes >> WASTE_SHIFT)
			return order;
		if (part < least) {
			least = part;
			best = order;
		}
	}
	return best;
}

static void set_sizes(struct wane_slab *slab,
		      const struct wane_slab_config *config)
{
	size_t align = config->align;

	if (!align)
		align = usual_align(config->object_size);
	/* A link of two bytes has to fit: see run_link(). */
	align = max_of(align, sizeof(uint16_t));
	slab->object_size = config->object_size;
	slab->room = (unsigned int)round_up(config->object_size, align);
	slab->inverse = slab_inverse(slab->room);
	slab->order = best_order(slab->room);
	slab->objects = (unsigned int)(slab_run_bytes(slab) / slab->room);
	slab->magazine = max_of(
		min_of(MAGAZINE_MAX, WANE_SLAB_MAGAZINE / slab->room), 1u);
	slab->depot = min_of(DEPOT_MAX, WANE_SLAB_DEPOT / slab->room);
}

static void set_books(struct wane_slab *slab, bool charged)
{
	size_t bytes = 0;

	if (charged)
		bytes += slab->objects * sizeof(struct wane_group *);
	slab->links_at = (unsigned int)bytes;
	if (slab->constructor)
		bytes += slab->objects * sizeof(uint16_t);
	slab->books_paid = (unsigned int)bytes;
	slab->bits_at = (unsigned int)round_up(bytes, sizeof(uint64_t));
#ifdef WANE_DEBUG
	bytes = slab->bits_at + round_up(slab->objects, 64) / 8;
#endif
	slab->books_bytes = (unsigned int)bytes;
	bytes = slab_run_bytes(slab) + slab->books_paid;
	if (charged)
		slab->charge = (unsigned int)((bytes + slab->objects - 1) /
					      slab->objects);
}

/* ---- Making ------------------------------------------------------------------- */

static struct wane_slab *slab_new(const struct wane_slab_config *config)
{
	const char *name = config->name ? config->name : "";
	size_t homes = (size_t)port_nr_nodes * sizeof(struct slab_home);
	size_t bytes = sizeof(struct wane_slab) + homes + strlen(name) + 1;
	struct wane_slab *slab = port_zalloc(bytes);

	if (!slab)
		return NULL;
	slab->bytes = bytes;
	slab->name = strcpy((char *)&slab->home[port_nr_nodes], name);
	slab->constructor = config->constructor;
	list_init(&slab->magazines);
	for (int node = 0; node < port_nr_nodes; node++) {
		lock_init(&slab->home[node].lock, RANK_SLAB);
		list_init(&slab->home[node].partial);
		list_init(&slab->home[node].full);
	}
	return slab;
}

/* Give it the lowest free index: the list is in order of index. */
static void slab_enlist(struct wane_slab *slab)
{
	struct list *place = &slabs;

	lock_take(&slabs_lock);
	list_for_each(link, &slabs) {
		if (list_entry(link, struct wane_slab, link)->index !=
		    slab->index)
			break;
		slab->index++;
		place = link;
	}
	list_add_after(&slab->link, place);
	lock_drop(&slabs_lock);
}

int slab_create(struct wane_slab **slab, const struct wane_slab_config *config)
{
	struct wane_slab_config settled = { 0 };
	struct wane_slab *new;

	memcpy(&settled, config, min_of(config->size, sizeof(settled)));
	if (!config_valid(&settled))
		return -EINVAL;
	new = slab_new(&settled);
	if (!new)
		return -ENOMEM;
	set_sizes(new, &settled);
	set_books(new, settled.flags & WANE_SLAB_CHARGED);
	slab_enlist(new);
	*slab = new;
	return 0;
}

/* ---- Ending ---------------------------------------------------------------------- */

/* Objects in use or in magazines. */
static size_t slab_used(struct wane_slab *slab)
{
	size_t nr = 0;

	for (int node = 0; node < port_nr_nodes; node++) {
		struct slab_home *home = &slab->home[node];

		lock_take(&home->lock);
		nr += home->nr_used - home->depot.nr;
		lock_drop(&home->lock);
	}
	return nr;
}

/* Give back what no thread has at hand. */
static size_t slab_shrink(struct wane_slab *slab)
{
	size_t bytes = 0;

	for (int node = 0; node < port_nr_nodes; node++)
		bytes += depot_empty(slab, node) + home_shrink(slab, node);
	return bytes;
}

int slab_destroy(struct wane_slab *slab)
{
	bool busy;

	if (!slab)
		return 0;
	lock_take(&slabs_lock);
	slab_magazine_drain(slab, false);
	busy = slab_used(slab) > 0;
	if (!busy) {
		slab_shrink(slab);
		list_del(&slab->link);
	}
	lock_drop(&slabs_lock);
	if (busy)
		return -EBUSY;
	region_shrink();
	port_free(slab, slab->bytes);
	return 0;
}

size_t wane_slab_shrink(struct wane_slab *slab)
{
	size_t bytes;

	bytes = slab_magazine_flush(slab);
	bytes += slab_shrink(slab);
	region_shrink();
	return bytes;
}

unsigned int slab_trimmed;

/* Of many threads in one second, the exchange lets one pass. */
static bool trim_is_due(void)
{
	unsigned int now = port_second();
	unsigned int last = load_relaxed(&slab_trimmed);

	return now != last && try_exchange_full(&slab_trimmed, &last, now);
}

/* Under slabs_lock no slab goes, and none counts what is on its way. */
void slab_trim(void)
{
	if (!trim_is_due())
		return;
	lock_take(&slabs_lock);
	list_for_each(link, &slabs)
		for (int node = 0; node < port_nr_nodes; node++)
			depot_trim(list_entry(link, struct wane_slab, link),
				   node);
	lock_drop(&slabs_lock);
}

void slab_drain_all(void)
{
	lock_take(&slabs_lock);
	list_for_each(link, &slabs) {
		struct wane_slab *slab =
			list_entry(link, struct wane_slab, link);

		slab_magazine_drain(slab, true);
		slab_shrink(slab);
	}
	lock_drop(&slabs_lock);
	region_shrink();
}

/* ---- Counting -------------------------------------------------------------------- */

/* Under slabs_lock no thread ends in between, so that only use disturbs it. */
static size_t slab_active(struct wane_slab *slab)
{
	size_t used, idle;

	lock_take(&slabs_lock);
	used = slab_used(slab);
	idle = slab_magazine_count(slab);
	lock_drop(&slabs_lock);
	return used - min_of(idle, used);
}

void slab_for_each(void (*visit)(const struct wane_slab *slab, size_t active,
				 void *arg),
		   void *arg)
{
	size_t used, idle;

	lock_take(&slabs_lock);
	list_for_each(link, &slabs) {
		struct wane_slab *slab =
			list_entry(link, struct wane_slab, link);

		used = slab_used(slab);
		idle = slab_magazine_count(slab);
		visit(slab, used - min_of(idle, used), arg);
	}
	lock_drop(&slabs_lock);
}

void wane_slab_info(struct wane_slab *slab, struct wane_slab_info *info)
{
	size_t size = min_of(info->size, sizeof(*info));
	struct wane_slab_info filled = {
		.size = info->size,
		.name = slab->name,
		.active = slab_active(slab),
		.object_size = slab->object_size,
		.object_room = slab->room,
		.slab_objects = slab->objects,
		.slab_bytes = slab_run_bytes(slab),
	};

	for (int node = 0; node < port_nr_nodes; node++) {
		struct slab_home *home = &slab->home[node];
		size_t runs = load_relaxed(&home->nr_runs);

		filled.total += runs * slab->objects;
		filled.bytes +=
			runs * (slab_run_bytes(slab) + slab->books_paid);
	}
	memcpy(info, &filled, size);
}
