// SPDX-License-Identifier: MIT
/*
 * sqlite_stress.c - tenants at work while a thief takes every page it can
 *
 * Each worker has three databases of different kinds, in groups that come and
 * go, and an array that says what is in them; it inserts, updates, deletes,
 * rolls back, vacuums and looks up at random.  The thief reclaims everything,
 * all the time, and moves the limits.  A worker that gets a wrong answer has
 * found a bug; one that gets SQLITE_NOMEM rolls back and goes on.
 */
#include "sqlite_db.h"

#include <pthread.h>
#include <time.h>

#define WORKERS 3
#define KINDS 3
#define ROWS 400
#define NO_ROW (-1)

static struct tenants tenants;
static bool stop;
static unsigned long thefts;

/**
 * struct database - One of a worker's files.
 * @db: Its connection.
 * @group: Who pays for it.
 * @name: Of the file.
 * @pragmas: What makes it special.
 * @value: By id: the value of that row, or NO_ROW.
 */
struct database {
	sqlite3 *db;
	struct wane_group *group;
	char name[32];
	const char *pragmas;
	int value[ROWS];
};

struct worker {
	pthread_t thread;
	struct test_random random;
	struct database databases[KINDS];
	unsigned long done;
	unsigned long refused;
	char wrong[160];
};

/* cmocka's assertions are for the main thread. */
static void expect(struct worker *worker, bool right, const char *what,
		   sqlite3 *db)
{
	if (right || worker->wrong[0])
		return;
	snprintf(worker->wrong, sizeof(worker->wrong), "%s: %s", what,
		 sqlite3_errmsg(db));
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
}

/* Returns whether it worked; memory may run out, nothing else may happen. */
static bool run(struct worker *worker, struct database *d, const char *sql)
{
	int ret = db_try(d->db, sql);

	if (ret == SQLITE_NOMEM || ret == SQLITE_IOERR_NOMEM) {
		worker->refused++;
		if (!sqlite3_get_autocommit(d->db))
			db_try(d->db, "ROLLBACK");
		return false;
	}
	expect(worker, ret == SQLITE_OK, sql, d->db);
	return ret == SQLITE_OK;
}

/* ---- What a worker does -------------------------------------------------- */

static void reopen(struct worker *worker, struct database *d)
{
	struct wane_group *old = d->group, *before;

	expect(worker, sqlite3_close(d->db) == SQLITE_OK, "close", d->db);
	expect(worker, !wane_group_create(&d->group, tenants.root, NULL),
	       "group", NULL);
	/* Sometimes the old group retires with pages that others still use. */
	if (old && test_random_one_in(&worker->random, 2))
		wane_group_retire(old);
	wane_group_put(old);

	before = wane_group_enter(d->group);
	while (db_try_open(&tenants, &d->db, d->name, "") != SQLITE_OK)
		sqlite3_close(d->db);
	wane_group_leave(before);
	while (!(run(worker, d, "PRAGMA synchronous = off") &&
		 run(worker, d, d->pragmas)) &&
	       !worker->wrong[0])
		continue;
}

static void put_row(struct worker *worker, struct database *d)
{
	int id = (int)test_random_below(&worker->random, ROWS);
	int value = (int)test_random_below(&worker->random, 1000);
	char sql[200];

	snprintf(sql, sizeof(sql),
		 "INSERT OR REPLACE INTO t VALUES (%d, %d, "
		 "printf('%%0%dd', %d))",
		 id, value, 50 + value, id);
	if (run(worker, d, sql))
		d->value[id] = value;
}

static void delete_row(struct worker *worker, struct database *d)
{
	int id = (int)test_random_below(&worker->random, ROWS);
	char sql[64];

	snprintf(sql, sizeof(sql), "DELETE FROM t WHERE id = %d", id);
	if (run(worker, d, sql))
		d->value[id] = NO_ROW;
}

static void look_up(struct worker *worker, struct database *d)
{
	int id = (int)test_random_below(&worker->random, ROWS);
	int64_t value;
	char sql[80];

	snprintf(sql, sizeof(sql), "SELECT value FROM t WHERE id = %d", id);
	value = db_try_number(d->db, sql);
	if (value == -SQLITE_NOMEM || value == -SQLITE_IOERR_NOMEM)
		worker->refused++;
	else
		expect(worker, value == d->value[id], sql, d->db);
}

static int64_t sum_of(const struct database *d)
{
	int64_t sum = 0;

	for (int id = 0; id < ROWS; id++)
		if (d->value[id] != NO_ROW)
			sum += d->value[id] + id;
	return sum;
}

static void scan(struct worker *worker, struct database *d)
{
	int64_t sum = db_try_number(
		d->db, "SELECT ifnull(sum(value + CAST(text AS INT)), 0) "
		       "FROM t");

	if (sum == -SQLITE_NOMEM || sum == -SQLITE_IOERR_NOMEM)
		worker->refused++;
	else
		expect(worker, sum == sum_of(d), "sum", d->db);
}

static void roll_back(struct worker *worker, struct database *d)
{
	if (run(worker, d,
		"BEGIN; UPDATE t SET value = value + 1, text = text || 'x'; "
		"SAVEPOINT s; DELETE FROM t WHERE id % 3; ROLLBACK TO s; "
		"SELECT count(*) FROM t"))
		run(worker, d, "ROLLBACK");
}

