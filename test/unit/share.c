/* SPDX-License-Identifier: MIT */
/*
 * Shares by themselves, whichever implementation is built in: bits, deferred
 * work and walks of groups that are nothing but a struct shrinker_info_group.
 */
#include "../cache.h"

static size_t base;

struct shrinker {
	struct shrinker_info_cache info;
	struct shrinker_share share; /* in the group of the test */
	int seen;
};

static struct shrinker_info_group *group_new(void)
{
	struct shrinker_info_group *group = malloc(shrinker_info_group_size());

	assert_non_null(group);
	assert_int_equal(shrinker_info_group_init(group, GFP_KERNEL), 0);
	return group;
}

static void group_old(struct shrinker_info_group *group)
{
	shrinker_info_group_exit(group);
	wane_barrier();
	free(group);
}

static void begin(struct shrinker *s)
{
	assert_int_equal(shrinker_info_begin(&s->info, GFP_KERNEL), 0);
}

static void start(struct shrinker *s)
{
	begin(s);
	assert_true(shrinker_info_start(&s->info));
}

static void stop(struct shrinker *s)
{
	shrinker_info_stop(&s->info);
	shrinker_info_forget(&s->info);
}

static int try_get(struct shrinker_share *share,
		   struct shrinker_info_group *group,
		   struct shrinker_info_cache *cache)
{
	struct share_room room = { 0 };
	int err = share_room_get(&room, group, cache, GFP_KERNEL);

	if (!err)
		err = share_get(share, group, cache, &room);
	share_room_put(&room);
	return err;
}

static void get(struct shrinker *s, struct shrinker_info_group *group)
{
	assert_int_equal(try_get(&s->share, group, &s->info), 0);
	assert_false(share_is_none(&s->share));
}

static void put(struct shrinker *s)
{
	share_put(&s->share);
	assert_true(share_is_none(&s->share));
}

static int note_base(void **state)
{
	(void)state;
	base = base_now();
	return 0;
}

static int check_base(void **state)
{
	(void)state;
	return base_now() == base ? 0 : -1;
}

/* ---- One share ---------------------------------------------------------------------- */

static void assert_fresh(const struct shrinker *s)
{
	for (int node = 0; node < wane_nodes(); node++) {
		assert_false(share_test(&s->share, node));
		assert_int_equal(share_take_deferred(&s->share, node), 0);
	}
}

static void test_bits_are_per_node(void **state)
{
	struct shrinker_info_group *group = group_new();
	struct shrinker s;
	int last = wane_nodes() - 1;

	(void)state;
	start(&s);
	get(&s, group);
	assert_fresh(&s);
	assert_true(share_set(&s.share, last));
	assert_true(share_set(&s.share, last));
	for (int node = 0; node < last; node++)
		assert_false(share_test(&s.share, node));
	assert_true(share_test(&s.share, last));
	assert_false(shrinker_info_idle(group, last));
	share_clear(&s.share, last);
	assert_false(share_test(&s.share, last));
	put(&s);
	stop(&s);
	group_old(group);
}

static void test_deferred_is_per_node(void **state)
{
	struct shrinker_info_group *group = group_new();
	struct shrinker s;

	(void)state;
	start(&s);
	get(&s, group);
	for (int node = 0; node < wane_nodes(); node++) {
		assert_int_equal(share_add_deferred(&s.share, node, 10 + node),
				 10 + node);
		assert_int_equal(share_add_deferred(&s.share, node, 5),
				 15 + node);
	}
	for (int node = 0; node < wane_nodes(); node++) {
		assert_int_equal(share_take_deferred(&s.share, node),
				 15 + node);
		assert_int_equal(share_take_deferred(&s.share, node), 0);
	}
	put(&s);
	stop(&s);
	group_old(group);
}

/* Bug 0.2b, invariant 11: by the id, or by its place in the group. */
static void test_a_new_share_is_fresh(void **state)
{
	struct shrinker_info_group *group = group_new();
	struct shrinker s, neighbour;

	(void)state;
	start(&neighbour);
	get(&neighbour, group);
	for (int i = 0; i < 3; i++) {
		start(&s);
		get(&s, group);
		assert_fresh(&s);
		for (int node = 0; node < wane_nodes(); node++) {
			share_set(&s.share, node);
			share_add_deferred(&s.share, node, 100);
		}
		put(&s);
		stop(&s);
	}
	put(&neighbour);
	stop(&neighbour);
	group_old(group);
}

static void test_ended_share(void **state)
{
	struct shrinker_info_group *group = group_new();
	struct shrinker_share copy;
	struct shrinker s, neighbour;

	(void)state;
	start(&s);
	start(&neighbour);
	get(&neighbour, group);
	get(&s, group);
	rcu_enter();
	copy = share_read(&s.share);
	put(&s);
	assert_false(share_test(&copy, 0));
	share_clear(&copy, 0); /* finds nothing, and does no harm */
	rcu_leave();
	assert_false(share_test(&neighbour.share, 0));
	put(&neighbour);
	stop(&neighbour);
	stop(&s);
	group_old(group);
}

