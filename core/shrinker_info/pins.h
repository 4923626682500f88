/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Pins of shrinkers, and what moves to an heir: the same in each
 * implementation, which includes this once, after it has said what it needs
 * for an id, if it has ids:
 *
 *	static int ids_register(struct shrinker_info_cache *cache, gfp_t gfp);
 *	static void ids_unregister(struct shrinker_info_cache *cache);
 */

int shrinker_info_begin(struct shrinker_info_cache *cache, gfp_t gfp)
{
	refcount_set(&cache->pins, 0);
	init_completion(&cache->stopped);
	return ids_register(cache, gfp);
}

bool shrinker_info_start(struct shrinker_info_cache *cache)
{
	if (refcount_read(&cache->pins) > 0)
		return false;
	refcount_set(&cache->pins, 1);
	return true;
}

bool shrinker_info_pin(struct shrinker_info_cache *cache)
{
	return refcount_inc_not_zero(&cache->pins);
}

void shrinker_info_unpin(struct shrinker_info_cache *cache)
{
	if (refcount_dec_and_test(&cache->pins))
		complete(&cache->stopped);
}

void shrinker_info_stop(struct shrinker_info_cache *cache)
{
	if (refcount_read(&cache->pins) == 0)
		return; /* never started */
	shrinker_info_unpin(cache);
	wait_for_completion(&cache->stopped);
}

void shrinker_info_forget(struct shrinker_info_cache *cache)
{
	ids_unregister(cache);
}

/* The heir is written: what is here moves, whoever puts it here (B3). */
static void share_move(const struct shrinker_share *share,
		       const struct shrinker_share *heir, int nid)
{
	long nr = share_take_deferred(share, nid);

	if (nr)
		share_add_deferred(heir, nid, nr);
	if (share_test(share, nid)) {
		share_set(heir, nid);
		share_clear(share, nid);
	}
}
