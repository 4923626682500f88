/* SPDX-License-Identifier: MIT */
/*
 * background.c - the thread that reclaims groups over their high
 *
 *	charge passes high --> queue of groups, each once --> thread: reclaim
 *
 * A group in the queue holds a reference and is marked, so a thousand charges
 * over its high queue it once.  It is unmarked before its reclaim begins: a
 * charge during that queues it again.
 */
#include "reclaim.h"

#include <pthread.h>

#include "counter.h"
#include "group.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;

/* All under the mutex; running is read without it, too. */
static bool running;
static bool stopping;
static pthread_t thread;
static struct wane_group *first;
static struct wane_group **last = &first;

static struct lock start_lock = LOCK_INIT(RANK_BACKGROUND);

static size_t excess(const struct wane_group *group)
{
	size_t usage = counter_usage(&group->counter);
	size_t high = counter_limit(&group->counter, WANE_HIGH);

	return usage > high ? usage - high : 0;
}

/* The first of the queue, with its reference, or NULL. */
static struct wane_group *dequeue(void)
{
	struct wane_group *group = first;

	if (!group)
		return NULL;
	first = group->next_over_high;
	if (!first)
		last = &first;
	group->next_over_high = NULL;
	store_release(&group->over_high, false);
	return group;
}

static void enqueue(struct wane_group *group)
{
	*last = wane_group_get(group);
	last = &group->next_over_high;
	pthread_cond_signal(&wake);
}

/* Wait for a group; NULL when it is time to stop. */
static struct wane_group *wait_for_group(void)
{
	struct wane_group *group;

	pthread_mutex_lock(&mutex);
	while (!first && !stopping)
		pthread_cond_wait(&wake, &mutex);
	group = stopping ? NULL : dequeue();
	pthread_mutex_unlock(&mutex);
	return group;
}

static void *work(void *unused)
{
	struct wane_group *group;

	while ((group = wait_for_group())) {
		size_t bytes = excess(group);

		if (bytes)
			reclaim_group(group, bytes, false);
		wane_group_put(group);
	}
	return unused;
}

/* False when no thread would work on it. */
static bool queue_for_thread(struct wane_group *group)
{
	bool queued;

	if (!load_acquire(&running))
		return false;
	if (exchange_full(&group->over_high, true))
		return true;
	pthread_mutex_lock(&mutex);
	queued = running;
	if (queued)
		enqueue(group);
	else
		store_release(&group->over_high, false);
	pthread_mutex_unlock(&mutex);
	return queued;
}

void background_wake(struct wane_group *group, bool may_reclaim)
{
	if (queue_for_thread(group) || !may_reclaim)
		return;
	reclaim_group(group, excess(group), false);
}

int wane_background_start(void)
{
	int err = -EALREADY;

	lock_take(&start_lock);
	if (!running) {
		pthread_mutex_lock(&mutex);
		stopping = false;
		err = pthread_create(&thread, NULL, work, NULL) ? -EAGAIN : 0;
		store_release(&running, err == 0);
		pthread_mutex_unlock(&mutex);
	}
	lock_drop(&start_lock);
	return err;
}

void wane_background_stop(void)
{
	struct wane_group *group;

	lock_take(&start_lock);
	if (running) {
		pthread_mutex_lock(&mutex);
		store_release(&running, false);
		stopping = true;
		pthread_cond_signal(&wake);
		pthread_mutex_unlock(&mutex);
		pthread_join(thread, NULL);
		while ((group = dequeue()))
			wane_group_put(group);
	}
	lock_drop(&start_lock);
}
