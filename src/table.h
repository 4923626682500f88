/* SPDX-License-Identifier: MIT */
/*
 * table.h - a hash table of pointers: readers under RCU, no chains
 *
 *	slots   [0] NULL   [1] entry   [2] REMOVED   [3] entry   ...
 *
 * Open addressing with linear probing; at most three quarters of the slots
 * are ever used, so a probe ends.  What is removed leaves a mark that probes
 * step over until the next rebuild.  An empty table holds no memory.
 *
 * Room is made before (table_reserve(), may fail), so that inserting cannot
 * fail, and removing never needs memory.  Writers hold the lock of whoever
 * owns the table.  Entries are not copied; RCU keeps what a reader found.
 */
#ifndef WANE_TABLE_H
#define WANE_TABLE_H

#include "rcu.h"

struct table_slots {
	struct rcu_head rcu;
	unsigned int mask; /* number of slots, a power of two, - 1 */
	unsigned int live; /* entries */
	unsigned int used; /* slots that were ever filled: live + removed */
	unsigned int first; /* no entry stands before it */
	void *slot[];
};

struct table {
	struct table_slots *slots; /* NULL when nothing is in it */
};

#define TABLE_REMOVED ((void *)1)

typedef uint64_t (*table_hash_fn)(const void *entry);
typedef bool (*table_match_fn)(const void *entry, const void *key);

static inline uint64_t hash_mix(uint64_t x)
{
	/* The finaliser of MurmurHash3 (A. Appleby, public domain). */
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdull;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ull;
	return x ^ x >> 33;
}

static inline uint64_t hash_pointer(const void *pointer)
{
	return hash_mix((uintptr_t)pointer);
}

/* Inline, so that @match becomes a comparison in the loop. */
static inline __attribute__((always_inline)) void *
table_find(const struct table *table, uint64_t hash, table_match_fn match,
	   const void *key)
{
	struct table_slots *slots = rcu_read(&table->slots);
	size_t mask;

	if (!slots)
		return NULL;
	mask = slots->mask;
	for (size_t i = hash & mask;; i = (i + 1) & mask) {
		void *entry = rcu_read(&slots->slot[i]);

		if (!entry)
			return NULL;
		if (entry != TABLE_REMOVED && match(entry, key))
			return entry;
	}
}

/* Make room for one more entry.  Return: 0 or -ENOMEM, nothing changed. */
int table_reserve(struct table *table, table_hash_fn hash);

/* Whoever does not insert after all says so, and an empty table is freed. */
void table_unreserve(struct table *table);

/*
 * @entry is not in the table.  Room was reserved under the lock that is still
 * held, and nothing removed since.
 */
void table_insert(struct table *table, uint64_t hash, void *entry);

/* @entry is in the table.  Frees the slots with the last one. */
void table_remove(struct table *table, uint64_t hash, const void *entry);

/* Any entry, or NULL when there is none: for writers, to empty a table. */
void *table_any(const struct table *table);

/* All entries, in no order.  The table does not change meanwhile. */
#define table_for_each(table, i, entry) \
	for (size_t i = 0; (entry = table_at(table, &i)) != NULL; i++)

static inline void *table_at(const struct table *table, size_t *i)
{
	struct table_slots *slots = table->slots;

	for (; slots && *i <= slots->mask; ++*i)
		if (slots->slot[*i] && slots->slot[*i] != TABLE_REMOVED)
			return slots->slot[*i];
	return NULL;
}

static inline unsigned int table_count(const struct table *table)
{
	return table->slots ? table->slots->live : 0;
}

#endif /* WANE_TABLE_H */
