/* SPDX-License-Identifier: MIT */
/*
 * interrupt.h - SIGINT and SIGTERM ask for an orderly end
 */
#ifndef WANE_TOOL_INTERRUPT_H
#define WANE_TOOL_INTERRUPT_H

#include <stdbool.h>

/* From now on the signals only make system calls return with EINTR. */
void interrupt_catch(void);

/* From now on the signals do nothing: somebody else decides about the end. */
void interrupt_ignore(void);

/* Whether one came.  Any thread. */
bool interrupted(void);

#endif /* WANE_TOOL_INTERRUPT_H */