static void sort(struct worker *worker, struct database *d)
{
	run(worker, d,
	    "CREATE TEMP TABLE IF NOT EXISTS u(text); DELETE FROM u; "
	    "INSERT INTO u SELECT DISTINCT text FROM t ORDER BY text; "
	    "SELECT text FROM t UNION SELECT text FROM u");
}

static void work_once(struct worker *worker)
{
	struct test_random *random = &worker->random;
	struct database *d =
		&worker->databases[test_random_below(random, KINDS)];

	switch (test_random_below(random, 64)) {
	case 0:
		reopen(worker, d);
		break;
	case 1:
		run(worker, d, "VACUUM");
		break;
	case 2:
		sort(worker, d);
		break;
	case 3 ... 5:
		roll_back(worker, d);
		break;
	case 6 ... 9:
		scan(worker, d);
		break;
	case 10 ... 15:
		delete_row(worker, d);
		break;
	case 16 ... 30:
		put_row(worker, d);
		break;
	default:
		look_up(worker, d);
		break;
	}
	worker->done++;
}

static void *work(void *arg)
{
	struct worker *worker = arg;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
		work_once(worker);
	return NULL;
}

/* ---- The thief ----------------------------------------------------------- */

static void *steal(void *arg)
{
	struct test_random *random = arg;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		if (test_random_one_in(random, 20))
			wane_group_set_limit(tenants.root, WANE_MAX,
					     test_random_below(random, 3000) *
						     1024);
		if (test_random_one_in(random, 3))
			wane_group_set_limit(tenants.root, WANE_MAX,
					     WANE_UNLIMITED);
		thefts += wane_reclaim_all();
		wane_group_reclaim(tenants.root, 64 * 1024);
		if (test_random_one_in(random, 50))
			nanosleep(&(struct timespec){ .tv_nsec = 2000000 },
				  NULL);
	}
	return NULL;
}

/* ---- Begin and end ------------------------------------------------------- */

static void database_begin(struct worker *worker, struct database *d, int nr)
{
	static const char *const pragmas[KINDS] = {
		"PRAGMA cache_size = 40",
		"PRAGMA journal_mode = wal",
		"PRAGMA page_size = 1024; PRAGMA auto_vacuum = 1",
	};

	snprintf(d->name, sizeof(d->name), "%d.db", nr);
	d->pragmas = pragmas[nr % KINDS];
	for (int id = 0; id < ROWS; id++)
		d->value[id] = NO_ROW;
	reopen(worker, d);
	db_run(d->db, "CREATE TABLE t(id INTEGER PRIMARY KEY, value INT, "
		      "text UNIQUE)");
}

static void database_end(struct worker *worker, struct database *d)
{
	scan(worker, d);
	if (worker->wrong[0])
		fail_msg("%s: %s", d->name, worker->wrong);
	db_assert_number(d->db,
			 "SELECT integrity_check = 'ok' "
			 "FROM pragma_integrity_check",
			 1);
	db_close(d->db);
	wane_group_put(d->group);
}

static void worker_begin(struct worker *worker, int nr)
{
	worker->random.state = test_seed() + (uint64_t)nr;
	for (int i = 0; i < KINDS; i++)
		database_begin(worker, &worker->databases[i], KINDS * nr + i);
}

static void worker_end(struct worker *worker)
{
	for (int i = 0; i < KINDS; i++)
		database_end(worker, &worker->databases[i]);
	printf("# %lu actions, %lu refused\n", worker->done, worker->refused);
	assert_true(worker->done > worker->refused);
}

static void run_threads(struct worker *workers, unsigned int seconds)
{
	struct test_random random = { ~test_seed() };
	pthread_t thief;

	assert_int_equal(pthread_create(&thief, NULL, steal, &random), 0);
	for (int i = 0; i < WORKERS; i++)
		assert_int_equal(pthread_create(&workers[i].thread, NULL, work,
						&workers[i]),
				 0);
	for (unsigned int i = 0; i < seconds * 10; i++)
		if (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
			nanosleep(&(struct timespec){ .tv_nsec = 100000000 },
				  NULL);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i].thread, NULL);
	pthread_join(thief, NULL);
}

static void stress(void **state)
{
	static struct worker workers[WORKERS];
	uint64_t root;

	(void)state;
	tenants_begin(&tenants);
	assert_int_equal(wane_sqlite_install(tenants.root), 0);
	for (int i = 0; i < WORKERS; i++)
		worker_begin(&workers[i], i);

	run_threads(workers, test_seconds(5));
	wane_group_set_limit(tenants.root, WANE_MAX, WANE_UNLIMITED);
	for (int i = 0; i < WORKERS; i++)
		worker_end(&workers[i]);
	printf("# %lu pages were stolen\n", thefts);
	assert_true(thefts > 100);

	assert_int_equal(usage(tenants.root), 0);
	assert_int_equal(sqlite3_shutdown(), SQLITE_OK);
	assert_int_equal(wane_sqlite_remove(), 0);

	/* Each group that was made holds the root. */
	root = wane_group_id(tenants.root);
	tenants_end(&tenants);
	quiet_base();
	assert_null(wane_group_find_id(root));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stress),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
