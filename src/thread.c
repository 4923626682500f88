/* SPDX-License-Identifier: MIT */
/*
 * thread.c - threads come without notice, and leave everything behind
 *
 * A thread registers itself in its first call and is deregistered by the exit
 * handler of a pthread key.  Destructors of other keys may call us after that
 * one: the thread then simply registers again, and POSIX runs ours again.
 */
#include "thread.h"

#include <pthread.h>

#include "slab_cache.h"
#include "start.h"
#include "stock.h"

__thread struct thread thread_self_struct;

struct lock threads_lock = LOCK_INIT(RANK_THREADS);
struct list threads = LIST_INIT(threads);

/* A bit per shard that a living thread has, under threads_lock. */
static uint32_t shards_taken = 1u << SHARD_OF_ALL;

static pthread_key_t exit_key;
static bool have_key;
static unsigned int next_number;

/* The lowest shard that no one has, or the one for all others. */
static uint8_t take_shard(void)
{
	unsigned int shard = (unsigned int)__builtin_ctz(~shards_taken);

	if (shard > THREAD_SHARDS)
		return SHARD_OF_ALL;
	shards_taken |= 1u << shard;
	return (uint8_t)shard;
}

static void give_shard(uint8_t shard)
{
	if (shard != SHARD_OF_ALL)
		shards_taken &= ~(1u << shard);
}

static void thread_exit(void *argument)
{
	struct thread *thread = argument;

	stock_drain_self();
	slab_thread_exit(thread);
	lock_take(&threads_lock);
	list_del_init(&thread->link);
	give_shard(thread->shard);
	thread->shard = SHARD_OF_ALL;
	lock_drop(&threads_lock);
	thread->known = false;
	thread->tried = false;
}

void thread_start(void)
{
	have_key = pthread_key_create(&exit_key, thread_exit) == 0;
}

void thread_register(struct thread *thread)
{
	thread->tried = true;
	thread->shard = SHARD_OF_ALL;
	thread->number = __atomic_fetch_add(&next_number, 1, __ATOMIC_RELAXED);
	thread->node = port_node_current();
	if (!have_key || pthread_setspecific(exit_key, thread))
		return;
	lock_take(&threads_lock);
	list_add_last(&thread->link, &threads);
	thread->shard = take_shard();
	lock_drop(&threads_lock);
	thread->known = true;
}
