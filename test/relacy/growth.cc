/* SPDX-License-Identifier: MIT */
/*
 * growth.cc - slots are replaced while bits are set and cleared
 */
#include "slots.h"

const char *const model_parts[] = {
	"words_stay",  "publish_pair",	"publish_slots",
	"grace_slots", "clear_barrier", "whose_slot",
	NULL,
};

/* They grow while a bit is set, and a walk finds the new pair. */
struct set_grow : rl::test_suite<set_grow, 2> {
	struct rcu books;
	group of;
	slots small, large;
	words first, copy, second;
	pair a, b;

	void before()
	{
		rcu = &books;
		books.begin();
		WRITE_ONCE(first.bit, 0);
		a.begin(&first, 0);
		small.begin(1, NULL, &a, NULL);
		WRITE_ONCE(of.slots, &small);
	}

	void grow()
	{
		WRITE_ONCE(second.bit, 0);
		large.begin(2, &second, &a, NULL);
		if (!has("words_stay")) {
			WRITE_ONCE(copy.bit, READ_ONCE(first.bit));
			large.copied($) = &copy;
		}
		of.replace(&small, &large);
		b.begin(&second, 1);
		rcu_assign_pointer(large.entry[1], &b, "publish_pair");
	}

	void thread(unsigned int i)
	{
		if (i == 0) {
			grow();
		} else {
			pair *found = of.next(1);

			of.share_set(&a);
			if (found) {
				of.share_set(found);
				walk_end(found);
			}
		}
	}

	void after()
	{
		RL_ASSERT(READ_ONCE(has("words_stay") ? first.bit : copy.bit));
		RL_ASSERT(!first.freed && !second.freed && small.freed);
	}
};

/* B5: the last pair ends, and with it the slots; then there are others. */
struct clear_replace : rl::test_suite<clear_replace, 2> {
	struct rcu books;
	group of;
	slots old, others;
	words first;
	pair a, b;

	void before()
	{
		rcu = &books;
		books.begin();
		WRITE_ONCE(first.bit, 1);
		a.begin(&first, 0);
		old.begin(1, NULL, &a, NULL);
		WRITE_ONCE(of.slots, &old);
	}

	void thread(unsigned int i)
	{
		if (i == 0) {
			of.share_clear(&a);
		} else {
			rcu_assign_pointer(old.entry[0], (pair *)NULL);
			clear_bit(first.bit);
			of.replace(&old, NULL);
			b.begin(&first, 0);
			others.begin(1, NULL, &b, NULL);
			rcu_assign_pointer(of.slots, &others);
			of.share_set(&b);
		}
	}

	void after()
	{
		RL_ASSERT(READ_ONCE(first.bit) == 1);
		RL_ASSERT(old.freed);
	}
};

int main(int argc, char **argv)
{
	if (!model_begin(argc, argv))
		return 0;
	return !(holds<set_grow>() && holds<clear_replace>());
}
