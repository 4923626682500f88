// SPDX-License-Identifier: MIT
/*
 * say.c - how the tool ends: exit codes, and the one line that says why
 *
 * Every mistake of the user and every failure ends in exactly one line on
 * stderr: what is wrong, and what would be right.  Functions that find one
 * return what these return, so that the exit code travels up with it.
 */
#include <stdio.h>

#include "say.h"

static void say(const char *format, va_list args)
{
	flockfile(stderr);
	fputs("wane: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	funlockfile(stderr);
}

int say_usage(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
	return EXIT_USAGE;
}

int say_failure(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
	return EXIT_FAILED;
}

void failure_set(struct failure *failure, const char *format, ...)
{
	va_list args;

	pthread_mutex_lock(&failure->lock);
	if (!failure->happened) {
		va_start(args, format);
		vsnprintf(failure->text, sizeof(failure->text), format, args);
		va_end(args);
		__atomic_store_n(&failure->happened, true, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&failure->lock);
}
