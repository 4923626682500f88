/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What others need to know of pairs: sizes, to embed them.
 */
#ifndef _SHRINKER_INFO_PAIRS_H
#define _SHRINKER_INFO_PAIRS_H

#include "cache.h"

struct shrinker_pair;
struct shrinker_slots;

/**
 * struct share_room - What a new share may need.
 * @pair: For the share itself, or NULL.
 * @slots: For a group that has no free slot: twice as many, or NULL.
 */
struct share_room {
	struct shrinker_pair *pair;
	struct shrinker_slots *slots;
};

/* A group that has ended all its shares holds no memory for them. */
#define SHRINKER_INFO_KEEPS_UNITS false

/**
 * struct shrinker_info_group - A group's slots, and the bits of the first 64.
 * @slots: Slot -> pair, replaced as a whole when it grows; NULL without one.
 * @nr_slots: How many @slots has.
 * @nr_pairs: How many of them are taken; written by who makes and ends shares.
 * @first_free: No slot before this one is free; the same.
 * @word: Per node: bit i: the pair of slot i may hold items.
 */
struct shrinker_info_group {
	struct shrinker_slots *slots;
	unsigned int nr_slots;
	unsigned int nr_pairs;
	unsigned int first_free;
	unsigned long word[];
};

/**
 * struct shrinker_share - Names a share; none when @pair is NULL: all zero.
 */
struct shrinker_share {
	struct shrinker_pair *pair;
};

static inline bool share_is_none(const struct shrinker_share *share)
{
	return !READ_ONCE(share->pair);
}

/* A copy of a handle that another thread may make none. */
static inline struct shrinker_share
share_read(const struct shrinker_share *share)
{
	const struct shrinker_share copy = { READ_ONCE(share->pair) };

	return copy;
}

static inline void share_forget(struct shrinker_share *share)
{
	WRITE_ONCE(share->pair, NULL);
}

/**
 * struct share_cursor - A walk; all zero at its start.
 * @slot: The first slot not looked at yet.
 * @share: That of the shrinker returned last; the walk has a reference.
 */
struct share_cursor {
	unsigned int slot;
	struct shrinker_share share;
};

#endif /* _SHRINKER_INFO_PAIRS_H */
