// SPDX-License-Identifier: MIT
/*
 * options.c - values of options: counts, seconds, sizes
 *
 * The functions of the C library accept too much (white space, signs, hex,
 * trailing text), so what the text may look like is checked here first.
 */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "say.h"

/* Read digits.  Return: what follows them, or NULL when it is no number. */
static const char *read_digits(const char *text, uint64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return NULL;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return errno ? NULL : end;
}

int option_number(const char *name, const char *text, uint64_t least,
		  uint64_t most, uint64_t *value)
{
	uint64_t number;
	const char *end = read_digits(text, &number);

	if (!end || *end || number < least || number > most)
		return say_usage("--%s: '%s' is not a whole number from "
				 "%" PRIu64 " to %" PRIu64,
				 name, text, least, most);
	*value = number;
	return 0;
}

int option_seconds(const char *name, const char *text, double least,
		   double most, double *value)
{
	char *end;
	double number = strtod(text, &end);

	if (!*text || text[strspn(text, "0123456789.")] || *end ||
	    !(number >= least && number <= most))
		return say_usage("--%s: '%s' is not a number from %g to %g",
				 name, text, least, most);
	*value = number;
	return 0;
}

static int unit_shift(const char *unit)
{
	static const char units[] = "KMG";
	const char *place;

	if (!*unit)
		return 0;
	place = strchr(units, toupper((unsigned char)*unit));
	if (!place || unit[1])
		return -1;
	return 10 * (int)(place - units + 1);
}

int option_size(const char *name, const char *text, size_t *value)
{
	uint64_t number;
	const char *unit = read_digits(text, &number);
	int shift = unit ? unit_shift(unit) : -1;

	if (shift < 0 || number > (uint64_t)SIZE_MAX >> shift)
		return say_usage("--%s: '%s' is not a size; write bytes, or "
				 "K, M or G as in 64M",
				 name, text);
	*value = (size_t)number << shift;
	return 0;
}

int option_unknown(int c, char **argv, const char *command)
{
	const char *option = argv[optind - 1];

	if (c == ':')
		return say_usage("%s: option '%s' needs a value; see 'wane "
				 "help %s'",
				 command, option, command);
	return say_usage("%s: unknown option '%s'; see 'wane help %s'", command,
			 option, command);
}

int option_extra(const char *word, const char *command)
{
	return say_usage("%s: '%s' is one argument too many; see 'wane help "
			 "%s'",
			 command, word, command);
}
