/* SPDX-License-Identifier: MIT */
/*
 * Random operations, one thread, compared with a plain model after each.
 *
 * Everything has EXACT bytes, so that usage is exact; all else is left to
 * chance.  A run that failed is repeated with WANE_SEED=n.
 */
#include "model.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define OPERATIONS (SANITIZED ? 1000 : 5000)

struct model model;

static int random_node(void)
{
	return (int)m_below((uint64_t)model.nodes);
}

/* ---- Caches and items ---------------------------------------------------------------------- */

static struct m_cache *random_cache(void)
{
	struct m_cache *cache = &model.cache[m_below(CACHES)];

	return cache->lru ? cache : NULL;
}

static bool is_empty(const struct m_cache *cache)
{
	for (int i = 0; i < ITEMS; i++)
		if (model.item[i].payer && model.item[i].cache == cache)
			return false;
	return true;
}

static void change_cache(void)
{
	struct m_cache *cache = &model.cache[m_below(CACHES)];

	if (!cache->shrinker && !cache->lru) {
		cache->started = false;
		assert_int_equal(wane_shrinker_create(&cache->shrinker,
						      &m_cache_ops, cache),
				 0);
		assert_int_equal(wane_lru_create(&cache->lru, cache->shrinker),
				 0);
		m_note((uint64_t)wane_shrinker_id(cache->shrinker));
	} else if (cache->shrinker && !cache->started) {
		cache->started = true;
		assert_int_equal(wane_shrinker_start(cache->shrinker), 0);
	} else if (cache->shrinker && m_one_in(20)) {
		wane_shrinker_destroy(cache->shrinker);
		cache->shrinker = NULL;
	} else if (cache->lru && is_empty(cache) && m_one_in(4)) {
		wane_lru_destroy(cache->lru);
		cache->lru = NULL;
	}
}

static void prepare_some(void)
{
	struct m_cache *cache = random_cache();

	if (cache)
		assert_int_equal(wane_lru_prepare(cache->lru,
						  m_random_group()->group),
				 0);
}

static enum wane_verdict random_verdict(void)
{
	return m_one_in(2) ? WANE_TAKE : (enum wane_verdict)m_below(4);
}

static void add_item(struct m_item *item)
{
	/* Its payer may have lost its lists: it has retired, or is new here. */
	assert_true(wane_lru_add(item->cache->lru, &item->item,
				 item->payer->group, item->node));
	m_list_add(item);
	assert_false(wane_lru_add(item->cache->lru, &item->item,
				  item->payer->group, item->node));
}

static void make_item(struct m_item *item)
{
	struct m_cache *cache = random_cache();
	struct m_group *group = m_random_group();

	if (!cache || m_charge_group(group, EXACT))
		return;
	*item = (struct m_item){
		.payer = group,
		.cache = cache,
		.node = random_node(),
		.verdict = random_verdict(),
	};
	wane_item_init(&item->item);
	assert_int_equal(wane_lru_prepare(cache->lru, group->group), 0);
	if (!m_one_in(4))
		add_item(item);
}

static void use_some_item(void)
{
	struct m_item *item = &model.item[m_below(ITEMS)];

	if (!item->payer) {
		make_item(item);
	} else if (!item->listed && m_one_in(3)) {
		m_item_free(item);
	} else if (!item->listed) {
		item->verdict = random_verdict();
		add_item(item);
	} else if (m_one_in(2)) {
		m_list_del(item);
		assert_true(wane_lru_del(item->cache->lru, &item->item,
					 item->payer->group, item->node));
		assert_false(wane_lru_del(item->cache->lru, &item->item,
					  item->payer->group, item->node));
	} else {
		item->verdict = random_verdict();
	}
}

static void take_some(void)
{
	struct m_cache *cache = random_cache();
	struct wane_shrink sc = {
		.group = m_random_group()->group,
		.node = random_node(),
		.to_scan = m_below(10),
	};

	if (cache)
		m_note(m_take(cache, &sc));
}

static void attach_some(void)
{
	struct m_group *group = m_random_group();

	m_living(group)->loose[random_node()] += (long)m_below(100);
	assert_int_equal(wane_shrinker_attach(model.loose, group->group), 0);
}

/* ---- Reclaim ----------------------------------------------------------------------------------- */

