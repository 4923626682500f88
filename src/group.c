/* SPDX-License-Identifier: MIT */
/*
 * group.c - the forest: groups, references, names, ids, and how to walk it
 *
 * All groups of all trees hang in one ring, each before its descendants:
 *
 *	depth   0     1      2     2      1      0
 *	head -> / --> t ---> 42 -> 41 --> p ---> / --> head
 *
 * A new group goes in right behind its parent, so a subtree is always one
 * stretch: from its root up to the next group that is not deeper.  One link
 * serves every walk, of one subtree or of the forest, and needs no stack.
 *
 * Life      create --> (retire) --> last put --> leaves the ring --> freed
 *           A group stays in the ring until its last reference is put: a
 *           walker that holds one can sleep and then go on from there.  A
 *           retired group is stepped over.  Its struct goes a grace period
 *           after it has left, since walkers under RCU may still stand on it.
 * Cursor    Where reclaim of a subtree goes on.  It holds no reference, or a
 *           group would never go: who leaves the ring moves the cursors that
 *           point to it.
 * Names     (parent, name) -> group in one table, under RCU for look-ups.
 * Ids       Counted up in 64 bits, so that none is ever used again.
 */
#include "group.h"

#include <stdio.h>
#include <string.h>

#include "counter.h"
#include "thread.h"

struct lock forest_lock = LOCK_INIT(RANK_FOREST);
static struct list ring = LIST_INIT(ring);
static struct table names;

static struct xarray ids = { .lock = LOCK_INIT(RANK_XARRAY) };
static uint64_t last_id;

void (*group_release)(struct wane_group *group);

/* ---- Names ---------------------------------------------------------------- */

struct name_key {
	const struct wane_group *parent;
	const char *name;
	size_t length;
};

static uint64_t hash_name(const struct wane_group *parent, const char *name,
			  size_t length)
{
	uint64_t hash = parent->id;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)name[i]) * 0x100000001b3ull;
	return hash_mix(hash);
}

static uint64_t hash_group(const void *entry)
{
	const struct wane_group *group = entry;

	return hash_name(group->parent, group->name, strlen(group->name));
}

static bool match_name(const void *entry, const void *of)
{
	const struct wane_group *group = entry;
	const struct name_key *key = of;

	return group->parent == key->parent &&
	       strncmp(group->name, key->name, key->length) == 0 &&
	       group->name[key->length] == '\0';
}

static struct wane_group *find_child(const struct wane_group *parent,
				     const char *name, size_t length)
{
	const struct name_key key = { parent, name, length };

	return table_find(&names, hash_name(parent, name, length), match_name,
			  &key);
}

static bool name_is_valid(const char *name)
{
	size_t length = strnlen(name, WANE_NAME_MAX + 1);

	return length >= 1 && length <= WANE_NAME_MAX && !strchr(name, '/');
}

static int name_group(struct wane_group *group)
{
	int err;

	if (find_child(group->parent, group->name, strlen(group->name)))
		return -EEXIST;
	err = table_reserve(&names, hash_group);
	if (err)
		return err;
	table_insert(&names, hash_group(group), group);
	group->named = true;
	return 0;
}

void group_unname(struct wane_group *group)
{
	lock_assert_held(&forest_lock);
	if (group->named)
		table_remove(&names, hash_group(group), group);
	group->named = false;
}

/* ---- Create ---------------------------------------------------------------- */

static size_t group_size(void)
{
	return offsetof(struct wane_group, info) + shrinker_info_group_size();
}

static char *copy_name(const char *name, uint64_t id)
{
	char number[24];
	char *copy;

	if (!name) {
		snprintf(number, sizeof(number), "%llu",
			 (unsigned long long)id);
		name = number;
	}
	copy = port_alloc(strlen(name) + 1);
	if (copy)
		strcpy(copy, name);
	return copy;
}

static void free_name(struct wane_group *group)
{
	port_free((void *)group->name, strlen(group->name) + 1);
}

static void free_group(struct wane_group *group)
{
	shrinker_info_group_exit(&group->info);
	event_hook_free(group);
	free_name(group);
	port_free(group, group_size());
}

static struct wane_group *alloc_group(const char *name)
{
	struct wane_group *group = port_zalloc(group_size());

	if (!group)
		return NULL;
	group->id = add_relaxed(&last_id, 1);
	group->name = copy_name(name, group->id);
	if (!group->name)
		goto free;
	if (shrinker_info_group_init(&group->info, GFP_KERNEL))
		goto free_name;
	group->priority = PRIORITY_MAX;
	lock_init(&group->lock, RANK_GROUP);
	list_init(&group->ring);
	counter_init(&group->counter, NULL);
	return group;

free_name:
	free_name(group);
free:
	port_free(group, group_size());
	return NULL;
}

/* Everything but the place in the ring. */
static int join_parent(struct wane_group *group, struct wane_group *parent)
{
	int err;

	group->parent = parent;
	group->depth = parent->depth + 1;
	group->counter.parent = &parent->counter;
	err = name_group(group);
	if (err)
		return err;
	parent->nr_children++;
	wane_group_get(parent);
	return 0;
}

static int join_forest(struct wane_group *group, struct wane_group *parent)
{
	int err = 0;

	lock_take(&forest_lock);
	parent = group_living(parent);
	if (parent)
		err = join_parent(group, parent);
	if (!err) {
		store_release(&group->refs, 1);
		if (parent)
			list_add_after(&group->ring, &parent->ring);
		else
			list_add_last(&group->ring, &ring);
	}
	lock_drop(&forest_lock);
	return err;
}

