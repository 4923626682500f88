/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The test driver's parts: one debugfs file takes commands (wane_driver.c),
 * and each command is a function that is declared here.
 *
 *	wane_driver.c		the file, the table of commands, their numbers
 *	wane_driver_cgroup.c	cgroups by their id; pins; walks and their time
 *	wane_driver_shrinker.c	test shrinkers: made, called, freed
 *	wane_driver_items.c	items on their lists
 *	wane_driver_state.c	bits and deferred work, where stock and ours differ
 */
#ifndef _WANE_DRIVER_H
#define _WANE_DRIVER_H

#include <linux/kref.h>
#include <linux/list_lru.h>
#include <linux/memcontrol.h>
#include <linux/rwsem.h>
#include <linux/shrinker.h>
#include <linux/wait.h>

#define WANE_ARGUMENTS 5
#define WANE_LRUS 2

/* One line: what a command has to say. */
struct wane_answer {
	char text[128];
};

__printf(2, 3) void wane_say(struct wane_answer *answer, const char *format,
			     ...);

typedef void wane_command_fn(const long *argument, struct wane_answer *answer);

/**
 * enum wane_mode - What a scan does, or a count.
 * @WANE_FREE: It frees items.
 * @WANE_STOP: It says SHRINK_STOP.
 * @WANE_SLEEP: It sleeps until the mode is another.
 * @WANE_SLEEP_EMPTY: So does a count that found nothing, before it says so.
 */
enum wane_mode {
	WANE_FREE,
	WANE_STOP,
	WANE_SLEEP,
	WANE_SLEEP_EMPTY,
};

/**
 * struct wane_shrinker - A test shrinker with its lists.
 * @refs: The table's, and one for each command at work on it.
 * @life: Read: the shrinker and the lists stay. Written: one of them goes.
 * @shrinker: NULL once it is freed.
 * @registered: Its walks may come.
 * @freed: Someone frees it: no one else does.
 * @nr_lrus: How many of @lru there are, or were.
 * @lru: A second one is there if it was asked for, as in a super block.
 * @destroyed: Of @lru, or about to be.
 * @mode: What a scan does, or a count.
 * @awake: Scans sleep here in %WANE_SLEEP, counts in %WANE_SLEEP_EMPTY.
 * @counts: Calls of count.
 * @scans: Calls of scan.
 */
struct wane_shrinker {
	struct kref refs;
	struct rw_semaphore life;
	struct shrinker *shrinker;
	bool registered;
	bool freed;
	int nr_lrus;
	struct list_lru lru[WANE_LRUS];
	bool destroyed[WANE_LRUS];
	enum wane_mode mode;
	wait_queue_head_t awake;
	atomic_long_t counts;
	atomic_long_t scans;
};

/*
 * The memcg of a cgroup, with a reference; NULL if there is none, and then the
 * answer says so. 0 is the root. A pinned one is found also when it is dying.
 */
struct mem_cgroup *wane_cgroup_get(long id, struct wane_answer *answer);

bool wane_node_valid(long nid, struct wane_answer *answer);

/* A test shrinker, with a reference; NULL and an answer if there is none. */
struct wane_shrinker *wane_shrinker_get(long index, struct wane_answer *answer);
void wane_shrinker_put(struct wane_shrinker *test);

/* The next one from *@index on, with a reference; NULL at the end. */
struct wane_shrinker *wane_shrinker_next(long *index);

/* Items of all of its lists; the caller holds @life, or is a callback. */
unsigned long wane_shrinker_count(struct wane_shrinker *test, int nid,
				  struct mem_cgroup *memcg);

/* Take up to @nr items of a list off it and free them: how many it were. */
unsigned long wane_items_scan(struct list_lru *lru, int nid,
			      struct mem_cgroup *memcg, unsigned long nr);
/* Free all items of a list_lru that no one adds to any more. */
void wane_items_drain(struct list_lru *lru);

wane_command_fn wane_walk, wane_iterate, wane_drop, wane_pin, wane_unpin;
wane_command_fn wane_online;
wane_command_fn wane_new, wane_register, wane_second, wane_free, wane_set_mode;
wane_command_fn wane_end, wane_destroy;
wane_command_fn wane_wake, wane_calls;
wane_command_fn wane_add, wane_del, wane_count, wane_install;
wane_command_fn wane_bit, wane_deferred, wane_check;

/* What reset does, part by part. */
void wane_shrinkers_reset(void);
void wane_pins_reset(void);

#endif /* _WANE_DRIVER_H */
