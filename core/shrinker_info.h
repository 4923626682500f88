/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Which shrinkers may hold something of a group, and what work was put off.
 *
 * The subject is the share: one (group, shrinker) pair.  Per memory node it
 * has a bit, "may hold items", and a counter, "deferred": scanning that was
 * asked for and could not be done yet.  This is an abstract data type of its
 * own: it knows neither limits nor lists.  How shares are kept is up to the
 * implementation that was chosen at build time (core/shrinker_info/).
 *
 * The rule everything rests on: a group that has a list of a shrinker has its
 * share of that shrinker, and so has each of its ancestors.  So setting a bit
 * finds its place and cannot fail, and who finds no share knows that there is
 * nothing to walk and nothing deferred.
 *
 * The caller serialises share_get(), share_put() and share_retire() of one
 * group by a lock of its own, under which they allocate nothing and never
 * sleep: it may be one that spins with interrupts off.  All else needs none.
 *
 * B1: the handshake by which no bit is lost (three bugs in Linux's history):
 *
 *	adder				reclaimer
 *	make item visible		share_clear(): clear bit
 *	full barrier (in share_set)	full barrier (in share_clear)
 *	set bit				count again; items? share_set()
 *
 * At least one of the two sees the other.
 *
 * B3: deferred work of a group that is retired reaches its parent, once:
 *
 *	share_add_deferred()		share_retire()
 *	add to the counter		write the heir
 *	full barrier			full barrier
 *	read the heir; there is one?	take the counter by exchange,
 *	take it back, add it there	add it to the heir
 *
 * Whichever of the two takes it moves it up: none is lost, none doubled.  The
 * same with share_set() and the bit, but that both may set it there.  Who finds
 * the share's place gone already reads the heir after that, in this order: it
 * was written before.
 */
#ifndef _SHRINKER_INFO_H
#define _SHRINKER_INFO_H

#include "shrinker_info_shim.h"

struct shrinker_info_group;
struct shrinker_info_cache;

/* The implementation that is built in. */
#ifndef SHRINKER_INFO_HEADER
#define SHRINKER_INFO_HEADER "shrinker_info/pairs.h"
#endif
#include SHRINKER_INFO_HEADER

/*
 * Groups.  A group's struct ends in a struct shrinker_info_group, which needs
 * shrinker_info_group_size() bytes.  Init may need memory (-ENOMEM); exit comes
 * when all shares are ended and no one reads the group any more.
 */
size_t shrinker_info_group_size(void);
int shrinker_info_group_init(struct shrinker_info_group *group, gfp_t gfp);
void shrinker_info_group_exit(struct shrinker_info_group *group);

/* Whether share_next() would surely find nothing: a hint for walks. */
bool shrinker_info_idle(struct shrinker_info_group *group, int nid);

/*
 * Shrinkers.  What has begun is not seen by any walk before start, which is
 * false when it was started already.  Stop waits until no walk has it pinned,
 * and none ever will.  Forget comes last, once, when all of its shares are put.
 * The memory must outlive a grace period after that.  Begin, stop and forget
 * may sleep.
 */
int shrinker_info_begin(struct shrinker_info_cache *cache, gfp_t gfp);
bool shrinker_info_start(struct shrinker_info_cache *cache);
void shrinker_info_stop(struct shrinker_info_cache *cache);
void shrinker_info_forget(struct shrinker_info_cache *cache);

/* Keep a shrinker from stopping; false when it has not started or stops. */
bool shrinker_info_pin(struct shrinker_info_cache *cache);
void shrinker_info_unpin(struct shrinker_info_cache *cache);

/*
 * Room: the memory that a new share may need, got without a lock, where @gfp
 * may allow sleeping: 0, or -ENOMEM.  All zero at first, it is none.  It may be
 * got again, which tops it up, and has to be put, also when getting it failed;
 * put frees what no share took, and the room is none again.  The group must
 * outlive it.
 *
 *	struct share_room room = { 0 };
 *
 *	do {
 *		err = share_room_get(&room, group, cache, gfp);
 *		if (err)
 *			break;
 *		lock
 *		if (still wanted)
 *			err = share_get(&share, group, cache, &room);
 *		unlock
 *	} while (err == -EAGAIN);
 *	share_room_put(&room);
 */
int share_room_get(struct share_room *room, struct shrinker_info_group *group,
		   struct shrinker_info_cache *cache, gfp_t gfp);
void share_room_put(struct share_room *room);

/*
 * Shares.  Get makes one where there is none yet, out of room for it: 0, or
 * -EAGAIN and nothing changed, when the group has grown meanwhile: get room
 * again.  A new share has no bit and no deferred work, also where its
 * shrinker's id was another's before.  Put ends it, when the last list of its
 * shrinker in its group is gone; the handle is none then.
 *
 * Handles may be copied.  One that was copied before may be used a moment
 * longer, in a read section or by a walk: it then finds nothing.
 */
int share_get(struct shrinker_share *share, struct shrinker_info_group *group,
	      struct shrinker_info_cache *cache, struct share_room *room);
void share_put(struct shrinker_share *share);

/*
 * End the share of a group that is retired.  Its bits, and what is deferred,
 * move to @heir, the share of the same shrinker in its parent: the latter by
 * exchange, so that none is lost, none doubled.  So does what a walk under way
 * sets or gives back later.  Without an heir (a root, or its lists just went)
 * it is dropped.
 */
void share_retire(struct shrinker_share *share,
		  const struct shrinker_share *heir);

/*
 * A list went from empty to not empty, or may have.  Cannot fail; false when
 * the share was ended meanwhile, which the holder of a list never sees.
 */
bool share_set(const struct shrinker_share *share, int nid);
/* Nothing is held, it seems: count again after it (B1). */
void share_clear(const struct shrinker_share *share, int nid);
bool share_test(const struct shrinker_share *share, int nid);

/*
 * Deferred work is taken by exchange and given back by addition.  A retired
 * group has none: what is added to it is its parent's.  Add returns the new
 * value.
 */
long share_take_deferred(const struct shrinker_share *share, int nid);
long share_add_deferred(const struct shrinker_share *share, int nid, long nr);

/*
 * The walk: each set bit of a group and node once, in order.  Returns the
 * shrinker, pinned, with its share in cursor->share; or NULL at the end.  Go on
 * to the end: only then has the walk let go of the last share.  A shrinker that
 * is not started keeps its bit and is passed over.
 */
struct shrinker_info_cache *share_next(struct shrinker_info_group *group,
				       int nid, struct share_cursor *cursor);

int shrinker_info_init(void);

#endif /* _SHRINKER_INFO_H */
