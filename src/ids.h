/* SPDX-License-Identifier: MIT */
/*
 * ids.h - the lowest free number, as file descriptors have it
 *
 * Low ids keep what is indexed by them small.  Linux has this as its IDA.
 */
#ifndef WANE_IDS_H
#define WANE_IDS_H

#include "lock.h"

/* The highest id; 128 KiB of bits when all are taken. */
#define IDS_MAX ((1 << 20) - 1)

/**
 * struct ids - An allocator of ids; no memory is held while none is taken.
 * @lock: Covers all of it: rank RANK_IDS.
 * @words: Bit i of word w: id 64 w + i is taken.
 * @nr_words: Length of @words.
 * @nr_taken: Ids taken.
 * @first: All words before this one are full.
 */
struct ids {
	struct lock lock;
	unsigned long *words;
	unsigned int nr_words;
	unsigned int nr_taken;
	unsigned int first;
};

#define IDS_INIT                            \
	{                                   \
		.lock = LOCK_INIT(RANK_IDS) \
	}

void ids_init(struct ids *ids);

/* Return: the lowest free id; -ENOMEM; -ENOSPC when all are taken. */
int ids_take(struct ids *ids);

/* @id was taken, and is free from now on. */
void ids_give(struct ids *ids, int id);

#endif /* WANE_IDS_H */
