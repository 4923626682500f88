// SPDX-License-Identifier: GPL-2.0-only
/*
 * measure_util.c - rows, time, small files, the driver
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "measure.h"

void row(double value, const char *key, ...)
{
	va_list list;

	va_start(list, key);
	vprintf(key, list);
	va_end(list);
	printf("\t%.9g\n", value);
}

void step(const char *format, ...)
{
	va_list list;

	printf("# ");
	va_start(list, format);
	vprintf(format, list);
	va_end(list);
	putchar('\n');
}

void die(const char *format, ...)
{
	va_list list;

	printf("measure: ");
	va_start(list, format);
	vprintf(format, list);
	va_end(list);
	putchar('\n');
	exit(1);
}

double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* ---- Files ------------------------------------------------------------------ */

void file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die("%s: %s", path, strerror(errno));
	close(fd);
}

char *file_read(const char *path)
{
	size_t length = 0, size = 1 << 16;
	char *text = malloc(size);
	int fd = open(path, O_RDONLY);
	ssize_t nr;

	if (fd < 0 || !text)
		die("%s: %s", path, strerror(errno));
	while ((nr = read(fd, text + length, size - length - 1)) > 0) {
		length += (size_t)nr;
		if (length + 1 < size)
			continue;
		size *= 2;
		text = realloc(text, size);
		if (!text)
			die("no memory for %s", path);
	}
	close(fd);
	text[length] = '\0';
	return text;
}

/* ---- The driver ------------------------------------------------------------- */

static void driver_ask(const char *line, char *answer, size_t size)
{
	static int fd = -1;
	ssize_t nr;

	if (fd < 0)
		fd = open("/sys/kernel/debug/wane/ctl", O_RDWR | O_CLOEXEC);
	if (fd < 0 || write(fd, line, strlen(line)) < 0)
		die("driver: %s: %s", line, strerror(errno));
	nr = read(fd, answer, size - 1);
	if (nr <= 0)
		die("driver: %s: no answer", line);
	answer[nr] = '\0';
}

struct answer driver(const char *format, ...)
{
	struct answer numbers = { 0, 0 };
	char line[128], answer[256];
	va_list list;

	va_start(list, format);
	vsnprintf(line, sizeof(line), format, list);
	va_end(list);
	driver_ask(line, answer, sizeof(answer));
	if (sscanf(answer, "%ld %ld", &numbers.first, &numbers.second) < 1)
		die("driver: %s: %s", line, answer);
	return numbers;
}

/* ---- Time of the driver ----------------------------------------------------- */

#define SAMPLE 500000.0 /* ns */
#define SAMPLES 31

static double sample(const char *command, long times)
{
	return (double)driver("%s %ld", command, times).first / (double)times;
}

static int compare(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

/* The first few warm up, and tell how many make a sample. */
double driver_time(const char *format, ...)
{
	double samples[SAMPLES];
	char command[100];
	va_list list;
	long times;
	int i;

	va_start(list, format);
	vsnprintf(command, sizeof(command), format, list);
	va_end(list);
	times = (long)(SAMPLE / (sample(command, 3) + 1));
	times = (long)(SAMPLE / (sample(command, times + 1) + 1)) + 1;
	for (i = 0; i < SAMPLES; i++)
		samples[i] = sample(command, times);
	qsort(samples, SAMPLES, sizeof(samples[0]), compare);
	return samples[SAMPLES / 2];
}

/* ---- Dropping --------------------------------------------------------------- */

double drop_caches(void)
{
	double start = now();

	file_write("/proc/sys/vm/drop_caches", "2");
	return now() - start;
}

double best_drop(int times)
{
	double best = drop_caches();

	while (--times > 0) {
		double next = drop_caches();

		if (next < best)
			best = next;
	}
	return best;
}
