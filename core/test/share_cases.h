/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Cases of shares by themselves, whichever implementation is built in: bits,
 * deferred work, room and walks of groups that are nothing but a struct
 * shrinker_info_group.  The same source is run in a program and in a kernel.
 *
 * Whoever includes this, once, has included shrinker_info.h, and has said:
 *
 *	CASE			the parameter of a case: named "test"
 *	EXPECT(cond)		note a failure
 *	EXPECT_EQ(a, b)		the same, of integers
 *	EXPECT_PTR(a, b)	the same, of pointers
 *	case_alloc(size)	zeroed memory, or the case ends
 *	case_free(memory)
 *	case_lock()		from here on nothing may sleep or allocate: the
 *	case_unlock()		lock of a caller of share_get() and so on
 *	case_barrier()		wait until all that was deferred is done
 *
 * and runs the functions that SHARE_CASES() names.
 */
#ifdef SHRINKER_INFO_HAS_IDS
#define ID_CASES(case_of) case_of(shrinker_ids),
#else
#define ID_CASES(case_of)
#endif

#define SHARE_CASES(case_of)                                                   \
	case_of(share_bits_are_per_node), case_of(share_deferred_is_per_node), \
		case_of(share_is_born_fresh), case_of(share_that_ended),       \
		case_of(room_not_needed), case_of(room_is_taken_once),         \
		case_of(room_outgrown), case_of(room_for_what_ended),          \
		case_of(shrinker_pins),                                        \
		ID_CASES(case_of) case_of(walk_finds_each_bit),                \
		case_of(walk_passes_over), case_of(walk_while_bits_change),    \
		case_of(retire_moves), case_of(retire_without_bit),            \
		case_of(retire_without_heir)

/**
 * struct member - A shrinker of a case.
 * @info: It.
 * @share: Its share in the group of the case.
 * @seen: By walks.
 */
struct member {
	struct shrinker_info_cache info;
	struct shrinker_share share;
	int seen;
};

static struct shrinker_info_group *group_new(CASE)
{
	struct shrinker_info_group *group =
		case_alloc(shrinker_info_group_size());

	EXPECT_EQ(shrinker_info_group_init(group, GFP_KERNEL), 0);
	return group;
}

static void group_old(struct shrinker_info_group *group)
{
	shrinker_info_group_exit(group);
	case_barrier();
	case_free(group);
}

static void begin(CASE, struct member *m)
{
	EXPECT_EQ(shrinker_info_begin(&m->info, GFP_KERNEL), 0);
}

static void start(CASE, struct member *m)
{
	begin(test, m);
	EXPECT(shrinker_info_start(&m->info));
}

static void stop(struct member *m)
{
	shrinker_info_stop(&m->info);
	shrinker_info_forget(&m->info);
}

static void room_for(CASE, struct share_room *room,
		     struct shrinker_info_group *group, struct member *m)
{
	EXPECT_EQ(share_room_get(room, group, &m->info, GFP_KERNEL), 0);
}

/* Get a share out of room for it: 0, or -EAGAIN. */
static int get_from(struct share_room *room, struct shrinker_share *share,
		    struct shrinker_info_group *group, struct member *m)
{
	int err;

	case_lock();
	err = share_get(share, group, &m->info, room);
	case_unlock();
	return err;
}

static void get_in(CASE, struct shrinker_share *share,
		   struct shrinker_info_group *group, struct member *m)
{
	struct share_room room = { 0 };

	room_for(test, &room, group, m);
	EXPECT_EQ(get_from(&room, share, group, m), 0);
	share_room_put(&room);
	EXPECT(!share_is_none(share));
}

static void get(CASE, struct member *m, struct shrinker_info_group *group)
{
	get_in(test, &m->share, group, m);
}

static void put(CASE, struct member *m)
{
	case_lock();
	share_put(&m->share);
	case_unlock();
	EXPECT(share_is_none(&m->share));
}

static void retire(CASE, struct shrinker_share *share,
		   const struct shrinker_share *heir)
{
	case_lock();
	share_retire(share, heir);
	case_unlock();
	EXPECT(share_is_none(share));
}

/* ---- One share ---------------------------------------------------------------------- */

