// SPDX-License-Identifier: MIT
/*
 * demo_child.c - one configuration of the demo, in a process of its own
 *
 * SQLite's page cache can be replaced for a process only, and only before
 * SQLite is used.  So each configuration is a process.  It lives over all
 * rounds and keeps its connections open; in a round it serves one slice while
 * the other configurations wait.
 *
 *	demo     --- setup -->     child      makes groups, opens connections
 *	         <-- ready ---
 *	         --- slice -->                serves
 *	         <-- result --
 *	         --- closed ->                closes everything, ends
 *
 * When the demo closes the socket, or dies, the child stops at its next query.
 *
 *	/            max: the budget
 *	'-- tenants  min: what the protected tenant has, else it had none
 *	    |-- 0, 1, 2 ...
 *	    |-- noisy      max 2 MiB          only in (d)
 *	    |-- protected  min 1 MiB          only in (d)
 *	    '-- twin                          only in (d)
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <wane/sqlite.h>
#include <wane/wane.h>

#include "command.h"
#include "demo_child.h"
#include "interrupt.h"

#define WATCH_MS 20

/* ---- Threads ------------------------------------------------------------- */

/*
 * Wait for the threads' last moments.  During a phase the demo sends nothing,
 * so anything on the socket means that it wants no more.
 */
static void watch(struct child *child)
{
	struct pollfd demo = { .fd = DEMO_SOCKET, .events = POLLIN };

	while (__atomic_load_n(&child->running, __ATOMIC_ACQUIRE)) {
		if (child->stop)
			usleep(WATCH_MS * 1000);
		else if (poll(&demo, 1, WATCH_MS) > 0)
			__atomic_store_n(&child->stop, true, __ATOMIC_RELAXED);
	}
}

/*
 * Run @body in each worker's thread.  They meet in a barrier, so a thread that
 * cannot be made ends the process: the demo notices.
 */
static void run_workers(struct child *child, void *(*body)(void *worker))
{
	uint32_t nr = child->setup.options.threads;

	child->running = nr;
	for (uint32_t i = 0; i < nr; i++) {
		struct worker *worker = &child->workers[i];

		if (pthread_create(&worker->thread, NULL, body, worker))
			_exit(say_failure("cannot make a thread; give less "
					  "--threads"));
	}
	watch(child);
	for (uint32_t i = 0; i < nr; i++)
		pthread_join(child->workers[i].thread, NULL);
}

static void run_slice(struct child *child)
{
	bool noisy = child->setup.mode == DEMO_NOISY;

	__atomic_store_n(&child->noisy_stop, false, __ATOMIC_RELAXED);
	if (noisy &&
	    pthread_create(&child->noisy_thread, NULL, noisy_scan, child))
		_exit(say_failure("cannot make a thread"));
	run_workers(child, worker_slice);
	__atomic_store_n(&child->noisy_stop, true, __ATOMIC_RELAXED);
	if (noisy)
		pthread_join(child->noisy_thread, NULL);
}

/* ---- Groups -------------------------------------------------------------- */

static int make_tenant_group(struct child *child, struct tenant *tenant)
{
	char name[TENANT_NAME_MAX];
	int err;

	tenant_name(tenant->number, name);
	err = wane_group_create(&tenant->group, child->tenants, name);
	if (!err && tenant->number == TENANT_NOISY)
		err = wane_group_set_limit(tenant->group, WANE_MAX,
					   DEMO_NOISY_MAX);
	if (!err && tenant->number == TENANT_PROTECTED)
		err = wane_group_set_limit(tenant->group, WANE_MIN,
					   DEMO_PROTECTED_MIN);
	return err;
}

static int make_tenant_groups(struct child *child)
{
	int err = 0;

	for (uint32_t i = 0; i < child->setup.options.threads; i++) {
		struct worker *worker = &child->workers[i];

		for (uint32_t j = 0; !err && j < worker->nr; j++)
			err = make_tenant_group(child, &worker->tenants[j]);
	}
	if (child->setup.mode != DEMO_NOISY)
		return err;
	for (int i = 0; !err && i < DEMO_SPECIALS; i++)
		err = make_tenant_group(child, &child->specials[i]);
	return err ? err
		   : wane_group_set_limit(child->tenants, WANE_MIN,
					  DEMO_PROTECTED_MIN);
}