int wane_group_create(struct wane_group **group, struct wane_group *parent,
		      const char *name)
{
	struct wane_group *new;
	int err;

	if (name && !name_is_valid(name))
		return -EINVAL;
	new = alloc_group(name);
	if (!new)
		return -ENOMEM;
	/* Without a reference yet: a look-up by id passes over it. */
	err = xarray_insert(&ids, new->id, new);
	if (err)
		goto free;
	err = join_forest(new, parent);
	if (err)
		goto erase;
	*group = new;
	return 0;

erase:
	xarray_erase(&ids, new->id);
	rcu_wait();
free:
	free_group(new);
	return err;
}

/* ---- References ------------------------------------------------------------ */

struct wane_group *wane_group_get(struct wane_group *group)
{
	ref_get(&group->refs);
	return group;
}

void wane_group_put(struct wane_group *group)
{
	if (!group || !ref_put(&group->refs))
		return;
	/* And no one is still about to take bytes away. */
	wane_assert(counter_usage(&group->counter) == 0);
	lock_take(&forest_lock);
	group_unname(group);
	lock_drop(&forest_lock);
	group_release(group);
}

static void free_deferred(struct rcu_head *head)
{
	struct wane_group *group = rcu_deferred(head, struct wane_group, rcu);
	struct wane_group *parent = group->parent;

	free_group(group);
	wane_group_put(parent);
}

void group_leave_forest(struct wane_group *group)
{
	struct wane_group *next;

	lock_take(&forest_lock);
	for (struct wane_group *g = group->parent; g; g = g->parent) {
		next = group_next(group, g);
		if (g->cursor == group)
			g->cursor = next;
	}
	list_del(&group->ring);
	lock_drop(&forest_lock);
	xarray_erase(&ids, group->id);
	rcu_defer(&group->rcu, free_deferred);
}

/* ---- Walks ------------------------------------------------------------------ */

bool group_is_below(const struct wane_group *group,
		    const struct wane_group *above)
{
	while (group && group->depth > above->depth)
		group = group->parent;
	return group == above;
}

struct wane_group *group_living(struct wane_group *group)
{
	while (group && wane_group_retired(group))
		group = group->parent;
	return group;
}

struct wane_group *group_first(void)
{
	struct list *link = list_next(&ring);

	return link == &ring ? NULL : list_entry(link, struct wane_group, ring);
}

struct wane_group *group_next(struct wane_group *group,
			      const struct wane_group *root)
{
	struct list *link = list_next(&group->ring);
	struct wane_group *next;

	if (link == &ring)
		return NULL;
	next = list_entry(link, struct wane_group, ring);
	return root && next->depth <= root->depth ? NULL : next;
}

struct wane_group *group_cursor_get(struct wane_group *root)
{
	struct wane_group *group;

	lock_take(&forest_lock);
	group = root->cursor;
	if (!group || !group_get_unless_gone(group))
		group = wane_group_get(root);
	lock_drop(&forest_lock);
	return group;
}

void group_cursor_set(struct wane_group *root, struct wane_group *group)
{
	lock_take(&forest_lock);
	root->cursor = group_next(group, root);
	lock_drop(&forest_lock);
}

/* ---- Look-ups ---------------------------------------------------------------- */

static struct wane_group *find_path(struct wane_group *root, const char *path)
{
	size_t length;

	if (strcmp(path, "/") == 0)
		return root;
	while (root && *path == '/') {
		path++;
		length = strcspn(path, "/");
		root = find_child(root, path, length);
		path += length;
	}
	return *path == '\0' ? root : NULL;
}

struct wane_group *wane_group_find(struct wane_group *root, const char *path)
{
	struct wane_group *group;

	if (!root || !path || *path != '/')
		return NULL;
	rcu_enter();
	group = find_path(root, path);
	if (group && !group_get_unless_gone(group))
		group = NULL;
	rcu_leave();
	return group;
}

struct wane_group *wane_group_find_id(uint64_t id)
{
	struct wane_group *group;

	rcu_enter();
	group = xarray_load(&ids, id);
	if (group && !group_get_unless_gone(group))
		group = NULL;
	rcu_leave();
	return group;
}

uint64_t wane_group_id(const struct wane_group *group)
{
	return group->id;
}

struct wane_group *wane_group_parent(const struct wane_group *group)
{
	return group->parent;
}

const char *wane_group_name(const struct wane_group *group)
{
	return group->name;
}

bool wane_group_retired(const struct wane_group *group)
{
	return load_acquire(&group->retired);
}

/* Write @name and a '/' before it so that they end before @end. */
static size_t prepend(char *buffer, size_t size, size_t end, const char *name)
{
	size_t length = strlen(name);
	size_t start = end - length;

	for (size_t i = 0; i < length; i++)
		if (start + i + 1 < size)
			buffer[start + i] = name[i];
	if (start < size)
		buffer[start - 1] = '/';
	return start - 1;
}

size_t wane_group_path(const struct wane_group *group, char *buffer,
		       size_t size)
{
	size_t length = 0;
	size_t end;

	for (const struct wane_group *g = group; g->parent; g = g->parent)
		length += 1 + strlen(g->name);
	if (size)
		buffer[min_of(max_of(length, (size_t)1), size - 1)] = '\0';
	end = length;
	for (const struct wane_group *g = group; g->parent; g = g->parent)
		end = prepend(buffer, size, end, g->name);
	if (length == 0 && size > 1)
		buffer[0] = '/';
	return max_of(length, (size_t)1);
}

/* ---- The thread's current group ---------------------------------------------- */

struct wane_group *wane_group_enter(struct wane_group *group)
{
	struct thread *thread = thread_self();
	struct wane_group *before = thread->current;

	thread->current = group;
	return before;
}

void wane_group_leave(struct wane_group *before)
{
	thread_self()->current = before;
}

struct wane_group *wane_group_current(void)
{
	return thread_self()->current;
}
