/* SPDX-License-Identifier: MIT */
/*
 * options.h - values of options: counts, seconds, sizes
 *
 * Each returns 0 with the value written, or EXIT_USAGE when it has said what
 * is wrong with @text, the value given to option @name.
 */
#ifndef WANE_TOOL_OPTIONS_H
#define WANE_TOOL_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

/* A whole number from @least to @most. */
int option_number(const char *name, const char *text, uint64_t least,
		  uint64_t most, uint64_t *value);

/* A number of seconds from @least to @most, fractions allowed. */
int option_seconds(const char *name, const char *text, double least,
		   double most, double *value);

/* Bytes, with K, M or G behind for powers of 1,024. */
int option_size(const char *name, const char *text, size_t *value);

/*
 * Say what getopt_long() stopped at, when it returned @c ('?' or ':') with
 * optstring ":" in front.  Return: EXIT_USAGE.
 */
int option_unknown(int c, char **argv, const char *command);

/* Say that @word is one too many.  Return: EXIT_USAGE. */
int option_extra(const char *word, const char *command);

#endif /* WANE_TOOL_OPTIONS_H */
