/* SPDX-License-Identifier: MIT */
/*
 * reclaim.c - making room: who is asked, how hard, and for how long
 *
 *	priority 12   a 4,096th of what each cache holds      little
 *	         11   a 2,048th                               |
 *	        ...                                           v
 *	          0   everything, twice                       much
 *
 * A reclaim has a target in bytes and makes passes over one subtree, each at
 * the next priority, until enough was uncharged by its own thread.  A pass
 * visits groups in the order of the forest, asks in each all caches that may
 * hold something, and ends as soon as there is enough.  The next pass, or the
 * next reclaim of the same subtree, begins behind the group where this one
 * ended: so over time each group is asked as often as any other, and in each
 * group each cache for the same part of what it holds.
 *
 * Where small caches are many, the first priorities find nothing: a 4,096th of
 * 75 pages is none, and a pass that finds nothing visits everyone.  A group
 * therefore remembers where its next reclaim should begin: where the last one
 * ended; one step harder, when a visit brought less than VISIT_LITTLE bytes; one
 * step less hard, when it freed MUCH times what it wanted, or when visits
 * brought more than VISIT_PLENTY, PATIENCE times in a row.
 *
 * Groups without a share are passed over without taking a reference: a walk
 * costs them one load per node.
 *
 * Protection.  First round: who is within its min or its low is spared, and
 * the others are asked only for what lies above.  If that was not enough and
 * low has spared someone, a second round minds min alone; each group that is
 * then reclaimed below its low has a low event.
 *
 * A thread that reclaims does not reclaim again in what it calls.
 *
 * What caches have freed may lie in the depots of slabs.  The end of a reclaim
 * has those trimmed, once in a second at most.
 */
#include "reclaim.h"

#include "counter.h"
#include "group.h"
#include "scan.h"
#include "slab_cache.h"
#include "thread.h"

/* Passes at priority 0 that may follow the first, as long as they free. */
#define PASSES_MORE 16
#define PASSES_ALL 10

/* What a visit should bring, in bytes, and how fast to believe it. */
#define VISIT_LITTLE 2048
#define VISIT_PLENTY 8192
#define PATIENCE 16
#define MUCH 8

static unsigned long cancel_epoch;

void wane_reclaim_cancel(void)
{
	add_relaxed(&cancel_epoch, 1);
}

/* The scheduling point: after each group. */
static bool is_done(const struct reclaim *r)
{
	return r->bytes >= r->target ||
	       (r->cancellable && r->epoch != load_relaxed(&cancel_epoch));
}

/* ---- One group -------------------------------------------------------------------- */

static bool is_idle(struct wane_group *group)
{
	for (int node = 0; node < port_nr_nodes; node++)
		if (!shrinker_info_idle(&group->info, node))
			return false;
	return true;
}

/* Whether to spare @group; else *@keep is what has to stay of it. */
static bool is_spared(struct reclaim *r, struct wane_group *group, size_t *keep)
{
	const struct counter *root = &r->root->counter;
	size_t usage = counter_usage(&group->counter);
	size_t low;

	*keep = counter_protection(&group->counter, root, WANE_MIN);
	if (*keep > 0 && usage <= *keep)
		return true;
	low = counter_protection(&group->counter, root, WANE_LOW);
	if (r->low_too) {
		if (low > 0 && usage <= low)
			event_raise(group, WANE_EVENT_LOW);
		return false;
	}
	*keep = max_of(*keep, low);
	if (low == 0 || usage > low)
		return false;
	r->low_spared = true;
	return true;
}

static void visit(struct reclaim *r, struct wane_group *group)
{
	size_t keep = 0;

	if (is_idle(group) || wane_group_retired(group))
		return;
	if (r->protect && is_spared(r, group, &keep))
		return;
	r->visits++;
	for (int node = 0; node < port_nr_nodes; node++)
		r->items += scan_group(group, node, r->priority, keep);
}

/* ---- One pass ---------------------------------------------------------------------- */

/*
 * The group after @group that has a share, or @end if that comes first; with a
 * reference, in exchange for @group's.  NULL at the end of the subtree.
 */
static struct wane_group *step(struct wane_group *group,
			       const struct wane_group *root,
			       const struct wane_group *end)
{
	struct wane_group *next = group;

	rcu_enter();
	do {
		next = group_next(next, root);
	} while (next && ((next != end && is_idle(next)) ||
			  !group_get_unless_gone(next)));
	rcu_leave();
	wane_group_put(group);
	return next;
}

