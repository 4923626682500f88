/* SPDX-License-Identifier: MIT */
/*
 * invariant.c - what must hold while no thread is inside the library
 *
 * The ring has each group before its descendants, so one walk with one tally
 * per depth is enough to compare every parent with the sum of its children:
 *
 *	ring    /   t   42   41   p
 *	depth   0   1   2    2    1
 *	tally   /
 *	        /   t
 *	        /   t   42          42 and 41 add themselves to t's tally
 *	        /   t   41
 *	        /   p               t is compared, and adds itself to /'s
 */
#include "invariant.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "counter.h"
#include "group.h"
#include "lru.h"
#include "shrinker.h"
#include "thread.h"
#include "test.h"

#define DEPTH_MAX 64

void (*invariant_history)(void);

void invariant_broken(const char *file, int line, const char *cond,
		      const char *format, ...)
{
	va_list args;

	fprintf(stderr,
		"# seed %" PRIu64 "\n# %s:%d: must hold: %s: ", test_seed(),
		file, line, cond);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	if (invariant_history)
		invariant_history();
	abort();
}

/* ---- Lists and bits ---------------------------------------------------------- */

/* The length of a ring of items, each told to @item. */
static long measure(const struct lru_lists *lists, int node,
		    invariant_item_fn item, void *arg)
{
	const struct wane_item *head = &lists->node[node].head;
	long length = 0;

	for (struct wane_item *i = head->next; i != head; i = i->next) {
		invariant(i->next->prev == i, "a list is torn");
		length++;
		if (item)
			item(i, lists, node, arg);
	}
	return length;
}

static size_t check_list(const struct lru_lists *lists, int node,
			 invariant_item_fn item, void *arg)
{
	const struct lru_list *list = &lists->node[node];
	long length = measure(lists, node, item, arg);

	invariant(list->lock.word == 0, "a list is locked");
	invariant(list->nr == length, "nr %ld, length %ld", list->nr, length);
	invariant(length == 0 || share_is_none(&lists->share) ||
			  share_test(&lists->share, node),
		  "group %" PRIu64 ", node %d: %ld items and no bit",
		  lists->group->id, node, length);
	return (size_t)length;
}

/* Of the lists that one shrinker has in a group, one will end the share. */
static void check_owner(const struct lru_lists *lists,
			const struct wane_group *group)
{
	struct lru_lists *other;
	unsigned int owners = 0;

	table_for_each(&group->lists, i, other)
		if (other->lru->shrinker == lists->lru->shrinker)
			owners += other->owner;
	invariant(owners == 1, "group %" PRIu64 ": a share has %u owners",
		  group->id, owners);
}

static void check_lists(struct lru_lists *lists, struct wane_group *group,
			invariant_item_fn item, void *arg,
			struct invariant_totals *totals)
{
	struct wane_lru *lru = lists->lru;

	invariant(lists->group == group, "a list of another group");
	invariant(!list_empty(&lists->of_lru), "a list its lru has not");
	invariant(!group->parent || lru_lists_find(lru, group->parent),
		  "group %" PRIu64 " has a list, its parent none", group->id);
	invariant(share_is_none(&lists->share) == !lru->shrinker,
		  "group %" PRIu64 ": share without shrinker, or the reverse",
		  group->id);
	if (lru->shrinker)
		check_owner(lists, group);
	totals->pairs++;
	for (int node = 0; node < port_nr_nodes; node++)
		totals->items += check_list(lists, node, item, arg);
}

static bool has_list(const struct wane_shrinker *shrinker,
		     const struct wane_group *group)
{
	struct lru_lists *lists;

	table_for_each(&group->lists, i, lists)
		if (lists->lru->shrinker == shrinker)
			return true;
	return false;
}

long invariant_count(const struct wane_shrinker *shrinker,
		     const struct wane_group *group, int node)
{
	struct lru_lists *lists;
	long nr = 0;

	table_for_each(&group->lists, i, lists)
		if (lists->lru->shrinker == shrinker)
			nr += lists->node[node].nr;
	return nr;
}

size_t invariant_bits(struct wane_group *group, int node)
{
	struct share_cursor cursor = { 0 };
	struct shrinker_info_cache *info;
	size_t bits = 0;

	while ((info = share_next(&group->info, node, &cursor))) {
		invariant(has_list(shrinker_of(info), group),
			  "group %" PRIu64 ": a bit of shrinker %d, no list",
			  group->id, shrinker_of(info)->id);
		shrinker_info_unpin(info);
		bits++;
	}
	return bits;
}

/* Idle is a hint that walks rely on. */
static void check_bits(struct wane_group *group)
{
	for (int node = 0; node < port_nr_nodes; node++) {
		size_t bits = invariant_bits(group, node);

		invariant(bits == 0 || !shrinker_info_idle(&group->info, node),
			  "group %" PRIu64 ": %zu bits, yet idle", group->id,
			  bits);
	}
}

/* ---- Groups -------------------------------------------------------------------- */

struct tally {
	struct wane_group *group;
	size_t usage;
	size_t guarded[2];
	uint32_t nr_children;
};

