/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The kernel's names, for the files of core/ when they are built as part of a
 * program: each stands for the operation of src/port.h, src/xarray.h and so on
 * that does the same.
 */
#ifndef _SHRINKER_INFO_USER_H
#define _SHRINKER_INFO_USER_H

#include <string.h>

#include "../src/ids.h"
#include "../src/list.h"
#include "../src/lock.h"
#include "../src/port.h"
#include "../src/rcu.h"
#include "../src/xarray.h"

#include <wane/slab.h>

/* ---- Compiler -------------------------------------------------------------- */

#define BITS_PER_LONG (CHAR_BIT * (int)sizeof(long))
#define READ_ONCE(x) load_relaxed(&(x))
#define WRITE_ONCE(x, v) store_relaxed(&(x), v)
#define smp_mb() barrier_full()
#define smp_rmb() barrier_read()
#define smp_mb__before_atomic() barrier_beside_atomic()
#define smp_mb__after_atomic() barrier_beside_atomic()
#define smp_store_mb(x, v) (store_relaxed(&(x), v), barrier_full())
#define WARN_ON_ONCE(cond) wane_assert(!(cond))
#define min(a, b) min_of(a, b)
#define ilog2(x) (31 - __builtin_clz(x))

/* ---- Bits of one word -------------------------------------------------------- */

static inline void set_bit(int nr, unsigned long *word)
{
	or_full(word, 1ul << nr);
}

static inline void clear_bit(int nr, unsigned long *word)
{
	and_full(word, ~(1ul << nr));
}

static inline bool test_bit(int nr, const unsigned long *word)
{
	return load_relaxed(word) >> nr & 1;
}

static inline int find_next_bit(const unsigned long *word, int size, int from)
{
	unsigned long bits = load_relaxed(word);

	bits = from < BITS_PER_LONG ? bits >> from << from : 0;
	return bits ? min_of(__builtin_ctzl(bits), size) : size;
}

#define for_each_set_bit_from(bit, word, size)                   \
	for (bit = find_next_bit(word, size, bit); bit < (size); \
	     bit = find_next_bit(word, size, bit + 1))

#define for_each_set_bit(bit, word, size)                      \
	for (bit = find_next_bit(word, size, 0); bit < (size); \
	     bit = find_next_bit(word, size, bit + 1))

/* ---- Atomics, references, completions ------------------------------------------ */

typedef struct {
	long counter;
} atomic_long_t;

#define atomic_long_set(v, i) store_relaxed(&(v)->counter, i)
#define atomic_long_read(v) load_relaxed(&(v)->counter)
#define atomic_long_xchg(v, i) exchange_full(&(v)->counter, i)
#define atomic_long_add_return(i, v) add_full(&(v)->counter, i)

typedef struct {
	long refs;
} refcount_t;

#define refcount_set(r, n) store_release(&(r)->refs, n)
#define refcount_read(r) load_acquire(&(r)->refs)
#define refcount_inc_not_zero(r) ref_get_unless_zero(&(r)->refs)
#define refcount_dec_and_test(r) ref_put(&(r)->refs)

struct completion {
	uint32_t done;
};

#define init_completion(x) store_relaxed(&(x)->done, 0)
#define complete(x) word_set(&(x)->done)
#define wait_for_completion(x) word_wait(&(x)->done)

/* ---- RCU ------------------------------------------------------------------------- */

/* liburcu has these names too, for another flavour. */
#undef rcu_read_lock
#undef rcu_read_unlock
#undef call_rcu
#undef rcu_dereference
#undef rcu_assign_pointer
#define rcu_read_lock() rcu_enter()
#define rcu_read_unlock() rcu_leave()
#define call_rcu(head, function) rcu_defer(head, function)
#define rcu_dereference(p) rcu_read(&(p))
#define rcu_assign_pointer(p, v) rcu_publish(&(p), v)
#define rcu_container(head, type, member) rcu_deferred(head, type, member)

/* ---- Memory ------------------------------------------------------------------------ */

typedef unsigned int gfp_t;

#define GFP_KERNEL 0u
#define __GFP_ZERO 1u
#define nr_node_ids port_nr_nodes

#define for_each_node(nid) for (nid = 0; nid < nr_node_ids; nid++)

#define numa_node_id() (-1)
#define kmem_cache wane_slab
#define kzalloc_node(size, gfp, nid) ((void)(gfp), shim_zalloc_node(size, nid))
#define kfree(memory) wane_size_free(memory)

struct wane_slab;
struct kmem_cache *kmem_cache_create(const char *name, unsigned int size,
				     unsigned int align, unsigned int flags,
				     void (*constructor)(void *));
void *kmem_cache_alloc_node(struct kmem_cache *cache, gfp_t gfp, int nid);
void kmem_cache_free(struct kmem_cache *cache, void *object);
void *shim_zalloc_node(size_t size, int nid);

void *info_alloc(size_t size, gfp_t gfp);
void info_free(void *memory, size_t size);

/* ---- Mutexes and lists --------------------------------------------------------------- */

#define DEFINE_MUTEX(name) struct lock name = LOCK_INIT(RANK_INFO)
#define mutex_lock(mutex) lock_take(mutex)
#define mutex_unlock(mutex) lock_drop(mutex)

#define list_head list
#define LIST_HEAD(name) struct list name = LIST_INIT(name)
#define list_add_tail(link, head) list_add_last(link, head)
#define list_for_each_entry(entry, head, member)                           \
	for (entry = list_entry((head)->next, __typeof__(*entry), member); \
	     &entry->member != (head);                                     \
	     entry = list_entry(entry->member.next, __typeof__(*entry),    \
				member))

/* ---- Arrays and ids ------------------------------------------------------------------ */

#define xa_init_flags(xa, flags) xarray_init(xa)
#define xa_load(xa, index) xarray_load(xa, index)
#define xa_erase(xa, index) xarray_erase(xa, index)
#define xa_empty(xa) xarray_empty(xa)
#define xa_insert(xa, index, entry, gfp) \
	((void)(gfp), xarray_insert(xa, index, entry))
#define xa_destroy(xa) xarray_destroy(xa)
#define xa_find(xa, index, max, filter) xarray_find(xa, index, max, filter)
#define XA_PRESENT XARRAY_PRESENT
#define DEFINE_XARRAY(name) \
	struct xarray name = { .lock = LOCK_INIT(RANK_XARRAY) }

#define xa_state xarray_cursor
#define XA_STATE(name, array, first) \
	struct xarray_cursor name = XARRAY_CURSOR(array, first)
#define xa_index index
#define xas_for_each(xas, entry, max) \
	while ((entry = xarray_cursor_next(xas)) != NULL)
#define xas_retry(xas, entry) false

/* See the kernel's, in shrinker_info_shim.h. */
static inline int info_xa_replace(struct xarray *xa, unsigned long index,
				  void *old, void *new, gfp_t gfp)
{
	void *found;
	int err = xarray_compare_exchange(xa, index, old, new, &found);

	(void)gfp;
	if (err)
		return err;
	return found == old ? 0 : -EBUSY;
}

#define ida ids
#define DEFINE_IDA(name) struct ids name = { .lock = LOCK_INIT(RANK_IDS) }
#define ida_alloc(ida, gfp) ((void)(gfp), ids_take(ida))
#define ida_free(ida, id) ids_give(ida, id)

#endif /* _SHRINKER_INFO_USER_H */
