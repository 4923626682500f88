// SPDX-License-Identifier: MIT
/*
 * interrupt.c - SIGINT and SIGTERM ask for an orderly end
 *
 * The handler only notes the signal.  Loops look at the note between two
 * files, queries or messages, so nothing is left half done.
 */
#include <signal.h>
#include <stddef.h>

#include "interrupt.h"

static volatile sig_atomic_t noted;

static void note(int signal)
{
	(void)signal;
	noted = 1;
}

static void handle(void (*handler)(int signal))
{
	struct sigaction action = { .sa_handler = handler };

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

void interrupt_catch(void)
{
	handle(note);
}

void interrupt_ignore(void)
{
	handle(SIG_IGN);
}

bool interrupted(void)
{
	return noted != 0;
}
