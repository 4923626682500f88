/* SPDX-License-Identifier: MIT */
/*
 * slots.h - slots and pairs as pairs.c has them: who frees what, and when
 */
#ifndef WANE_RELACY_SLOTS_H
#define WANE_RELACY_SLOTS_H

#include "model.h"

static struct rcu *rcu; /* of the model that runs */

/* ---- Pairs ------------------------------------------------------------------- */

struct words : memory {
	word_t bit;
};

struct pair : memory {
	rl::var<words *> word;
	rl::var<int> slot;
	std::atomic<int> refs;
	std::atomic<long> deferred;
	std::atomic<pair *> heir;

	void begin(words *in, int at)
	{
		word($) = in;
		slot($) = at;
		WRITE_ONCE(refs, 1);
		WRITE_ONCE(deferred, 0);
		WRITE_ONCE(heir, (pair *)NULL);
	}

	void put()
	{
		alive(this);
		if (put_last(refs))
			rcu->call(this, "grace_pairs");
	}

	void release()
	{
		pair *of = READ_ONCE(heir);

		memory::release();
		if (of && has("heir_ref"))
			of->put();
	}
};

static void add_deferred(pair *pair)
{
	alive(pair);
	rcu->enter();
	pair->deferred.fetch_add(1, std::memory_order_seq_cst);
	for (pair = rcu_dereference(pair->heir); pair;
	     pair = rcu_dereference(pair->heir)) {
		alive(pair);
		pair->deferred.fetch_add(1, std::memory_order_seq_cst);
	}
	rcu->leave();
}

/* ---- Slots ------------------------------------------------------------------- */

struct slots : memory {
	rl::var<int> nr;
	rl::var<words *> copied; /* only where words do not stay */
	rl::var<words *> segment;
	std::atomic<pair *> entry[2];
	bool keep;

	slots() : keep(false)
	{
	}

	void begin(int count, words *in, pair *first, pair *second)
	{
		nr($) = count;
		copied($) = NULL;
		segment($) = in;
		WRITE_ONCE(entry[0], first);
		WRITE_ONCE(entry[1], second);
	}

	void release()
	{
		memory::release();
		if (!keep && segment($))
			segment($)->release();
	}
};

struct group {
	std::atomic<struct slots *> slots;

	void replace(struct slots *old, struct slots *with)
	{
		rcu_assign_pointer(slots, with, "publish_slots");
		old->keep = with && has("keep");
		rcu->call(old, "grace_slots");
	}

	pair *owner(pair *pair)
	{
		struct slots *now = rcu_dereference(slots);

		if (!now)
			return NULL;
		alive(now);
		if (pair->slot($) >= now->nr($))
			return NULL;
		return rcu_dereference(now->entry[pair->slot($)]);
	}

	void share_set(pair *pair)
	{
		rcu->enter();
		if (owner(pair) == pair) {
			words *copied = rcu_dereference(slots)->copied($);
			words *word = copied ? copied : pair->word($);

			alive(word);
			smp_mb("set_barrier");
			set_bit(word->bit);
		}
		rcu->leave();
	}

	void share_clear(pair *pair)
	{
		rcu->enter();
		alive(pair);
		if (owner(pair) == pair) {
			words *word = pair->word($);
			struct pair *now;

			alive(word);
			clear_bit(word->bit);
			smp_mb("clear_barrier");
			now = owner(pair);
			if (now && now != pair && has("whose_slot"))
				set_bit(word->bit);
		}
		rcu->leave();
	}

	/* share_next() for one slot, whose bit is set. */
	pair *next(int slot)
	{
		struct slots *now;
		pair *found = NULL;

		rcu->enter();
		now = rcu_dereference(slots);
		if (now) {
			alive(now);
			if (slot < now->nr($))
				found = rcu_dereference(now->entry[slot]);
		}
		if (found) {
			alive(found);
			RL_ASSERT(found->slot($) == slot);
			if (has("walk_ref") &&
			    !get_unless_zero(found->refs, "not_zero"))
				found = NULL;
		}
		rcu->leave();
		return found;
	}
};

static void walk_end(pair *pair)
{
	if (has("walk_ref"))
		pair->put();
}

#endif /* WANE_RELACY_SLOTS_H */
