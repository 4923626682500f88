// SPDX-License-Identifier: MIT
/*
 * worker.c - run one measurement: bench-IMPLEMENTATION NAME [PARAMETER=N]...
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "worker.h"

static char **parameters;

static const struct {
	const char *name;
	void (*run)(void);
} measurements[] = {
	{ "shape", worker_shape },     { "one-file", worker_one_file },
	{ "size", worker_size },       { "curve", worker_curve },
	{ "reclaim", worker_reclaim }, { "retire", worker_retire },
	{ "scale", worker_scale },     { "loop", worker_loop },
	{ "memory", worker_memory },   { "entries", worker_entries },
};

long parameter(const char *name, long fallback)
{
	size_t length = strlen(name);

	for (char **p = parameters; *p; p++)
		if (!strncmp(*p, name, length) && (*p)[length] == '=')
			return atol(*p + length + 1);
	return fallback;
}

void sample(const char *contender, double value, const char *row, ...)
{
	va_list parts;

	va_start(parts, row);
	vprintf(row, parts);
	va_end(parts);
	printf("\t%s\t%.9g\n", contender, value);
}

void version(const char *name, const char *text, ...)
{
	va_list parts;

	printf("version\t%s\t", name);
	va_start(parts, text);
	vprintf(text, parts);
	va_end(parts);
	putchar('\n');
}

void must(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(-err));
	exit(1);
}

void *must_alloc(size_t nr, size_t size)
{
	void *memory = calloc(nr, size);

	if (!memory) {
		fputs("out of memory\n", stderr);
		exit(1);
	}
	return memory;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fputs("run by 'wane bench'\n", stderr);
		return 2;
	}
	parameters = argv + 2;
	for (size_t i = 0; i < sizeof(measurements) / sizeof(*measurements);
	     i++) {
		if (!strcmp(measurements[i].name, argv[1])) {
			measurements[i].run();
			return 0;
		}
	}
	worker_contests(argv[1]);
	return 0;
}
