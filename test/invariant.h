/* SPDX-License-Identifier: MIT */
/*
 * invariant.h - what must hold while no thread is inside the library
 *
 * A quiet point is when all threads of a test stand still outside the library,
 * the background thread is stopped and wane_barrier() has returned.  There,
 * these functions look at every group, list, bit and byte.
 *
 * They are for threads other than the main one, too: what is broken is
 * printed, with what the test wants to add to it, and the program aborts.
 */
#ifndef WANE_TEST_INVARIANT_H
#define WANE_TEST_INVARIANT_H

#include "types.h"

/* Prints and aborts, with the line, unless @cond holds. */
#define invariant(cond, ...)                                        \
	do {                                                        \
		if (unlikely(!(cond)))                              \
			invariant_broken(__FILE__, __LINE__, #cond, \
					 __VA_ARGS__);              \
	} while (0)

_Noreturn void invariant_broken(const char *file, int line, const char *cond,
				const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Called before it aborts, to print how the test got there; or NULL. */
extern void (*invariant_history)(void);

/**
 * struct invariant_totals - What invariant_check() has met.
 * @groups: Groups, retired ones that are still held too.
 * @pairs: (lru, group) pairs that have lists.
 * @items: Items on all lists.
 */
struct invariant_totals {
	size_t groups;
	size_t pairs;
	size_t items;
};

/* Told of each listed item, and where it is listed. */
typedef void (*invariant_item_fn)(struct wane_item *item,
				  const struct lru_lists *lists, int node,
				  void *arg);

/*
 * Check the forest: the order of the ring, ids, counters and what they guard,
 * children, cursors; and each group's lists, shares and bits.
 * @item: Told of each item, or NULL.
 */
struct invariant_totals invariant_check(invariant_item_fn item, void *arg);

/* Check an lru: its lists are those of its groups, its totals are theirs. */
void invariant_check_lru(struct wane_lru *lru);

/**
 * struct invariant_charge - Bytes that the test knows are charged.
 */
struct invariant_charge {
	struct wane_group *group;
	size_t bytes;
};

/*
 * Check that each group is charged what is listed here, and what threads have
 * for it in their stock.  Sorts @charges.
 */
void invariant_check_charges(struct invariant_charge *charges, size_t nr);

/* The number of items on @shrinker's lists in @group and @node. */
long invariant_count(const struct wane_shrinker *shrinker,
		     const struct wane_group *group, int node);

/* The number of bits of started shrinkers that are set in @group and @node. */
size_t invariant_bits(struct wane_group *group, int node);

#endif /* WANE_TEST_INVARIANT_H */
