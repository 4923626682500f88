/* SPDX-License-Identifier: MIT */
/*
 * deferred.cc - B3: what walks under way give back reaches the parent, once
 */
#include "model.h"

const char *const model_parts[] = {
	"add_barrier", "heir_barrier", "take_back",  "exchange",
	"bit_barrier", "gone_barrier", "test_bit",   "heir_first", NULL,
};

/* A pair, its slot, and its bit and counter on one node. */
struct pair {
	std::atomic<bool> owns_slot;
	word_t word;
	std::atomic<long> deferred;
	std::atomic<pair *> heir;

	void begin()
	{
		WRITE_ONCE(owns_slot, true);
		WRITE_ONCE(word, 0);
		WRITE_ONCE(deferred, 0);
		WRITE_ONCE(heir, (pair *)NULL);
	}
};

static long exchange_deferred(pair *pair)
{
	long nr;

	if (has("exchange"))
		return pair->deferred.exchange(0, std::memory_order_relaxed);
	nr = READ_ONCE(pair->deferred);
	WRITE_ONCE(pair->deferred, 0);
	return nr;
}

static long take_deferred(pair *pair)
{
	return READ_ONCE(pair->deferred) ? exchange_deferred(pair) : 0;
}

static void add_deferred(pair *pair, long nr)
{
	struct pair *heir;

	for (;;) {
		pair->deferred.fetch_add(nr, std::memory_order_relaxed);
		smp_mb("add_barrier");
		heir = rcu_dereference(pair->heir);
		if (!heir || !has("take_back"))
			return;
		nr = exchange_deferred(pair);
		pair = heir;
	}
}

static void share_set(pair *pair)
{
	for (; pair; pair = READ_ONCE(pair->heir)) {
		if (!READ_ONCE(pair->owns_slot)) {
			smp_rmb("gone_barrier");
			continue;
		}
		set_bit(pair->word);
		smp_mb("bit_barrier");
	}
}

/*
 * share_retire(), with one half of pair_move(): they have no memory in common,
 * and by themselves all orders can be tried.
 */
static void retire_deferred(pair *pair, struct pair *heir)
{
	long nr;

	rcu_assign_pointer(pair->heir, heir);
	smp_mb("heir_barrier");
	nr = take_deferred(pair);
	if (nr)
		add_deferred(heir, nr);
}

static void share_put(pair *pair)
{
	rcu_assign_pointer(pair->owns_slot, false);
	clear_bit(pair->word);
}

static void retire_bit(pair *pair, struct pair *heir)
{
	if (!has("heir_first"))
		share_put(pair);
	rcu_assign_pointer(pair->heir, heir);
	smp_mb("heir_barrier");
	if (READ_ONCE(pair->word) && has("test_bit"))
		share_set(heir);
	share_put(pair);
}

/*
 * One scan gives back while another one takes.  That one is past its look: who
 * looks and sees nothing has no part in this.
 */
struct scan_scan_retire : rl::test_suite<scan_scan_retire, 3> {
	pair child, parent;
	rl::var<long> taken;

	void before()
	{
		child.begin();
		parent.begin();
		WRITE_ONCE(child.deferred, 10);
	}

	void thread(unsigned int i)
	{
		switch (i) {
		case 0:
			add_deferred(&child, 1);
			break;
		case 1:
			taken($) = exchange_deferred(&child);
			break;
		case 2:
			retire_deferred(&child, &parent);
			break;
		}
	}

	void after()
	{
		RL_ASSERT(READ_ONCE(child.deferred) == 0);
		RL_ASSERT(READ_ONCE(parent.deferred) + taken($) == 11);
	}
};

/* A walk sets the bit again: in the child, or wherever that has gone. */
struct set_retire : rl::test_suite<set_retire, 2> {
	pair child, parent;

	void before()
	{
		child.begin();
		parent.begin();
	}

	void thread(unsigned int i)
	{
		if (i == 0)
			share_set(&child);
		else
			retire_bit(&child, &parent);
	}

	void after()
	{
		RL_ASSERT(READ_ONCE(parent.word) == 1);
	}
};

/* Parent and child are retired one after the other, while a scan gives back. */
struct scan_retire_both : rl::test_suite<scan_retire_both, 2> {
	pair child, parent, root;

	void before()
	{
		child.begin();
		parent.begin();
		root.begin();
	}

	void thread(unsigned int i)
	{
		if (i == 0) {
			add_deferred(&child, 1);
		} else {
			retire_deferred(&child, &parent);
			retire_deferred(&parent, &root);
		}
	}

	void after()
	{
		RL_ASSERT(READ_ONCE(child.deferred) == 0);
		RL_ASSERT(READ_ONCE(parent.deferred) == 0);
		RL_ASSERT(READ_ONCE(root.deferred) == 1);
	}
};

int main(int argc, char **argv)
{
	if (!model_begin(argc, argv))
		return 0;
	return !(holds<set_retire>() && holds<scan_scan_retire>() &&
		 holds<scan_retire_both>());
}