static void check_counter(const struct tally *tally)
{
	const struct wane_group *group = tally->group;
	const struct counter *c = &group->counter;

	invariant(c->usage == group->charged + tally->usage,
		  "group %" PRIu64 ": usage %zu, own %zu, children's %zu",
		  group->id, c->usage, group->charged, tally->usage);
	invariant(c->peak >= min_of(c->usage, c->limit[WANE_MAX]),
		  "peak %zu, usage %zu", c->peak, c->usage);
	for (int w = WANE_MIN; w <= WANE_LOW; w++) {
		invariant(c->guarded_below[w] == tally->guarded[w],
			  "guarded below %zu, children's %zu",
			  c->guarded_below[w], tally->guarded[w]);
		invariant(!c->parent || c->guarded[w] ==
						min_of(c->usage, c->limit[w]),
			  "guarded %zu, usage %zu, limit %zu", c->guarded[w],
			  c->usage, c->limit[w]);
	}
}

/* All descendants were met. */
static void close_tally(struct tally *tally)
{
	struct wane_group *group = tally->group;
	struct tally *above = tally - 1;

	check_counter(tally);
	invariant(group->nr_children == tally->nr_children,
		  "group %" PRIu64 ": %u children, it says %u", group->id,
		  tally->nr_children, group->nr_children);
	if (!group->parent)
		return;
	above->usage += group->counter.usage;
	for (int w = WANE_MIN; w <= WANE_LOW; w++)
		above->guarded[w] += group->counter.guarded[w];
	above->nr_children += !group->retired;
}

static void check_retired(struct wane_group *group)
{
	invariant(table_count(&group->lists) == 0, "a retired group has lists");
	invariant(!group->named, "a retired group has a name");
	invariant(group->counter.limit[WANE_MAX] == WANE_UNLIMITED,
		  "a retired group has a limit");
}

static void check_group(struct wane_group *group)
{
	struct wane_group *found = wane_group_find_id(group->id);

	invariant(found == group, "id %" PRIu64 " finds another", group->id);
	invariant(group->refs > 1, "a group without references");
	invariant(!group->cursor || group_is_below(group->cursor, group),
		  "a cursor outside of the subtree");
	invariant(!group->over_high, "queued for no thread");
	if (group->retired)
		check_retired(group);
	check_bits(group);
	wane_group_put(found);
}

struct invariant_totals invariant_check(invariant_item_fn item, void *arg)
{
	struct invariant_totals totals = { 0 };
	struct tally tallies[DEPTH_MAX];
	struct lru_lists *lists;
	int depth = -1;

	for (struct wane_group *g = group_first(); g; g = group_next(g, NULL)) {
		invariant((int)g->depth <= depth + 1, "a gap in the ring");
		while (depth >= (int)g->depth)
			close_tally(&tallies[depth--]);
		depth++;
		invariant(depth < DEPTH_MAX, "too deep to be checked");
		invariant(!g->parent || tallies[depth - 1].group == g->parent,
			  "group %" PRIu64 " is not behind its parent", g->id);
		tallies[depth] = (struct tally){ .group = g };
		check_group(g);
		table_for_each(&g->lists, i, lists)
			check_lists(lists, g, item, arg, &totals);
		totals.groups++;
	}
	while (depth >= 0)
		close_tally(&tallies[depth--]);
	return totals;
}

void invariant_check_lru(struct wane_lru *lru)
{
	long nr[WANE_MAX_NODES] = { 0 };

	list_for_each(link, &lru->groups) {
		struct lru_lists *lists =
			list_entry(link, struct lru_lists, of_lru);

		invariant(lru_lists_find(lru, lists->group) == lists,
			  "a list its group has not");
		for (int node = 0; node < port_nr_nodes; node++)
			nr[node] += lists->node[node].nr;
	}
	for (int node = 0; node < port_nr_nodes; node++)
		invariant(wane_lru_count_node(lru, node) == nr[node],
			  "node %d: total %ld, sum %ld", node,
			  wane_lru_count_node(lru, node), nr[node]);
}

/* ---- Charges ---------------------------------------------------------------------- */

static int compare_charges(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)((const struct invariant_charge *)a)->group;
	uintptr_t y = (uintptr_t)((const struct invariant_charge *)b)->group;

	return (x > y) - (x < y);
}

static size_t bytes_in_stocks(const struct wane_group *group)
{
	size_t bytes = 0;

	list_for_each(link, &threads) {
		const struct thread *thread =
			list_entry(link, struct thread, link);

		for (int i = 0; i < STOCK_SLOTS; i++)
			if (thread->stock.slot[i].group == group)
				bytes += thread->stock.slot[i].bytes;
	}
	return bytes;
}

static size_t bytes_listed(const struct wane_group *group,
			   const struct invariant_charge *charges, size_t nr)
{
	size_t bytes = 0;
	size_t low = 0;

	for (size_t high = nr; low < high;) {
		size_t middle = (low + high) / 2;

		if (charges[middle].group < group)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < nr && charges[low].group == group; low++)
		bytes += charges[low].bytes;
	return bytes;
}

void invariant_check_charges(struct invariant_charge *charges, size_t nr)
{
	size_t all = 0, met = 0;

	qsort(charges, nr, sizeof(*charges), compare_charges);
	for (size_t i = 0; i < nr; i++)
		all += charges[i].bytes;
	for (struct wane_group *g = group_first(); g; g = group_next(g, NULL)) {
		size_t listed = bytes_listed(g, charges, nr);
		size_t stocked = bytes_in_stocks(g);

		invariant(g->charged == listed + stocked,
			  "group %" PRIu64 ": charged %zu, known %zu, "
			  "in stocks %zu",
			  g->id, g->charged, listed, stocked);
		invariant(stocked == 0 || !g->retired,
			  "a retired group is in a stock");
		met += listed;
	}
	invariant(met == all, "a charged group has left the forest");
}
