/* SPDX-License-Identifier: MIT */
/*
 * rcu.c - deferred frees that can be waited for
 *
 * A deferred function may defer again: a group leaves the forest, its memory
 * goes a grace period later, and then perhaps its parent.  liburcu's own
 * barrier waits for one link of such a chain.  wane_barrier() repeats it until
 * a whole round has deferred nothing new:
 *
 *	round 1   group 3 leaves           defers its free
 *	round 2   group 3 is freed         puts group 2: defers its leaving
 *	...
 *	round n   nothing deferred         done
 *
 * Other threads that defer all the time would keep it busy, so it stops after
 * ROUNDS, which is enough for a chain of a few hundred groups.
 */
#include "rcu.h"

#include "start.h"

#define ROUNDS 1000

static unsigned long deferred; /* functions handed over, ever */

#ifdef WANE_TSAN
char rcu_tsan_tag;
#endif

void rcu_start(void)
{
	/* Its thread is made now, so that a defer never has to make it. */
	(void)urcu_bp_get_default_call_rcu_data();
}

void rcu_defer(struct rcu_head *head, rcu_function function)
{
	add_full(&deferred, 1);
#ifdef WANE_TSAN
	__tsan_release(&rcu_tsan_tag);
#endif
	urcu_bp_call_rcu(head, function);
}

void rcu_wait(void)
{
	urcu_bp_synchronize_rcu();
#ifdef WANE_TSAN
	__tsan_acquire(&rcu_tsan_tag);
#endif
}

void wane_barrier(void)
{
	unsigned long before;

	for (int round = 0; round < ROUNDS; round++) {
		before = load_relaxed(&deferred);
		urcu_bp_barrier();
		if (load_relaxed(&deferred) == before)
			break;
	}
#ifdef WANE_TSAN
	__tsan_acquire(&rcu_tsan_tag);
#endif
}
