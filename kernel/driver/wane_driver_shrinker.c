// SPDX-License-Identifier: GPL-2.0-only
/*
 * wane_driver_shrinker.c - test shrinkers: made, called back, freed
 *
 *	table		0   1   2   3 ...
 *			|   |
 *	wane_shrinker	shrinker, registered or not
 *			lru 0, lru 1 if asked for
 *
 * Freed      in two orders. As a super block does it: shrinker_free(), and the
 *            lists go later, so items may still be added between. Or the lists
 *            first: then callbacks must find that out (@destroyed, under RCU),
 *            for the shrinker is still called.
 * Sleeping   scans hold no lock of ours, so that everything else can be done
 *            while one sleeps; free waits for it, and wake is what ends that.
 */
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "wane_driver.h"

#define TABLE_SIZE 4096
#define LONGEST_BATCH (1 << 20)

static struct wane_shrinker *table[TABLE_SIZE];
static DEFINE_MUTEX(table_lock);

/* ---- Callbacks ---------------------------------------------------------- */

unsigned long wane_shrinker_count(struct wane_shrinker *test, int nid,
				  struct mem_cgroup *memcg)
{
	unsigned long nr = 0;
	int i;

	for (i = 0; i < smp_load_acquire(&test->nr_lrus); i++) {
		if (!READ_ONCE(test->destroyed[i]))
			nr += list_lru_count_one(&test->lru[i], nid, memcg);
	}
	return nr;
}

static unsigned long count_objects(struct shrinker *shrinker,
				   struct shrink_control *sc)
{
	struct wane_shrinker *test = shrinker->private_data;
	unsigned long nr;

	atomic_long_inc(&test->counts);
	rcu_read_lock();
	nr = wane_shrinker_count(test, sc->nid, sc->memcg);
	rcu_read_unlock();
	if (nr)
		return nr;
	wait_event(test->awake, READ_ONCE(test->mode) != WANE_SLEEP_EMPTY);
	return SHRINK_EMPTY;
}

static unsigned long scan_lrus(struct wane_shrinker *test,
			       struct shrink_control *sc)
{
	unsigned long freed = 0;
	int i;

	rcu_read_lock();
	for (i = 0; i < smp_load_acquire(&test->nr_lrus); i++) {
		if (READ_ONCE(test->destroyed[i]) || freed == sc->nr_to_scan)
			continue;
		freed += wane_items_scan(&test->lru[i], sc->nid, sc->memcg,
					 sc->nr_to_scan - freed);
	}
	rcu_read_unlock();
	return freed;
}

static unsigned long scan_objects(struct shrinker *shrinker,
				  struct shrink_control *sc)
{
	struct wane_shrinker *test = shrinker->private_data;

	atomic_long_inc(&test->scans);
	wait_event(test->awake, READ_ONCE(test->mode) != WANE_SLEEP);
	if (READ_ONCE(test->mode) == WANE_STOP)
		return SHRINK_STOP;
	return scan_lrus(test, sc);
}

/* ---- The table ---------------------------------------------------------- */

static void test_release(struct kref *refs)
{
	kfree(container_of(refs, struct wane_shrinker, refs));
}

void wane_shrinker_put(struct wane_shrinker *test)
{
	kref_put(&test->refs, test_release);
}

struct wane_shrinker *wane_shrinker_next(long *index)
{
	struct wane_shrinker *test = NULL;

	mutex_lock(&table_lock);
	for (; *index < TABLE_SIZE && !test; ++*index)
		test = table[*index];
	if (test)
		kref_get(&test->refs);
	mutex_unlock(&table_lock);
	return test;
}

struct wane_shrinker *wane_shrinker_get(long index, struct wane_answer *answer)
{
	struct wane_shrinker *test = NULL;

	mutex_lock(&table_lock);
	if (index < TABLE_SIZE)
		test = table[index];
	if (test)
		kref_get(&test->refs);
	mutex_unlock(&table_lock);
	if (!test)
		wane_say(answer, "error there is no test shrinker %ld", index);
	return test;
}

