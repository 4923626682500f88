/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * test_chaos.h - what the workers of test_chaos.c share
 *
 * A slot is a place to mount something: nothing, an ext4 (the first ones) or a
 * tmpfs.  Nobody keeps book of what is there at the moment: an operation that
 * comes too late fails, which is as good a test.  Test shrinkers have a lock
 * for each: an index must not be used when it is another's already.
 */
#ifndef _TEST_CHAOS_H
#define _TEST_CHAOS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "test.h"

#define SLOTS 96
#define EXT4_SLOTS 24
#define GROUPS 32
#define PARENTS 4 /* the first ones; the others are their children */
#define SHRINKERS 8
#define DYING 16 /* removed groups that are held for a while */
#define KINDS_MAX 16

struct chaos {
	_Atomic bool rest;
	_Atomic bool end;
	_Atomic unsigned int round;
	_Atomic unsigned int rested;
	_Atomic unsigned long steps[KINDS_MAX];
	bool driver;
	/* Users of each index; -1 while it is being made or freed. */
	_Atomic int users[SHRINKERS];
	_Atomic int shrinker[SHRINKERS]; /* the driver's index, or -1 */
	_Atomic unsigned long dying[DYING]; /* a group's id, or 0 */
};

extern struct chaos *chaos;

void chaos_group_path(unsigned int i, char *path, size_t size);

/* One step of a worker each. */
void chaos_mount(struct chance *chance);
void chaos_group(struct chance *chance);
void chaos_dying(struct chance *chance);
void chaos_touch(struct chance *chance);
void chaos_drop(struct chance *chance);
void chaos_reclaim(struct chance *chance);
void chaos_debugfs(struct chance *chance);
void chaos_shrinker(struct chance *chance);
void chaos_item(struct chance *chance);

/* For a process in a group whose number @data points to. */
int chaos_touch_ext4(void *data);

#endif /* _TEST_CHAOS_H */
