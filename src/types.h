/* SPDX-License-Identifier: MIT */
/*
 * types.h - every internal struct, in layer order, with its lock
 *
 * The map of the library: read this second, after DESIGN.md.  Each member says
 * who may write it: "fixed" is written before the struct is published and
 * never again; "lock x" is covered by that lock; "atomic" by nothing.
 *
 *	thread ----- stock ----> group ---- parent ---> group (root)
 *	   '--- magazine ---> slab     |
 *	                               |-- counter        bytes and limits
 *	                               |-- lists: lru -> lru_lists
 *	shrinker <---- lru <-----------'                  one list per node
 *	   '----------------------------- info            bits and deferred work
 */
#ifndef WANE_TYPES_H
#define WANE_TYPES_H

#include <wane/wane.h>

#include "../core/shrinker_info.h"
#include "bias.h"
#include "list.h"
#include "lock.h"
#include "table.h"
#include "xarray.h"

/* ---- slab: objects of one size ------------------------------------------ */

/* Memory comes in regions, which are cut into chunks; a run is 1 to 32. */
#define CHUNK_SHIFT 14
#define CHUNK_BYTES ((size_t)1 << CHUNK_SHIFT)
#ifdef WANE_TINY
#define REGION_SHIFT 20
#else
#define REGION_SHIFT 22
#endif
#define REGION_BYTES ((size_t)1 << REGION_SHIFT)
#define REGION_CHUNKS (REGION_BYTES / CHUNK_BYTES)
#define REGION_WORDS (REGION_CHUNKS / 64)
#define RUN_ORDER_MAX 5

/**
 * struct slab_run - The descriptor of a chunk; a run's is that of its first.
 * @slab: Fixed while the run is a slab's; NULL in all other descriptors.
 * @memory: Fixed while it is in a run as its first: where the run begins.
 * @link: In home->partial or home->full, unless it is the spare.
 * @books: Fixed: what does not fit into the objects, in this order: owners
 *         (if charged), links of free objects (if constructed), one bit per
 *         object (debug builds).  NULL when there is none of it.
 * @free: The first free object that was used before, or RUN_END.
 * @fresh: Objects from this one on were never used, nor touched.
 * @used: Objects in use, in a magazine or in the depot.
 * @back: Under the region's lock: chunks from here to the run's first.
 *
 * used + length of the free list + (objects - fresh) = objects
 *
 * All but @back under home->lock, home being slab->node[region->node].
 */
struct slab_run {
	struct wane_slab *slab;
	char *memory;
	struct list link;
	void *books;
	uint16_t free;
	uint16_t fresh;
	uint16_t used;
	uint8_t back;
};

#define RUN_END UINT16_MAX

/**
 * struct region - The first chunk of a region: it describes all the others.
 * @magic: REGION_MAGIC, fixed.
 * @node: Fixed.
 * @nr_free: Chunks in no run.
 * @link: In the node's list: regions with free chunks come first.
 * @used: A bit per chunk that is in a run or being discarded.
 * @dirty: A bit per free chunk that still has its pages.
 * @run: A descriptor per chunk; the first is the region's own, and unused.
 *
 * nr_free = clear bits of @used; used & dirty = 0
 *
 * All under the lock of the node's regions.
 */
struct region {
	uint64_t magic;
	int node;
	unsigned int nr_free;
	struct list link;
	uint64_t used[REGION_WORDS];
	uint64_t dirty[REGION_WORDS];
	struct slab_run run[REGION_CHUNKS];
};

#define REGION_MAGIC 0x77616e6520726567ull

/**
 * struct slab_depot - Free objects that any thread may have: slab_depot.c.
 * @object: Room for slab->depot of them; NULL while there are none.
 * @nr: How many; others may read it, and @object.
 * @least: The fewest since it was last trimmed.
 *
 * least <= nr <= slab->depot
 */
struct slab_depot {
	void **object;
	unsigned int nr;
	unsigned int least;
};

/**
 * struct slab_home - The runs of a slab on one node.
 * @lock: Covers all of it, and the runs: rank RANK_SLAB.
 * @partial: Runs with used and unused objects.
 * @full: Runs with used objects alone.
 * @spare: A run with none used, kept for the next need, or NULL.
 * @nr_runs: All of these.
 * @nr_used: The sum of their @used.
 * @depot: Some of what is used, for them.
 */
