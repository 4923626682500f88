// SPDX-License-Identifier: GPL-2.0-only
/*
 * wane_kunit.c - the cases of core/test as KUnit, in a kernel that has shares
 *
 * It is copied into mm/, beside the files of core/test.
 *
 * Shares are made and ended as the kernel does it: under a lock that spins,
 * with interrupts off.
 */
#include <kunit/test.h>
#include <linux/spinlock.h>

/* It says which implementation there is. */
#include "shrinker_internal.h"

static DEFINE_SPINLOCK(case_spinlock);
static unsigned long case_flags; /* cases run one by one */

static void case_lock(void)
{
	unsigned long flags;

	spin_lock_irqsave(&case_spinlock, flags);
	case_flags = flags;
}

static void case_unlock(void)
{
	spin_unlock_irqrestore(&case_spinlock, case_flags);
}

static void *case_alloc_in(struct kunit *test, size_t size)
{
	void *memory = kvzalloc(size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, memory);
	return memory;
}

#define CASE struct kunit *test
#define EXPECT(cond) KUNIT_EXPECT_TRUE(test, cond)
#define EXPECT_EQ(a, b) KUNIT_EXPECT_EQ(test, a, b)
#define EXPECT_PTR(a, b) KUNIT_EXPECT_PTR_EQ(test, a, b)
#define case_alloc(size) case_alloc_in(test, size)
#define case_free(memory) kvfree(memory)
#define case_barrier() rcu_barrier()

#include "share_cases.h"

/* The list ends with an entry that is all zero. */
static struct kunit_case cases[] = { SHARE_CASES(KUNIT_CASE),
				     { .name = NULL } };

static struct kunit_suite share_suite = {
	.name = "wane_share",
	.test_cases = cases,
};
kunit_test_suite(share_suite);

MODULE_DESCRIPTION("Shares of shrinkers in groups");
MODULE_LICENSE("GPL");
