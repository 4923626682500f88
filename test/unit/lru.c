/* SPDX-License-Identifier: MIT */
/*
 * Lists: order, verdicts, counts, and who has one.
 */
#include "with_cache.h"

#include <string.h>

/* Objects numbered 0, 1, ... in the order of their adding. */
static void fill(struct object **object, int nr)
{
	for (int i = 0; i < nr; i++) {
		object[i] = cache_add(&cache, group);
		object[i]->number = i;
	}
}

static size_t take(size_t to_scan, wane_judge_fn judge, size_t *scanned,
		   struct wane_item *taken)
{
	struct wane_shrink sc = { .group = group, .to_scan = to_scan };
	size_t nr;

	wane_item_init(taken);
	nr = wane_lru_take(cache.lru, &sc, judge, &cache, taken);
	*scanned = sc.scanned;
	return nr;
}

/* Check the numbers of what was taken, and free it. */
static void assert_taken(struct wane_item *taken, const char *numbers)
{
	struct wane_item *item;

	for (; *numbers; numbers++) {
		item = wane_item_pop(taken);
		assert_non_null(item);
		assert_int_equal(object_of(item)->number, *numbers - '0');
		assert_ptr_equal(item->next, item); /* on no list */
		object_free(&cache, object_of(item));
	}
	assert_null(wane_item_pop(taken));
}

static void take_all(const char *numbers)
{
	struct wane_item taken;
	size_t scanned;

	take(SIZE_MAX, NULL, &scanned, &taken);
	assert_taken(&taken, numbers);
}

/* ---- Add and del --------------------------------------------------------------------- */

static void test_first_in_first_out(void **state)
{
	struct object *object[10];
	struct wane_item taken;
	size_t scanned;

	(void)state;
	fill(object, 10);
	assert_int_equal(take(3, NULL, &scanned, &taken), 3);
	assert_int_equal(scanned, 3);
	assert_taken(&taken, "012");
	assert_int_equal(take(0, NULL, &scanned, &taken), 0);
	assert_int_equal(scanned, 0);
	assert_int_equal(take(100, NULL, &scanned, &taken), 7);
	assert_int_equal(scanned, 7); /* each at most once */
	assert_taken(&taken, "3456789");
	assert_int_equal(take(1, NULL, &scanned, &taken), 0);
	assert_int_equal(scanned, 0);
}

static void test_add_twice_del_twice(void **state)
{
	struct object *object[3];
	struct wane_item *item;

	(void)state;
	fill(object, 3);
	item = &object[0]->item;
	assert_false(wane_lru_add(cache.lru, item, group, 0)); /* stays old */
	assert_int_equal(wane_lru_count(cache.lru, group, 0), 3);
	assert_true(wane_lru_del(cache.lru, item, group, 0));
	assert_false(wane_lru_del(cache.lru, item, group, 0));
	assert_int_equal(wane_lru_count(cache.lru, group, 0), 2);
	assert_true(wane_lru_add(cache.lru, item, group, 0)); /* young now */
	take_all("120");
}

static void test_taken_is_appended(void **state)
{
	struct object *object[4];
	struct wane_shrink sc = { .group = group, .to_scan = 2 };
	struct wane_item taken;

	(void)state;
	fill(object, 4);
	wane_item_init(&taken);
	assert_int_equal(wane_lru_take(cache.lru, &sc, NULL, NULL, &taken), 2);
	assert_int_equal(wane_lru_take(cache.lru, &sc, NULL, NULL, &taken), 2);
	assert_taken(&taken, "0123");
}

/* What was taken is no one's: it may be given back. */
static void test_give_back(void **state)
{
	struct object *object[2];
	struct wane_item taken, *item;
	size_t scanned;

	(void)state;
	fill(object, 2);
	take(1, NULL, &scanned, &taken);
	item = wane_item_pop(&taken);
	assert_true(wane_lru_add(cache.lru, item, group, 0));
	take_all("10");
}

/* ---- Verdicts --------------------------------------------------------------------------- */

static enum wane_verdict verdict_of[10];
static int judged[10];

static enum wane_verdict judge(struct wane_item *item, void *arg)
{
	int number = object_of(item)->number;

	assert_ptr_equal(arg, &cache);
	judged[number]++;
	return verdict_of[number];
}

