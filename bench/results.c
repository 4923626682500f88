// SPDX-License-Identifier: MIT
/*
 * results.c - the page of results: the tables as printed, and the pictures
 */
#include <errno.h>
#include <string.h>

#include "../tool/say.h"
#include "bench.h"

/* The pictures' directory as seen from the page, where it lies below it. */
static const char *seen_from_page(const char *page, const char *directory)
{
	const char *slash = strrchr(page, '/');
	size_t length = slash ? (size_t)(slash - page) : 0;

	if (length == 0)
		return directory;
	if (strncmp(page, directory, length))
		return directory;
	if (directory[length] == '\0')
		return ".";
	return directory[length] == '/' ? directory + length + 1 : directory;
}

static void print_pictures(FILE *out, const struct bench_options *options)
{
	const char *directory =
		seen_from_page(options->results, options->plots);

	for (size_t i = 0; plot_names[i]; i++)
		fprintf(out, "![%s](%s/%s.svg)\n\n", plot_titles[i], directory,
			plot_names[i]);
}

int results_write(const struct bench_options *options)
{
	FILE *out = fopen(options->results, "we");

	if (!out)
		return say_failure("cannot write '%s': %s", options->results,
				   strerror(errno));
	fputs("# Results\n\nWritten by `wane bench`; do not edit.\n\n```\n",
	      out);
	report_print(out, options);
	fputs("```\n\n", out);
	if (options->plots)
		print_pictures(out, options);
	return fclose(out) ? say_failure("cannot write '%s'", options->results)
			   : 0;
}