static int make_groups(struct child *child)
{
	int err = wane_group_create(&child->root, NULL, "demo");

	if (!err)
		err = wane_group_set_limit(child->root, WANE_MAX,
					   child->setup.options.budget);
	if (!err)
		err = wane_group_create(&child->tenants, child->root,
					"tenants");
	if (!err)
		err = make_tenant_groups(child);
	if (!err)
		err = wane_sqlite_install(child->root);
	return err;
}

static void put_groups(struct child *child)
{
	sqlite3_shutdown();
	wane_sqlite_remove();
	for (uint32_t i = 0; i < child->setup.options.threads; i++)
		for (uint32_t j = 0; j < child->workers[i].nr; j++)
			wane_group_put(child->workers[i].tenants[j].group);
	for (int i = 0; i < DEMO_SPECIALS; i++)
		wane_group_put(child->specials[i].group);
	wane_group_put(child->tenants);
	wane_group_put(child->root);
}

/* ---- Tenants ------------------------------------------------------------- */

static void init_tenant(struct child *child, struct tenant *tenant,
			uint32_t number)
{
	*tenant = (struct tenant){
		.number = number,
		.rows = tenant_rows(number),
		.dir = child->setup.options.dir,
		.words = &child->words,
		.trouble = &child->trouble,
	};
}

/* Frequent tenants go around the workers and back, so all get their part. */
static struct worker *worker_of_rank(struct child *child, uint32_t rank)
{
	uint32_t nr = child->setup.options.threads;
	uint32_t place = rank % (2 * nr);

	return &child->workers[place < nr ? place : 2 * nr - 1 - place];
}

static void shuffle(uint32_t *numbers, uint32_t nr, uint64_t seed)
{
	struct random random = { seed };

	for (uint32_t i = 0; i < nr; i++)
		numbers[i] = i;
	for (uint32_t i = nr; i > 1; i--) {
		uint32_t other = random_below(&random, i);
		uint32_t number = numbers[i - 1];

		numbers[i - 1] = numbers[other];
		numbers[other] = number;
	}
}

static int deal_tenants(struct child *child)
{
	const struct demo_options *options = &child->setup.options;
	uint32_t *numbers = calloc(options->tenants, sizeof(*numbers));

	if (!numbers)
		return -ENOMEM;
	shuffle(numbers, options->tenants, options->seed);
	for (uint32_t rank = 0; rank < options->tenants; rank++) {
		struct worker *worker = worker_of_rank(child, rank);

		init_tenant(child, &worker->tenants[worker->nr++],
			    numbers[rank]);
		zipf_add_rank(&worker->zipf, rank);
	}
	free(numbers);
	return 0;
}

static int make_workers(struct child *child)
{
	const struct demo_options *options = &child->setup.options;
	uint32_t most = options->tenants / options->threads + 1;

	child->workers = calloc(options->threads, sizeof(*child->workers));
	if (!child->workers)
		return -ENOMEM;
	for (uint32_t i = 0; i < options->threads; i++) {
		struct worker *worker = &child->workers[i];

		worker->child = child;
		worker->random.state = random_mix(options->seed + i + 1);
		worker->tenants = calloc(most, sizeof(*worker->tenants));
		if (!worker->tenants || zipf_create(&worker->zipf, most))
			return -ENOMEM;
	}
	return deal_tenants(child);
}

static void free_workers(struct child *child)
{
	for (uint32_t i = 0; i < child->setup.options.threads; i++) {
		free(child->workers[i].tenants);
		zipf_destroy(&child->workers[i].zipf);
	}
	free(child->workers);
}

/*
 * (a): what the budget leaves for each.  (b): nothing is said.  With wane the
 * groups decide, so no connection is held to less than the whole budget.
 */
int child_cache_size(const struct child *child)
{
	const struct demo_options *options = &child->setup.options;
	size_t bytes = options->budget;

	if (child->setup.mode == DEMO_DEFAULT)
		return 0;
	if (child->setup.mode == DEMO_SPLIT)
		bytes /= options->tenants;
	bytes >>= 10;
	return bytes < INT32_MAX ? -(int)bytes : -INT32_MAX;
}

