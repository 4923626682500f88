/* SPDX-License-Identifier: MIT */
/*
 * The ground that everything stands on: memory that is counted and can fail,
 * nodes, references, and locks with ranks.
 */
#include "../test.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <wane/wane.h>

#include "bias.h"
#include "lock.h"
#include "port.h"

/* ---- Memory ------------------------------------------------------------------------ */

static void test_held_to_the_byte(void **state)
{
	size_t before = port_held();
	void *small = port_alloc(100);
	char *zero = port_zalloc(1000);
	char *pages = port_map(1 << 20, 1 << 20, 0);

	(void)state;
	assert_non_null(small);
	assert_int_equal(port_held(), before + 1100 + (1 << 20));
	for (int i = 0; i < 1000; i++)
		assert_int_equal(zero[i], 0);
	assert_int_equal((uintptr_t)pages % (1 << 20), 0);
	for (int i = 0; i < 1 << 20; i += 512)
		assert_int_equal(pages[i], 0);
	memset(pages, 1, 1 << 20);
	port_discard(pages, 1 << 20);
	assert_true(pages[0] == 0 || pages[0] == 1);
	port_free(small, 100);
	port_free(zero, 1000);
	port_free(NULL, 12345);
	port_unmap(pages, 1 << 20);
	port_unmap(NULL, 12345);
	assert_int_equal(port_held(), before);
}

static bool alloc_fails(int kind)
{
	void *memory = kind == 0   ? port_alloc(4096)
		       : kind == 1 ? port_zalloc(4096)
				   : port_map(4096, 4096, 0);

	if (kind == 2)
		port_unmap(memory, 4096);
	else
		port_free(memory, 4096);
	return !memory;
}

static void test_the_kth_fails(void **state)
{
	size_t before = port_held();

	(void)state;
	for (long k = 1; k <= 7; k++) {
		fault_inject(k, false);
		for (long i = 1; i <= 10; i++) {
			assert_int_equal(fault_happened(), i > k);
			assert_int_equal(alloc_fails((int)(i % 3)), i == k);
		}
		fault_inject(k, true);
		for (long i = 1; i <= 10; i++)
			assert_int_equal(alloc_fails((int)(i % 3)), i >= k);
		assert_true(fault_happened());
		fault_inject(0, false);
		assert_false(fault_happened());
		assert_false(alloc_fails(0));
	}
	assert_int_equal(port_held(), before);
}

static void *ask_elsewhere(void *arg)
{
	assert_false(alloc_fails(0));
	return arg;
}

static void test_asked_by_this_thread(void **state)
{
	unsigned long before = port_asked();
	pthread_t other;

	(void)state;
	for (unsigned long i = 0; i < 9; i++) {
		assert_int_equal(port_asked() - before, i);
		fault_inject(i == 5, false);
		assert_int_equal(alloc_fails((int)(i % 3)), i == 5);
	}
	assert_int_equal(pthread_create(&other, NULL, ask_elsewhere, NULL), 0);
	assert_int_equal(pthread_join(other, NULL), 0);
	assert_int_equal(port_asked() - before, 9);
}

/* ---- Version and nodes ---------------------------------------------------------------- */

static void test_version(void **state)
{
	char version[32];

	(void)state;
	snprintf(version, sizeof(version), "%d.%d.%d", WANE_VERSION_MAJOR,
		 WANE_VERSION_MINOR, WANE_VERSION_PATCH);
	assert_string_equal(wane_version(), version);
}

static void test_nodes(void **state)
{
	const char *given = getenv("WANE_NODES");
	int nodes = wane_nodes();
	char *memory = calloc(16, 1 << 20);

	(void)state;
	assert_in_range(nodes, 1, WANE_MAX_NODES);
	if (given)
		assert_int_equal(nodes, atoi(given));
	assert_in_range(wane_node_current(), 0, nodes - 1);
	for (int i = 0; i < 16; i++) {
		memory[i << 20] = 1;
		assert_in_range(wane_node_of(memory + (i << 20)), 0, nodes - 1);
		assert_int_equal(wane_node_of(memory + (i << 20)),
				 wane_node_of(memory + (i << 20)));
	}
	free(memory);
}

