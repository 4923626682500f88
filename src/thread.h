/* SPDX-License-Identifier: MIT */
/*
 * thread.h - what the library keeps per thread
 *
 * A thread is known from its first call that needs to be remembered until it
 * ends.  Its struct is thread-local storage, so reaching it cannot fail; where
 * no exit handler could be set up (out of memory), it simply keeps nothing.
 */
#ifndef WANE_THREAD_H
#define WANE_THREAD_H

#include "types.h"

extern __thread struct thread thread_self_struct;

void thread_register(struct thread *thread);

/* The calling thread; thread->known tells whether it may keep things. */
static inline struct thread *thread_self(void)
{
	struct thread *thread = &thread_self_struct;

	if (unlikely(!thread->tried))
		thread_register(thread);
	return thread;
}

/* All known threads, under threads_lock. */
extern struct lock threads_lock;
extern struct list threads;

#endif /* WANE_THREAD_H */
