// SPDX-License-Identifier: GPL-2.0-only
/*
 * wane_driver_cgroup.c - cgroups by their id, and walks over what they hold
 *
 * A directory that is gone leads nowhere, but what was pinned before is kept
 * here with its id: so a dying cgroup can still be walked, looked at, unpinned.
 */
#include <linux/cgroup.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "internal.h"
#include "wane_driver.h"

/* ---- Pins --------------------------------------------------------------- */

struct pin {
	struct list_head link;
	long id;
	struct mem_cgroup *memcg;
};

static LIST_HEAD(pins);
static DEFINE_MUTEX(pins_lock);

static struct pin *find_pin(long id)
{
	struct pin *pin;

	lockdep_assert_held(&pins_lock);
	list_for_each_entry(pin, &pins, link) {
		if (pin->id == id)
			return pin;
	}
	return NULL;
}

static void end_pin(struct pin *pin)
{
	list_del(&pin->link);
	css_put(&pin->memcg->css);
	kfree(pin);
}

static struct mem_cgroup *pinned_get(long id)
{
	struct mem_cgroup *memcg = NULL;
	struct pin *pin;

	mutex_lock(&pins_lock);
	pin = find_pin(id);
	if (pin) {
		memcg = pin->memcg;
		css_get(&memcg->css);
	}
	mutex_unlock(&pins_lock);
	return memcg;
}

void wane_pin(const long *argument, struct wane_answer *answer)
{
	struct mem_cgroup *memcg = wane_cgroup_get(argument[0], answer);
	struct pin *pin;

	if (!memcg)
		return;
	pin = kmalloc_obj(*pin);
	if (!pin) {
		mem_cgroup_put(memcg);
		wane_say(answer, "error no memory");
		return;
	}
	pin->id = argument[0];
	pin->memcg = memcg;
	mutex_lock(&pins_lock);
	list_add(&pin->link, &pins);
	mutex_unlock(&pins_lock);
	wane_say(answer, "0");
}

void wane_unpin(const long *argument, struct wane_answer *answer)
{
	struct pin *pin;

	mutex_lock(&pins_lock);
	pin = find_pin(argument[0]);
	if (pin)
		end_pin(pin);
	mutex_unlock(&pins_lock);
	if (pin)
		wane_say(answer, "0");
	else
		wane_say(answer, "error cgroup %ld is not pinned", argument[0]);
}

void wane_pins_reset(void)
{
	struct pin *pin, *next;

	mutex_lock(&pins_lock);
	list_for_each_entry_safe(pin, next, &pins, link)
		end_pin(pin);
	mutex_unlock(&pins_lock);
}

/* ---- By id -------------------------------------------------------------- */

static struct mem_cgroup *root_get(struct wane_answer *answer)
{
	if (!root_mem_cgroup) {
		wane_say(answer, "error there is no root memcg");
		return NULL;
	}
	css_get(&root_mem_cgroup->css);
	return root_mem_cgroup;
}

/* An ancestor's memcg is not what was asked for. */
static bool is_its_own(struct mem_cgroup *memcg, long id)
{
	return cgroup_id(memcg->css.cgroup) == (u64)id;
}

struct mem_cgroup *wane_cgroup_get(long id, struct wane_answer *answer)
{
	struct mem_cgroup *memcg;

	if (!id)
		return root_get(answer);
	memcg = pinned_get(id);
	if (memcg)
		return memcg;
	if (mem_cgroup_disabled()) {
		wane_say(answer, "error memory cgroups are disabled");
		return NULL;
	}
	memcg = mem_cgroup_get_from_id(id);
	if (memcg && is_its_own(memcg, id))
		return memcg;
	mem_cgroup_put(memcg);
	wane_say(answer, "error cgroup %ld is not there, or without memory",
		 id);
	return NULL;
}

void wane_online(const long *argument, struct wane_answer *answer)
{
	struct mem_cgroup *memcg = wane_cgroup_get(argument[0], answer);

	if (!memcg)
		return;
	wane_say(answer, "%d", mem_cgroup_online(memcg));
	mem_cgroup_put(memcg);
}

bool wane_node_valid(long nid, struct wane_answer *answer)
{
	if (nid < nr_node_ids && node_online(nid))
		return true;
	wane_say(answer, "error there is no node %ld", nid);
	return false;
}

/* ---- Walks -------------------------------------------------------------- */

static bool is_priority(long priority, struct wane_answer *answer)
{
	if (priority <= DEF_PRIORITY)
		return true;
	wane_say(answer, "error a priority is 0 to %d, not %ld", DEF_PRIORITY,
		 priority);
	return false;
}

void wane_walk(const long *argument, struct wane_answer *answer)
{
	int nid = argument[0], priority = argument[2];
	struct mem_cgroup *memcg;
	unsigned long freed = 0;
	u64 start;
	long i;

	if (!wane_node_valid(argument[0], answer) ||
	    !is_priority(argument[2], answer))
		return;
	memcg = wane_cgroup_get(argument[1], answer);
	if (!memcg)
		return;
	start = ktime_get_ns();
	for (i = 0; i < argument[3]; i++)
		freed += shrink_slab(GFP_KERNEL, nid, memcg, priority);
	wane_say(answer, "%llu %lu", ktime_get_ns() - start, freed);
	mem_cgroup_put(memcg);
}

void wane_iterate(const long *argument, struct wane_answer *answer)
{
	struct mem_cgroup *memcg;
	unsigned long steps = 0;
	u64 start;
	long i;

	start = ktime_get_ns();
	for (i = 0; i < argument[0]; i++) {
		memcg = mem_cgroup_iter(NULL, NULL, NULL);
		for (; memcg; memcg = mem_cgroup_iter(NULL, memcg, NULL))
			steps++;
		cond_resched();
	}
	wane_say(answer, "%llu %lu", ktime_get_ns() - start, steps);
}

void wane_drop(const long *argument, struct wane_answer *answer)
{
	u64 start = ktime_get_ns();
	long i;

	for (i = 0; i < argument[0]; i++)
		drop_slab();
	wane_say(answer, "%llu", ktime_get_ns() - start);
}