/* Returns the index, or -1 when the table is full. */
static long table_add(struct wane_shrinker *test)
{
	long i;

	mutex_lock(&table_lock);
	for (i = 0; i < TABLE_SIZE && table[i]; i++)
		;
	if (i < TABLE_SIZE)
		table[i] = test;
	mutex_unlock(&table_lock);
	return i < TABLE_SIZE ? i : -1;
}

static void table_remove(struct wane_shrinker *test)
{
	long i;

	mutex_lock(&table_lock);
	for (i = 0; i < TABLE_SIZE; i++) {
		if (table[i] == test)
			table[i] = NULL;
	}
	mutex_unlock(&table_lock);
	wane_shrinker_put(test);
}

/* ---- Freed -------------------------------------------------------------- */

static void free_shrinker(struct wane_shrinker *test)
{
	struct shrinker *shrinker;

	down_write(&test->life);
	shrinker = test->shrinker;
	test->shrinker = NULL;
	test->registered = false;
	up_write(&test->life);
	if (shrinker)
		shrinker_free(shrinker);
}

/* False when there is no such list, or no more. */
static bool free_list(struct wane_shrinker *test, long lru)
{
	bool mine;

	down_write(&test->life);
	mine = lru < test->nr_lrus && !test->destroyed[lru];
	if (mine) {
		WRITE_ONCE(test->destroyed[lru], true);
		synchronize_rcu();
		wane_items_drain(&test->lru[lru]);
		list_lru_destroy(&test->lru[lru]);
	}
	up_write(&test->life);
	return mine;
}

static void free_lists(struct wane_shrinker *test)
{
	int i;

	for (i = 0; i < WANE_LRUS; i++)
		free_list(test, i);
}

/* False when someone else frees it already. */
static bool free_test(struct wane_shrinker *test, bool lists_first)
{
	bool mine;

	down_write(&test->life);
	mine = !test->freed;
	test->freed = true;
	up_write(&test->life);
	if (!mine)
		return false;
	if (lists_first)
		free_lists(test);
	free_shrinker(test);
	if (!lists_first)
		free_lists(test);
	table_remove(test);
	return true;
}

/* ---- Made --------------------------------------------------------------- */

/*
 * Every other one is NONSLAB.  Without kmem accounting that one stays aware of
 * memcgs, though its lists are not.
 */
static unsigned int new_flags(void)
{
	static atomic_t nr_made;
	unsigned int flags = SHRINKER_NUMA_AWARE | SHRINKER_MEMCG_AWARE;

	if (atomic_inc_return(&nr_made) % 2 == 0)
		flags |= SHRINKER_NONSLAB;
	return flags;
}

static struct shrinker *make_shrinker(struct wane_shrinker *test, long batch)
{
	struct shrinker *shrinker;

	shrinker = shrinker_alloc(new_flags(), "wane-test");
	if (!shrinker)
		return NULL;
	shrinker->count_objects = count_objects;
	shrinker->scan_objects = scan_objects;
	shrinker->batch = batch;
	shrinker->private_data = test;
	return shrinker;
}

static struct wane_shrinker *make_test(long batch)
{
	struct wane_shrinker *test = kzalloc_obj(*test);

	if (!test)
		return NULL;
	kref_init(&test->refs);
	init_rwsem(&test->life);
	init_waitqueue_head(&test->awake);
	test->shrinker = make_shrinker(test, batch);
	if (!test->shrinker)
		goto no_shrinker;
	if (list_lru_init_memcg(&test->lru[0], test->shrinker))
		goto no_lru;
	test->nr_lrus = 1;
	return test;

no_lru:
	shrinker_free(test->shrinker);
no_shrinker:
	wane_shrinker_put(test);
	return NULL;
}

static void register_test(struct wane_shrinker *test)
{
	lockdep_assert_held_write(&test->life);
	shrinker_register(test->shrinker);
	test->registered = true;
}

void wane_new(const long *argument, struct wane_answer *answer)
{
	struct wane_shrinker *test;
	long index;

	if (argument[0] > LONGEST_BATCH) {
		wane_say(answer, "error a batch is at most %d", LONGEST_BATCH);
		return;
	}
	test = make_test(argument[0]);
	if (!test) {
		wane_say(answer, "error no memory");
		return;
	}
	if (argument[1]) {
		down_write(&test->life);
		register_test(test);
		up_write(&test->life);
	}
	index = table_add(test);
	if (index < 0) {
		wane_say(answer, "error there are %d test shrinkers already",
			 TABLE_SIZE);
		free_test(test, false);
		return;
	}
	wane_say(answer, "%ld", index);
}