static void expect_fresh(CASE, const struct member *m)
{
	int nid;

	for_each_node(nid) {
		EXPECT(!share_test(&m->share, nid));
		EXPECT_EQ(share_take_deferred(&m->share, nid), 0);
	}
}

static void share_bits_are_per_node(CASE)
{
	struct shrinker_info_group *group = group_new(test);
	int last = (int)nr_node_ids - 1;
	struct member m;
	int nid;

	start(test, &m);
	get(test, &m, group);
	expect_fresh(test, &m);
	EXPECT(share_set(&m.share, last));
	EXPECT(share_set(&m.share, last));
	for_each_node(nid)
		EXPECT_EQ(share_test(&m.share, nid), nid == last);
	EXPECT(!shrinker_info_idle(group, last));
	share_clear(&m.share, last);
	EXPECT(!share_test(&m.share, last));
	put(test, &m);
	stop(&m);
	group_old(group);
}

static void share_deferred_is_per_node(CASE)
{
	struct shrinker_info_group *group = group_new(test);
	struct member m;
	int nid;

	start(test, &m);
	get(test, &m, group);
	for_each_node(nid) {
		EXPECT_EQ(share_add_deferred(&m.share, nid, 10 + nid),
			  10 + nid);
		EXPECT_EQ(share_add_deferred(&m.share, nid, 5), 15 + nid);
	}
	for_each_node(nid) {
		EXPECT_EQ(share_take_deferred(&m.share, nid), 15 + nid);
		EXPECT_EQ(share_take_deferred(&m.share, nid), 0);
	}
	put(test, &m);
	stop(&m);
	group_old(group);
}

static void make_dirty(const struct member *m)
{
	int nid;

	for_each_node(nid) {
		share_set(&m->share, nid);
		share_add_deferred(&m->share, nid, 100);
	}
}

/* Also where its id, or its place in the group, was another's before. */
static void share_is_born_fresh(CASE)
{
	struct shrinker_info_group *group = group_new(test);
	struct member m, neighbour;
	int i;

	start(test, &neighbour);
	get(test, &neighbour, group);
	for (i = 0; i < 3; i++) {
		start(test, &m);
		get(test, &m, group);
		expect_fresh(test, &m);
		make_dirty(&m);
		put(test, &m);
		stop(&m);
	}
	put(test, &neighbour);
	stop(&neighbour);
	group_old(group);
}

/* A handle from before finds nothing, and does no harm. */
static void share_that_ended(CASE)
{
	struct shrinker_info_group *group = group_new(test);
	struct shrinker_share copy;
	struct member m, neighbour;

	start(test, &m);
	start(test, &neighbour);
	get(test, &neighbour, group);
	get(test, &m, group);
	rcu_read_lock();
	copy = share_read(&m.share);
	put(test, &m);
	EXPECT(!share_test(&copy, 0));
	share_clear(&copy, 0);
	rcu_read_unlock();
	EXPECT(!share_test(&neighbour.share, 0));
	put(test, &neighbour);
	stop(&neighbour);
	stop(&m);
	group_old(group);
}

/* ---- Room ------------------------------------------------------------------------------ */

/* Nothing is left of it, and nothing is taken from a share made meanwhile. */
static void room_not_needed(CASE)
{
	struct shrinker_info_group *group = group_new(test);
	struct share_room room = { 0 };
	struct member m;

	share_room_put(&room);
	start(test, &m);
	room_for(test, &room, group, &m);
	room_for(test, &room, group, &m);
	get(test, &m, group);
	share_set(&m.share, 0);
	share_add_deferred(&m.share, 0, 8);
	share_room_put(&room);
	share_room_put(&room);
	EXPECT(share_test(&m.share, 0));
	EXPECT_EQ(share_take_deferred(&m.share, 0), 8);
	put(test, &m);
	room_for(test, &room, group, &m);
	share_room_put(&room);
	stop(&m);
	group_old(group);
}