/* ---- Shrinkers ---------------------------------------------------------------------------- */

static void test_pins(void **state)
{
	struct shrinker s;

	(void)state;
	begin(&s);
	assert_false(shrinker_info_pin(&s.info));
	assert_true(shrinker_info_start(&s.info));
	assert_false(shrinker_info_start(&s.info));
	assert_true(shrinker_info_pin(&s.info));
	assert_true(shrinker_info_pin(&s.info));
	shrinker_info_unpin(&s.info);
	shrinker_info_unpin(&s.info);
	shrinker_info_stop(&s.info);
	assert_false(shrinker_info_pin(&s.info));
	shrinker_info_forget(&s.info);
}

static void assert_id(const struct shrinker *s, int id)
{
#ifdef SHRINKER_INFO_HAS_IDS
	assert_int_equal(s->info.id, id);
#else
	(void)s, (void)id;
#endif
}

static void test_lowest_free_id(void **state)
{
	struct shrinker s[10];

	(void)state;
	for (int i = 0; i < 10; i++) {
		begin(&s[i]);
		assert_id(&s[i], i);
	}
	for (int i = 3; i < 10; i += 3) {
		stop(&s[i]);
		begin(&s[i]);
		assert_id(&s[i], i);
	}
	for (int i = 9; i >= 0; i--)
		stop(&s[i]);
}

/* ---- The walk --------------------------------------------------------------------------------- */

#define MANY 900

static int walk(struct shrinker_info_group *group, int node)
{
	struct share_cursor cursor = { 0 };
	struct shrinker_info_cache *info;
	int nr = 0;

	while ((info = share_next(group, node, &cursor))) {
		struct shrinker *s = container_of(info, struct shrinker, info);

		assert_true(share_test(&cursor.share, node));
		s->seen++;
		nr++;
		shrinker_info_unpin(info);
	}
	return nr;
}

/* Each set bit once, of this group and node, and no other. */
static void test_walk(void **state)
{
	struct shrinker *s = calloc(MANY, sizeof(*s));
	struct shrinker_info_group *group = group_new();
	int last = wane_nodes() - 1;
	int expected = 0;

	(void)state;
	assert_int_equal(walk(group, 0), 0);
	for (int i = 0; i < MANY; i++)
		start(&s[i]);
	for (int i = 0; i < MANY; i += 3)
		get(&s[i], group);
	assert_int_equal(walk(group, last), 0);
	for (int i = 0; i < MANY; i += 21) {
		share_set(&s[i].share, last);
		expected++;
	}
	for (int round = 1; round < 3; round++) {
		assert_int_equal(walk(group, last), expected);
		for (int i = 0; i < MANY; i++)
			assert_int_equal(s[i].seen, i % 21 ? 0 : round);
	}
	assert_int_equal(walk(group, 0), last ? 0 : expected);
	for (int i = 0; i < MANY; i += 42)
		share_clear(&s[i].share, last);
	assert_int_equal(walk(group, last), expected / 2);
	for (int i = 0; i < MANY; i += 3)
		put(&s[i]);
	assert_int_equal(walk(group, last), 0);
	for (int i = 0; i < MANY; i++)
		stop(&s[i]);
	group_old(group);
	free(s);
}

/* Bug 0.2a: one that is not started is passed over, and keeps its bit. */
static void test_walk_passes_over(void **state)
{
	struct shrinker_info_group *group = group_new();
	struct shrinker s[3] = { 0 };

	(void)state;
	for (int i = 0; i < 3; i++) {
		begin(&s[i]);
		get(&s[i], group);
		share_set(&s[i].share, 0);
	}
	assert_int_equal(walk(group, 0), 0);
	shrinker_info_start(&s[1].info);
	assert_int_equal(walk(group, 0), 1);
	assert_int_equal(s[1].seen, 1);
	shrinker_info_start(&s[0].info);
	shrinker_info_start(&s[2].info);
	assert_int_equal(walk(group, 0), 3);
	shrinker_info_stop(&s[1].info);
	assert_int_equal(walk(group, 0), 2);
	for (int i = 0; i < 3; i++) {
		put(&s[i]);
		stop(&s[i]);
	}
	group_old(group);
}

/* What is set behind the cursor waits; what is set before it is found. */
static void test_walk_while_bits_change(void **state)
{
	struct shrinker_info_group *group = group_new();
	struct share_cursor cursor = { 0 };
	struct shrinker_info_cache *info;
	struct shrinker s[3];

	(void)state;
	for (int i = 0; i < 3; i++) {
		start(&s[i]);
		get(&s[i], group);
	}
	share_set(&s[1].share, 0);
	info = share_next(group, 0, &cursor);
	assert_ptr_equal(info, &s[1].info);
	shrinker_info_unpin(info);
	share_set(&s[0].share, 0);
	share_set(&s[2].share, 0);
	info = share_next(group, 0, &cursor);
	assert_ptr_equal(info, &s[2].info);
	shrinker_info_unpin(info);
	assert_null(share_next(group, 0, &cursor));
	for (int i = 0; i < 3; i++) {
		put(&s[i]);
		stop(&s[i]);
	}
	group_old(group);
}

