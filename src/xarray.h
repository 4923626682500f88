/* SPDX-License-Identifier: MIT */
/*
 * xarray.h - index -> pointer, for indices that come in clusters
 *
 * Readers need no lock, only a read section of RCU; writers take the array's
 * own lock.  An entry is a pointer with its two lowest bits zero, not NULL:
 * NULL is "no entry".  The model is Linux's XArray (M. Wilcox, 2018), of which
 * this has the part that wane needs.
 */
#ifndef WANE_XARRAY_H
#define WANE_XARRAY_H

#include "lock.h"
#include "rcu.h"

#ifdef WANE_TINY
#define XARRAY_SHIFT 2
#else
#define XARRAY_SHIFT 6
#endif
#define XARRAY_SLOTS (1u << XARRAY_SHIFT)

/* Marks, one bit each per entry; a new entry has none. */
enum xarray_mark {
	XARRAY_MARK_0,
	XARRAY_MARK_1,
	XARRAY_NR_MARKS,
	XARRAY_PRESENT = XARRAY_NR_MARKS, /* for find: any entry */
};

/**
 * struct xarray - The array; all zero but for the lock's rank when empty.
 * @lock: Held by writers.
 * @marks: Bit m: the one entry at index 0 has mark m; only where @head is
 *         that entry and no node.
 * @head: NULL, the entry of index 0 where there is no other, or the top node
 *        (told apart by its lowest bits).
 */
struct xarray {
	struct lock lock;
	uint8_t marks;
	void *head;
};

void xarray_init(struct xarray *xa);

/* Forget all entries and free all nodes.  No reader or writer is left. */
void xarray_destroy(struct xarray *xa);

/* Needs no lock: true when nothing is in the array. */
static inline bool xarray_empty(const struct xarray *xa)
{
	return load_relaxed(&xa->head) == NULL;
}

/*
 * Context of all below: Any, but for memory where they may return -ENOMEM.
 * Reading needs an RCU read section for as long as the entry is used.
 *
 * Beside writers, a reader never misses an entry that stays in the array, nor
 * a mark that stays set.  An entry and its marks are read one after the other,
 * so what find returns may have got or lost its mark in between.
 */
void *xarray_load(struct xarray *xa, unsigned long index);

/*
 * Put @entry at @index, NULL to erase.  What was there before goes to *@old
 * unless @old is NULL.  Marks of an entry that is replaced are cleared.
 * Return: 0; -ENOMEM, and the array is as it was, also in its nodes.
 */
int xarray_store(struct xarray *xa, unsigned long index, void *entry,
		 void **old);

/* As store of an entry, where nothing is.  Return: 0; -ENOMEM; -EBUSY. */
int xarray_insert(struct xarray *xa, unsigned long index, void *entry);

/*
 * Put @entry (or NULL) where @expected (or NULL) is; *@found receives what
 * was there, so the exchange was done when it equals @expected.
 * Return: 0; -ENOMEM, and the array is as it was, *@found too.
 */
int xarray_compare_exchange(struct xarray *xa, unsigned long index,
			    void *expected, void *entry, void **found);

/* Return what was there, or NULL.  Gives nodes back that became empty. */
void *xarray_erase(struct xarray *xa, unsigned long index);

/*
 * The first entry at *@index or after it, up to @max, that has @mark (or any,
 * with XARRAY_PRESENT).  Return: it, and its index in *@index; or NULL, and
 * *@index is as it was.
 */
void *xarray_find(struct xarray *xa, unsigned long *index, unsigned long max,
		  enum xarray_mark mark);

/* As find, but strictly after *@index. */
void *xarray_find_after(struct xarray *xa, unsigned long *index,
			unsigned long max, enum xarray_mark mark);

/* Set or clear a mark of an entry; without an entry nothing happens. */
void xarray_set_mark(struct xarray *xa, unsigned long index,
		     enum xarray_mark mark);
void xarray_clear_mark(struct xarray *xa, unsigned long index,
		       enum xarray_mark mark);
bool xarray_get_mark(struct xarray *xa, unsigned long index,
		     enum xarray_mark mark);

/**
 * struct xarray_cursor - A walk over all entries, in order of index.
 * @xa: The array.
 * @index: Of the entry returned last; before that, where to begin.
 * @leaf: Private: the node of that entry while the read section lasts.
 * @begun: Private: @index is that of an entry returned.
 *
 * Within one read section a step costs no descent.  Before leaving it, call
 * xarray_cursor_pause(); the walk then goes on behind the last entry.
 */
struct xarray_cursor {
	struct xarray *xa;
	unsigned long index;
	void *leaf;
	bool begun;
};

#define XARRAY_CURSOR(of, first)             \
	{                                    \
		.xa = (of), .index = (first) \
	}

/* Return the next entry and set cursor->index, or NULL at the end. */
void *xarray_cursor_next(struct xarray_cursor *cursor);
void xarray_cursor_pause(struct xarray_cursor *cursor);

#define xarray_for_each(xa, index, entry)                               \
	for (index = 0,                                                 \
	    entry = xarray_find(xa, &index, ULONG_MAX, XARRAY_PRESENT); \
	     entry;                                                     \
	     entry = xarray_find_after(xa, &index, ULONG_MAX, XARRAY_PRESENT))

/* Check all that must hold inside; debug builds and tests.  Takes the lock. */
void xarray_assert_valid(struct xarray *xa);

/* The slab of all nodes, made at start. */
int xarray_start(void);
extern struct wane_slab *xarray_node_slab;

#endif /* WANE_XARRAY_H */
