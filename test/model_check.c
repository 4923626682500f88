/* SPDX-License-Identifier: MIT */
/*
 * Is it the same here and there?  Numbers in brackets name invariants.
 */
#include "model.h"

#include "group.h"

#define assert_same(here, there)                                            \
	do {                                                                \
		if ((here) != (there))                                      \
			fail_msg("%s: %s is %lld, %s is %lld",              \
				 model.operation, #here, (long long)(here), \
				 #there, (long long)(there));               \
	} while (0)

/* (7, 8) */
static void check_bytes(struct m_group *group)
{
	size_t usage = m_usage(group);

	assert_same(usage, wane_group_usage(group->group));
	assert_same(usage > wane_group_peak(group->group), false);
	for (int i = WANE_MIN; i <= WANE_MAX; i++)
		assert_same(group->limit[i],
			    wane_group_limit(group->group, (enum wane_limit)i));
	/* A max that was set below the usage only keeps it from growing. */
	assert_same(usage <= max_of(group->limit[WANE_MAX], group->last_usage),
		    true);
	group->last_usage = usage;
}

/* (1, 2) */
static void check_order(const struct m_list *here, struct lru_list *there)
{
	struct wane_item *item = there->head.next;

	assert_same(here->nr, there->nr);
	for (int i = 0; i < here->nr; i++, item = item->next)
		assert_same(item == &here->item[i]->item, true);
	assert_same(item == &there->head, true);
}

/* (2, 3, 6) */
static void check_lists(const struct m_cache *cache, struct m_group *group)
{
	bool has = has_lists(cache->lru, group->group);

	assert_same(has && group->retired, false);
	if (has && group->parent)
		assert_same(has_lists(cache->lru,
				      m_living(group->parent)->group),
			    true);
	for (int node = 0; node < model.nodes; node++) {
		struct m_list *list = m_list_of(cache, group, node);

		assert_same(list->nr,
			    wane_lru_count(cache->lru, group->group, node));
		if (!has)
			continue;
		rcu_enter();
		check_order(
			list,
			&lru_lists_find(cache->lru, group->group)->node[node]);
		rcu_leave();
		if (list->nr && cache->shrinker)
			assert_same(has_bit(cache->lru, group->group, node),
				    true);
	}
}

/* (2) */
static void check_totals(const struct m_cache *cache)
{
	for (int node = 0; node < model.nodes; node++) {
		long nr = 0;

		for (int i = 0; i < GROUPS; i++)
			nr += m_list_of(cache, &model.group[i], node)->nr;
		assert_same(nr, wane_lru_count_node(cache->lru, node));
	}
}

/* (3) */
static void check_loose(const struct m_group *group)
{
	for (int node = 0; node < model.nodes; node++)
		if (group->loose[node])
			assert_same(has_bit(model.loose->attached, group->group,
					    node),
				    true);
}

/* (5, 18) */
static void check_group(struct m_group *group)
{
	assert_same(group->id, wane_group_id(group->group));
	assert_same(group->retired, wane_group_retired(group->group));
	if (group->parent)
		assert_same(group->parent->group ==
				    wane_group_parent(group->group),
			    true);
	if (group->retired)
		assert_same(table_count(&group->group->lists), 0);
	check_loose(group);
	check_bytes(group);
}

void m_check(void)
{
	for (int i = 0; i < GROUPS; i++)
		if (model.group[i].group)
			check_group(&model.group[i]);
	for (int c = 0; c < CACHES; c++) {
		if (!model.cache[c].lru)
			continue;
		check_totals(&model.cache[c]);
		for (int i = 0; i < GROUPS; i++)
			if (model.group[i].group)
				check_lists(&model.cache[c], &model.group[i]);
	}
}
