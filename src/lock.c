/* SPDX-License-Identifier: MIT */
/*
 * lock.c - waiting for a lock, and checking the order they are taken in
 *
 *	held      0 --- take ---> 1 --- drop ---> 0
 *	waiting   + 1, sleep while held, take, - 1
 *
 * futex() puts a thread to sleep only while the whole word is as it was last
 * seen, held and number of waiters; who was woken and finds the lock taken by
 * another sleeps again, since that one sees it waiting, too.  The barrier runs
 * once for each wait: drops after it see the waiter until it has the lock.
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

#define SPIN_MAX 64 /* in all, some microseconds: what going to sleep takes */

static void futex(uint32_t *word, int op, uint32_t value)
{
	syscall(SYS_futex, word, op | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

/* Look ever less often: who looks takes the word away from who holds it. */
static bool spin(struct lock *lock)
{
	for (int pause = 1; pause <= SPIN_MAX; pause *= 2) {
		for (int i = 0; i < pause; i++)
			cpu_relax();
		if (!load_relaxed(&lock->held) && lock_try_unnoted(lock))
			return true;
	}
	return false;
}

static void sleep_while_held(struct lock *lock)
{
	const struct lock seen = { .word = load_relaxed(&lock->word) };

	if (seen.held)
		futex(&lock->word, FUTEX_WAIT, seen.word);
}

void lock_wait(struct lock *lock)
{
	if (spin(lock))
		return;
	add_relaxed(&lock->waiting, 1);
	barrier_heavy(); /* B6 */
	while (!lock_try_unnoted(lock))
		sleep_while_held(lock);
	sub_relaxed(&lock->waiting, 1);
}

void lock_wake(struct lock *lock)
{
	futex(&lock->word, FUTEX_WAKE, 1);
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
