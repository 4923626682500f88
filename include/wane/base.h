/* SPDX-License-Identifier: MIT */
/*
 * What every other header needs: export marks, nodes, the version.
 *
 * A node is a NUMA node of the machine, or one of WANE_NODES=n pretended ones
 * (1 to WANE_MAX_NODES) when the environment says so before the first call.
 */
#ifndef WANE_BASE_H
#define WANE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WANE_API __attribute__((visibility("default")))
#define WANE_CHECKED __attribute__((visibility("default"), warn_unused_result))

#define WANE_VERSION_MAJOR 0
#define WANE_VERSION_MINOR 1
#define WANE_VERSION_PATCH 0

/* The most memory nodes that are told apart; nodes above it share the last. */
#define WANE_MAX_NODES 64

#ifdef __cplusplus
extern "C" {
#endif

struct wane_group;
struct wane_shrinker;
struct wane_lru;
struct wane_slab;

/**
 * wane_version() - The version of the library that runs.
 *
 * Context: Any.
 * Return: "major.minor.patch".
 */
WANE_API const char *wane_version(void);

/**
 * wane_nodes() - How many memory nodes there are.
 *
 * Context: Any.
 * Return: 1 to WANE_MAX_NODES; the same for the life of the process.
 */
WANE_API int wane_nodes(void);

/**
 * wane_node_current() - The memory node that the calling thread runs on.
 *
 * Context: Any.
 * Return: 0 to wane_nodes() - 1; already stale when you read it.
 */
WANE_API int wane_node_current(void);

/**
 * wane_node_of() - The memory node that an address lies on.
 * @address: Any address of memory that was written before.
 *
 * Asks the kernel where there is more than one node, so remember the answer.
 * Pretended nodes alternate every 2 MiB of address space.  For an object of
 * a slab, wane_slab_node() is exact and much faster.
 *
 * Context: Any.
 * Return: 0 to wane_nodes() - 1; 0 when the kernel does not know.
 */
WANE_API int wane_node_of(const void *address);

/**
 * wane_barrier() - Wait until all that was put or destroyed is freed.
 *
 * Memory is given back after a grace period.  This waits for every one that
 * was begun before the call; leak checks want it, programs do not.
 *
 * Context: Blocks.
 */
WANE_API void wane_barrier(void);

#ifdef __cplusplus
}
#endif

#endif /* WANE_BASE_H */
