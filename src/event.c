/* SPDX-License-Identifier: MIT */
/*
 * event.c - what happened to a group at its limits: counted, and told
 *
 * A callback and its argument are one small struct, replaced as a whole, so
 * that a reader never meets one callback with another's argument.  It is
 * called inside a read section of RCU, which is what lets wane_barrier() wait
 * for one that was replaced; a callback that sleeps delays frees, no more.
 */
#include "group.h"

uint64_t wane_group_events(const struct wane_group *group,
			   enum wane_event event)
{
	return load_relaxed(&group->events[event]);
}

bool event_raise(struct wane_group *group, enum wane_event event)
{
	struct event_hook *hook;
	bool answer = false;

	add_relaxed(&group->events[event], 1);
	lock_assert_none();
	rcu_enter();
	hook = rcu_read(&group->hook);
	if (hook)
		answer = hook->callback(group, event, hook->arg);
	rcu_leave();
	return answer;
}

static void free_deferred(struct rcu_head *head)
{
	port_free(rcu_deferred(head, struct event_hook, rcu),
		  sizeof(struct event_hook));
}

int wane_group_set_callback(struct wane_group *group, wane_event_fn callback,
			    void *arg)
{
	struct event_hook *hook = NULL;
	struct event_hook *old;

	if (callback) {
		hook = port_alloc(sizeof(*hook));
		if (!hook)
			return -ENOMEM;
		hook->callback = callback;
		hook->arg = arg;
	}
	old = exchange_full(&group->hook, hook);
	if (old)
		rcu_defer(&old->rcu, free_deferred);
	return 0;
}

void event_hook_free(struct wane_group *group)
{
	port_free(group->hook, sizeof(struct event_hook));
}
