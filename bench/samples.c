// SPDX-License-Identifier: MIT
/*
 * samples.c - every sample of a run, and what is read from them
 *
 *	{ group: { column: { row: [ value, ... ] } } }
 *
 * Kept as the JSON that is written in the end.  Samples of one row are in the
 * order in which they were taken, and contenders take turns: so the i-th of
 * one and the i-th of another belong together.
 */
#include <jansson.h>
#include <stdlib.h>

#include "bench.h"

static json_t *all;
static json_t *versions; /* { name: text } */

static json_t *descend(json_t *parent, const char *key, json_t *(*make)(void))
{
	json_t *child = json_object_get(parent, key);

	if (!child) {
		child = make();
		json_object_set_new(parent, key, child);
	}
	return child;
}

void samples_add(const char *group, const char *column, const char *row,
		 double value)
{
	json_t *at;

	if (!all)
		all = json_object();
	at = descend(all, group, json_object);
	at = descend(at, column, json_object);
	at = descend(at, row, json_array);
	json_array_append_new(at, json_real(value));
}

bool samples_have(const char *group)
{
	return json_object_get(all, group) != NULL;
}

void *samples_json(void)
{
	return all;
}

void samples_version(const char *name, const char *text)
{
	if (!versions)
		versions = json_object();
	json_object_set_new(versions, name, json_string(text));
}

void samples_print_versions(FILE *out)
{
	const char *name, *before = "beside ";
	json_t *text;

	json_object_foreach(versions, name, text)
	{
		fprintf(out, "%s%s %s", before, name, json_string_value(text));
		before = ", ";
	}
	if (versions)
		fputc('\n', out);
}

void *samples_versions_json(void)
{
	return versions;
}

static json_t *find(const char *group, const char *column, const char *row)
{
	json_t *columns = json_object_get(all, group);

	return json_object_get(json_object_get(columns, column), row);
}

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

/* The value that @part of all do not pass, between neighbours if need be. */
static double quantile(const double *sorted, size_t nr, double part)
{
	double at = part * (double)(nr - 1);
	size_t below = (size_t)at;
	size_t above = below + 1 < nr ? below + 1 : below;

	return sorted[below] +
	       (sorted[above] - sorted[below]) * (at - (double)below);
}

static void summarise(double *values, size_t nr, struct summary *summary)
{
	qsort(values, nr, sizeof(*values), compare);
	summary->low = quantile(values, nr, 0.25);
	summary->median = quantile(values, nr, 0.5);
	summary->high = quantile(values, nr, 0.75);
}

static double value_at(const json_t *array, size_t i)
{
	return json_number_value(json_array_get(array, i));
}

bool samples_summary(const char *group, const char *column, const char *row,
		     struct summary *summary)
{
	json_t *array = find(group, column, row);
	size_t nr = json_array_size(array);
	double *values = nr ? malloc(nr * sizeof(*values)) : NULL;

	if (!values)
		return false;
	for (size_t i = 0; i < nr; i++)
		values[i] = value_at(array, i);
	summarise(values, nr, summary);
	free(values);
	return true;
}

bool samples_ratio(const char *group, const char *column, const char *row,
		   const char *base_column, const char *base_row,
		   struct summary *summary)
{
	json_t *over = find(group, column, row);
	json_t *under = find(group, base_column, base_row);
	size_t nr = json_array_size(over), other = json_array_size(under);
	double *values;

	if (other < nr)
		nr = other;
	values = nr ? malloc(nr * sizeof(*values)) : NULL;
	if (!values)
		return false;
	for (size_t i = 0; i < nr; i++)
		values[i] = value_at(over, i) / value_at(under, i);
	summarise(values, nr, summary);
	free(values);
	return summary->median < 1e300; /* nothing was divided by 0 */
}
