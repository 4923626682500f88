/* SPDX-License-Identifier: MIT */
/*
 * say.h - how the tool ends: exit codes, and the one line that says why
 */
#ifndef WANE_TOOL_SAY_H
#define WANE_TOOL_SAY_H

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>

enum exit_code {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_INTERRUPTED = 130,
};

#define PRINTF_LIKE(at) __attribute__((format(printf, at, (at) + 1)))

/* Print one line to stderr, after "wane: ".  Return: EXIT_USAGE. */
int say_usage(const char *format, ...) PRINTF_LIKE(1);

/* Print one line to stderr, after "wane: ".  Return: EXIT_FAILED. */
int say_failure(const char *format, ...) PRINTF_LIKE(1);

/*
 * struct failure - The first thing that went wrong among several threads.
 *
 * Later ones are dropped: they mostly follow from the first.
 */
struct failure {
	pthread_mutex_t lock;
	bool happened; /* read without the lock as a hint to stop */
	char text[1024];
};

#define FAILURE_INIT                              \
	{                                         \
		.lock = PTHREAD_MUTEX_INITIALIZER \
	}

void failure_set(struct failure *failure, const char *format, ...)
	PRINTF_LIKE(2);

static inline bool failure_happened(const struct failure *failure)
{
	return __atomic_load_n(&failure->happened, __ATOMIC_ACQUIRE);
}

#endif /* WANE_TOOL_SAY_H */
