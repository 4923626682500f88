/* SPDX-License-Identifier: MIT */
/*
 * lifetime.cc - pairs and slots end while a walk has them
 */
#include "slots.h"

const char *const model_parts[] = {
	"walk_ref",    "not_zero", "keep", "grace_slots",
	"grace_pairs", "heir_ref", NULL,
};

/* A walk has a pair, in slots that grow, that ends with the last of them. */
struct walk_put : rl::test_suite<walk_put, 2> {
	struct rcu books;
	group of;
	slots small, large;
	words segment;
	pair a;

	void before()
	{
		rcu = &books;
		books.begin();
		WRITE_ONCE(segment.bit, 1);
		a.begin(&segment, 0);
		small.begin(1, &segment, &a, NULL);
		large.begin(2, &segment, &a, NULL);
		WRITE_ONCE(of.slots, &small);
	}

	void thread(unsigned int i)
	{
		if (i == 0) {
			of.replace(&small, &large);
			rcu_assign_pointer(large.entry[0], (pair *)NULL);
			clear_bit(segment.bit);
			of.replace(&large, NULL);
			a.put();
		} else {
			pair *found = of.next(0);

			if (found) {
				of.share_clear(found);
				alive(found);
				walk_end(found);
			}
		}
	}

	void after()
	{
		RL_ASSERT(small.freed && large.freed && segment.freed);
		RL_ASSERT(a.freed);
	}
};

/* A child, held by a walk, and its parent, which its handle leads to. */
struct family {
	struct rcu books;
	words word;
	std::atomic<pair *> handle;
	pair child, parent;

	void begin()
	{
		rcu = &books;
		books.begin();
		child.begin(&word, 0);
		parent.begin(&word, 0);
		WRITE_ONCE(child.refs, 2);
		WRITE_ONCE(handle, &parent);
	}

	void walk()
	{
		add_deferred(&child);
		child.put();
	}

	void retire_child()
	{
		pair *heir;

		rcu->enter();
		heir = rcu_dereference(handle);
		if (heir && (!has("heir_ref") ||
			     get_unless_zero(heir->refs, "not_zero"))) {
			rcu_assign_pointer(child.heir, heir);
			add_deferred(heir);
		}
		child.put();
		rcu->leave();
	}

	void put_parent()
	{
		rcu_assign_pointer(handle, (pair *)NULL);
		parent.put();
	}

	void check()
	{
		RL_ASSERT(child.freed && parent.freed);
	}
};

/* The parent's pair ends while a walk still brings work to it. */
struct heir_put : rl::test_suite<heir_put, 2> {
	family all;

	void before()
	{
		all.begin();
	}

	void thread(unsigned int i)
	{
		if (i == 0) {
			all.walk();
		} else {
			all.retire_child();
			all.put_parent();
		}
	}

	void after()
	{
		all.check();
	}
};

/* The parent's pair ends while the child's is retired. */
struct retire_put : rl::test_suite<retire_put, 2> {
	family all;

	void before()
	{
		all.begin();
	}

	void thread(unsigned int i)
	{
		if (i == 0) {
			all.retire_child();
			all.walk();
		} else {
			all.put_parent();
		}
	}

	void after()
	{
		all.check();
	}
};

int main(int argc, char **argv)
{
	if (!model_begin(argc, argv))
		return 0;
	return !(holds<retire_put>() && holds<heir_put>() && holds<walk_put>());
}