/* Invariants 16 and 17: each one judged gets one verdict, in one walk. */
static void test_verdicts(void **state)
{
	static const enum wane_verdict verdicts[10] = {
		WANE_SKIP,   WANE_TAKE, WANE_ROTATE, WANE_TAKE, WANE_SKIP,
		WANE_ROTATE, WANE_TAKE, WANE_STOP,   WANE_TAKE, WANE_TAKE,
	};
	struct object *object[10];
	struct wane_item taken;
	size_t scanned;

	(void)state;
	fill(object, 10);
	memcpy(verdict_of, verdicts, sizeof(verdicts));
	memset(judged, 0, sizeof(judged));
	assert_int_equal(take(100, judge, &scanned, &taken), 3);
	assert_int_equal(scanned, 8);
	for (int i = 0; i < 10; i++)
		assert_int_equal(judged[i], i < 8);
	assert_taken(&taken, "136");
	assert_int_equal(wane_lru_count(cache.lru, group, 0), 7);
	take_all("0478925");
}

/* @nr objects, the same verdict on each: all are judged once, none is taken. */
static void judge_and_take_none(int nr, enum wane_verdict verdict)
{
	struct object *object[10];
	struct wane_item taken;
	size_t scanned;

	fill(object, nr);
	for (int i = 0; i < nr; i++)
		verdict_of[i] = verdict;
	memset(judged, 0, sizeof(judged));
	assert_int_equal(take(100, judge, &scanned, &taken), 0);
	assert_int_equal(scanned, nr);
	for (int i = 0; i < nr; i++)
		assert_int_equal(judged[i], 1);
}

static void test_rotate_once_per_walk(void **state)
{
	(void)state;
	judge_and_take_none(5, WANE_ROTATE);
	take_all("01234"); /* once around */
}

static void test_rotate_some(void **state)
{
	struct object *object[5];
	struct wane_item taken;
	size_t scanned;

	(void)state;
	fill(object, 5);
	for (int i = 0; i < 5; i++)
		verdict_of[i] = i % 2 ? WANE_TAKE : WANE_ROTATE;
	take(3, judge, &scanned, &taken);
	assert_int_equal(scanned, 3);
	assert_taken(&taken, "1");
	take_all("3402");
}

static void test_skip_all(void **state)
{
	(void)state;
	judge_and_take_none(3, WANE_SKIP);
	take_all("012");
}

/* ---- Counts, groups and nodes ------------------------------------------------------------- */

/* Invariant 2: per group and node, and per node over all groups. */
static void test_counts(void **state)
{
	struct wane_group *other = group_make(root, "other");
	int nodes = wane_nodes();
	struct object *object;

	(void)state;
	for (int node = 0; node < nodes; node++) {
		for (int i = 0; i <= node; i++)
			cache_add_on(&cache, group, node);
		object = cache_add_on(&cache, other, node);
		assert_int_equal(wane_lru_count(cache.lru, group, node),
				 node + 1);
		assert_int_equal(wane_lru_count(cache.lru, other, node), 1);
		assert_int_equal(wane_lru_count(cache.lru, root, node), 0);
		assert_int_equal(wane_lru_count_node(cache.lru, node),
				 node + 2);
		assert_true(has_bit(cache.lru, group, node));
		assert_false(has_bit(cache.lru, root, node));
		assert_true(
			wane_lru_del(cache.lru, &object->item, other, node));
		object_free(&cache, object);
		assert_int_equal(wane_lru_count_node(cache.lru, node),
				 node + 1);
	}
	cache_empty(&cache, group);
	for (int node = 0; node < nodes; node++)
		assert_int_equal(wane_lru_count_node(cache.lru, node), 0);
	wane_group_put(other);
}

/* Reclaim asks about each node. */
static void test_nodes_are_all_reclaimed(void **state)
{
	(void)state;
	for (int node = 0; node < wane_nodes(); node++)
		cache_add_on(&cache, group, node);
	assert_int_equal(wane_group_reclaim(root, WANE_ALL),
			 (size_t)wane_nodes() * EXACT);
}

/* Lists of one cache have nothing to do with those of another. */
static void test_two_caches(void **state)
{
	struct cache other;
	struct object *object;

	(void)state;
	cache_open(&other, EXACT);
	object = cache_add(&other, group);
	assert_int_equal(wane_lru_count(cache.lru, group, 0), 0);
	assert_int_equal(wane_lru_count(other.lru, group, 0), 1);
	assert_int_equal(wane_lru_count_node(cache.lru, 0), 0);
	assert_false(has_lists(cache.lru, group));
	assert_true(wane_lru_del(other.lru, &object->item, group, 0));
	object_free(&other, object);
	cache_close(&other);
}

/* ---- Prepare --------------------------------------------------------------------------------- */

