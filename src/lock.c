/* SPDX-License-Identifier: MIT */
/*
 * lock.c - waiting for a lock, and checking the order they are taken in
 *
 *   state   0 free -----lock_try()----> 1 held
 *           ^                           | a waiter gives up spinning
 *           '------lock_drop()--------- 2 held, wake one when dropped
 *
 * A waiter that was woken takes the lock as 2, since it cannot know whether
 * others sleep: at worst one wake too many.  The scheme of the three states is
 * from U. Drepper, "Futexes Are Tricky" (2011), section 6.
 *
 * Debug builds keep the locks that a thread holds on a small stack of its own
 * and compare ranks; a lock that is tried (not waited for) may be of any rank,
 * as it cannot close a cycle.
 */
#define _GNU_SOURCE
#include "lock.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SPINS 100

static void futex(uint32_t *word, int op, uint32_t value)
{
	syscall(SYS_futex, word, op | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

static bool spin(struct lock *lock)
{
	for (int i = 0; i < SPINS; i++) {
		uint32_t free = 0;

		if (load_relaxed(&lock->state) == 0 &&
		    __atomic_compare_exchange_n(&lock->state, &free, 1, false,
						__ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return true;
		cpu_relax();
	}
	return false;
}

void lock_wait(struct lock *lock)
{
	if (spin(lock))
		return;
	while (__atomic_exchange_n(&lock->state, 2, __ATOMIC_ACQUIRE) != 0)
		futex(&lock->state, FUTEX_WAIT, 2);
}

void lock_wake(struct lock *lock)
{
	futex(&lock->state, FUTEX_WAKE, 1);
}

void word_set(uint32_t *word)
{
	store_release(word, 1);
	futex(word, FUTEX_WAKE, INT_MAX);
}

void word_wait(uint32_t *word)
{
	while (load_acquire(word) == 0)
		futex(word, FUTEX_WAIT, 0);
}

#ifdef WANE_DEBUG

#define HELD_MAX 16

static __thread const struct lock *held[HELD_MAX];
static __thread int nr_held;

void lock_check(const struct lock *lock, bool second)
{
	const struct lock *last = nr_held ? held[nr_held - 1] : NULL;

	wane_assert(lock->rank != RANK_NONE);
	if (!last)
		return;
	if (second)
		wane_assert(lock->rank == last->rank && lock != last);
	else
		wane_assert(lock->rank > last->rank);
}

void lock_note(const struct lock *lock)
{
	wane_assert(nr_held < HELD_MAX);
	held[nr_held++] = lock;
}

void lock_forget(const struct lock *lock)
{
	int i = nr_held - 1;

	while (i >= 0 && held[i] != lock)
		i--;
	wane_assert(i >= 0);
	for (nr_held--; i < nr_held; i++)
		held[i] = held[i + 1];
}

bool lock_noted(const struct lock *lock)
{
	for (int i = 0; i < nr_held; i++)
		if (held[i] == lock)
			return true;
	return false;
}

void lock_assert_none(void)
{
	wane_assert(nr_held == 0);
}

#else

void lock_assert_none(void)
{
}

#endif