struct slab_home {
	struct lock lock;
	struct list partial;
	struct list full;
	struct slab_run *spare;
	size_t nr_runs;
	size_t nr_used;
	struct slab_depot depot;
};

/**
 * struct wane_slab - Objects of one size.
 * @index: Fixed: the lowest that was free; its place in thread->magazines.
 * @charge: Fixed: bytes per object; 0 when it is not charged.
 * @room: Fixed: bytes from one object to the next.
 * @inverse: Fixed: see slab_index().
 * @order: Fixed: a run has 1 << order chunks.
 * @objects: Fixed: how many a run has.
 * @magazine: Fixed: how many a magazine has.
 * @depot: Fixed: how many a depot has, at most.
 * @links_at, @bits_at, @books_bytes: Fixed: offsets in run->books, its size.
 * @books_paid: Fixed: the part of @books_bytes that is charged for.
 * @object_size, @constructor, @name: Fixed, as given.
 * @bytes: Fixed: of this struct, with @home and the name.
 * @link: In the list of slabs, by index, under slabs_lock.
 * @magazines: Those of all threads, under slabs_lock.
 * @home: Per node.
 *
 * objects in use = sum of home.nr_used - sum of nr in all magazines and depots
 */
struct wane_slab {
	unsigned int index;
	unsigned int charge;
	unsigned int room;
	unsigned int order;
	uint64_t inverse;
	unsigned int objects;
	unsigned int magazine;
	unsigned int depot;
	unsigned int links_at;
	unsigned int bits_at;
	unsigned int books_bytes;
	unsigned int books_paid;
	size_t object_size;
	void (*constructor)(void *object);
	const char *name;
	size_t bytes;
	struct list link;
	struct list magazines;
	struct slab_home home[];
};

/**
 * struct magazine - Free objects that one thread has at hand, of one slab.
 * @slab: Fixed.
 * @thread: Fixed: whose it is.
 * @link: In slab->magazines, under slabs_lock.
 * @capacity: Fixed: slab->magazine.
 * @node: Where all of them lie.
 * @nr: How many; others may read it.
 * @object: The one that was freed last is last.
 */
struct magazine {
	struct wane_slab *slab;
	struct thread *thread;
	struct list link;
	unsigned int capacity;
	int node;
	unsigned int nr;
	void *object[];
};

/* ---- counter: bytes and limits ------------------------------------------ */

/**
 * struct counter - What a group and its descendants hold, and may hold.
 * @usage: Atomic.  Bytes charged here and below, stocks included.
 * @peak: Atomic.  The most that @usage was with a charge that this level
 *        granted; never falls.
 * @limit: Atomic, written under the forest lock: min, low, high, max.
 * @guarded: Atomic.  For min and low: the part of @usage that this group's own
 *           setting asks to keep, as last told to the parent.
 * @guarded_below: Atomic.  The sum of the children's @guarded.
 * @parent: Fixed.
 *
 * usage <= max whenever a charge has succeeded
 * usage = own bytes + sum of the children's usage, when no one charges
 * guarded[w] = min(usage, limit[w]), when no one charges
 * guarded_below[w] = sum of the children's guarded[w], when no one charges
 */
struct counter {
	size_t usage;
	size_t peak;
	size_t limit[4];
	size_t guarded[2];
	size_t guarded_below[2];
	struct counter *parent;
};

/* ---- stock: bytes charged ahead, per thread ------------------------------ */

#define STOCK_SLOTS 4

/**
 * struct stock - Bytes that are charged and not used yet.
 * @bias: Covers all of it: for its own thread, and for whoever drains.
 * @last: The slot that was used last.
 * @next: The slot to give up next.
 * @slot: Up to STOCK_BATCH bytes for one group each.
 *
 * slot.group != NULL  <=>  slot.bytes > 0: charged bytes keep the group alive
 */
struct stock {
	struct bias bias;
	unsigned int last;
	unsigned int next;
	struct stock_slot {
		struct wane_group *group;
		size_t bytes;
	} slot[STOCK_SLOTS];
};

