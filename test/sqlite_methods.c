// SPDX-License-Identifier: MIT
/*
 * sqlite_methods.c - the SQLite adapter's methods, one by one, without SQLite
 *
 * They are called as SQLite calls them, and as it may call them one day: by
 * the contract of sqlite3.h, and by the rules that only its source tells.  The
 * last test does so at random and compares with a naive model.
 */
#include "sqlite_db.h"

#include "port.h"

#define PAGE 4096
#define EXTRA 208
#define ONLY 0
#define EASY 1
#define HARD 2

static struct tenants tenants;
static sqlite3_pcache_methods2 m;

static int setup(void **state)
{
	(void)state;
	tenants_begin(&tenants);
	assert_int_equal(wane_sqlite_install(tenants.root), 0);
	assert_int_equal(sqlite3_config(SQLITE_CONFIG_GETPCACHE2, &m),
			 SQLITE_OK);
	return sqlite3_initialize();
}

static int remove_all(void **state)
{
	(void)state;
	assert_int_equal(db_info().caches, 0);
	assert_int_equal(db_info().bytes, 0);
	assert_int_equal(usage(tenants.root), 0);
	assert_int_equal(sqlite3_shutdown(), SQLITE_OK);
	assert_int_equal(wane_sqlite_remove(), 0);
	tenants_end(&tenants);
	return 0;
}

static int teardown(void **state)
{
	remove_all(state);
	assert_int_equal(quiet_base(), tenants.base);
	return 0;
}

static sqlite3_pcache *make(int page_size, bool purgeable, int max)
{
	struct wane_group *before = wane_group_enter(tenants.a);
	sqlite3_pcache *cache = m.xCreate(page_size, EXTRA, purgeable);

	wane_group_leave(before);
	assert_non_null(cache);
	m.xCachesize(cache, max);
	return cache;
}

/* Pages @first to @last, pinned, with their keys in them. */
static void fill(sqlite3_pcache *cache, unsigned int first, unsigned int last,
		 sqlite3_pcache_page **pages)
{
	sqlite3_pcache_page *page;
	unsigned int key = first;

	do {
		page = m.xFetch(cache, key, HARD);
		assert_non_null(page);
		*(unsigned int *)page->pBuf = key;
		if (pages)
			pages[key] = page;
		else
			m.xUnpin(cache, page, 0);
	} while (key++ != last);
}

static bool has(sqlite3_pcache *cache, unsigned int key)
{
	sqlite3_pcache_page *page = m.xFetch(cache, key, ONLY);

	if (!page)
		return false;
	assert_int_equal(*(unsigned int *)page->pBuf, key);
	m.xUnpin(cache, page, 0);
	return true;
}

/* ---- The contract -------------------------------------------------------- */

static void a_page_is_as_sqlite_needs_it(void **state)
{
	static const int sizes[] = { 512, 4096, 32768, 65536 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		sqlite3_pcache *cache = make(sizes[i], true, 10);

		/* New ones, and recycled ones when there are ten. */
		for (unsigned int key = 1; key <= 30; key++) {
			sqlite3_pcache_page *page = m.xFetch(cache, key, HARD);
			const volatile char *end =
				(char *)page->pBuf + sizes[i];

			assert_null(*(void **)page->pExtra);
			assert_int_equal((uintptr_t)page->pBuf % 8, 0);
			assert_int_equal((uintptr_t)page->pExtra % 8, 0);
			memset(page->pBuf, 0xff, (size_t)sizes[i]);
			memset(page->pExtra, 0xff, EXTRA);
			for (int byte = 0; byte < 16; byte++)
				(void)end[byte];
			m.xUnpin(cache, page, 0);
		}
		assert_int_equal(m.xPagecount(cache), 10);
		m.xDestroy(cache);
	}
}

