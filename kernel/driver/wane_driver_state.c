// SPDX-License-Identifier: GPL-2.0-only
/*
 * wane_driver_state.c - what the kernel notes of a (cgroup, shrinker, node)
 *
 * This is where the kernels differ: stock has a unit per 64 shrinker ids, and
 * no bits for the root; the series has handles of shares.
 */
#include <linux/rcupdate.h>

#include "internal.h"
#include "wane_driver.h"

#ifdef KERNEL_HAS_SHARES
#include "shrinker_internal.h"

/* An offline memcg's id may be another's by now: so ask whose it is. */
static bool is_share_of(const struct list_lru_memcg *lists,
			struct mem_cgroup *memcg)
{
	return !share_is_none(&lists->share) &&
	       lists->shrinkers == memcg_shrinkers(memcg);
}

/* The share that one of the lists of @memcg has; none when there is no list. */
static struct shrinker_share share_of(struct shrinker *shrinker,
				      struct mem_cgroup *memcg)
{
	struct shrinker_private *private = shrinker_private(shrinker);
	struct shrinker_share share = {};
	struct list_lru_memcg *lists;
	struct list_lru *lru;

	if (mem_cgroup_is_root(memcg))
		return share_read(&private->root);
	spin_lock_irq(&private->lock);
	list_for_each_entry(lru, &private->lrus, of_shrinker) {
		lists = xa_load(&lru->xa, memcg->kmemcg_id);
		if (lists && is_share_of(lists, memcg))
			share = share_read(&lists->share);
	}
	spin_unlock_irq(&private->lock);
	return share;
}

static bool read_bit(struct shrinker *shrinker, struct mem_cgroup *memcg,
		     int nid)
{
	struct shrinker_share share;
	bool set;

	rcu_read_lock();
	share = share_of(shrinker, memcg);
	set = !share_is_none(&share) && share_test(&share, nid);
	rcu_read_unlock();
	return set;
}

static long read_deferred(struct shrinker *shrinker, struct mem_cgroup *memcg,
			  int nid)
{
	struct shrinker_share share;
	long nr;

	rcu_read_lock();
	share = share_of(shrinker, memcg);
	nr = share_is_none(&share) ? 0 : share_add_deferred(&share, nid, 0);
	rcu_read_unlock();
	return nr;
}

#else /* stock */

static struct shrinker_info_unit *unit_of(struct shrinker *shrinker,
					  struct mem_cgroup *memcg, int nid)
{
	struct shrinker_info *info;

	info = rcu_dereference(memcg->nodeinfo[nid]->shrinker_info);
	return info->unit[shrinker->id / SHRINKER_UNIT_BITS];
}

static bool read_bit(struct shrinker *shrinker, struct mem_cgroup *memcg,
		     int nid)
{
	bool set;

	rcu_read_lock();
	set = test_bit(shrinker->id % SHRINKER_UNIT_BITS,
		       unit_of(shrinker, memcg, nid)->map);
	rcu_read_unlock();
	return set;
}

static long read_deferred(struct shrinker *shrinker, struct mem_cgroup *memcg,
			  int nid)
{
	atomic_long_t *deferred;
	long nr;

	rcu_read_lock();
	deferred = unit_of(shrinker, memcg, nid)->nr_deferred;
	nr = atomic_long_read(&deferred[shrinker->id % SHRINKER_UNIT_BITS]);
	rcu_read_unlock();
	return nr;
}
#endif

/* With pairs, which need no ids, the root has bits like any other. */
#if defined(KERNEL_HAS_SHARES) && !defined(SHRINKER_INFO_HAS_IDS)
static const bool root_has_bits = true;
#else
static const bool root_has_bits;
#endif

/* ---- Looked at ---------------------------------------------------------- */

/* Without kmem accounting there is one counter per node, and no bits. */
static bool by_memcg(struct wane_shrinker *test)
{
	return test->shrinker && (test->shrinker->flags & SHRINKER_MEMCG_AWARE);
}

static long bit_of(struct wane_shrinker *test, struct mem_cgroup *memcg,
		   int nid)
{
	return by_memcg(test) && read_bit(test->shrinker, memcg, nid);
}

static long deferred_of(struct wane_shrinker *test, struct mem_cgroup *memcg,
			int nid)
{
	if (by_memcg(test))
		return read_deferred(test->shrinker, memcg, nid);
	if (test->shrinker)
		return atomic_long_read(&test->shrinker->nr_deferred[nid]);
	return 0;
}

/* From the arguments I NID CGROUP. */
static void look(const long *argument, struct wane_answer *answer,
		 long (*read)(struct wane_shrinker *, struct mem_cgroup *, int))
{
	struct wane_shrinker *test;
	struct mem_cgroup *memcg;

	if (!wane_node_valid(argument[1], answer))
		return;
	memcg = wane_cgroup_get(argument[2], answer);
	if (!memcg)
		return;
	test = wane_shrinker_get(argument[0], answer);
	if (test) {
		down_read(&test->life);
		wane_say(answer, "%ld", read(test, memcg, argument[1]));
		up_read(&test->life);
		wane_shrinker_put(test);
	}
	mem_cgroup_put(memcg);
}

void wane_bit(const long *argument, struct wane_answer *answer)
{
	look(argument, answer, bit_of);
}

void wane_deferred(const long *argument, struct wane_answer *answer)
{
	look(argument, answer, deferred_of);
}

/* ---- Checked ------------------------------------------------------------ */

struct verdict {
	unsigned long violations;
	unsigned long looked_at;
};

/* Without kmem accounting all lists are the root's. */
static bool has_bits(struct mem_cgroup *memcg)
{
	if (mem_cgroup_is_root(memcg))
		return root_has_bits;
	return mem_cgroup_online(memcg) && !mem_cgroup_kmem_disabled();
}

/* Who has items must have its bit, or no walk will ever find them. */
static void check_memcg(struct wane_shrinker *test, struct mem_cgroup *memcg,
			struct verdict *verdict)
{
	int nid;

	for_each_online_node(nid) {
		verdict->looked_at++;
		if (wane_shrinker_count(test, nid, memcg) &&
		    !bit_of(test, memcg, nid))
			verdict->violations++;
	}
}

static void check_test(struct wane_shrinker *test, struct verdict *verdict)
{
	struct mem_cgroup *memcg;

	if (!test->registered || !by_memcg(test))
		return;
	memcg = mem_cgroup_iter(NULL, NULL, NULL);
	for (; memcg; memcg = mem_cgroup_iter(NULL, memcg, NULL)) {
		if (has_bits(memcg))
			check_memcg(test, memcg, verdict);
	}
}

void wane_check(const long *argument, struct wane_answer *answer)
{
	struct verdict verdict = {};
	struct wane_shrinker *test;
	long index = 0;

	while ((test = wane_shrinker_next(&index))) {
		down_read(&test->life);
		check_test(test, &verdict);
		up_read(&test->life);
		wane_shrinker_put(test);
	}
	wane_say(answer, "%lu %lu", verdict.violations, verdict.looked_at);
}
