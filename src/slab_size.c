/* SPDX-License-Identifier: MIT */
/*
 * slab_size.c - slabs of fixed sizes, for memory of any size
 *
 *   8  16  32  64  96  128  192  256  512  1,024  2,048  4,096  8,192
 *
 * The classes are those of kmalloc() in Linux.  They are here to be compared
 * with: what a slab of its own saves is what these round up.
 */
#include "slab_cache.h"

#include "start.h"

#define SIZE_MAX_CLASS 8192u
#define SMALL_MAX 192u /* up to here by table, in steps of 8 bytes */

static const uint16_t size_of_class[] = { 8,   16,  32,	  64,	96,   128, 192,
					  256, 512, 1024, 2048, 4096, 8192 };

#define NR_CLASSES (sizeof(size_of_class) / sizeof(size_of_class[0]))
#define CLASS_256 7u

static struct wane_slab *classes[NR_CLASSES];
static uint8_t small_class[SMALL_MAX / 8 + 1];

/* @bytes: 1 to 8,192. */
static unsigned int class_of(size_t bytes)
{
	if (bytes <= SMALL_MAX)
		return small_class[(bytes + 7) / 8];
	if (bytes <= 256)
		return CLASS_256;
	/* 257 to 512, whose predecessors have bit 8 as their highest: 1 on. */
	return CLASS_256 + (unsigned int)(56 - __builtin_clzl(bytes - 1));
}

static void small_start(void)
{
	uint8_t class = 0;

	for (unsigned int i = 1; i <= SMALL_MAX / 8; i++) {
		class += i * 8 > size_of_class[class];
		small_class[i] = class;
	}
}

int slab_size_start(void)
{
	region_start();
	small_start();
	for (unsigned int i = 0; i < NR_CLASSES; i++) {
		size_t size = size_of_class[i];
		struct wane_slab_config config = {
			.size = sizeof(config),
			.name = "size",
			.object_size = size,
			/* The largest power of two that divides it. */
			.align = min_of(size & -size, (size_t)4096),
		};
		int error = slab_create(&classes[i], &config);

		if (error)
			return error;
	}
	return 0;
}

struct wane_slab *slab_size_class(size_t bytes)
{
	if (bytes - 1 >= SIZE_MAX_CLASS)
		return NULL;
	return classes[class_of(bytes)];
}

void *wane_size_alloc(size_t bytes)
{
	struct wane_slab *slab = slab_size_class(bytes);

	return slab ? slab_take(slab, NODE_HERE) : NULL;
}

void wane_size_free(void *memory)
{
	struct wane_slab *slab;

	if (!memory)
		return;
	slab = run_of(memory)->slab;
	wane_assert(slab && slab == slab_size_class(slab->room));
	slab_give(slab, memory);
}

size_t wane_size_room(size_t bytes)
{
	struct wane_slab *slab = slab_size_class(bytes);

	return slab ? slab->room : 0;
}
