/* SPDX-License-Identifier: MIT */
/*
 * lock.h - a lock of four bytes, with ranks that debug builds check
 *
 * There is a lock in each list of each (group, node), so it has to be small:
 * one word, with whether it is held and how many wait.  A waiter spins for a
 * moment and then sleeps in futex().
 *
 * To let go is a plain store and a look at who waits, with no atomic operation
 * on the word: that would take as long as all else between take and drop.
 *
 * B6	drop				wait
 *	held = 0			waiting + 1
 *	light barrier			heavy barrier
 *	waiting? wake one		held? sleep
 *	At least one of the two sees the other, so no one sleeps for a lock that
 *	is free.
 *
 * Memory    The drop looks at the word once more after others may have it.  So
 *           who frees it does that a grace period later, and drops are in a
 *           read section; or it knows that no one else uses the lock any more.
 *
 * Rank      The place of a lock in the lock order.  A thread takes locks only
 *           in the order of this enum; two of one rank only where lock_two()
 *           says so.  DESIGN.md draws the same list with reasons.
 */
#ifndef WANE_LOCK_H
#define WANE_LOCK_H

#include "barrier.h"

enum lock_rank {
	RANK_NONE,
	RANK_BACKGROUND, /* start and stop of the background thread */
	RANK_CACHE, /* a shrinker: which lrus it has */
	RANK_FOREST, /* the ring of all groups, names, cursors */
	RANK_GROUP, /* a group: which lists and shares it has */
	RANK_LRU, /* an lru: which groups have a list */
	RANK_LIST, /* one list of one (group, node); child before parent */
	RANK_INFO, /* arrays of units, of all groups */
	RANK_IDS, /* an id allocator */
	RANK_XARRAY, /* an xarray's writers */
	RANK_SLABS, /* the list of slabs */
	RANK_SLAB, /* a slab's partial slabs on one node */
	RANK_REGION, /* the regions of one node */
	RANK_THREADS, /* the list of threads: a first call may come anywhere */
	RANK_LEAF, /* nothing is taken under it */
};

struct lock {
	union {
		struct {
			uint8_t held;
			uint16_t waiting;
		};
		uint32_t word; /* both, for futex() */
	};
#ifdef WANE_DEBUG
	uint16_t rank;
#endif
};

#ifdef WANE_DEBUG
#define LOCK_INIT(of_rank)        \
	{                         \
		.rank = (of_rank) \
	}
void lock_check(const struct lock *lock, bool second);
void lock_note(const struct lock *lock);
void lock_forget(const struct lock *lock);
bool lock_noted(const struct lock *lock);
#else
#define LOCK_INIT(of_rank) \
	{                  \
		.word = 0  \
	}
static inline void lock_check(const struct lock *lock, bool second)
{
	(void)lock, (void)second;
}
static inline void lock_note(const struct lock *lock)
{
	(void)lock;
}
static inline void lock_forget(const struct lock *lock)
{
	(void)lock;
}
#endif

void lock_wait(struct lock *lock);
void lock_wake(struct lock *lock);

static inline void lock_init(struct lock *lock, enum lock_rank rank)
{
	*lock = (struct lock)LOCK_INIT(rank);
	(void)rank;
}

static inline bool lock_try_unnoted(struct lock *lock)
{
	uint8_t free = 0;

	return __atomic_compare_exchange_n(&lock->held, &free, 1, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static inline bool lock_try(struct lock *lock)
{
	if (!lock_try_unnoted(lock))
		return false;
	lock_note(lock);
	return true;
}

static inline void lock_take_unchecked(struct lock *lock)
{
	if (unlikely(!lock_try_unnoted(lock)))
		lock_wait(lock);
	lock_note(lock);
}

static inline void lock_take(struct lock *lock)
{
	lock_check(lock, false);
	lock_take_unchecked(lock);
}

/* Take a second lock of the rank held last; the caller says why it is safe. */
static inline void lock_two(struct lock *lock)
{
	lock_check(lock, true);
	lock_take_unchecked(lock);
}

static inline void lock_drop(struct lock *lock)
{
	lock_forget(lock);
	store_release(&lock->held, 0);
	barrier_light(); /* B6 */
	if (unlikely(load_relaxed(&lock->waiting)))
		lock_wake(lock);
}

/* Callers that need a lock held say so with this. */
#ifdef WANE_DEBUG
#define lock_assert_held(lock) wane_assert(lock_noted(lock))
#else
#define lock_assert_held(lock) ((void)(lock))
#endif

/* No lock of ours is held: said before each callback. */
void lock_assert_none(void);

/* A word that is 0 until it is set, once; others sleep until then. */
void word_set(uint32_t *word);
void word_wait(uint32_t *word);

#endif /* WANE_LOCK_H */