/* Invariant 6: lists of a group, and the same in each of its ancestors. */
static void test_prepare_makes_ancestors(void **state)
{
	struct wane_group *child = group_make(group, "child");
	struct wane_group *aside = group_make(group, "aside");

	(void)state;
	assert_false(has_lists(cache.lru, root));
	assert_int_equal(wane_lru_prepare(cache.lru, child), 0);
	assert_true(has_lists(cache.lru, child));
	assert_true(has_lists(cache.lru, group));
	assert_true(has_lists(cache.lru, root));
	assert_false(has_lists(cache.lru, aside));
	assert_int_equal(wane_lru_prepare(cache.lru, child), 0); /* again */
	assert_false(has_bit(cache.lru, child, 0));
	assert_int_equal(wane_lru_count(cache.lru, child, 0), 0);
	assert_int_equal(wane_lru_count(cache.lru, aside, 0), 0);
	wane_group_put(aside);
	wane_group_put(child);
}

static void test_prepare_nothing(void **state)
{
	(void)state;
	assert_int_equal(wane_lru_prepare(NULL, group), -EINVAL);
	assert_int_equal(wane_lru_prepare(cache.lru, NULL), -EINVAL);
	assert_int_equal(wane_lru_prepare(NULL, NULL), -EINVAL);
}

static void test_prepare_retired(void **state)
{
	struct wane_group *child = group_make(group, "child");
	struct wane_item item;

	(void)state;
	assert_int_equal(wane_group_retire(child), 0);
	assert_int_equal(wane_lru_prepare(cache.lru, child), 0);
	assert_false(has_lists(cache.lru, child));
	assert_true(has_lists(cache.lru, group));
	wane_item_init(&item);
	assert_true(wane_lru_add(cache.lru, &item, child, 0));
	assert_int_equal(wane_lru_count(cache.lru, group, 0), 1);
	assert_int_equal(wane_lru_count(cache.lru, child, 0), 0);
	assert_true(wane_lru_del(cache.lru, &item, child, 0));
	wane_group_put(child);
}

static void use_one_pair(struct wane_group **child, int nr)
{
	struct cache *more = calloc((size_t)nr, sizeof(*more));
	size_t before;

	for (int i = 0; i < nr; i++)
		cache_open(&more[i], EXACT);
	cache_fill(&more[0], child[0], 1); /* memory for slabs is there now */
	before = base_now();
	cache_fill(&more[nr / 2], child[nr / 2], 1);
	for (int i = 0; i < nr; i++)
		assert_int_equal(has_lists(more[nr / 2].lru, child[i]),
				 i == nr / 2);
	/* A list here and in two ancestors, with their units or shares. */
	assert_true(base_now() - before <= 3 * 1024 * (size_t)wane_nodes());
	cache_empty(&more[0], child[0]);
	cache_empty(&more[nr / 2], child[nr / 2]);
	for (int i = 0; i < nr; i++)
		cache_close(&more[i]);
	free(more);
}

/* Bug 32, invariants 5 and 20: memory follows the pairs that are used. */
static void test_unused_pairs_cost_nothing(void **state)
{
	struct wane_group *child[100];
	size_t before;

	(void)state;
	for (int i = 0; i < 100; i++)
		child[i] = group_make(group, NULL);
	use_one_pair(child, 100);
	before = base_now();
	use_one_pair(child, 100);
	assert_base(before);
	for (int i = 0; i < 100; i++)
		wane_group_put(child[i]);
}

/* ---- Misuse ---------------------------------------------------------------------------------- */

/* Bugs 28 to 30: it fails loudly, and not at some later place. */
static void add_unprepared(void *arg)
{
	struct wane_item item;

	(void)arg;
	wane_item_init(&item);
	wane_lru_add(cache.lru, &item, group, 0);
}

static void add_on_no_node(void *arg)
{
	struct wane_item item;

	(void)arg;
	wane_item_init(&item);
	if (wane_lru_prepare(cache.lru, group))
		return;
	wane_lru_add(cache.lru, &item, group, wane_nodes());
}

static void test_misuse_add(void **state)
{
	(void)state;
	test_expect_abort(add_unprepared, NULL);
	test_expect_abort(add_on_no_node, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CACHE_TEST(test_first_in_first_out),
		CACHE_TEST(test_add_twice_del_twice),
		CACHE_TEST(test_taken_is_appended),
		CACHE_TEST(test_give_back),
		CACHE_TEST(test_verdicts),
		CACHE_TEST(test_rotate_once_per_walk),
		CACHE_TEST(test_rotate_some),
		CACHE_TEST(test_skip_all),
		CACHE_TEST(test_counts),
		CACHE_TEST(test_nodes_are_all_reclaimed),
		CACHE_TEST(test_two_caches),
		CACHE_TEST(test_prepare_makes_ancestors),
		CACHE_TEST(test_prepare_nothing),
		CACHE_TEST(test_prepare_retired),
		CACHE_TEST(test_unused_pairs_cost_nothing),
		CACHE_TEST(test_misuse_add),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
