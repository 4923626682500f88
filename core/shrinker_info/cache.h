/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A shrinker, as walks see it: the same in each implementation, but that some
 * need an id.
 */
#ifndef _SHRINKER_INFO_CACHE_H
#define _SHRINKER_INFO_CACHE_H

/**
 * struct shrinker_info_cache - A shrinker, as the walk sees it.
 * @id: Its number, the lowest that was free, where shares are found by it.
 * @pins: Walks that have it, and 1 from start to stop.
 * @stopped: Completed by who drops the last pin.
 */
struct shrinker_info_cache {
#ifdef SHRINKER_INFO_HAS_IDS
	int id;
#endif
	refcount_t pins;
	struct completion stopped;
};

#endif /* _SHRINKER_INFO_CACHE_H */
