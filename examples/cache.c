/* SPDX-License-Identifier: MIT */
/*
 * A cache of pages for two tenants, within one budget of 1 MiB.
 *
 *	cc cache.c $(pkg-config --cflags --libs wane) && ./a.out
 *
 * Each tenant's pages are charged to its group.  A page that no one uses is
 * listed; when a charge would pass the budget, the oldest ones go.
 */
#include <stdio.h>
#include <wane/wane.h>

#define container_of(p, t, m) ((t *)((char *)(p)-offsetof(t, m)))

struct page {
	struct wane_item idle;
	bool used;
	char bytes[4096];
};

struct cache {
	struct wane_slab *pages;
	struct wane_shrinker *shrinker;
	struct wane_lru *idle;
};

static enum wane_verdict judge(struct wane_item *item, void *unused)
{
	struct page *page = container_of(item, struct page, idle);

	(void)unused;
	if (!page->used)
		return WANE_TAKE;
	page->used = false; /* a second chance */
	return WANE_ROTATE;
}

static long count(void *cache, struct wane_shrink *sc)
{
	struct cache *c = cache;

	return wane_lru_count(c->idle, sc->group, sc->node);
}

static long scan(void *cache, struct wane_shrink *sc)
{
	struct cache *c = cache;
	struct wane_item taken, *item;
	size_t nr;

	wane_item_init(&taken);
	nr = wane_lru_take(c->idle, sc, judge, NULL, &taken);
	while ((item = wane_item_pop(&taken)))
		wane_slab_free(c->pages, container_of(item, struct page, idle));
	return (long)nr;
}

static int cache_init(struct cache *c)
{
	const struct wane_slab_config config = {
		.size = sizeof(config),
		.name = "page",
		.object_size = sizeof(struct page),
		.flags = WANE_SLAB_CHARGED,
	};
	const struct wane_shrinker_ops ops = {
		.size = sizeof(ops),
		.name = "page",
		.count = count,
		.scan = scan,
		.batch = 8,
	};
	int err;

	err = wane_slab_create(&c->pages, &config);
	if (err)
		return err;
	err = wane_shrinker_create(&c->shrinker, &ops, c);
	if (err)
		goto destroy_slab;
	err = wane_lru_create(&c->idle, c->shrinker);
	if (err)
		goto destroy_shrinker;
	wane_shrinker_start(c->shrinker);
	return 0;

destroy_shrinker:
	wane_shrinker_destroy(c->shrinker);
destroy_slab:
	(void)wane_slab_destroy(c->pages);
	return err;
}

static void cache_exit(struct cache *c)
{
	wane_reclaim_all();
	wane_shrinker_destroy(c->shrinker);
	wane_lru_destroy(c->idle);
	(void)wane_slab_destroy(c->pages);
}

/* Build a page, use it, and leave it idle. */
static int cache_use(struct cache *c, struct wane_group *tenant)
{
	struct page *page;
	int err = wane_lru_prepare(c->idle, tenant);

	if (err)
		return err;
	page = wane_slab_alloc(c->pages, tenant, 0);
	if (!page)
		return -1;
	wane_item_init(&page->idle);
	page->used = false;
	wane_lru_add(c->idle, &page->idle, tenant, wane_slab_node(page));
	return 0;
}

int main(void)
{
	struct wane_group *root, *alice, *bob;
	struct cache cache;

	if (wane_group_create(&root, NULL, NULL) ||
	    wane_group_create(&alice, root, "alice") ||
	    wane_group_create(&bob, root, "bob") || cache_init(&cache))
		return 1;
	if (wane_group_set_limit(root, WANE_MAX, 1024 * 1024) ||
	    wane_group_set_limit(bob, WANE_MIN, 256 * 1024))
		return 1;

	for (int i = 0; i < 50; i++)
		if (cache_use(&cache, bob))
			return 1;
	for (int i = 0; i < 10000; i++)
		if (cache_use(&cache, alice))
			return 1;

	printf("the budget   1024 KiB\n");
	printf("both use     %zu KiB, at most %zu KiB\n",
	       wane_group_usage(root) / 1024, wane_group_peak(root) / 1024);
	printf("alice uses   %zu KiB after 10,000 pages\n",
	       wane_group_usage(alice) / 1024);
	printf("bob kept     %zu KiB under his min\n",
	       wane_group_usage(bob) / 1024);

	cache_exit(&cache);
	wane_group_put(bob);
	wane_group_put(alice);
	wane_group_put(root);
	return 0;
}
