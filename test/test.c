/* SPDX-License-Identifier: MIT */
/*
 * test.c - what the test programs share: see test.h
 *
 * Output goes to stdout as TAP, where a line that begins with '#' is a remark.
 */
#include "test.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <wane/base.h>

#include "port.h"

/* ---- Chance -------------------------------------------------------------- */

static uint64_t seed;

static void seed_choose(void)
{
	const char *given = getenv("WANE_SEED");

	if (given)
		seed = strtoull(given, NULL, 0);
	else if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
		abort();
	printf("# seed %" PRIu64 "\n", seed);
	fflush(stdout);
}

uint64_t test_seed(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, seed_choose);
	return seed;
}

/* splitmix64 (G. Steele, D. Lea, C. Flood 2014): any state is a good one. */
uint64_t test_random_next(struct test_random *random)
{
	uint64_t x = random->state += 0x9e3779b97f4a7c15ull;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

uint64_t test_random_below(struct test_random *random, uint64_t bound)
{
	return test_random_next(random) % bound;
}

bool test_random_one_in(struct test_random *random, uint64_t n)
{
	return test_random_below(random, n) == 0;
}

/* ---- Time ---------------------------------------------------------------- */

unsigned int test_seconds(unsigned int usual)
{
	const char *given = getenv("WANE_STRESS_SECONDS");

	return given ? (unsigned int)strtoul(given, NULL, 10) : usual;
}

/* ---- Misuse -------------------------------------------------------------- */

/* A fault of another kind than abort() must not be caught by cmocka. */
static void child_prepare(void)
{
	static const int caught[] = { SIGFPE, SIGILL, SIGSEGV, SIGBUS, SIGSYS };
	const struct rlimit no_core = { 0, 0 };
	int null = open("/dev/null", O_WRONLY);

	if (null >= 0)
		dup2(null, STDERR_FILENO);
	for (size_t i = 0; i < ARRAY_SIZE(caught); i++)
		signal(caught[i], SIG_DFL);
	setrlimit(RLIMIT_CORE, &no_core);
	alarm(60);
}

void test_expect_abort(void (*fn)(void *arg), void *arg)
{
	int status;
	pid_t child;

#ifndef WANE_DEBUG
	skip();
#endif
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		child_prepare();
		fn(arg);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
}

/* ---- What is held -------------------------------------------------------- */

size_t test_base(void)
{
	wane_barrier();
	return port_held();
}

/* ---- Failing allocations ------------------------------------------------- */

struct fault_run {
	int (*scenario)(void *arg);
	void *arg;
	size_t base;
};

/*
 * Is all back?  A failure may leave more or less at hand than usual, for the
 * next use; after a run without one it is as before, but for what leaked.
 * A barrier takes long: none is needed where all is back already.
 */
static bool fault_run_is_clean(struct fault_run *run)
{
	if (port_held() == run->base || test_base() == run->base)
		return true;
	assert_int_equal(run->scenario(run->arg), 0);
	return test_base() == run->base;
}

/* Returns whether an allocation failed: else there is no k-th one. */
static bool fault_run_once(struct fault_run *run, long k, bool for_good)
{
	bool happened;
	int ret;

	fault_inject(k, for_good);
	ret = run->scenario(run->arg);
	happened = fault_happened();
	fault_inject(0, false);

	if (ret != 0 && !(happened && ret == -ENOMEM))
		fail_msg("allocation %ld failing%s: scenario returned %d", k,
			 for_good ? " and all after it" : "", ret);
	if (!fault_run_is_clean(run))
		fail_msg("allocation %ld failing%s: %zu bytes held, not %zu", k,
			 for_good ? " and all after it" : "", port_held(),
			 run->base);
	return happened;
}

long test_fault_loop(int (*scenario)(void *arg), void *arg)
{
	struct fault_run run = { scenario, arg, 0 };
	long failed = 0;

	for (int i = 0; i < 2; i++)
		assert_int_equal(scenario(arg), 0);
	run.base = test_base();

	for (int for_good = 0; for_good <= 1; for_good++) {
		for (long k = 1; fault_run_once(&run, k, for_good); k++)
			failed++;
	}
	test_assert_base(run.base);
	return failed;
}