/* This program again, which only says how many nodes there are. */
#define SAY_NODES "say-nodes"

static int nodes_with(const char *text)
{
	int status;
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		if (!freopen("/dev/null", "w", stderr))
			_exit(255);
		setenv("WANE_NODES", text, 1);
		execl("/proc/self/exe", "port", SAY_NODES, NULL);
		_exit(255);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void test_pretended_nodes(void **state)
{
	static const char *const bad[] = {
		"0", "-1", "65", "four", "4x", "1.5", "99999999999999999999"
	};
	int real = nodes_with("");

	(void)state;
	assert_int_equal(nodes_with("1"), 1);
	assert_int_equal(nodes_with("4"), 4);
	assert_int_equal(nodes_with("64"), 64);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(nodes_with(bad[i]), real);
}

/* ---- References ---------------------------------------------------------------------------- */

static void get_from_none(void *arg)
{
	ref_get(arg);
}

static void put_below_none(void *arg)
{
	ref_put(arg);
}

static void test_references(void **state)
{
	long refs = 1;

	(void)state;
	ref_get(&refs);
	assert_true(ref_get_unless_zero(&refs));
	assert_false(ref_put(&refs));
	assert_false(ref_put(&refs));
	assert_true(ref_put(&refs));
	assert_false(ref_get_unless_zero(&refs));
	assert_int_equal(refs, 0);
}

static void test_misuse_references(void **state)
{
	long refs = 0;

	(void)state;
	test_expect_abort(get_from_none, &refs);
	test_expect_abort(put_below_none, &refs);
}

/* ---- Locks ------------------------------------------------------------------------------------ */

#define THREADS 4
#define TURNS 20000
#define SLEEPERS 2
#define ROUNDS 500
#define OVERSLEPT_SECONDS 15

static struct {
	struct lock lock;
	struct bias bias;
	long turns; /* under either; not atomic */
} shared = { .lock = LOCK_INIT(RANK_LEAF) };

static void *take_turns(void *unused)
{
	for (int i = 0; i < TURNS; i++) {
		lock_take(&shared.lock);
		shared.turns++;
		lock_drop(&shared.lock);
	}
	return unused;
}

static void start(pthread_t *thread, void *(*fn)(void *))
{
	assert_int_equal(pthread_create(thread, NULL, fn, NULL), 0);
}

/* Who sleeps for ever is woken by the alarm, which ends the program. */
static void run_together(void *(*fn)(void *), int nr)
{
	pthread_t thread[THREADS];

	alarm(OVERSLEPT_SECONDS);
	for (int i = 0; i < nr; i++)
		start(&thread[i], fn);
	for (int i = 0; i < nr; i++)
		pthread_join(thread[i], NULL);
	alarm(0);
}

static pthread_barrier_t round_begins;

/* Once in each round, so that no later drop wakes whom this one forgot. */
static void *take_one_long_turn(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&round_begins);
		lock_take(&shared.lock);
		shared.turns++;
		for (int k = 0; k < 5; k++)
			sched_yield();
		lock_drop(&shared.lock);
	}
	return unused;
}

/* B6 */
static void test_no_one_oversleeps(void **state)
{
	(void)state;
	shared.turns = 0;
	pthread_barrier_init(&round_begins, NULL, SLEEPERS);
	run_together(take_one_long_turn, SLEEPERS);
	pthread_barrier_destroy(&round_begins);
	assert_int_equal(shared.turns, SLEEPERS * ROUNDS);
	assert_int_equal(shared.lock.waiting, 0);
}

static void test_lock_excludes(void **state)
{
	(void)state;
	shared.turns = 0;
	run_together(take_turns, THREADS);
	assert_int_equal(shared.turns, THREADS * TURNS);
	assert_true(lock_try(&shared.lock));
	assert_false(lock_try(&shared.lock));
	lock_drop(&shared.lock);
	assert_true(lock_try(&shared.lock));
	lock_drop(&shared.lock);
}

static void *own_it(void *unused)
{
	for (int i = 0; i < 10 * TURNS; i++) {
		bias_enter(&shared.bias);
		shared.turns++;
		bias_leave(&shared.bias);
	}
	return unused;
}

