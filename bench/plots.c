// SPDX-License-Identifier: MIT
/*
 * plots.c - pictures, drawn by gnuplot from data files that stay beside them
 *
 *	DIR/bytes.dat  DIR/bytes.gp  DIR/bytes.svg     one line for each rival
 *
 * A picture has blocks of "x y", one per rival, in its data file.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include "../tool/say.h"
#include "bench.h"

#define PATH 1024

static const char *const by_caches[] = { "caches_640", "caches_6400",
					 "caches_20000", "caches_50000", NULL };
static const char *const by_groups[] = { "groups_100", "groups_1000",
					 "groups_4000", "groups_20000", NULL };

const char *const plot_names[] = { "bytes",	     "registration",
				   "pass",	     "latency-register",
				   "latency-create", NULL };
const char *const plot_titles[] = {
	"Bytes of an empty group, by caches registered (4 nodes)",
	"Registering a cache, mean of 640, by groups alive (4 nodes)",
	"A pass over all groups, by groups (5,000 caches, 4 nodes)",
	"Registering a cache: how many took at most so long",
	"Creating a group: how many took at most so long",
};

/*
 * struct plot - One picture: of a row, over the groups of samples whose names
 * end in x; or, with @distribution, of all samples of one group.
 */
static const struct plot {
	const char *const *groups;
	const char *row, *x, *y;
	bool distribution;
} plots[] = {
	{ by_caches, "group_bytes", "caches", "bytes", false },
	{ by_groups, "register_mean", "groups", "seconds", false },
	{ by_groups, "pass", "groups", "seconds", false },
	{ by_groups + 1, "latency_register", "seconds", "per cent", true },
	{ by_groups + 1, "latency_create", "seconds", "per cent", true },
};

static FILE *open_file(const char *directory, const char *name,
		       const char *suffix)
{
	char path[PATH];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s.%s", directory, name, suffix);
	file = fopen(path, "we");
	if (!file)
		say_failure("cannot write '%s': %s", path, strerror(errno));
	return file;
}

/* ---- Data -------------------------------------------------------------------- */

static void write_curve(FILE *data, const struct plot *plot, const char *who)
{
	struct summary s;

	for (const char *const *group = plot->groups; *group; group++)
		if (samples_summary(*group, who, plot->row, &s))
			fprintf(data, "%s %.9g\n", strchr(*group, '_') + 1,
				s.median);
}

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static void write_distribution(FILE *data, const struct plot *plot,
			       const char *who)
{
	json_t *columns = json_object_get(samples_json(), plot->groups[0]);
	json_t *array =
		json_object_get(json_object_get(columns, who), plot->row);
	size_t nr = json_array_size(array);
	double *values = malloc(nr * sizeof(*values) + 1);

	for (size_t i = 0; values && i < nr; i++)
		values[i] = json_number_value(json_array_get(array, i));
	if (values)
		qsort(values, nr, sizeof(*values), compare);
	for (size_t i = 0; values && i < nr; i++)
		fprintf(data, "%.9g %.4f\n", values[i],
			100.0 * (double)(i + 1) / (double)nr);
	free(values);
}

static int write_data(const char *directory, const char *name,
		      const struct plot *plot)
{
	FILE *data = open_file(directory, name, "dat");

	if (!data)
		return EXIT_FAILED;
	for (int i = 0; i < NR_IMPLEMENTATIONS; i++) {
		fprintf(data, "# %s\n", implementations[i]);
		if (plot->distribution)
			write_distribution(data, plot, implementations[i]);
		else
			write_curve(data, plot, implementations[i]);
		fputs("\n\n", data);
	}
	return fclose(data) ? say_failure("cannot write the data of '%s'", name)
			    : 0;
}

/* ---- The script ---------------------------------------------------------------- */

/* How gnuplot writes a number: with a prefix, and its unit if it has one. */
static const char *format_of(const char *axis)
{
	if (!strcmp(axis, "seconds"))
		return "%.0s %cs";
	return strcmp(axis, "bytes") ? "%.0s%c" : "%.0s %cB";
}

static int write_script(const char *directory, size_t at)
{
	const struct plot *plot = &plots[at];
	FILE *script = open_file(directory, plot_names[at], "gp");

	if (!script)
		return EXIT_FAILED;
	fprintf(script,
		"set terminal svg size 800,500 background 'white'\n"
		"set output '%s.svg'\nset title '%s'\n"
		"set xlabel '%s'\nset ylabel '%s'\nset logscale %s\n"
		"set format x '%s'\nset format y '%s'\n"
		"set key outside right noenhanced\nplot",
		plot_names[at], plot_titles[at], plot->x, plot->y,
		plot->distribution ? "x" : "xy", format_of(plot->x),
		format_of(plot->y));
	for (int i = 0; i < NR_IMPLEMENTATIONS; i++)
		fprintf(script, "%s '%s.dat' index %d with %s title '%s'",
			i ? ", \\\n    " : "", plot_names[at], i,
			plot->distribution ? "lines lw 2" : "linespoints lw 2",
			implementations[i]);
	fputc('\n', script);
	return fclose(script) ? say_failure("cannot write a script") : 0;
}

/* Run gnuplot in @directory with @argument.  Return: 0, or an exit code. */
static int gnuplot(const char *directory, const char *argument)
{
	int status = 0;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY);

		if (dup2(null, STDOUT_FILENO) >= 0 && !chdir(directory))
			execlp("gnuplot", "gnuplot", argument, NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return say_failure("cannot run gnuplot: %s", strerror(errno));
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return say_failure("--plots: no gnuplot here (Debian: "
				   "gnuplot-nox)");
	return status ? say_failure("gnuplot failed on '%s/%s'", directory,
				    argument)
		      : 0;
}

static int draw(const char *directory, const char *name)
{
	char script[64];

	snprintf(script, sizeof(script), "%s.gp", name);
	return gnuplot(directory, script);
}

int plots_check(const char *directory)
{
	if (mkdir(directory, 0777) && errno != EEXIST)
		return say_failure("cannot make '%s': %s", directory,
				   strerror(errno));
	return gnuplot(directory, "--version");
}

int plots_write(const char *directory)
{
	int err = 0;

	for (size_t i = 0; !err && plot_names[i]; i++) {
		err = write_data(directory, plot_names[i], &plots[i]);
		if (!err)
			err = write_script(directory, i);
	}
	for (size_t i = 0; !err && plot_names[i]; i++)
		err = draw(directory, plot_names[i]);
	return err;
}
