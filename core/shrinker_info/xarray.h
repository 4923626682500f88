/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What others need to know of units in xarrays: sizes, to embed them.
 */
#ifndef _SHRINKER_INFO_XARRAY_H
#define _SHRINKER_INFO_XARRAY_H

#include "share.h"

/* A group that has ended all its shares holds no memory for them. */
#define SHRINKER_INFO_KEEPS_UNITS false

/**
 * struct shrinker_info_group - A group's units.
 * @heir: Who has what was deferred here, once the group is retired.
 * @units: Per node: id / SHRINKER_UNIT_BITS -> unit.
 */
struct shrinker_info_group {
	struct shrinker_info_group *heir;
	struct xarray units[];
};

#endif /* _SHRINKER_INFO_XARRAY_H */