/* ---- Retire -------------------------------------------------------------------------------------- */

/* Bug 0.2c, invariant 10: before, and by a handle from before, after it. */
static void test_retire(void **state)
{
	struct shrinker_info_group *parent = group_new();
	struct shrinker_info_group *child = group_new();
	struct shrinker_share mine, copy;
	struct shrinker s;
	int last = wane_nodes() - 1;

	(void)state;
	start(&s);
	get(&s, parent);
	assert_int_equal(try_get(&mine, child, &s.info), 0);
	share_set(&mine, last);
	share_add_deferred(&mine, last, 30);
	share_add_deferred(&s.share, last, 4);

	rcu_enter();
	copy = share_read(&mine);
	share_retire(&mine, &s.share);
	assert_true(share_is_none(&mine));
	assert_true(share_test(&s.share, last));
	assert_int_equal(share_take_deferred(&s.share, last), 34);

	share_clear(&s.share, last);
	share_add_deferred(&copy, last, 5);
	assert_int_equal(share_take_deferred(&s.share, last), 5);
	share_set(&copy, last);
	assert_true(share_test(&s.share, last));
	rcu_leave();

	for (int node = 0; node < wane_nodes(); node++) {
		assert_int_equal(walk(child, node), 0);
		assert_true(SHRINKER_INFO_KEEPS_UNITS ||
			    shrinker_info_idle(child, node));
	}
	put(&s);
	stop(&s);
	group_old(child);
	group_old(parent);
}

static void test_retire_without_bit(void **state)
{
	struct shrinker_info_group *parent = group_new();
	struct shrinker_info_group *child = group_new();
	struct shrinker_share mine;
	struct shrinker s;

	(void)state;
	start(&s);
	get(&s, parent);
	assert_int_equal(try_get(&mine, child, &s.info), 0);
	share_retire(&mine, &s.share);
	assert_fresh(&s);
	put(&s);
	stop(&s);
	group_old(child);
	group_old(parent);
}

static void test_retire_without_heir(void **state)
{
	struct shrinker_info_group *group = group_new();
	const struct shrinker_share none = { 0 };
	struct shrinker s;

	(void)state;
	start(&s);
	get(&s, group);
	share_set(&s.share, 0);
	share_add_deferred(&s.share, 0, 9);
	share_retire(&s.share, &none);
	assert_true(share_is_none(&s.share));
	assert_int_equal(walk(group, 0), 0);
	get(&s, group); /* dropped: a new one knows nothing of it */
	assert_fresh(&s);
	put(&s);
	stop(&s);
	group_old(group);
}

/* ---- Failing allocations ---------------------------------------------------------------------------- */

/* Bugs 20 and 21: nothing changed, and nothing is leaked. */
static int get_many(void *arg)
{
	struct shrinker_info_group *group = arg;
	static struct shrinker s[80];
	int err = 0;
	int nr, begun;

	for (begun = 0; begun < 80; begun++) {
		err = shrinker_info_begin(&s[begun].info, GFP_KERNEL);
		if (err)
			break;
	}
	for (nr = 0; nr < begun && !err; nr++) {
		err = try_get(&s[nr].share, group, &s[nr].info);
		if (err)
			break;
		share_set(&s[nr].share, 0);
	}
	for (int i = 0; i < nr; i++) {
		assert_true(share_test(&s[i].share, 0));
		put(&s[i]);
	}
	for (int i = 0; i < begun; i++)
		stop(&s[i]);
	wane_barrier();
	slab_drain_all();
	return err;
}

static void test_failing_allocations(void **state)
{
	struct shrinker_info_group *group = group_new();

	(void)state;
	assert_true(test_fault_loop(get_many, group) > 0);
	group_old(group);
}

#define SHARE_TEST(fn) \
	cmocka_unit_test_setup_teardown(fn, note_base, check_base)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SHARE_TEST(test_bits_are_per_node),
		SHARE_TEST(test_deferred_is_per_node),
		SHARE_TEST(test_a_new_share_is_fresh),
		SHARE_TEST(test_ended_share),
		SHARE_TEST(test_pins),
		SHARE_TEST(test_lowest_free_id),
		SHARE_TEST(test_walk),
		SHARE_TEST(test_walk_passes_over),
		SHARE_TEST(test_walk_while_bits_change),
		SHARE_TEST(test_retire),
		SHARE_TEST(test_retire_without_bit),
		SHARE_TEST(test_retire_without_heir),
		SHARE_TEST(test_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
