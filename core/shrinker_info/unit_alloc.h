/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Where units come from: a slab cache of their own (UNITS_FROM_CACHE), or the
 * size classes.
 */

#ifdef UNITS_FROM_CACHE

static struct kmem_cache *unit_cache;

int shrinker_info_init(void)
{
	unit_cache = kmem_cache_create("shrinker_info_unit",
				       sizeof(struct shrinker_info_unit), 0, 0,
				       NULL);
	return unit_cache ? 0 : -ENOMEM;
}

static struct shrinker_info_unit *unit_alloc(gfp_t gfp, int nid)
{
	return kmem_cache_alloc_node(unit_cache, gfp | __GFP_ZERO, nid);
}

static void unit_free(struct shrinker_info_unit *unit)
{
	if (unit)
		kmem_cache_free(unit_cache, unit);
}

#else

int shrinker_info_init(void)
{
	return 0;
}

static struct shrinker_info_unit *unit_alloc(gfp_t gfp, int nid)
{
	return kzalloc_node(sizeof(struct shrinker_info_unit), gfp, nid);
}

static void unit_free(struct shrinker_info_unit *unit)
{
	kfree(unit);
}

#endif