static void open_specials(struct child *child)
{
	for (int i = 0; i < DEMO_SPECIALS; i++)
		if (child->setup.mode == DEMO_NOISY && !child_ends(child))
			tenant_open(&child->specials[i],
				    child_cache_size(child));
}

static void close_all(struct child *child)
{
	for (uint32_t i = 0; i < child->setup.options.threads; i++)
		for (uint32_t j = 0; j < child->workers[i].nr; j++)
			tenant_close(&child->workers[i].tenants[j]);
	for (int i = 0; i < DEMO_SPECIALS; i++)
		tenant_close(&child->specials[i]);
}

/* ---- Results ------------------------------------------------------------- */

/* The most memory that the process has ever had, in bytes. */
static uint64_t rss_peak(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	unsigned long kib = 0;
	char line[128];

	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "VmHWM: %lu kB", &kib) == 1)
			break;
	fclose(file);
	return (uint64_t)kib << 10;
}

/* What the kernel did not have in its own cache; it counts in 512 bytes. */
static uint64_t disk_bytes(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage))
		return 0;
	return (uint64_t)usage.ru_inblock * 512;
}

static void add_wane_numbers(struct child *child, struct demo_result *result)
{
	struct wane_sqlite_info info = { .size = sizeof(info) };

	wane_sqlite_info(&info);
	result->reclaimed = info.reclaimed;
	result->cache_peak = wane_group_peak(child->root);
	if (child->setup.mode != DEMO_NOISY)
		return;
	result->scans = child->scans;
	result->noisy_peak =
		wane_group_peak(child_special(child, TENANT_NOISY)->group);
}

static void fill_result(struct child *child, struct demo_reply *reply)
{
	reply->kind = DEMO_RESULT;
	child_collect(child, &reply->result);
	if (demo_mode_uses_wane(child->setup.mode))
		add_wane_numbers(child, &reply->result);
	reply->result.rss_peak = rss_peak();
	reply->result.disk_bytes = disk_bytes();
	strcpy(reply->text, child->trouble.wrong.text);
}

/* ---- The life of a child ------------------------------------------------- */

static void begin(struct child *child)
{
	int err = make_workers(child);

	for (uint32_t i = 0; i < DEMO_SPECIALS; i++)
		init_tenant(child, &child->specials[i], TENANT_NOISY + i);
	if (!err && demo_mode_uses_wane(child->setup.mode))
		err = make_groups(child);
	if (err) {
		failure_set(&child->trouble.failure, "cannot set up: %s",
			    strerror(-err));
		return;
	}
	run_workers(child, worker_open);
	open_specials(child);
}

static void reply(struct child *child, struct demo_reply *reply)
{
	if (failure_happened(&child->trouble.failure)) {
		reply->kind = DEMO_FAILURE;
		strcpy(reply->text, child->trouble.failure.text);
	}
	send(DEMO_SOCKET, reply, sizeof(*reply), MSG_NOSIGNAL);
}

static void serve_slices(struct child *child)
{
	while (recv(DEMO_SOCKET, &child->slice, sizeof(child->slice), 0) ==
	       sizeof(child->slice)) {
		struct demo_reply result = { 0 };

		run_slice(child);
		if (child->stop)
			break;
		fill_result(child, &result);
		reply(child, &result);
	}
}

static void end(struct child *child)
{
	close_all(child);
	if (demo_mode_uses_wane(child->setup.mode))
		put_groups(child);
	free_workers(child);
}

int command_demo_child(int argc, char **argv)
{
	static struct child child = {
		.trouble = { .failure = FAILURE_INIT, .wrong = FAILURE_INIT },
	};
	struct demo_reply ready = { .kind = DEMO_READY };
	int code;

	(void)argv;
	interrupt_ignore();
	if (argc > 1 || recv(DEMO_SOCKET, &child.setup, sizeof(child.setup),
			     0) != sizeof(child.setup))
		return say_usage("demo-child: is for 'wane demo' to call");
	code = words_load(&child.words);
	if (code)
		return code;
	pthread_barrier_init(&child.measure, NULL, child.setup.options.threads);
	begin(&child);
	reply(&child, &ready);
	serve_slices(&child);
	end(&child);
	pthread_barrier_destroy(&child.measure);
	words_destroy(&child.words);
	return EXIT_DONE;
}
