/* SPDX-License-Identifier: MIT */
/*
 * port.h - the boundary to compiler, libc and machine
 *
 * Everything below the library is reached through this header and the ones it
 * includes.  Each operation carries its memory ordering in its name, so that
 * a reader can grep which orderings are in use.
 */
#ifndef WANE_PORT_H
#define WANE_PORT_H

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <wane/base.h>

#define container_of(pointer, type, member) \
	((type *)((char *)(pointer)-offsetof(type, member)))

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#define min_of(a, b)                           \
	({                                     \
		__typeof__(a) min_a = (a);     \
		__typeof__(b) min_b = (b);     \
		min_a < min_b ? min_a : min_b; \
	})
#define max_of(a, b)                           \
	({                                     \
		__typeof__(a) max_a = (a);     \
		__typeof__(b) max_b = (b);     \
		max_a > max_b ? max_a : max_b; \
	})

/* ---- Assertions: in debug builds alone (-DWANE_DEBUG) ------------------- */

_Noreturn void port_panic(const char *file, int line, const char *what);

#ifdef WANE_DEBUG
#define wane_assert(cond)                                      \
	do {                                                   \
		if (unlikely(!(cond)))                         \
			port_panic(__FILE__, __LINE__, #cond); \
	} while (0)
#else
#define wane_assert(cond) ((void)sizeof(cond))
#endif

/* ---- Atomics ------------------------------------------------------------ */

#define load_relaxed(p) __atomic_load_n(p, __ATOMIC_RELAXED)
#define load_acquire(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define store_relaxed(p, v) __atomic_store_n(p, v, __ATOMIC_RELAXED)
#define store_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define add_relaxed(p, v) __atomic_add_fetch(p, v, __ATOMIC_RELAXED)
#define sub_relaxed(p, v) __atomic_sub_fetch(p, v, __ATOMIC_RELAXED)
#define add_full(p, v) __atomic_add_fetch(p, v, __ATOMIC_SEQ_CST)
#define sub_full(p, v) __atomic_sub_fetch(p, v, __ATOMIC_SEQ_CST)
#define or_full(p, v) __atomic_fetch_or(p, v, __ATOMIC_SEQ_CST)
#define and_full(p, v) __atomic_fetch_and(p, v, __ATOMIC_SEQ_CST)
#define exchange_full(p, v) __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST)

/* Write @new where *@p is still *@expected; else read *@p into *@expected. */
#define try_exchange_full(p, expected, new)                                    \
	__atomic_compare_exchange_n(p, expected, new, false, __ATOMIC_SEQ_CST, \
				    __ATOMIC_RELAXED)
#define try_exchange_relaxed(p, expected, new)                                \
	__atomic_compare_exchange_n(p, expected, new, true, __ATOMIC_RELAXED, \
				    __ATOMIC_RELAXED)

/*
 * A full barrier.  TSan does not model fences, so there it is an access that
 * it does model; every barrier of ours sits beside atomic accesses anyway.
 */
#ifdef __SANITIZE_THREAD__
#define WANE_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WANE_TSAN 1
#endif
#endif

#ifdef __SANITIZE_ADDRESS__
#define WANE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WANE_ASAN 1
#endif
#endif

#ifdef WANE_TSAN
static inline void barrier_full(void)
{
	static int fence;

	(void)__atomic_fetch_add(&fence, 0, __ATOMIC_SEQ_CST);
}
#else
static inline void barrier_full(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}
#endif

/* Loads before it come before loads after it. */
static inline void barrier_read(void)
{
#ifdef WANE_TSAN
	barrier_full();
#else
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
#endif
}

/* A full barrier beside an atomic operation of ours, which is one on x86. */
static inline void barrier_beside_atomic(void)
{
#if (defined(__x86_64__) || defined(__i386__)) && !defined(WANE_TSAN)
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
#else
	barrier_full();
#endif
}

static inline void cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#endif
}

/* ---- Reference counts --------------------------------------------------- */

static inline bool ref_get_unless_zero(long *ref)
{
	long old = load_relaxed(ref);

	do {
		if (old == 0)
			return false;
	} while (!try_exchange_full(ref, &old, old + 1));
	return true;
}

static inline void ref_get(long *ref)
{
	long new = add_relaxed(ref, 1);

	(void)new;
	wane_assert(new > 1);
}

/* Returns true for the last one. */
static inline bool ref_put(long *ref)
{
	long new = sub_full(ref, 1);

	wane_assert(new >= 0);
	return new == 0;
}

/* ---- Memory ------------------------------------------------------------- */

/*
 * Sizes are handed back on free, so that what is held is known to the byte:
 * port_held() is 0 when everything is gone.  Each of these but the frees
 * counts as one allocation for fault injection.
 */
void *port_alloc(size_t bytes);
void *port_zalloc(size_t bytes);
void port_free(void *memory, size_t bytes);

/* Whole pages of zeroes, aligned to @align (a power of two), near @node. */
void *port_map(size_t bytes, size_t align, int node);
void port_unmap(void *memory, size_t bytes);
/* Give the pages back; they read as zeroes or as they were until written. */
void port_discard(void *memory, size_t bytes);

/* Bytes that port_alloc(), port_zalloc() and port_map() have handed out. */
size_t port_held(void);

/* How often the calling thread has asked for memory by them, in vain or not. */
unsigned long port_asked(void);

/*
 * Fault injection, for tests: from now on the @k-th allocation fails (1 is the
 * next), and with @for_good each one after it.  0 ends it.  Counts all
 * threads' allocations.  fault_happened() tells whether one failed since.
 */
void fault_inject(long k, bool for_good);
bool fault_happened(void);

/* ---- Time --------------------------------------------------------------- */

/* Seconds since some time in the past; coarse, and never going back. */
unsigned int port_second(void);

/* ---- Nodes -------------------------------------------------------------- */

/* How many nodes: wane_nodes(), read once at start. */
extern int port_nr_nodes;

/* The nodes are the machine's, more than one, and not pretended. */
bool port_nodes_are_real(void);

/* Where the calling thread runs, asked anew. */
int port_node_current(void);

#endif /* WANE_PORT_H */
