// SPDX-License-Identifier: MIT
/*
 * table.c - writing a hash table that others read meanwhile
 *
 *	insert   NULL or REMOVED ---> entry
 *	remove   entry ---> REMOVED, never back to NULL
 *	rebuild  a copy without REMOVED is published; readers of the old slots
 *	         finish in what was true when they began
 *
 * A NULL that was filled never comes back, and a quarter of the slots is never
 * filled: so each probe meets a NULL within one round, whatever writers do.
 *
 * To put an entry in place of a REMOVED one is safe: who looks for another
 * entry steps over either.  Who looks for this very one, and passed the slot
 * before it came there, may miss it; but then it was in no slot for a moment
 * of the look-up.
 *
 * A rebuild leaves half of the slots free, and the next one comes when three
 * quarters are used.  So at least a quarter of the slots is filled from one
 * rebuild to the next, which pays for it.
 */
#include "table.h"

static size_t slots_number(const struct table_slots *slots)
{
	return (size_t)slots->mask + 1;
}

static size_t slots_size(size_t nr)
{
	return sizeof(struct table_slots) + nr * sizeof(void *);
}

static void slots_free(struct rcu_head *head)
{
	struct table_slots *slots = rcu_deferred(head, struct table_slots, rcu);

	port_free(slots, slots_size(slots_number(slots)));
}

/* Put @new in the place of the slots that are there; readers may be in them. */
static void slots_replace(struct table *table, struct table_slots *new)
{
	struct table_slots *old = table->slots;

	rcu_publish(&table->slots, new);
	if (old)
		rcu_defer(&old->rcu, slots_free);
}

static bool is_entry(const void *slot)
{
	return slot && slot != TABLE_REMOVED;
}

static void slots_insert(struct table_slots *slots, uint64_t hash, void *entry)
{
	size_t mask = slots->mask;
	size_t i = hash & mask;

	while (is_entry(slots->slot[i]))
		i = (i + 1) & mask;
	if (!slots->slot[i])
		slots->used++;
	slots->live++;
	slots->first = min_of(slots->first, i);
	rcu_publish(&slots->slot[i], entry);
}

/* The smallest that are at most half full with @nr entries. */
static struct table_slots *slots_new(size_t nr)
{
	struct table_slots *slots;
	size_t number = 2;

	while (number < 2 * nr)
		number *= 2;
	slots = port_zalloc(slots_size(number));
	if (slots)
		slots->mask = (unsigned int)number - 1;
	return slots;
}

static bool slots_full(const struct table_slots *slots)
{
	return slots->used + (size_t)1 > slots_number(slots) * 3 / 4;
}

int table_reserve(struct table *table, table_hash_fn hash)
{
	struct table_slots *old = table->slots;
	struct table_slots *new;

	if (old && !slots_full(old))
		return 0;
	new = slots_new(table_count(table) + (size_t)1);
	if (!new)
		return -ENOMEM;
	for (size_t i = 0; old && i < slots_number(old); i++)
		if (is_entry(old->slot[i]))
			slots_insert(new, hash(old->slot[i]), old->slot[i]);
	slots_replace(table, new);
	return 0;
}

void table_unreserve(struct table *table)
{
	if (table->slots && table->slots->live == 0)
		slots_replace(table, NULL);
}

void table_insert(struct table *table, uint64_t hash, void *entry)
{
	wane_assert(is_entry(entry));
	wane_assert(table->slots && !slots_full(table->slots));
	slots_insert(table->slots, hash, entry);
}

void table_remove(struct table *table, uint64_t hash, const void *entry)
{
	struct table_slots *slots = table->slots;
	size_t mask = slots->mask;
	size_t i = hash & mask;

	while (slots->slot[i] != entry) {
		wane_assert(slots->slot[i]);
		i = (i + 1) & mask;
	}
	rcu_publish(&slots->slot[i], TABLE_REMOVED);
	slots->live--;
	table_unreserve(table);
}

void *table_any(const struct table *table)
{
	struct table_slots *slots = table->slots;

	if (!slots || slots->live == 0)
		return NULL;
	while (!is_entry(slots->slot[slots->first]))
		slots->first++;
	return slots->slot[slots->first];
}
