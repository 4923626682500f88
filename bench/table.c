// SPDX-License-Identifier: MIT
/*
 * table.c - numbers side by side, one column for each contender
 *
 *	                      dense       xarray        pairs
 *	bytes of a group     1.60 MB       377 B        360 B     medians
 *	    x dense             1.00     0.00 ±1%     0.00 ±1%    ratio, spread
 *	    published         1.6 MB        34 KB
 *
 * The ratio is the median over samples that were taken side by side, and the
 * spread half the distance of its quartiles.  No spread: all were the same, or
 * there was one.
 */
#include <string.h>

#include "bench.h"

#define LABEL 26
#define CELL 15

static const struct table *const all[] = { tables_published, tables_hot,
					   tables_world };

static void print_cell(FILE *out, const char *text)
{
	/* Not printf's width: ± is two bytes and one column. */
	int wide = (int)strlen(text) - (strstr(text, "±") ? 1 : 0);

	fprintf(out, "%*s%s", CELL > wide ? CELL - wide : 1, "", text);
}

static void print_values(FILE *out, const struct table *table,
			 const struct table_row *row)
{
	char text[32];
	struct summary s;

	fprintf(out, "%-*s", LABEL, row->label);
	for (const char *const *c = table->columns; *c; c++) {
		snprintf(text, sizeof(text), "-");
		if (samples_summary(table->group, *c, row->key, &s))
			format_value(text, sizeof(text), row->unit, s.median);
		print_cell(out, text);
	}
	fputc('\n', out);
}

static void format_ratio(char *text, size_t size, const struct summary *s)
{
	double spread = (s->high - s->low) / 2 / s->median * 100;
	int digits = s->median < 0.0995 ? 4 : 2;

	if (!(spread >= 0.5))
		snprintf(text, size, "%.*f", digits, s->median);
	else
		snprintf(text, size, "%.*f ±%.0f%%", digits, s->median, spread);
}

static void print_ratios(FILE *out, const struct table *table,
			 const struct table_row *row)
{
	char text[32];
	struct summary s;

	fprintf(out, "    x %-*s", LABEL - 6, table->base);
	for (const char *const *c = table->columns; *c; c++) {
		text[0] = '\0';
		if (samples_ratio(table->group, *c, row->key, table->base,
				  row->key, &s))
			format_ratio(text, sizeof(text), &s);
		print_cell(out, text);
	}
	fputc('\n', out);
}

/* The figure of @column in "column=figure|column=figure". */
static void find_published(const char *all, const char *column, char *text,
			   size_t size)
{
	size_t length = strlen(column);

	text[0] = '\0';
	for (const char *at = all; at; at = strchr(at, '|')) {
		at += *at == '|';
		if (strncmp(at, column, length) || at[length] != '=')
			continue;
		at += length + 1;
		snprintf(text, size, "%.*s", (int)strcspn(at, "|"), at);
		return;
	}
}

static void print_published(FILE *out, const struct table *table,
			    const struct table_row *row)
{
	char text[32];

	fprintf(out, "    %-*s", LABEL - 4, "published");
	for (const char *const *c = table->columns; *c; c++) {
		find_published(row->published, *c, text, sizeof(text));
		print_cell(out, text);
	}
	fputc('\n', out);
}

static bool row_measured(const struct table *table, const struct table_row *row)
{
	struct summary s;

	for (const char *const *c = table->columns; *c; c++)
		if (samples_summary(table->group, *c, row->key, &s))
			return true;
	return false;
}

static void print_row(FILE *out, const struct table *table,
		      const struct table_row *row)
{
	struct summary s;

	if (!row_measured(table, row))
		return;
	print_values(out, table, row);
	if (table->base && row->unit != UNIT_NUMBER &&
	    samples_summary(table->group, table->base, row->key, &s) &&
	    s.median != 0)
		print_ratios(out, table, row);
	if (row->published)
		print_published(out, table, row);
}

void table_print(FILE *out, const struct table *table)
{
	if (!samples_have(table->group))
		return;
	fprintf(out, "\n%s\n", table->title);
	if (table->note)
		fprintf(out, "%s\n", table->note);
	fprintf(out, "\n%-*s", LABEL, "");
	for (const char *const *c = table->columns; *c; c++)
		print_cell(out, *c);
	fputc('\n', out);
	for (const struct table_row *row = table->rows; row->key; row++)
		print_row(out, table, row);
}

void report_print(FILE *out, const struct bench_options *options)
{
	const struct machine *machine = &options->machine;

	fprintf(out, "%s\n%s, %u x %s, %s\nwane %s, %s, seed %llu\n",
		options->command, options->date, machine->processors,
		machine->processor, machine->kernel, wane_version(), COMPILER,
		(unsigned long long)options->seed);
	samples_print_versions(out);
	fputs("Medians; ± is half the distance of the quartiles.  One thread "
	      "is timed by its\nprocessor time, two by real time.\n",
	      out);
	if (options->quick)
		fputs("--quick: fewer groups and samples than the titles "
		      "say; 'groups made' is right.\n",
		      out);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		for (const struct table *t = all[i]; t->group; t++)
			table_print(out, t);
	extrapolation_print(out);
	if (instructions_missing())
		fprintf(out, "\nInstructions: %s\n", instructions_missing());
	targets_print(out);
}
