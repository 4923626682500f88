/* SPDX-License-Identifier: MIT */
/*
 * rcu.h - RCU, by liburcu's "bulletproof" flavour
 *
 * Its readers need no registration, so any thread may call us.  Readers may
 * sleep on our short locks inside a read section: that delays a grace period,
 * and no holder of such a lock ever waits for one.
 *
 * TSan cannot see the barriers in liburcu's assembly.  In a TSan build the
 * read section, publication and the end of a grace period are therefore said
 * again in terms that it knows; correct code then reports nothing, and a
 * missing grace period is still reported.
 */
#ifndef WANE_RCU_H
#define WANE_RCU_H

#include "port.h"

/* Not inline where it would be checked: 0.13 misaligns its readers. */
#if !defined(WANE_TSAN) && !defined(WANE_ASAN)
#define _LGPL_SOURCE
#endif
#define URCU_API_MAP
#include <urcu/urcu-bp.h>

#ifdef WANE_TSAN
void __tsan_acquire(void *address);
void __tsan_release(void *address);
extern char rcu_tsan_tag;
#endif

static inline void rcu_enter(void)
{
	urcu_bp_read_lock();
}

static inline void rcu_leave(void)
{
#ifdef WANE_TSAN
	__tsan_release(&rcu_tsan_tag);
#endif
	urcu_bp_read_unlock();
}

/* Read a pointer that rcu_publish() may write meanwhile. */
#define rcu_read(p) load_acquire(p)
/* Make what @v points to visible, fully built, to readers. */
#define rcu_publish(p, v) store_release(p, v)

/*
 * Call @function with @head after a grace period, in a thread of its own that
 * may take our locks.  Cannot fail.  wane_barrier() waits for it, and for what
 * it defers in turn.
 */
typedef void (*rcu_function)(struct rcu_head *head);
void rcu_defer(struct rcu_head *head, rcu_function function);

/* How such a function gets at the struct that @head is in: always with this. */
#ifdef WANE_TSAN
#define rcu_deferred(head, type, member) \
	(__tsan_acquire(&rcu_tsan_tag), container_of(head, type, member))
#else
#define rcu_deferred(head, type, member) container_of(head, type, member)
#endif

/* Wait for a grace period.  Not under a lock, not in a read section. */
void rcu_wait(void);

#endif /* WANE_RCU_H */
