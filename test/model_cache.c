/* SPDX-License-Identifier: MIT */
/*
 * The model's caches: what the library asks of them, and what that changes.
 */
#include "model.h"

void m_note(uint64_t what)
{
	model.trace = (model.trace ^ what) * 0x100000001b3ull;
}

/* ---- Groups ---------------------------------------------------------------------- */

struct m_group *m_living(struct m_group *group)
{
	while (group->retired)
		group = group->parent;
	return group;
}

struct m_group *m_find(const struct wane_group *group)
{
	for (int i = 0; i < GROUPS; i++)
		if (model.group[i].group == group)
			return &model.group[i];
	fail_msg("%s: an unknown group", model.operation);
	return NULL;
}

static bool is_below(const struct m_group *group, const struct m_group *above)
{
	while (group && group != above)
		group = group->parent;
	return group;
}

size_t m_usage(const struct m_group *group)
{
	size_t usage = 0;

	for (int i = 0; i < GROUPS; i++)
		if (model.group[i].group && is_below(&model.group[i], group))
			usage += model.group[i].own;
	return usage;
}

static double asks_for(const struct m_group *group)
{
	return (double)min_of(m_usage(group), group->limit[WANE_MIN]);
}

double m_protection(const struct m_group *group, const struct m_group *root)
{
	double sum = 0, granted;

	if (group == root)
		return 0;
	if (group->parent == root)
		return asks_for(group);
	for (int i = 0; i < GROUPS; i++)
		if (model.group[i].group &&
		    model.group[i].parent == group->parent)
			sum += asks_for(&model.group[i]);
	granted = m_protection(group->parent, root);
	return sum <= granted ? asks_for(group)
			      : granted * asks_for(group) / sum;
}

long m_deferred(void)
{
	long sum = 0;

	for (int c = 0; c < CACHES; c++) {
		const struct m_cache *cache = &model.cache[c];

		for (int i = 0; cache->lru && cache->shrinker && i < GROUPS;
		     i++) {
			struct wane_group *group = model.group[i].group;

			if (!group || !has_lists(cache->lru, group))
				continue;
			for (int node = 0; node < model.nodes; node++)
				sum += deferred(cache->lru, group, node);
		}
	}
	return sum;
}

/* ---- Lists -------------------------------------------------------------------------- */

struct m_list *m_list_of(const struct m_cache *cache,
			 const struct m_group *group, int node)
{
	return &model.list[cache - model.cache][group - model.group][node];
}

static struct m_list *list_of(const struct m_item *item)
{
	return m_list_of(item->cache, m_living(item->payer), item->node);
}

static void append(struct m_list *list, struct m_item *item)
{
	list->item[list->nr++] = item;
}

static void drop(struct m_list *list, const struct m_item *item)
{
	int i = 0;

	while (list->item[i] != item)
		i++;
	for (list->nr--; i < list->nr; i++)
		list->item[i] = list->item[i + 1];
}

void m_list_add(struct m_item *item)
{
	append(list_of(item), item);
	item->listed = true;
}

void m_list_del(struct m_item *item)
{
	drop(list_of(item), item);
	item->listed = false;
}

void m_item_free(struct m_item *item)
{
	struct m_group *payer = item->payer;

	assert_false(item->listed);
	item->payer = NULL;
	payer->own -= EXACT;
	model.freed += EXACT;
	wane_uncharge(payer->group, EXACT);
}

/* ---- Take ------------------------------------------------------------------------------ */

static enum wane_verdict judge(struct wane_item *item, void *arg)
{
	(void)arg;
	return container_of(item, struct m_item, item)->verdict;
}

/* The same, here: fills @taken, and returns how many were looked at. */
static int take_here(struct m_list *list, size_t to_scan, struct m_list *taken)
{
	struct m_list before = *list;
	int scanned = 0;

	taken->nr = 0;
	while (scanned < before.nr && (size_t)scanned < to_scan) {
		struct m_item *item = before.item[scanned++];

		if (item->verdict == WANE_STOP)
			break;
		if (item->verdict == WANE_SKIP)
			continue;
		drop(list, item);
		append(item->verdict == WANE_TAKE ? taken : list, item);
	}
	return scanned;
}

size_t m_take(struct m_cache *cache, struct wane_shrink *sc)
{
	struct m_list *list = m_list_of(cache, m_find(sc->group), sc->node);
	struct wane_item head, *item;
	struct m_list taken;
	int scanned = take_here(list, sc->to_scan, &taken);
	size_t nr;

	wane_item_init(&head);
	nr = wane_lru_take(cache->lru, sc, judge, NULL, &head);
	assert_int_equal(nr, taken.nr);
	assert_int_equal(sc->scanned, scanned);
	for (int i = 0; i < taken.nr; i++) {
		item = wane_item_pop(&head);
		assert_ptr_equal(item, &taken.item[i]->item);
		taken.item[i]->listed = false;
		m_item_free(taken.item[i]);
	}
	assert_null(wane_item_pop(&head));
	return nr;
}

/* ---- Callbacks ---------------------------------------------------------------------------- */

/* Asked to scan by a reclaim that minds min: then it is over its min. */
static void check_protection(const struct m_group *group)
{
	double protection;

	if (!model.reclaimed)
		return;
	protection = m_protection(group, model.reclaimed);
	if (protection > 0)
		assert_true((double)m_usage(group) > protection);
}

static long count_items(void *arg, struct wane_shrink *sc)
{
	struct m_cache *cache = arg;

	assert_true(cache->started);
	return cache->lru ? wane_lru_count(cache->lru, sc->group, sc->node) : 0;
}

static long scan_items(void *arg, struct wane_shrink *sc)
{
	struct m_cache *cache = arg;

	assert_true(cache->started);
	check_protection(m_find(sc->group));
	if (!cache->lru)
		return -EAGAIN;
	m_note(sc->to_scan);
	return (long)m_take(cache, sc);
}

static long count_loose(void *arg, struct wane_shrink *sc)
{
	(void)arg;
	return m_find(sc->group)->loose[sc->node];
}

static long scan_loose(void *arg, struct wane_shrink *sc)
{
	struct m_group *group = m_find(sc->group);
	long nr = min_of((long)sc->to_scan, group->loose[sc->node]);

	(void)arg;
	check_protection(group);
	m_note(sc->to_scan);
	group->loose[sc->node] -= nr;
	return nr;
}

const struct wane_shrinker_ops m_cache_ops = {
	.size = sizeof(m_cache_ops),
	.name = "model",
	.count = count_items,
	.scan = scan_items,
	.batch = 3,
};

const struct wane_shrinker_ops m_loose_ops = {
	.size = sizeof(m_loose_ops),
	.name = "loose",
	.count = count_loose,
	.scan = scan_loose,
};
