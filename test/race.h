/* SPDX-License-Identifier: MIT */
/*
 * race.h - what the parts of the race tests share
 *
 *	race.c           the rounds, and what each test begins with
 *	race_lists.c     items, bits and lists
 *	race_groups.c    groups that come and go
 *	race_growth.c    what grows while others use it
 *	race_siblings.c  several lists with one share
 *	race_scan.c      shrinkers and deferred work
 *	race_charge.c    bytes
 *
 * A test is a round that is run many times: before() sets the scene, the
 * racers begin at the same moment, after() checks what is left while they
 * stand still.  So one handshake is hit hard, and what is wrong is known.
 */
#ifndef WANE_TEST_RACE_H
#define WANE_TEST_RACE_H

#include "invariant.h"
#include "test.h"

typedef void (*race_fn)(void);

/* Run rounds with @nr threads, each one of @racers. */
void race(race_fn before, race_fn after, unsigned int nr,
	  const race_fn *racers);

#define RACE(before, after, ...)                                      \
	race(before, after, ARRAY_SIZE(((race_fn[]){ __VA_ARGS__ })), \
	     (const race_fn[]){ __VA_ARGS__ })

/* ---- What each test begins with -------------------------------------------------- */

/**
 * struct thing - An item, with what it is charged.
 * @group: Whose it is.
 * @bytes: Uncharged when a scan takes it.
 */
struct thing {
	struct wane_item item;
	struct wane_group *group;
	size_t bytes;
};

#define NR_THINGS 8

extern struct wane_group *root;
extern struct wane_shrinker *shrinker; /* started */
extern struct wane_lru *lru; /* its lists; the root's is prepared */
extern struct thing things[NR_THINGS]; /* on no list */

/* The scan callback takes nothing and says -EAGAIN. */
extern bool refusing;

/* Made by before(), in each round; later ones are below the earlier. */
extern struct wane_group *child;

struct wane_group *group_below(struct wane_group *parent);
void prepare(struct wane_group *group);

/* A child of the root with its list. */
void make_child(void);

void retire_child(void);

/* Groups beside the child, which stay for all rounds of a test. */
void make_others(void);
void prepare_others(struct wane_lru *of);
void retire_others(void);

/* The rest of the round needs @group no more; its reference is put later. */
void put_later(struct wane_group *group);

void add_thing(int i, struct wane_group *group);
void del_thing(int i);

/* Take all items off all lists, wherever they are.  Return: how many. */
size_t take_all(void);

/* Walk @group once, on each node, as a reclaim at the least priority does. */
void walk(struct wane_group *group);
void walk_child(void);

/* The share of @lru in @group, which has its list. */
struct shrinker_share share_of(struct wane_lru *of, struct wane_group *group);

/* invariant_check(), and that @nr items are listed. */
void check_listed(size_t nr);

/* The child is retired, and its @nr items are the root's: takes them. */
void check_moved_up(size_t nr);

int race_begin(void **state);
int race_end(void **state);

#define race_test(name)                                 \
	{                                               \
#name, name, race_begin, race_end, NULL \
	}

/* ---- The tests ---------------------------------------------------------------------- */

void add_clear(void **state);
void add_add(void **state);
void add_two_lrus(void **state);
void add_retire(void **state);
void walk_retire(void **state);
void del_retire(void **state);
void prepare_prepare(void **state);
void prepare_retire(void **state);
void destroy_lru_retire(void **state);
void destroy_owner_retire(void **state);
void attach_retire(void **state);
void place_reused(void **state);
void add_unstarted(void **state);

void create_retire(void **state);
void retire_retire(void **state);
void retire_parent(void **state);
void find_retire(void **state);
void put_walk(void **state);
void cursor_leave(void **state);
void barrier_chain(void **state);

void walk_grow(void **state);
void grow_grow(void **state);
void grow_siblings(void **state);
void last_and_first(void **state);
void register_prepare(void **state);

void scan_retire(void **state);
void scan_scan(void **state);
void scan_destroy(void **state);
void prepare_destroy(void **state);
void retire_destroy(void **state);
void destroy_destroy(void **state);
void id_reused(void **state);
void nothing_waits(void **state);
void items_keep_coming(void **state);
void cancelled(void **state);

void charge_max(void **state);
void charge_ancestor(void **state);
void charge_guard(void **state);
void charge_retire(void **state);
void charge_drain(void **state);
void charge_exit(void **state);
void charge_put(void **state);
void uncharge_order(void **state);
void background_stop_start(void **state);

#endif /* WANE_TEST_RACE_H */
