/* SPDX-License-Identifier: MIT */
/*
 * What the model does with groups: make, retire and put them, charge them.
 */
#include "model.h"

uint64_t m_below(uint64_t bound)
{
	return test_random_below(&model.random, bound);
}

bool m_one_in(uint64_t n)
{
	return test_random_one_in(&model.random, n);
}

/* ---- Groups ------------------------------------------------------------------------- */

struct m_group *m_random_group(void)
{
	struct m_group *group;

	do {
		group = &model.group[m_below(GROUPS)];
	} while (!group->held);
	return group;
}

static bool has_children(const struct m_group *group, bool living)
{
	for (int i = 0; i < GROUPS; i++)
		if (model.group[i].group && model.group[i].parent == group &&
		    !(living && model.group[i].retired))
			return true;
	return false;
}

void m_create_group(void)
{
	struct m_group *parent = m_random_group();
	struct m_group *group = model.group;

	while (group < model.group + GROUPS && group->group)
		group++;
	if (group == model.group + GROUPS)
		return;
	*group = (struct m_group){ .held = true };
	group->group = group_make(parent->group, NULL);
	group->id = wane_group_id(group->group);
	group->parent = m_living(parent);
	group->limit[WANE_HIGH] = WANE_UNLIMITED;
	group->limit[WANE_MAX] = WANE_UNLIMITED;
	if (model.pinned)
		wane_group_get(group->group);
}

/* What is on its lists, and loose, becomes its living ancestor's. */
static void move_up(struct m_group *group)
{
	struct m_group *heir = m_living(group->parent);

	for (int c = 0; c < CACHES; c++) {
		for (int node = 0; node < model.nodes; node++) {
			struct m_list *from =
				m_list_of(&model.cache[c], group, node);
			struct m_list *to =
				m_list_of(&model.cache[c], heir, node);

			for (int i = 0; i < from->nr; i++)
				to->item[to->nr++] = from->item[i];
			from->nr = 0;
		}
	}
	for (int node = 0; node < model.nodes; node++) {
		heir->loose[node] += group->loose[node];
		group->loose[node] = 0;
	}
}

void m_retire_group(void)
{
	struct m_group *group = m_random_group();
	long deferred_before = m_deferred();
	int expected = 0;
	int err;

	if (!group->parent)
		expected = -EINVAL;
	else if (!group->retired && has_children(group, true))
		expected = -EBUSY;
	err = wane_group_retire(group->group);
	assert_int_equal(err, expected);
	m_note((uint64_t)err);
	assert_int_equal(m_deferred(), deferred_before); /* invariant 10 */
	if (err || group->retired)
		return;
	move_up(group);
	group->retired = true;
	group->limit[WANE_MIN] = group->limit[WANE_LOW] = 0;
	group->limit[WANE_HIGH] = group->limit[WANE_MAX] = WANE_UNLIMITED;
}

void m_put_group(struct m_group *group)
{
	group->held = false;
	wane_group_put(group->group);
}

void m_put_some_group(void)
{
	struct m_group *group = m_random_group();

	if (group->parent)
		m_put_group(group);
}

/* The loose cache holds the groups that it has anything of. */
static void keep_loose(struct m_group *group)
{
	long nr = 0;

	for (int node = 0; node < model.nodes; node++)
		nr += group->loose[node];
	if (nr && !group->kept)
		wane_group_get(group->group);
	if (!nr && group->kept)
		wane_group_put(group->group);
	group->kept = nr;
}

void m_forget_groups(void)
{
	struct m_group *group = model.group;

	for (int i = 0; i < GROUPS; i++)
		if (model.group[i].group)
			keep_loose(&model.group[i]);
	while (group < model.group + GROUPS) {
		if (!group->group || group->held || group->kept || group->own ||
		    has_children(group, false)) {
			group++;
			continue;
		}
		if (model.pinned)
			wane_group_put(group->group);
		wane_barrier();
		assert_null(wane_group_find_id(group->id));
		group->group = NULL;
		group = model.group; /* perhaps its parent */
	}
}

void m_find_group(void)
{
	struct m_group *group = m_random_group();
	struct wane_group *found;
	char path[GROUPS * 24];

	wane_group_path(group->group, path, sizeof(path));
	found = wane_group_find(model.group[0].group, path);
	assert_ptr_equal(found, group->retired ? NULL : group->group);
	wane_group_put(found);
	found = wane_group_find_id(group->id);
	assert_ptr_equal(found, group->group);
	wane_group_put(found);
}

/* ---- Charges --------------------------------------------------------------------------- */

static bool is_over(const struct m_group *group, size_t bytes)
{
	for (; group; group = group->parent)
		if (bytes > group->limit[WANE_MAX] ||
		    m_usage(group) > group->limit[WANE_MAX] - bytes)
			return true;
	return false;
}

int m_charge_group(struct m_group *group, size_t bytes)
{
	unsigned int flags = m_one_in(3) ? WANE_NOWAIT : 0;
	bool over = is_over(group, bytes);
	int err = wane_charge(group->group, bytes, flags);

	/* It fails with reason, and reclaims where it may. */
	assert_true(!err || (over && is_over(group, bytes)));
	assert_true(!err || err == (flags ? -EAGAIN : -ENOMEM));
	assert_true(err || !over || !flags);
	if (!err)
		group->own += bytes;
	m_note((uint64_t)err);
	return err;
}

void m_charge_some(void)
{
	struct m_group *group = m_random_group();
	size_t bytes = EXACT * (1 + m_below(8));

	if (!m_charge_group(group, bytes))
		group->raw += bytes;
}

/* Also of groups that were put. */
void m_uncharge_some(void)
{
	struct m_group *group = &model.group[m_below(GROUPS)];
	size_t bytes = min_of(group->raw, EXACT * (1 + m_below(16)));

	if (!group->group || !bytes)
		return;
	group->raw -= bytes;
	group->own -= bytes;
	wane_uncharge(group->group, bytes);
}

void m_set_some_limit(void)
{
	struct m_group *group = m_random_group();
	enum wane_limit which = (enum wane_limit)m_below(4);
	size_t bytes = EXACT * m_below(60);
	int err;

	if (m_one_in(3))
		bytes = which <= WANE_LOW ? 0 : WANE_UNLIMITED;
	err = wane_group_set_limit(group->group, which, bytes);
	m_note((uint64_t)err);
	if (group->retired) {
		assert_int_equal(err, -ESTALE);
		return;
	}
	group->limit[which] = bytes;
	assert_int_equal(
		err, which == WANE_MAX && m_usage(group) > bytes ? -EBUSY : 0);
}
