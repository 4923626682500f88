// SPDX-License-Identifier: MIT
/*
 * format.c - three digits and a unit
 */
#include <math.h>

#include "bench.h"

/* As many decimals as three digits leave. */
static int decimals(double value)
{
	if (value >= 99.95 || value == 0)
		return 0;
	return value >= 9.995 ? 1 : 2;
}

static void with_unit(char *text, size_t size, double value, double step,
		      const char *const *units, int nr)
{
	int at = 0;

	for (; at + 1 < nr && value >= step * 0.9995; at++)
		value /= step;
	snprintf(text, size, "%.*f %s", decimals(value), value, units[at]);
}

void format_value(char *text, size_t size, enum unit unit, double value)
{
	static const char *const times[] = { "ns", "us", "ms", "s" };
	static const char *const bytes[] = { "B", "KB", "MB", "GB", "TB" };

	if (unit == UNIT_SECONDS)
		with_unit(text, size, value * 1e9, 1000, times, 4);
	else if (unit == UNIT_BYTES)
		with_unit(text, size, value, 1024, bytes, 5);
	else
		snprintf(text, size, "%.*f",
			 value == floor(value) ? 0 : decimals(value), value);
}