static void fetch_finds_what_is_there(void **state)
{
	sqlite3_pcache *cache = make(PAGE, true, 1000);
	sqlite3_pcache_page *page;

	(void)state;
	assert_null(m.xFetch(cache, 1, ONLY));
	page = m.xFetch(cache, 1, EASY);
	assert_non_null(page);
	for (int how = ONLY; how <= HARD; how++)
		assert_ptr_equal(m.xFetch(cache, 1, how), page);
	/* One unpin for all four. */
	m.xUnpin(cache, page, 0);
	assert_int_equal(m.xPagecount(cache), 1);
	m.xShrink(cache);
	assert_int_equal(m.xPagecount(cache), 0);
	m.xDestroy(cache);
}

static void a_discarded_page_is_gone(void **state)
{
	sqlite3_pcache *cache = make(PAGE, true, 1000);
	sqlite3_pcache_page *page;

	(void)state;
	fill(cache, 1, 2, NULL);
	page = m.xFetch(cache, 1, ONLY);
	m.xUnpin(cache, page, 1);
	assert_false(has(cache, 1));
	assert_true(has(cache, 2));
	m.xDestroy(cache);
}

static void truncate_takes_the_pinned_too(void **state)
{
	sqlite3_pcache *cache = make(PAGE, true, 1000);
	sqlite3_pcache_page *pages[301];

	(void)state;
	fill(cache, 1, 300, NULL);
	fill(cache, 100, 200, pages);
	m.xTruncate(cache, 301);
	assert_int_equal(m.xPagecount(cache), 300);
	m.xTruncate(cache, 300);
	assert_int_equal(m.xPagecount(cache), 299);
	m.xTruncate(cache, 151);
	assert_int_equal(m.xPagecount(cache), 150);
	assert_true(has(cache, 150));
	assert_false(has(cache, 151));
	m.xTruncate(cache, 0);
	assert_int_equal(m.xPagecount(cache), 0);
	m.xDestroy(cache);
}

static void rekey_discards_what_is_in_the_way(void **state)
{
	sqlite3_pcache *cache = make(PAGE, true, 1000);
	sqlite3_pcache_page *page;

	(void)state;
	fill(cache, 1, 40, NULL);
	page = m.xFetch(cache, 7, ONLY);
	m.xRekey(cache, page, 7, 23);
	assert_int_equal(m.xPagecount(cache), 39);
	assert_null(m.xFetch(cache, 7, ONLY));
	assert_ptr_equal(m.xFetch(cache, 23, ONLY), page);
	m.xRekey(cache, page, 23, 5000);
	assert_null(m.xFetch(cache, 23, ONLY));
	m.xTruncate(cache, 5000);
	assert_int_equal(m.xPagecount(cache), 38);
	m.xDestroy(cache);
}

static void keys_may_be_any(void **state)
{
	static const unsigned int keys[] = { 1, 0x10001, 0x80000000, 0xfffffffe,
					     0xffffffff };
	sqlite3_pcache *cache = make(PAGE, true, 1000);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		fill(cache, keys[i], keys[i], NULL);
	assert_int_equal(m.xPagecount(cache), ARRAY_SIZE(keys));
	m.xTruncate(cache, 0xffffffff);
	assert_true(has(cache, 0xfffffffe));
	m.xTruncate(cache, 2);
	assert_int_equal(m.xPagecount(cache), 1);
	m.xDestroy(cache);
}

/* ---- The size of a cache ------------------------------------------------- */

static void unpinning_shrinks_a_cache_that_is_too_large(void **state)
{
	sqlite3_pcache *cache = make(PAGE, true, 1000);
	sqlite3_pcache_page *pages[21];

	(void)state;
	fill(cache, 1, 20, pages);
	m.xCachesize(cache, 8);
	assert_int_equal(m.xPagecount(cache), 20);
	for (int key = 1; key <= 20; key++)
		m.xUnpin(cache, pages[key], 0);
	assert_int_equal(m.xPagecount(cache), 8);
	assert_int_equal(db_info().pages, 8);
	m.xDestroy(cache);
}