static void room_is_taken_once(CASE)
{
	struct shrinker_info_group *group = group_new(test);
	struct share_room room = { 0 };
	struct member m, other;

	start(test, &m);
	start(test, &other);
	other.share = (struct shrinker_share){ 0 };
	EXPECT_EQ(get_from(&room, &m.share, group, &m), -EAGAIN);
	room_for(test, &room, group, &m);
	EXPECT_EQ(get_from(&room, &m.share, group, &m), 0);
	EXPECT_EQ(get_from(&room, &other.share, group, &other), -EAGAIN);
	EXPECT(share_is_none(&other.share));
	room_for(test, &room, group, &other);
	EXPECT_EQ(get_from(&room, &other.share, group, &other), 0);
	share_room_put(&room);
	put(test, &m);
	put(test, &other);
	stop(&m);
	stop(&other);
	group_old(group);
}

#define MANY 900

static struct member *start_many(CASE)
{
	struct member *many = case_alloc(MANY * sizeof(*many));
	int i;

	for (i = 0; i < MANY; i++)
		start(test, &many[i]);
	return many;
}

static void stop_many(struct member *many)
{
	int i;

	for (i = 0; i < MANY; i++)
		stop(&many[i]);
	case_free(many);
}

/* Others make shares after it was got: it is topped up, and that is enough. */
static void room_outgrown(CASE)
{
	struct shrinker_info_group *group = group_new(test);
	struct member *many = start_many(test);
	struct share_room room = { 0 };
	int last = MANY - 1;
	int err;
	int i;

	room_for(test, &room, group, &many[last]);
	for (i = 0; i < last; i++) {
		get(test, &many[i], group);
		share_set(&many[i].share, 0);
	}
	err = get_from(&room, &many[last].share, group, &many[last]);
	EXPECT(!err || err == -EAGAIN);
	if (err) {
		room_for(test, &room, group, &many[last]);
		EXPECT_EQ(get_from(&room, &many[last].share, group,
				   &many[last]),
			  0);
	}
	share_room_put(&room);
	expect_fresh(test, &many[last]);
	for (i = 0; i < MANY; i++) {
		EXPECT_EQ(share_test(&many[i].share, 0), i != last);
		put(test, &many[i]);
	}
	stop_many(many);
	group_old(group);
}

/* What ends while there is room for it leaves nothing to who takes the room. */
static void room_for_what_ended(CASE)
{
	struct shrinker_info_group *group = group_new(test);
	struct share_room room = { 0 };
	struct member m;

	start(test, &m);
	get(test, &m, group);
	make_dirty(&m);
	room_for(test, &room, group, &m);
	put(test, &m);
	/* It may have been room in what is gone by now. */
	room_for(test, &room, group, &m);
	EXPECT_EQ(get_from(&room, &m.share, group, &m), 0);
	share_room_put(&room);
	expect_fresh(test, &m);
	EXPECT(share_set(&m.share, 0));
	EXPECT(share_test(&m.share, 0));
	put(test, &m);
	stop(&m);
	group_old(group);
}

/* ---- Shrinkers ---------------------------------------------------------------------------- */

static void shrinker_pins(CASE)
{
	struct member m;

	begin(test, &m);
	EXPECT(!shrinker_info_pin(&m.info));
	EXPECT(shrinker_info_start(&m.info));
	EXPECT(!shrinker_info_start(&m.info));
	EXPECT(shrinker_info_pin(&m.info));
	EXPECT(shrinker_info_pin(&m.info));
	shrinker_info_unpin(&m.info);
	shrinker_info_unpin(&m.info);
	shrinker_info_stop(&m.info);
	EXPECT(!shrinker_info_pin(&m.info));
	shrinker_info_forget(&m.info);
}

#ifdef SHRINKER_INFO_HAS_IDS
/* The lowest that is free. */
static void shrinker_ids(CASE)
{
	struct member m[6];
	int id;
	int i;

	for (i = 0; i < 6; i++)
		begin(test, &m[i]);
	for (i = 1; i < 6; i += 2) {
		id = m[i].info.id;
		EXPECT(id >= m[i - 1].info.id);
		stop(&m[i]);
		begin(test, &m[i]);
		EXPECT_EQ(m[i].info.id, id);
	}
	for (i = 5; i >= 0; i--)
		stop(&m[i]);
}
#endif

#include "walk_cases.h"
