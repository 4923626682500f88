/* SPDX-License-Identifier: MIT */
/*
 * shrinker.h - the registry of shrinkers
 */
#ifndef WANE_SHRINKER_INTERNAL_H
#define WANE_SHRINKER_INTERNAL_H

#include "types.h"

static inline struct wane_shrinker *
shrinker_of(struct shrinker_info_cache *info)
{
	return container_of(info, struct wane_shrinker, info);
}

/*
 * The started shrinker after @last (NULL: the first) that is not bound to
 * groups, pinned; @last is unpinned.
 */
struct wane_shrinker *shrinker_global_next(struct wane_shrinker *last);

#endif /* WANE_SHRINKER_INTERNAL_H */
