/* SPDX-License-Identifier: MIT */
/*
 * Slabs: caches of objects of one size, charged to groups.
 *
 * An object knows its slab, so its group and its node follow from its
 * address; and its group pays its true share of the slab's bytes, padding and
 * bookkeeping included.
 */
#ifndef WANE_SLAB_H
#define WANE_SLAB_H

#include <wane/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The largest object, in bytes. */
#define WANE_SLAB_MAX 65536u

/* wane_slab_config.flags: objects are charged to groups. */
#define WANE_SLAB_CHARGED (1u << 0)

/**
 * struct wane_slab_config - What a slab's objects are like.
 * @size: sizeof(struct wane_slab_config); members past it read as zero.
 * @name: Shown by tools; copied.
 * @object_size: Bytes of an object, 1 to WANE_SLAB_MAX.
 * @align: A power of two up to 4,096; 0 for that of a pointer, or of the
 *         object where it is smaller.
 * @flags: 0 or WANE_SLAB_CHARGED.
 * @constructor: Called once for each object when its memory comes from the
 *               system, not for each allocation; NULL for none.  An object
 *               must be freed in its constructed state.
 */
struct wane_slab_config {
	size_t size;
	const char *name;
	size_t object_size;
	size_t align;
	unsigned int flags;
	void (*constructor)(void *object);
};

/**
 * wane_slab_create() - Make a cache of objects; it holds no memory yet.
 * @slab: Receives it.
 * @config: Copied.
 *
 * Context: Blocks.
 * Return: 0; -ENOMEM; -EINVAL when the object size is 0 or too large, the
 *         alignment is no power of two or too large, or a flag is unknown.
 */
WANE_CHECKED int wane_slab_create(struct wane_slab **slab,
				  const struct wane_slab_config *config);

/**
 * wane_slab_destroy() - Free a cache of objects.
 * @slab: The slab, or NULL.  No other thread uses it any more.
 *
 * Context: Blocks.
 * Return: 0, or -EBUSY when objects live: then the slab stays as it is.
 */
WANE_API int wane_slab_destroy(struct wane_slab *slab);

/**
 * wane_slab_alloc() - Take an object, near the calling thread.
 * @slab: The slab.
 * @group: Who pays, when the slab is WANE_SLAB_CHARGED: NULL for the thread's
 *         current group; without one the object is not charged.
 * @flags: 0 or WANE_NOWAIT, as for wane_charge().
 *
 * Context: Reclaims when charged; with WANE_NOWAIT, or uncharged: as Any, but
 *          it may ask the system for memory.
 * Return: The object, aligned, its content as left by constructor or free;
 *         NULL when the charge was refused or the system is out of memory.
 */
WANE_CHECKED void *wane_slab_alloc(struct wane_slab *slab,
				   struct wane_group *group,
				   unsigned int flags);

/**
 * wane_slab_free() - Give an object back, and its charge.
 * @slab: The slab it came from.  Another one, a pointer that no slab gave
 *        out, and a second free are caught by assertions in debug builds.
 * @object: The object, or NULL.
 *
 * Context: Any.
 */
WANE_API void wane_slab_free(struct wane_slab *slab, void *object);

/**
 * wane_slab_group() - The group that pays for an object.
 * @object: An object of any slab, which keeps its group alive.
 *
 * Context: Any.
 * Return: The group, without a reference of its own; NULL when uncharged.
 */
WANE_API struct wane_group *wane_slab_group(const void *object);

/**
 * wane_slab_node() - The memory node of an object.
 * @object: An object of any slab.
 *
 * Context: Any.
 * Return: 0 to wane_nodes() - 1; the same for the life of the object.
 */
WANE_API int wane_slab_node(const void *object);

/**
 * wane_slab_charge() - What a group pays for one object.
 * @slab: The slab.
 *
 * Context: Any.
 * Return: Bytes; 0 when the slab is not WANE_SLAB_CHARGED.
 */
WANE_API size_t wane_slab_charge(const struct wane_slab *slab);

/**
 * wane_slab_shrink() - Give empty memory back to the system.
 * @slab: The slab.
 *
 * The depots are emptied (WANE_SLAB_DEPOT).  Other threads keep what is in
 * their magazines (WANE_SLAB_MAGAZINE bytes each, at most, or one object) until
 * they use the slab again or end.
 *
 * Context: Any.
 * Return: Bytes given back.
 */
WANE_API size_t wane_slab_shrink(struct wane_slab *slab);

/* The most bytes of free objects that a thread keeps at hand, per slab. */
#define WANE_SLAB_MAGAZINE (64u * 1024)

/*
 * The most bytes of free objects that all threads together keep for each other,
 * per slab and node: its depot.  They are 1,024 objects, at most.
 *
 * What a depot has not needed goes back to the slab's memory: a reclaim, of
 * whatever kind, ends by looking at all depots, once in a second at most, and
 * gives back from each as many objects as it held throughout since the last
 * time.  wane_slab_shrink() empties those of its slab.
 */
#define WANE_SLAB_DEPOT (512u * 1024)

/**
 * struct wane_slab_info - The numbers of a slab.
 * @size: sizeof(struct wane_slab_info), set by the caller.
 * @name: As given; belongs to the slab.
 * @active: Objects in use.
 * @total: Objects that the memory has room for.
 * @object_size: Bytes asked for.
 * @object_room: Bytes given: with padding for alignment.
 * @slab_objects: Objects in one piece of memory.
 * @slab_bytes: Bytes of one such piece.
 * @bytes: Bytes of all such pieces, and of their bookkeeping.
 */
struct wane_slab_info {
	size_t size;
	const char *name;
	size_t active;
	size_t total;
	size_t object_size;
	size_t object_room;
	size_t slab_objects;
	size_t slab_bytes;
	size_t bytes;
};

/**
 * wane_slab_info() - Read the numbers of a slab.
 * @slab: The slab.
 * @info: Filled up to its size member.
 *
 * Exact while no other thread uses the slab, else nearly so.
 *
 * Context: Any.
 */
WANE_API void wane_slab_info(struct wane_slab *slab,
			     struct wane_slab_info *info);

/* ---- Size classes ------------------------------------------------------ */

/**
 * wane_size_alloc() - Allocate from slabs of 8, 16, ... 8,192 bytes.
 * @bytes: 1 to 8,192; rounded up to the next power of two, or to 96 or 192,
 *         as kmalloc() does.
 *
 * Here to be compared with: 520 bytes take 1,024, and 2,896 take 4,096.
 *
 * Context: Any, but it may ask the system for memory.
 * Return: Aligned memory, not charged; NULL when there is none or @bytes is
 *         out of range.
 */
WANE_CHECKED void *wane_size_alloc(size_t bytes);

/**
 * wane_size_free() - Give such memory back.
 * @memory: What wane_size_alloc() returned, or NULL.
 *
 * Context: Any.
 */
WANE_API void wane_size_free(void *memory);

/**
 * wane_size_room() - What wane_size_alloc() takes for a number of bytes.
 * @bytes: 1 to 8,192.
 *
 * Context: Any.
 * Return: The size of the class in bytes; 0 when @bytes is out of range.
 */
WANE_API size_t wane_size_room(size_t bytes);

#ifdef __cplusplus
}
#endif

#endif /* WANE_SLAB_H */