/* A NULL has SQLite write a dirty page, which is to be had before that. */
static void it_is_not_easy_when_most_are_pinned(void **state)
{
	sqlite3_pcache *cache = make(PAGE, true, 20);
	sqlite3_pcache_page *pages[21];

	(void)state;
	fill(cache, 1, 17, pages);
	pages[18] = m.xFetch(cache, 18, EASY);
	assert_non_null(pages[18]);
	assert_null(m.xFetch(cache, 19, EASY));
	assert_non_null(m.xFetch(cache, 19, HARD));
	m.xUnpin(cache, pages[17], 0);
	m.xUnpin(cache, pages[18], 0);
	assert_non_null(m.xFetch(cache, 20, EASY));
	assert_int_equal(m.xPagecount(cache), 20);
	m.xDestroy(cache);
}

static void it_recycles_the_oldest_unused_page(void **state)
{
	sqlite3_pcache *cache = make(PAGE, true, 10);
	sqlite3_pcache_page *pinned;

	(void)state;
	fill(cache, 1, 10, NULL);
	assert_true(has(cache, 1));
	pinned = m.xFetch(cache, 3, ONLY);
	fill(cache, 11, 12, NULL);
	assert_int_equal(m.xPagecount(cache), 10);
	assert_false(has(cache, 2));
	assert_false(has(cache, 4));
	assert_true(has(cache, 1));
	assert_ptr_equal(m.xFetch(cache, 3, ONLY), pinned);
	m.xDestroy(cache);
}

static void what_cannot_be_read_again_stays(void **state)
{
	sqlite3_pcache *cache = make(PAGE, false, 10);

	(void)state;
	fill(cache, 1, 20, NULL);
	m.xCachesize(cache, 5);
	m.xShrink(cache);
	wane_reclaim_all();
	for (unsigned int key = 1; key <= 20; key++)
		assert_true(has(cache, key));
	assert_non_null(m.xFetch(cache, 21, EASY));
	m.xDestroy(cache);
}

/* ---- Without memory ------------------------------------------------------ */

static void its_own_pages_are_the_last_resort(void **state)
{
	sqlite3_pcache *cache = make(PAGE, true, 1000);
	unsigned int key = 1;

	(void)state;
	fill(cache, 1, 10, NULL);
	fault_inject(1, true);
	/* What is at hand first, then one of its own for each new one. */
	for (key = 11; !fault_happened(); key++)
		fill(cache, key, key, NULL);
	fill(cache, key, key + 100, NULL);
	fault_inject(0, false);
	assert_true(m.xPagecount(cache) < 101);
	assert_int_equal(db_info().refused, 0);
	m.xDestroy(cache);
}

static void a_refusal_leaves_nothing(void **state)
{
	(void)state;
	for (int size = 512; size <= 65536; size *= 2) {
		sqlite3_pcache *cache = make(size, true, 1000);
		uint64_t refused = db_info().refused;
		size_t before = db_info().bytes;

		/* Its header may fit, and its buffer does not. */
		assert_int_equal(wane_group_set_limit(tenants.a, WANE_MAX,
						      before + 400),
				 0);
		assert_null(m.xFetch(cache, 1, HARD));
		assert_null(m.xFetch(cache, 1, EASY));
		assert_int_equal(db_info().refused, refused + 2);
		assert_int_equal(db_info().bytes, before);
		assert_int_equal(usage(tenants.a), before);
		wane_group_set_limit(tenants.a, WANE_MAX, WANE_UNLIMITED);
		fill(cache, 1, 1, NULL);
		m.xDestroy(cache);
	}
}

/* ---- At random ----------------------------------------------------------- */

#define KEYS 400

/* What is pinned must be there; what is not may be, with what was in it. */
static struct {
	sqlite3_pcache_page *pinned;
	unsigned int content; /* 0: surely not there */
} model[KEYS];

static unsigned int last_content;

static void fetch_some(sqlite3_pcache *cache, unsigned int key, int how)
{
	sqlite3_pcache_page *page = m.xFetch(cache, key, how);
	unsigned int *content = page ? page->pBuf : NULL;

	if (model[key].pinned)
		assert_ptr_equal(page, model[key].pinned);
	if (!page)
		return;
	if (*(void **)page->pExtra) {
		assert_int_not_equal(model[key].content, 0);
		assert_int_equal(*content, model[key].content);
	} else {
		assert_null(model[key].pinned);
		*(void **)page->pExtra = page;
		*content = model[key].content = ++last_content;
	}
	model[key].pinned = page;
}

