/* SPDX-License-Identifier: MIT */
/*
 * lock.cc - B6: no one sleeps for a lock that is free
 *
 * The light and the heavy barrier are together what a full barrier on each
 * side is, and here they are that.  Going to sleep is one step, which futex()
 * takes only while the word is as it was seen.
 */
#include "model.h"

const char *const model_parts[] = {
	"drop_barrier", "wait_barrier", "say_waiting", "look", NULL,
};

enum {
	AWAKE,
	ASLEEP
};

struct lock_word {
	std::atomic<int> held;
	std::atomic<int> waiting;
	std::atomic<int> waiter;
	bool woken;

	void begin()
	{
		WRITE_ONCE(held, 1);
		WRITE_ONCE(waiting, 0);
		WRITE_ONCE(waiter, (int)AWAKE);
		woken = false;
	}

	bool take()
	{
		int free = 0;

		return held.compare_exchange_strong(free, 1,
						    std::memory_order_acquire);
	}

	void drop()
	{
		held.store(0, std::memory_order_release);
		smp_mb("drop_barrier");
		if (READ_ONCE(waiting) && has("look"))
			woken = true;
	}

	/* The first try has failed, and spinning, too. */
	bool wait()
	{
		if (has("say_waiting"))
			waiting.fetch_add(1, std::memory_order_relaxed);
		smp_mb("wait_barrier");
		if (take())
			return true;
		WRITE_ONCE(waiter, (int)ASLEEP);
		return false;
	}
};

struct drop_wait : rl::test_suite<drop_wait, 2> {
	lock_word lock;
	rl::var<int> covered;

	void before()
	{
		lock.begin();
		covered($) = 0;
	}

	void thread(unsigned int i)
	{
		if (i == 0) {
			covered($) = 1;
			lock.drop();
		} else if (lock.wait()) {
			RL_ASSERT(covered($) == 1);
		}
	}

	void after()
	{
		RL_ASSERT(READ_ONCE(lock.waiter) == AWAKE || lock.woken);
	}
};

int main(int argc, char **argv)
{
	if (!model_begin(argc, argv))
		return 0;
	return !holds<drop_wait>();
}
