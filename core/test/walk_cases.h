/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Cases of walks, and of groups that are retired: the end of share_cases.h,
 * which includes this once.
 */

/* ---- The walk --------------------------------------------------------------------------------- */

static int walk(CASE, struct shrinker_info_group *group, int nid)
{
	struct share_cursor cursor = { 0 };
	struct shrinker_info_cache *info;
	int nr = 0;

	while ((info = share_next(group, nid, &cursor))) {
		EXPECT(share_test(&cursor.share, nid));
		container_of(info, struct member, info)->seen++;
		nr++;
		shrinker_info_unpin(info);
	}
	return nr;
}

/* Each set bit once, of this group and node, and no other. */
static void walk_finds_each_bit(CASE)
{
	struct shrinker_info_group *group = group_new(test);
	struct member *many = start_many(test);
	int last = (int)nr_node_ids - 1;
	int expected = 0;
	int round, i;

	EXPECT_EQ(walk(test, group, 0), 0);
	for (i = 0; i < MANY; i += 3)
		get(test, &many[i], group);
	EXPECT_EQ(walk(test, group, last), 0);
	for (i = 0; i < MANY; i += 21) {
		share_set(&many[i].share, last);
		expected++;
	}
	for (round = 1; round < 3; round++) {
		EXPECT_EQ(walk(test, group, last), expected);
		for (i = 0; i < MANY; i++)
			EXPECT_EQ(many[i].seen, i % 21 ? 0 : round);
	}
	EXPECT_EQ(walk(test, group, 0), last ? 0 : expected);
	for (i = 0; i < MANY; i += 42)
		share_clear(&many[i].share, last);
	EXPECT_EQ(walk(test, group, last), expected / 2);
	for (i = 0; i < MANY; i += 3)
		put(test, &many[i]);
	EXPECT_EQ(walk(test, group, last), 0);
	stop_many(many);
	group_old(group);
}

/* One that is not started is passed over, and keeps its bit. */
static void walk_passes_over(CASE)
{
	struct shrinker_info_group *group = group_new(test);
	struct member m[3];
	int i;

	for (i = 0; i < 3; i++) {
		begin(test, &m[i]);
		get(test, &m[i], group);
		share_set(&m[i].share, 0);
		m[i].seen = 0;
	}
	EXPECT_EQ(walk(test, group, 0), 0);
	shrinker_info_start(&m[1].info);
	EXPECT_EQ(walk(test, group, 0), 1);
	EXPECT_EQ(m[1].seen, 1);
	shrinker_info_start(&m[0].info);
	shrinker_info_start(&m[2].info);
	EXPECT_EQ(walk(test, group, 0), 3);
	shrinker_info_stop(&m[1].info);
	EXPECT_EQ(walk(test, group, 0), 2);
	for (i = 0; i < 3; i++) {
		put(test, &m[i]);
		stop(&m[i]);
	}
	group_old(group);
}

static void expect_next(CASE, struct shrinker_info_group *group,
			struct share_cursor *cursor, const struct member *m)
{
	struct shrinker_info_cache *info = share_next(group, 0, cursor);

	EXPECT_PTR(info, &m->info);
	if (info)
		shrinker_info_unpin(info);
}

/* What is set behind the cursor waits; what is set before it is found. */
static void walk_while_bits_change(CASE)
{
	struct shrinker_info_group *group = group_new(test);
	struct share_cursor cursor = { 0 };
	struct member m[3];
	int i;

	for (i = 0; i < 3; i++) {
		start(test, &m[i]);
		get(test, &m[i], group);
	}
	share_set(&m[1].share, 0);
	expect_next(test, group, &cursor, &m[1]);
	share_set(&m[0].share, 0);
	share_set(&m[2].share, 0);
	expect_next(test, group, &cursor, &m[2]);
	EXPECT(!share_next(group, 0, &cursor));
	for (i = 0; i < 3; i++) {
		put(test, &m[i]);
		stop(&m[i]);
	}
	group_old(group);
}

/* ---- Retire -------------------------------------------------------------------------------------- */

/* By a handle from before, in the same read section. */
static void expect_moved_late(CASE, const struct shrinker_share *copy,
			      const struct shrinker_share *heir, int nid)
{
	share_clear(heir, nid);
	share_add_deferred(copy, nid, 5);
	EXPECT_EQ(share_take_deferred(heir, nid), 5);
	share_set(copy, nid);
	EXPECT(share_test(heir, nid));
}

static void retire_moves(CASE)
{
	struct shrinker_info_group *parent = group_new(test);
	struct shrinker_info_group *child = group_new(test);
	int last = (int)nr_node_ids - 1;
	struct shrinker_share mine, copy;
	struct member m;
	int nid;

	start(test, &m);
	get(test, &m, parent);
	get_in(test, &mine, child, &m);
	share_set(&mine, last);
	share_add_deferred(&mine, last, 30);
	share_add_deferred(&m.share, last, 4);
	rcu_read_lock();
	copy = share_read(&mine);
	retire(test, &mine, &m.share);
	EXPECT(share_test(&m.share, last));
	EXPECT_EQ(share_take_deferred(&m.share, last), 34);
	expect_moved_late(test, &copy, &m.share, last);
	rcu_read_unlock();
	for_each_node(nid) {
		EXPECT_EQ(walk(test, child, nid), 0);
		EXPECT(SHRINKER_INFO_KEEPS_UNITS ||
		       shrinker_info_idle(child, nid));
	}
	put(test, &m);
	stop(&m);
	group_old(child);
	group_old(parent);
}

static void retire_without_bit(CASE)
{
	struct shrinker_info_group *parent = group_new(test);
	struct shrinker_info_group *child = group_new(test);
	struct shrinker_share mine;
	struct member m;

	start(test, &m);
	get(test, &m, parent);
	get_in(test, &mine, child, &m);
	retire(test, &mine, &m.share);
	expect_fresh(test, &m);
	put(test, &m);
	stop(&m);
	group_old(child);
	group_old(parent);
}

/* What is dropped then is not known to the next one. */
static void retire_without_heir(CASE)
{
	struct shrinker_info_group *group = group_new(test);
	const struct shrinker_share none = { 0 };
	struct member m;

	start(test, &m);
	get(test, &m, group);
	make_dirty(&m);
	retire(test, &m.share, &none);
	EXPECT_EQ(walk(test, group, 0), 0);
	get(test, &m, group);
	expect_fresh(test, &m);
	put(test, &m);
	stop(&m);
	group_old(group);
}
