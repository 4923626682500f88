/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A share's handle where shares are found by id: in each implementation that
 * has units.
 */
#ifndef _SHRINKER_INFO_SHARE_H
#define _SHRINKER_INFO_SHARE_H

#define SHRINKER_INFO_HAS_IDS
#include "cache.h"

/**
 * struct share_room - Units that are held for a new share.
 * @group: Whose.
 * @id: Of the shrinker.
 * @nodes: On how many nodes, from the first on; it is none when 0.
 */
struct share_room {
	struct shrinker_info_group *group;
	int id;
	int nodes;
};

/**
 * struct shrinker_share - Names a share; none when @group is NULL: all zero.
 */
struct shrinker_share {
	struct shrinker_info_group *group;
	int id;
};

static inline bool share_is_none(const struct shrinker_share *share)
{
	return !READ_ONCE(share->group);
}

/* A copy of a handle that another thread may make none. */
static inline struct shrinker_share
share_read(const struct shrinker_share *share)
{
	const struct shrinker_share copy = { READ_ONCE(share->group),
					     share->id };

	return copy;
}

static inline void share_forget(struct shrinker_share *share)
{
	WRITE_ONCE(share->group, NULL);
}

/**
 * struct share_cursor - A walk; all zero at its start.
 * @id: The first id not looked at yet.
 * @share: That of the shrinker returned last.
 */
struct share_cursor {
	unsigned long id;
	struct shrinker_share share;
};

#endif /* _SHRINKER_INFO_SHARE_H */
