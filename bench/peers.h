/* SPDX-License-Identifier: MIT */
/*
 * peers.h - other people's libraries, found when a worker runs
 */
#ifndef WANE_BENCH_PEERS_H
#define WANE_BENCH_PEERS_H

#include <stddef.h>

/*
 * struct allocator - malloc() and free() of one library; NULL without it.
 */
struct allocator {
	void *(*alloc)(size_t bytes);
	void (*free)(void *memory);
};

extern struct allocator jemalloc, mimalloc;

/* Judy's word-to-word array; see its judyL(3). */
extern struct judy {
	void **(*get)(const void *array, unsigned long index, void *error);
	void **(*insert)(void **array, unsigned long index, void *error);
	void **(*first)(const void *array, unsigned long *index, void *error);
	void **(*next)(const void *array, unsigned long *index, void *error);
	unsigned long (*free)(void **array, void *error);
	unsigned long (*bytes)(const void *array);
} judy;

/* Look for all of them. */
void peers_find(void);

/* Print the versions of those that tell it. */
void peers_tell(void);

#endif /* WANE_BENCH_PEERS_H */