void wane_register(const long *argument, struct wane_answer *answer)
{
	struct wane_shrinker *test = wane_shrinker_get(argument[0], answer);

	if (!test)
		return;
	down_write(&test->life);
	if (!test->shrinker || test->registered) {
		wane_say(answer, "error %ld is registered or freed already",
			 argument[0]);
	} else {
		register_test(test);
		wane_say(answer, "0");
	}
	up_write(&test->life);
	wane_shrinker_put(test);
}

void wane_second(const long *argument, struct wane_answer *answer)
{
	struct wane_shrinker *test = wane_shrinker_get(argument[0], answer);

	if (!test)
		return;
	down_write(&test->life);
	if (!test->shrinker || test->nr_lrus == WANE_LRUS) {
		wane_say(answer, "error %ld has a second list or is freed",
			 argument[0]);
	} else if (list_lru_init_memcg(&test->lru[1], test->shrinker)) {
		wane_say(answer, "error no memory");
	} else {
		smp_store_release(&test->nr_lrus, WANE_LRUS);
		wane_say(answer, "0");
	}
	up_write(&test->life);
	wane_shrinker_put(test);
}

/* ---- Called ------------------------------------------------------------- */

static void change_mode(struct wane_shrinker *test, enum wane_mode mode)
{
	WRITE_ONCE(test->mode, mode);
	wake_up_all(&test->awake);
}

void wane_set_mode(const long *argument, struct wane_answer *answer)
{
	struct wane_shrinker *test;

	if (argument[1] > WANE_SLEEP_EMPTY) {
		wane_say(answer, "error a mode is 0 to %d, not %ld",
			 WANE_SLEEP_EMPTY, argument[1]);
		return;
	}
	test = wane_shrinker_get(argument[0], answer);
	if (!test)
		return;
	change_mode(test, argument[1]);
	wane_say(answer, "0");
	wane_shrinker_put(test);
}

void wane_wake(const long *argument, struct wane_answer *answer)
{
	const long to_free[] = { argument[0], WANE_FREE };

	wane_set_mode(to_free, answer);
}

void wane_calls(const long *argument, struct wane_answer *answer)
{
	struct wane_shrinker *test = wane_shrinker_get(argument[0], answer);

	if (!test)
		return;
	wane_say(answer, "%ld %ld", atomic_long_read(&test->counts),
		 atomic_long_read(&test->scans));
	wane_shrinker_put(test);
}

void wane_free(const long *argument, struct wane_answer *answer)
{
	struct wane_shrinker *test;

	if (argument[1] > 1) {
		wane_say(answer, "error an order is 0 or 1, not %ld",
			 argument[1]);
		return;
	}
	test = wane_shrinker_get(argument[0], answer);
	if (!test)
		return;
	if (free_test(test, argument[1]))
		wane_say(answer, "0");
	else
		wane_say(answer, "error %ld is freed already", argument[0]);
	wane_shrinker_put(test);
}

void wane_end(const long *argument, struct wane_answer *answer)
{
	struct wane_shrinker *test = wane_shrinker_get(argument[0], answer);

	if (!test)
		return;
	free_shrinker(test);
	wane_say(answer, "0");
	wane_shrinker_put(test);
}

void wane_destroy(const long *argument, struct wane_answer *answer)
{
	struct wane_shrinker *test = wane_shrinker_get(argument[0], answer);

	if (!test)
		return;
	if (free_list(test, argument[1]))
		wane_say(answer, "0");
	else
		wane_say(answer, "error test shrinker %ld has no list %ld",
			 argument[0], argument[1]);
	wane_shrinker_put(test);
}

void wane_shrinkers_reset(void)
{
	struct wane_shrinker *test;
	long index = 0;

	while ((test = wane_shrinker_next(&index))) {
		change_mode(test, WANE_FREE);
		free_test(test, false);
		wane_shrinker_put(test);
	}
}