static void unpin_some(sqlite3_pcache *cache, unsigned int key, bool discard)
{
	if (!model[key].pinned)
		return;
	m.xUnpin(cache, model[key].pinned, discard);
	model[key].pinned = NULL;
	if (discard)
		model[key].content = 0;
}

static void rekey_some(sqlite3_pcache *cache, unsigned int from,
		       unsigned int to)
{
	if (!model[from].pinned || model[to].pinned || from == to)
		return;
	m.xRekey(cache, model[from].pinned, from, to);
	model[to] = model[from];
	model[from].pinned = NULL;
	model[from].content = 0;
}

static void truncate_some(sqlite3_pcache *cache, unsigned int first)
{
	m.xTruncate(cache, first);
	for (unsigned int key = first; key < KEYS; key++) {
		model[key].pinned = NULL;
		model[key].content = 0;
	}
}

static void check_count(sqlite3_pcache *cache)
{
	int pinned = 0, known = 0;

	for (unsigned int key = 1; key < KEYS; key++) {
		pinned += model[key].pinned != NULL;
		known += model[key].content != 0;
	}
	assert_in_range(m.xPagecount(cache), pinned, known);
}

static void do_something(sqlite3_pcache *cache, struct test_random *random)
{
	unsigned int key =
		1 + (unsigned int)test_random_below(random, KEYS - 1);

	switch (test_random_below(random, 300)) {
	case 0:
		truncate_some(cache, test_random_one_in(random, 5) ? 1 : key);
		break;
	case 1:
		m.xCachesize(cache, (int)key);
		break;
	case 2:
		m.xShrink(cache);
		break;
	case 3:
		wane_group_reclaim(tenants.a, key * 1024);
		break;
	case 4:
		wane_group_set_limit(tenants.a, WANE_MAX, key * 4096);
		break;
	case 5:
		check_count(cache);
		break;
	case 6 ... 12:
		rekey_some(cache, key,
			   1 + (unsigned int)test_random_below(random,
							       KEYS - 1));
		break;
	case 13 ... 20:
		unpin_some(cache, key, true);
		break;
	case 21 ... 170:
		unpin_some(cache, key, false);
		break;
	default:
		fetch_some(cache, key, (int)test_random_below(random, 3));
		break;
	}
}

static void at_random_it_is_as_the_model(void **state)
{
	struct test_random random = { test_seed() };
	sqlite3_pcache *cache;

	(void)state;
	for (int round = 0; round < 5; round++) {
		cache = make(512 << 2 * round % 8, true, 200);
		memset(model, 0, sizeof(model));
		for (int i = 0; i < 100000; i++)
			do_something(cache, &random);
		check_count(cache);
		m.xDestroy(cache);
	}
	assert_true(db_info().reclaimed > 0);
}

/* What the library keeps once it was used is there before the first base. */
static int use_once(void **state)
{
	sqlite3_pcache *cache;

	setup(state);
	cache = make(PAGE, true, 10);
	fill(cache, 1, 1, NULL);
	m.xDestroy(cache);
	return remove_all(state);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_page_is_as_sqlite_needs_it),
		TEST(fetch_finds_what_is_there),
		TEST(a_discarded_page_is_gone),
		TEST(truncate_takes_the_pinned_too),
		TEST(rekey_discards_what_is_in_the_way),
		TEST(keys_may_be_any),
		TEST(unpinning_shrinks_a_cache_that_is_too_large),
		TEST(it_is_not_easy_when_most_are_pinned),
		TEST(it_recycles_the_oldest_unused_page),
		TEST(what_cannot_be_read_again_stays),
		TEST(its_own_pages_are_the_last_resort),
		TEST(a_refusal_leaves_nothing),
		TEST(at_random_it_is_as_the_model),
	};

	return cmocka_run_group_tests(tests, use_once, NULL);
}