/* B4: its owner, and another that comes now and then. */
static void test_bias_excludes(void **state)
{
	pthread_t owner;

	(void)state;
	shared.turns = 0;
	start(&owner, own_it);
	for (int i = 0; i < TURNS / 20; i++) {
		bias_want(&shared.bias);
		barrier_heavy();
		bias_wait(&shared.bias);
		shared.turns++;
		bias_release(&shared.bias);
	}
	pthread_join(owner, NULL);
	assert_int_equal(shared.turns, 10 * TURNS + TURNS / 20);
}

/* As on a kernel that runs no barriers for others. */
static void test_without_membarrier(void **state)
{
	const bool have = barrier_have_heavy;

	barrier_have_heavy = false;
	test_no_one_oversleeps(state);
	test_bias_excludes(state);
	barrier_have_heavy = have;
}

static struct {
	uint32_t word;
	int before; /* not atomic */
} gate;

static void *wait_at_gate(void *unused)
{
	word_wait(&gate.word);
	if (gate.before != 1)
		abort();
	return unused;
}

static void test_word(void **state)
{
	pthread_t thread[THREADS];

	(void)state;
	for (int i = 0; i < THREADS; i++)
		start(&thread[i], wait_at_gate);
	gate.before = 1;
	word_set(&gate.word);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	word_wait(&gate.word); /* set already */
}

/* ---- Ranks ---------------------------------------------------------------------------------------- */

static struct lock early = LOCK_INIT(RANK_FOREST);
static struct lock late = LOCK_INIT(RANK_SLAB);
static struct lock late_too = LOCK_INIT(RANK_SLAB);

static void wrong_order(void *arg)
{
	(void)arg;
	lock_take(&late);
	lock_take(&early);
}

static void same_rank(void *arg)
{
	(void)arg;
	lock_take(&late);
	lock_take(&late_too);
}

static void other_rank_as_second(void *arg)
{
	(void)arg;
	lock_take(&late);
	lock_two(&early);
}

static void callback_under_a_lock(void *arg)
{
	(void)arg;
	lock_take(&early);
	lock_assert_none();
}

static void not_held(void *arg)
{
	(void)arg;
	lock_take(&late);
	lock_assert_held(&early);
}

static void dropped_but_not_held(void *arg)
{
	(void)arg;
	lock_drop(&early);
}

static void test_right_order(void **state)
{
	(void)state;
	lock_assert_none();
	lock_take(&early);
	lock_take(&late);
	lock_two(&late_too);
	lock_assert_held(&early);
	lock_assert_held(&late_too);
	lock_drop(&late);
	lock_drop(&late_too);
	/* A lock that is tried closes no cycle: any rank will do. */
	lock_take(&late);
	assert_true(lock_try(&late_too));
	lock_drop(&late_too);
	lock_drop(&late);
	lock_drop(&early);
	lock_assert_none();
}

static void test_misuse_locks(void **state)
{
	(void)state;
	test_expect_abort(wrong_order, NULL);
	test_expect_abort(same_rank, NULL);
	test_expect_abort(other_rank_as_second, NULL);
	test_expect_abort(callback_under_a_lock, NULL);
	test_expect_abort(not_held, NULL);
	test_expect_abort(dropped_but_not_held, NULL);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_held_to_the_byte),
		cmocka_unit_test(test_the_kth_fails),
		cmocka_unit_test(test_asked_by_this_thread),
		cmocka_unit_test(test_version),
		cmocka_unit_test(test_nodes),
		cmocka_unit_test(test_pretended_nodes),
		cmocka_unit_test(test_references),
		cmocka_unit_test(test_misuse_references),
		cmocka_unit_test(test_no_one_oversleeps),
		cmocka_unit_test(test_lock_excludes),
		cmocka_unit_test(test_bias_excludes),
		cmocka_unit_test(test_without_membarrier),
		cmocka_unit_test(test_word),
		cmocka_unit_test(test_right_order),
		cmocka_unit_test(test_misuse_locks),
	};

	if (argc > 1 && strcmp(argv[1], SAY_NODES) == 0)
		return wane_nodes();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