/* What a slot may hold, so that all of a thread's come to WANE_STOCK_MAX. */
#define STOCK_BATCH ((size_t)WANE_STOCK_MAX / STOCK_SLOTS)

/* ---- thread --------------------------------------------------------------- */

/* How many threads at once count for themselves, without atomics. */
#define THREAD_SHARDS 15

/* The shard of all others, and of a thread that is not registered. */
#define SHARD_OF_ALL 0

/**
 * struct thread - What a thread keeps; its own but for @link and @stock.
 * @link: In the list of threads, under threads_lock.
 * @tried: thread_register() ran.
 * @known: An exit handler is set up: it may keep stock and magazines.
 * @number: Counts threads from 0, and picks the pretended node.
 * @shard: 1 to THREAD_SHARDS, its own among the living; or SHARD_OF_ALL.
 * @node: The node it ran on when last asked.
 * @current: See wane_group_enter().
 * @reclaim: The reclaim that runs in this thread, or NULL.
 * @stock: Bytes charged ahead.
 * @magazines: By slab index; written under slabs_lock.
 * @nr_magazines: Length of @magazines.
 */
struct thread {
	struct list link;
	bool tried;
	bool known;
	uint8_t shard;
	int node;
	unsigned int number;
	struct wane_group *current;
	struct reclaim *reclaim;
	struct stock stock;
	struct magazine **magazines;
	unsigned int nr_magazines;
};

/* ---- group: who pays ------------------------------------------------------ */

/**
 * struct event_hook - A group's callback, replaced as a whole under RCU.
 */
struct event_hook {
	struct rcu_head rcu;
	wane_event_fn callback;
	void *arg;
};

/**
 * struct wane_group - A node of the tree; one of a forest of them.
 * @counter: Bytes and limits.
 * @refs: Atomic.  Users, children, and 1 while @charged > 0.
 * @charged: Atomic.  Bytes charged to this group itself, stocks included.
 * @parent: Fixed; holds a reference.
 * @id: Fixed.
 * @name: Fixed.
 * @depth: Fixed; 0 for a root.
 * @retired: Atomic; set once, under forest lock and @lock.
 * @named: Under the forest lock: the name table has it.
 * @over_high: Atomic: it waits for the background thread.
 * @priority: Atomic: where its next reclaim begins; a hint.
 * @easy: Atomic: how many reclaims in a row were easy.
 * @lock: Covers @lists and shares: rank RANK_GROUP.
 * @nr_children: Under the forest lock: children that are not retired.
 * @ring: In the forest, under its lock; readers under RCU.
 * @cursor: Under the forest lock: where reclaim of this subtree goes on.
 *          Holds no reference; whoever leaves the forest clears it.
 * @next_over_high: Under the background queue's lock.
 * @lists: lru -> struct lru_lists, under @lock; readers under RCU.
 * @events: Atomic.
 * @hook: Published; replaced by exchange.
 * @rcu: For the deferred release, then the deferred free.
 * @info: Which shrinkers may hold something, per node.
 *
 * retired  =>  lists and info are empty as soon as retire returned
 * a list of an lru  =>  its share, and the same in each ancestor
 */
struct wane_group {
	struct counter counter;
	long refs;
	size_t charged;
	struct wane_group *parent;
	uint64_t id;
	const char *name;
	uint32_t depth;
	bool retired;
	bool named;
	bool over_high;
	uint8_t priority;
	uint8_t easy;
	struct lock lock;
	uint32_t nr_children;
	struct list ring;
	struct wane_group *cursor;
	struct wane_group *next_over_high;
	struct table lists;
	uint64_t events[WANE_NR_EVENTS];
	struct event_hook *hook;
	struct rcu_head rcu;
	struct shrinker_info_group info; /* last: one element per node */
};

/* ---- shrinker and lru ----------------------------------------------------- */

