/* SPDX-License-Identifier: MIT */
/*
 * handshake.cc - B1 and B5: no bit is lost, whoever has its slot
 */
#include "model.h"

const char *const model_parts[] = {
	"set_barrier", "clear_barrier", "count_again",
	"whose_slot",  "share_first",	NULL,
};

enum pair_name {
	NONE,
	A,
	B
};

/* A slot of a group, and its bit on one node. */
struct place {
	std::atomic<int> owner;
	word_t word;

	void share_set(int pair)
	{
		if (rcu_dereference(owner) != pair)
			return;
		smp_mb("set_barrier");
		set_bit(word);
	}

	void share_clear(int pair)
	{
		int now;

		if (rcu_dereference(owner) != pair)
			return;
		clear_bit(word);
		smp_mb("clear_barrier");
		now = rcu_dereference(owner);
		if (now != NONE && now != pair && has("whose_slot"))
			set_bit(word);
	}

	void share_put()
	{
		rcu_assign_pointer(owner, NONE);
		clear_bit(word);
	}

	void share_get(int pair)
	{
		clear_bit(word);
		rcu_assign_pointer(owner, pair);
	}
};

/* scan.c: it was counted, and there was nothing. */
static void clear_and_count(place &at, int pair, std::atomic<int> &items)
{
	at.share_clear(pair);
	if (has("count_again") && READ_ONCE(items) > 0)
		at.share_set(pair);
}

/* lru.c */
static void add(place &at, int pair, std::atomic<int> &items)
{
	WRITE_ONCE(items, 1);
	at.share_set(pair);
}

/* One adds the first item while another finds none. */
struct add_clear : rl::test_suite<add_clear, 2> {
	place at;
	std::atomic<int> items;

	void before()
	{
		WRITE_ONCE(at.owner, A);
		WRITE_ONCE(at.word, 1);
		WRITE_ONCE(items, 0);
	}

	void thread(unsigned int i)
	{
		if (i == 0)
			add(at, A, items);
		else
			clear_and_count(at, A, items);
	}

	void after()
	{
		RL_ASSERT(READ_ONCE(at.word) == 1);
	}
};

/* The slot becomes another's, which gets its first item, meanwhile. */
struct slot_reused : rl::test_suite<slot_reused, 2> {
	place at;
	std::atomic<int> items_a, items_b;

	void before()
	{
		WRITE_ONCE(at.owner, A);
		WRITE_ONCE(at.word, 1);
		WRITE_ONCE(items_a, 0);
		WRITE_ONCE(items_b, 0);
	}

	void thread(unsigned int i)
	{
		if (i == 0) {
			clear_and_count(at, A, items_a);
		} else {
			at.share_put();
			at.share_get(B);
			add(at, B, items_b);
		}
	}

	void after()
	{
		RL_ASSERT(READ_ONCE(at.word) == 1);
	}
};

/* The same, but that it is a third who adds the item. */
struct list_seen : rl::test_suite<list_seen, 3> {
	place at;
	std::atomic<int> list; /* whose there is */
	std::atomic<int> items_a, items_b;

	void before()
	{
		WRITE_ONCE(at.owner, A);
		WRITE_ONCE(at.word, 1);
		WRITE_ONCE(list, A);
		WRITE_ONCE(items_a, 0);
		WRITE_ONCE(items_b, 0);
	}

	void thread(unsigned int i)
	{
		switch (i) {
		case 0:
			clear_and_count(at, A, items_a);
			break;
		case 1:
			at.share_put();
			if (!has("share_first"))
				rcu_assign_pointer(list, B);
			at.share_get(B);
			rcu_assign_pointer(list, B);
			break;
		case 2:
			if (rcu_dereference(list) == B)
				add(at, B, items_b);
			break;
		}
	}

	void after()
	{
		RL_ASSERT(READ_ONCE(items_b) == 0 || READ_ONCE(at.word) == 1);
	}
};

int main(int argc, char **argv)
{
	if (!model_begin(argc, argv))
		return 0;
	return !(holds<add_clear>() && holds<slot_reused>() &&
		 holds<list_seen>());
}
