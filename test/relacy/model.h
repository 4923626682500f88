/* SPDX-License-Identifier: MIT */
/*
 * model.h - the kernel's terms for Relacy, and parts that can be left out
 *
 * A model is some steps of core/shrinker_info/pairs.c for a few threads, and
 * what must hold after them.  Relacy runs it in every order, with every value
 * that each load may see under the memory model of C11.
 *
 *	model			all is in place: 0 when it holds in all runs
 *	model PART		without one barrier, re-check or reference
 *	model --parts		what can be left out
 *
 * In the kernel what returns a value is a full barrier by itself.  Here it is
 * relaxed, and the barrier beside it in the code is all there is.
 */
#ifndef WANE_RELACY_MODEL_H
#define WANE_RELACY_MODEL_H

#include <relacy/relacy_std.hpp>

#include <cstdio>
#include <cstring>

/* What the model can do without, NULL at the end: each model has its own. */
extern const char *const model_parts[];

static const char *left_out = "nothing";

static inline bool has(const char *part)
{
	return std::strcmp(part, left_out) != 0;
}

/* ---- Memory ------------------------------------------------------------------ */

template <typename T> static T READ_ONCE(std::atomic<T> &x)
{
	return x.load(std::memory_order_relaxed);
}

template <typename T, typename V> static void WRITE_ONCE(std::atomic<T> &x, V v)
{
	x.store(v, std::memory_order_relaxed);
}

template <typename T> static T rcu_dereference(std::atomic<T> &x)
{
	return x.load(std::memory_order_acquire);
}

template <typename T, typename V>
static void rcu_assign_pointer(std::atomic<T> &x, V v, const char *part = "")
{
	if (has(part))
		x.store(v, std::memory_order_release);
	else
		x.store(v, std::memory_order_relaxed);
}

static inline void smp_mb(const char *part)
{
	if (has(part))
		std::atomic_thread_fence(std::memory_order_seq_cst);
}

static inline void smp_rmb(const char *part)
{
	if (has(part))
		std::atomic_thread_fence(std::memory_order_acquire);
}

typedef std::atomic<int> word_t; /* of one bit */

static inline void set_bit(word_t &word)
{
	word.fetch_or(1, std::memory_order_relaxed);
}

static inline void clear_bit(word_t &word)
{
	word.fetch_and(0, std::memory_order_relaxed);
}

/* ---- References: fully ordered, as port.h has them ----------------------------- */

static inline bool get_unless_zero(std::atomic<int> &refs, const char *part)
{
	int old = refs.load(std::memory_order_relaxed);

	do {
		if (old == 0 && has(part))
			return false;
	} while (!refs.compare_exchange_strong(old, old + 1,
					       std::memory_order_seq_cst));
	return true;
}

static inline bool put_last(std::atomic<int> &refs)
{
	return refs.fetch_sub(1, std::memory_order_seq_cst) == 1;
}

/* ---- RCU ------------------------------------------------------------------------- */

/**
 * struct memory - What may be freed; Relacy does not see this.
 */
struct memory {
	bool freed;

	memory() : freed(false)
	{
	}

	virtual void release()
	{
		RL_ASSERT(!freed);
		freed = true;
	}
};

#define alive(object) RL_ASSERT(!(object)->freed)

/**
 * struct rcu - A grace period ends as soon as those have left who read before.
 *
 * Who enters after its end sees what was written before its begin: so much is
 * an edge for Relacy (@ended), and the books are not.
 */
struct rcu {
	enum {
		MAX = 8
	};
	std::atomic<int> ended;
	int readers;
	int nr;
	memory *waiting[MAX];

	rcu() : readers(0), nr(0)
	{
	}

	void begin()
	{
		WRITE_ONCE(ended, 0);
	}

	void enter()
	{
		readers++;
		ended.fetch_add(0, std::memory_order_acquire);
	}

	void leave()
	{
		if (--readers == 0)
			while (nr > 0)
				waiting[--nr]->release();
	}

	void call(memory *object, const char *part)
	{
		ended.fetch_add(1, std::memory_order_release);
		if (readers == 0 || !has(part))
			object->release();
		else
			waiting[nr++] = object;
	}
};

/* ---- Run --------------------------------------------------------------------------- */

template <typename model> static bool holds()
{
	rl::test_params params;

	params.search_type = rl::fair_full_search_scheduler_type;
	return rl::simulate<model>(params);
}

/* For main(): false when the program has only told its parts. */
static inline bool model_begin(int argc, char **argv)
{
	if (argc > 1)
		left_out = argv[1];
	if (has("--parts"))
		return true;
	for (int i = 0; model_parts[i]; i++)
		std::puts(model_parts[i]);
	return false;
}

#endif /* WANE_RELACY_MODEL_H */