static void reclaim_some(void)
{
	struct m_group *group = m_random_group();
	size_t bytes = m_one_in(4) ? WANE_ALL : EXACT * m_below(20);
	size_t freed;

	model.freed = 0;
	model.reclaimed = m_living(group);
	freed = wane_group_reclaim(group->group, bytes);
	model.reclaimed = NULL;
	assert_int_equal(freed, model.freed);
	m_note(freed);
}

static void reclaim_all(void)
{
	if (m_one_in(10))
		m_note(wane_reclaim_all());
}

/* ---- A run ------------------------------------------------------------------------------------- */

static const struct operation {
	const char *name;
	int weight;
	void (*run)(void);
} operations[] = {
	{ "create a group", 4, m_create_group },
	{ "retire a group", 2, m_retire_group },
	{ "put a group", 1, m_put_some_group },
	{ "find a group", 1, m_find_group },
	{ "charge", 4, m_charge_some },
	{ "uncharge", 4, m_uncharge_some },
	{ "set a limit", 3, m_set_some_limit },
	{ "change a cache", 4, change_cache },
	{ "prepare", 1, prepare_some },
	{ "use an item", 80, use_some_item },
	{ "take", 3, take_some },
	{ "attach", 1, attach_some },
	{ "reclaim", 2, reclaim_some },
	{ "reclaim all", 1, reclaim_all },
};

static const struct operation *random_operation(void)
{
	const struct operation *operation = operations;
	int sum = 0, which;

	for (size_t i = 0; i < ARRAY_SIZE(operations); i++)
		sum += operations[i].weight;
	for (which = (int)m_below((uint64_t)sum); which >= operation->weight;
	     operation++)
		which -= operation->weight;
	return operation;
}

static void begin(uint64_t seed, bool pinned)
{
	memset(&model, 0, sizeof(model));
	model.random.state = seed;
	model.pinned = pinned;
	model.nodes = min_of(wane_nodes(), 4);
	model.group[0] = (struct m_group){
		.group = group_make(NULL, NULL),
		.held = true,
		.limit = { 0, 0, WANE_UNLIMITED, WANE_UNLIMITED },
	};
	model.group[0].id = wane_group_id(model.group[0].group);
	if (pinned)
		wane_group_get(model.group[0].group);
	assert_int_equal(wane_shrinker_create(&model.loose, &m_loose_ops, NULL),
			 0);
	assert_int_equal(wane_shrinker_start(model.loose), 0);
}

static void end(void)
{
	for (int i = 0; i < ITEMS; i++) {
		struct m_item *item = &model.item[i];

		if (item->payer && item->listed) {
			wane_lru_del(item->cache->lru, &item->item,
				     item->payer->group, item->node);
			m_list_del(item);
		}
		if (item->payer)
			m_item_free(item);
	}
	for (int c = 0; c < CACHES; c++) {
		wane_shrinker_destroy(model.cache[c].shrinker);
		wane_lru_destroy(model.cache[c].lru);
	}
	wane_shrinker_destroy(model.loose);
	for (int i = 0; i < GROUPS; i++) {
		struct m_group *group = &model.group[i];

		if (!group->group)
			continue;
		wane_uncharge(group->group, group->raw);
		group->own = group->raw = 0;
		memset(group->loose, 0, sizeof(group->loose));
		if (group->held)
			m_put_group(group);
	}
	m_forget_groups();
}

static uint64_t run(uint64_t seed, bool pinned)
{
	begin(seed, pinned);
	for (int i = 0; i < OPERATIONS; i++) {
		const struct operation *operation = random_operation();

		model.operation = operation->name;
		operation->run();
		m_forget_groups();
		m_check();
	}
	model.operation = "the end";
	end();
	return model.trace;
}

/* Invariant 19 at the end of each run. */
static void test_model(void **state)
{
	time_t end_at = time(NULL) + (time_t)test_seconds(10);
	uint64_t seed = test_seed();
	size_t base;
	int runs = 0;

	(void)state;
	run(seed, true);
	base = base_now();
	do {
		run(seed + (uint64_t)runs, runs % 2);
		assert_base(base);
		runs++;
	} while (time(NULL) < end_at);
	printf("# %d runs of %d operations\n", runs, OPERATIONS);
}

/* Invariant 27. */
static void test_same_seed_same_trace(void **state)
{
	uint64_t first = run(test_seed(), true);

	(void)state;
	assert_true(run(test_seed(), true) == first);
	assert_true(run(test_seed() + 1, true) != first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_seed_same_trace),
		cmocka_unit_test(test_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
