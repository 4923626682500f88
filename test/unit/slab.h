/* SPDX-License-Identifier: MIT */
/* slab.h - what the tests of slabs share */
#ifndef WANE_TEST_SLAB_H
#define WANE_TEST_SLAB_H

#include "../cache.h"

/* As wane_slab_create(), which may fail. */
static inline int slab_try_make(struct wane_slab **slab, size_t size,
				size_t align, unsigned int flags,
				void (*constructor)(void *object))
{
	struct wane_slab_config config = {
		.size = sizeof(config),
		.name = "test",
		.object_size = size,
		.align = align,
		.flags = flags,
		.constructor = constructor,
	};

	return wane_slab_create(slab, &config);
}

static inline struct wane_slab *slab_make(size_t size, size_t align,
					  unsigned int flags)
{
	struct wane_slab *slab;

	assert_int_equal(slab_try_make(&slab, size, align, flags, NULL), 0);
	return slab;
}

static inline struct wane_slab_info info_of(struct wane_slab *slab)
{
	struct wane_slab_info info = { .size = sizeof(info) };

	wane_slab_info(slab, &info);
	return info;
}

/* A constructor, whose objects are to be given back as it left them. */
static inline void stay_zero(void *object)
{
	*(uint64_t *)object = 0;
}

#endif /* WANE_TEST_SLAB_H */
