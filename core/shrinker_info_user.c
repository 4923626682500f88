// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * shrinker_info_user.c - the kernel's slab calls, on ours
 */
#include "shrinker_info_user.h"

#include "../src/slab_cache.h"

struct kmem_cache *kmem_cache_create(const char *name, unsigned int size,
				     unsigned int align, unsigned int flags,
				     void (*constructor)(void *))
{
	const struct wane_slab_config config = {
		.size = sizeof(config),
		.name = name,
		.object_size = size,
		.align = align,
		.flags = flags,
		.constructor = constructor,
	};
	struct wane_slab *slab;

	return slab_create(&slab, &config) ? NULL : slab;
}

void *kmem_cache_alloc_node(struct kmem_cache *cache, gfp_t gfp, int nid)
{
	void *object = slab_take(cache, nid);

	if (object && (gfp & __GFP_ZERO))
		memset(object, 0, cache->object_size);
	return object;
}

void kmem_cache_free(struct kmem_cache *cache, void *object)
{
	slab_give(cache, object);
}

void *shim_zalloc_node(size_t size, int nid)
{
	struct wane_slab *slab = slab_size_class(size);
	void *object = slab ? slab_take(slab, nid) : NULL;

	return object ? memset(object, 0, size) : NULL;
}

/* As kvmalloc() does: what passes the largest size class is not from one. */
void *info_alloc(size_t size, gfp_t gfp)
{
	(void)gfp;
	return slab_size_class(size) ? shim_zalloc_node(size, NODE_HERE)
				     : port_zalloc(size);
}

void info_free(void *memory, size_t size)
{
	if (slab_size_class(size))
		wane_size_free(memory);
	else
		port_free(memory, size);
}
