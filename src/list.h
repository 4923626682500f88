/* SPDX-License-Identifier: MIT */
/*
 * list.h - an intrusive ring of links
 *
 * A head is a link that stands in no object.  A link that points to itself is
 * on no list.  Whoever owns the list names the lock; ring_next() is for
 * readers under RCU.
 */
#ifndef WANE_LIST_H
#define WANE_LIST_H

#include "rcu.h"

struct list {
	struct list *prev;
	struct list *next;
};

#define LIST_INIT(name)          \
	{                        \
		&(name), &(name) \
	}

static inline void list_init(struct list *link)
{
	link->prev = link;
	link->next = link;
}

static inline bool list_empty(const struct list *link)
{
	return link->next == link;
}

/* Put @link behind @place; RCU readers see it whole or not at all. */
static inline void list_add_after(struct list *link, struct list *place)
{
	link->prev = place;
	link->next = place->next;
	place->next->prev = link;
	rcu_publish(&place->next, link);
}

static inline void list_add_last(struct list *link, struct list *head)
{
	list_add_after(link, head->prev);
}

/* @link keeps its own pointers, so that RCU readers at it find their way. */
static inline void list_del(struct list *link)
{
	link->next->prev = link->prev;
	rcu_publish(&link->prev->next, link->next);
}

static inline void list_del_init(struct list *link)
{
	list_del(link);
	list_init(link);
}

static inline struct list *list_next(struct list *link)
{
	return rcu_read(&link->next);
}

#define list_entry(link, type, member) container_of(link, type, member)

#define list_for_each(link, head)                                 \
	for (struct list *link = list_next(head); link != (head); \
	     link = list_next(link))

#endif /* WANE_LIST_H */
