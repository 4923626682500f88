/* SPDX-License-Identifier: MIT */
/*
 * test.h - what the test programs share
 *
 * A test program is one file with cmocka tests and a main().  It is linked to
 * the static library, so it reaches the internal functions too.
 *
 * Environment   WANE_SEED            repeats a run: see test_seed()
 *               WANE_STRESS_SECONDS  how long stress lasts
 *               WANE_NODES           pretended nodes, read by the library
 */
#ifndef WANE_TEST_H
#define WANE_TEST_H

/* cmocka.h wants these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Chance -------------------------------------------------------------- */

/*
 * The seed of this run: WANE_SEED, or a fresh one; the same for the life of
 * the process.  The first call prints "# seed N", so that a run that failed
 * can be repeated.
 */
uint64_t test_seed(void);

/* A generator of its own per thread: struct test_random r = { seed + i }; */
struct test_random {
	uint64_t state;
};

uint64_t test_random_next(struct test_random *random);

/* 0 to @bound - 1; @bound > 0. */
uint64_t test_random_below(struct test_random *random, uint64_t bound);

/* True once in @n calls, on average. */
bool test_random_one_in(struct test_random *random, uint64_t n);

/* ---- Time ---------------------------------------------------------------- */

/* How long to keep on: WANE_STRESS_SECONDS, or @usual where it is not set. */
unsigned int test_seconds(unsigned int usual);

/* ---- Misuse -------------------------------------------------------------- */

/*
 * Check that @fn(@arg) ends in SIGABRT; it runs in a child, its stderr thrown
 * away.  Without assertions (WANE_DEBUG) misuse is undefined, and the rest of
 * the calling test is skipped: so give misuse a test function of its own.
 * Only the calling thread exists in the child: @fn must not wait for others.
 */
void test_expect_abort(void (*fn)(void *arg), void *arg);

/* ---- What is held -------------------------------------------------------- */

/*
 * What the library holds, in bytes, when all that was deferred is done.
 * Taken before something is made, and asserted after it was destroyed.
 */
size_t test_base(void);

#define test_assert_base(base) assert_int_equal((base), test_base())

/* ---- Failing allocations ------------------------------------------------- */

/*
 * Run @scenario with its k-th allocation failing, for k = 1, 2, 3, ... until a
 * run meets no failure: first with that one alone, then with all after it too.
 *
 * @scenario makes, uses and destroys things, and returns 0 or -ENOMEM: 0 when
 * it got through, with or without a failure.  It must leave nothing behind
 * either way, and is run twice without failures first, so that what the
 * library keeps at hand is there.
 *
 * Return: how many allocations failed in all; the caller may know a minimum.
 */
long test_fault_loop(int (*scenario)(void *arg), void *arg);

#endif /* WANE_TEST_H */
