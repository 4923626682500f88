/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What others need to know of units in arrays: sizes, to embed them.
 */
#ifndef _SHRINKER_INFO_ARRAYS_GROUP_H
#define _SHRINKER_INFO_ARRAYS_GROUP_H

#include "share.h"

struct shrinker_info_array;

/* A group that has ended all its shares may still hold memory for them. */
#define SHRINKER_INFO_KEEPS_UNITS true

/**
 * struct shrinker_info_group - A group's units.
 * @heir: Who has what was deferred here, once the group is retired.
 * @link: In the list of all groups.
 * @array: Per node: the units.
 */
struct shrinker_info_group {
	struct shrinker_info_group *heir;
	struct list_head link;
	struct shrinker_info_array *array[];
};

#endif /* _SHRINKER_INFO_ARRAYS_GROUP_H */