/**
 * struct wane_shrinker - A cache's callbacks, and how to ask it.
 * @info: Its pins; pinned while a callback runs.
 * @count, @scan, @cache, @batch, @seeks, @flags, @id, @name: Fixed.
 * @lock: Covers @lrus and @attached: rank RANK_CACHE.
 * @lrus: All lrus on it.
 * @attached: Lists without items, for wane_shrinker_attach(), or NULL.
 * @global: In the list of those not bound to groups, under its lock.
 * @deferred: Atomic, per node: deferred work of one not bound to groups.
 */
struct wane_shrinker {
	struct shrinker_info_cache info;
	long (*count)(void *cache, struct wane_shrink *sc);
	long (*scan)(void *cache, struct wane_shrink *sc);
	void *cache;
	const char *name;
	size_t batch;
	unsigned int seeks;
	unsigned int flags;
	int id;
	struct lock lock;
	struct list lrus;
	struct wane_lru *attached;
	struct list global;
	struct rcu_head rcu;
	long deferred[];
};

/**
 * struct lru_shard - Part of the per-node totals; only the sum over all shards
 * means something.  Written by the thread that has its number alone; that of
 * all atomically, by all threads that got no number.
 */
struct lru_shard {
	long nr;
} __attribute__((aligned(64)));

/**
 * struct wane_lru - The lists of one cache, one per (group, node).
 * @shrinker: Who walks them; NULL once it is destroyed.  Written under
 *            shrinker->lock.
 * @of_shrinker: In shrinker->lrus, under its lock.
 * @lock: Covers @groups: rank RANK_LRU.
 * @groups: All struct lru_lists of it.
 * @hash: Fixed: of its address, for look-ups in a group's lists.
 * @attached: Fixed: it is its shrinker's own, and its lists stay empty.
 * @shards: [node][THREAD_SHARDS + 1]: the items on a node, over all groups.
 * @rcu: For the deferred free.
 */
struct wane_lru {
	struct wane_shrinker *shrinker;
	struct list of_shrinker;
	struct lock lock;
	bool attached;
	uint64_t hash;
	struct list groups;
	struct lru_shard *shards;
	struct rcu_head rcu;
};

/* lru_list.nr of a list whose items went to the parent. */
#define LIST_DEAD LONG_MIN

/**
 * struct lru_list - One list of one (lru, group, node).
 * @lock: Covers all of it: rank RANK_LIST.
 * @head: The items; next is the oldest.
 * @nr: How many; LIST_DEAD once its group is retired.  Read without the lock.
 */
struct lru_list {
	struct lock lock;
	long nr;
	struct wane_item head;
};

/**
 * struct lru_lists - The lists of one (lru, group), one per node.
 * @lru: Fixed.
 * @group: Fixed.  No reference: it goes before the group's memory does.
 * @of_lru: In lru->groups, under lru->lock.
 * @share: Where bits are set, under group->lock and the lists' locks; none
 *         once the shrinker is gone.
 * @owner: Under group->lock: it ends the share.  One of the lists of its
 *         shrinker in its group does, the others have a copy.
 * @rcu: For the deferred free.
 * @node: One list per node.
 */
struct lru_lists {
	struct wane_lru *lru;
	struct wane_group *group;
	struct list of_lru;
	struct shrinker_share share;
	bool owner;
	struct rcu_head rcu;
	struct lru_list node[];
};

/* ---- reclaim --------------------------------------------------------------- */

#define PRIORITY_MAX 12

/**
 * struct reclaim - One reclaim, on the stack of the thread that runs it.
 * @root: Whose subtree.
 * @priority: 12 (a little) to 0 (everything).
 * @target: Bytes wanted.
 * @bytes: Freed so far: what this thread uncharged meanwhile.
 * @items: Freed so far, as the shrinkers say.
 * @visits: Groups that were asked.
 * @epoch: Of its start; with @cancellable it ends when that is over.
 * @protect: Spare what min and low protect.
 * @low_too: Also reclaim what low protects (never what min does).
 * @low_spared: Something was spared for its low: a second round makes sense.
 */
struct reclaim {
	struct wane_group *root;
	int priority;
	size_t target;
	size_t bytes;
	size_t items;
	size_t visits;
	unsigned long epoch;
	bool cancellable;
	bool protect;
	bool low_too;
	bool low_spared;
};

#endif /* WANE_TYPES_H */