/* Once around the subtree, from where the last pass ended. */
static void pass(struct reclaim *r)
{
	struct wane_group *start = group_cursor_get(r->root);
	struct wane_group *group = wane_group_get(start);

	do {
		visit(r, group);
		if (is_done(r)) {
			group_cursor_set(r->root, group);
			break;
		}
		group = step(group, r->root, start);
		if (!group)
			group = wane_group_get(r->root);
	} while (group != start);
	wane_group_put(group);
	wane_group_put(start);
}

/* ---- One reclaim --------------------------------------------------------------------- */

static void begin(struct reclaim *r)
{
	r->epoch = load_relaxed(&cancel_epoch);
	thread_self()->reclaim = r;
}

static void end(void)
{
	thread_self()->reclaim = NULL;
	slab_trim();
}

/* Passes from @priority down to 0, then at 0 while they free something. */
static void round_of_passes(struct reclaim *r, int priority)
{
	size_t before;
	int more = PASSES_MORE;

	for (r->priority = priority; !is_done(r);) {
		before = r->bytes + r->items;
		pass(r);
		if (is_done(r))
			break;
		if (r->priority > 0)
			r->priority--;
		else if (r->bytes + r->items == before || more-- == 0)
			break;
	}
}

/* How many in a row were easy, this one included. */
static uint8_t count_easy(const struct wane_group *group,
			  const struct reclaim *r, size_t each)
{
	if (r->bytes / MUCH >= r->target)
		return PATIENCE;
	return each > VISIT_PLENTY ? (uint8_t)(load_relaxed(&group->easy) + 1)
				   : 0;
}

/* Remember where to begin, after a reclaim that has got what it wanted. */
static void learn_priority(struct wane_group *group, const struct reclaim *r)
{
	size_t each = r->bytes / max_of(r->visits, (size_t)1);
	uint8_t easy = count_easy(group, r, each);
	int next = r->priority;

	if (easy >= PATIENCE) {
		next = min_of(next + 1, PRIORITY_MAX);
		easy = 0;
	} else if (each < VISIT_LITTLE && next > 1) {
		next--;
	}
	store_relaxed(&group->priority, (uint8_t)next);
	store_relaxed(&group->easy, easy);
}

size_t reclaim_group(struct wane_group *group, size_t bytes, bool cancellable)
{
	struct reclaim r = {
		.root = group,
		.target = bytes,
		.protect = true,
		.cancellable = cancellable,
	};

	if (bytes == 0 || reclaim_runs_here())
		return 0;
	begin(&r);
	round_of_passes(&r, load_relaxed(&group->priority));
	if (r.bytes >= bytes)
		learn_priority(group, &r);
	if (!is_done(&r) && r.low_spared) {
		r.low_too = true;
		round_of_passes(&r, PRIORITY_MAX);
	}
	end();
	return r.bytes;
}

size_t wane_group_reclaim(struct wane_group *group, size_t bytes)
{
	return group ? reclaim_group(group_living(group), bytes, true) : 0;
}

/* ---- Everything ----------------------------------------------------------------------- */

/* The first group of the forest, or the one after @group, with a reference. */
static struct wane_group *step_forest(struct wane_group *group)
{
	struct wane_group *next;

	rcu_enter();
	next = group ? group_next(group, NULL) : group_first();
	while (next && (is_idle(next) || !group_get_unless_gone(next)))
		next = group_next(next, NULL);
	rcu_leave();
	wane_group_put(group);
	return next;
}

static void pass_forest(struct reclaim *r)
{
	struct wane_group *group = NULL;

	for (int node = 0; node < port_nr_nodes && !is_done(r); node++)
		r->items += scan_global(node, 0);
	while ((group = step_forest(group))) {
		visit(r, group);
		if (is_done(r))
			break;
	}
	wane_group_put(group);
}

/*
 * Each pass has to free twice what the one before had to, or it was the last:
 * so it ends although new items come all the time.
 */
size_t wane_reclaim_all(void)
{
	struct reclaim r = { .target = SIZE_MAX, .cancellable = true };
	size_t before;

	if (reclaim_runs_here())
		return 0;
	begin(&r);
	for (int i = 0; i < PASSES_ALL && !is_done(&r); i++) {
		before = r.items;
		pass_forest(&r);
		if (r.items - before <= (size_t)1 << i)
			break;
	}
	end();
	return r.items;
}
