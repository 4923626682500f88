// SPDX-License-Identifier: MIT
/*
 * run.c - run one worker and read its samples
 *
 *	build:      tool/wane      bench/bench-pairs
 *	installed:  bin/wane       libexec/wane/bench-pairs
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../tool/interrupt.h"
#include "../tool/say.h"
#include "bench.h"

#define ARGUMENTS_MAX 16

/* What peers that are loaded late want of it: see peers.c. */
#define TUNABLES "glibc.rtld.optional_static_tls=65536"

const char *const implementations[NR_IMPLEMENTATIONS] = {
	"dense", "dense63", "array", "xarray_kmalloc", "xarray", "pairs",
};

/* From SHRINKER_INFO_HEADER, "shrinker_info/NAME.h". */
const char *implementation_default(void)
{
	for (int i = 0; i < NR_IMPLEMENTATIONS; i++) {
		char header[64];

		snprintf(header, sizeof(header), "shrinker_info/%s.h",
			 implementations[i]);
		if (!strcmp(header, SHRINKER_INFO_HEADER))
			return implementations[i];
	}
	return implementations[0];
}

/* The worker's path.  Return: whether there is such a program. */
static bool find_worker(const char *implementation, char *path, size_t size)
{
	static const char *const places[] = { "../bench", "../libexec/wane" };
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (length < 0)
		return false;
	self[length] = '\0';
	*strrchr(self, '/') = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		int wrote = snprintf(path, size, "%s/%s/bench-%s", self,
				     places[i], implementation);

		if (wrote > 0 && (size_t)wrote < size && !access(path, X_OK))
			return true;
	}
	return false;
}

/* ---- One child ------------------------------------------------------------ */

struct child {
	pid_t pid;
	FILE *out;
};

static void run_child(int out, int err, int nodes, char *const *arguments)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", nodes);
	setenv("WANE_NODES", number, 1);
	setenv("GLIBC_TUNABLES", TUNABLES, 1);
	if (out >= 0)
		dup2(out, STDOUT_FILENO);
	if (err >= 0)
		dup2(err, STDERR_FILENO);
	execvp(arguments[0], arguments);
	_exit(127);
}

/* Read its standard output, or standard error with @errors. */
static int start_child(struct child *child, bool errors, int nodes,
		       char *const *arguments)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return say_failure("cannot make a pipe: %s", strerror(errno));
	fflush(NULL);
	child->pid = fork();
	if (child->pid == 0) {
		int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

		run_child(errors ? null : ends[1], errors ? ends[1] : -1, nodes,
			  arguments);
	}
	close(ends[1]);
	child->out = child->pid > 0 ? fdopen(ends[0], "r") : NULL;
	if (child->out)
		return 0;
	close(ends[0]);
	return say_failure("cannot run '%s': %s", arguments[0],
			   strerror(errno));
}

/* Return: how it ended, as waitpid() says. */
static int end_child(struct child *child)
{
	int status = 0;

	if (interrupted())
		kill(child->pid, SIGTERM);
	fclose(child->out);
	while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
		kill(child->pid, SIGTERM);
	return status;
}

static int judge(const char *implementation, const char *name, int status)
{
	if (interrupted())
		return EXIT_INTERRUPTED;
	if (WIFSIGNALED(status))
		return say_failure("bench-%s %s: killed by signal %d",
				   implementation, name, WTERMSIG(status));
	if (WEXITSTATUS(status))
		return say_failure("bench-%s %s: ended with %d", implementation,
				   name, WEXITSTATUS(status));
	return 0;
}

/* ---- Samples ---------------------------------------------------------------- */

static void read_samples(FILE *in, const char *group,
			 const char *implementation)
{
	char line[256], *column, *value;

	while (fgets(line, sizeof(line), in)) {
		column = strchr(line, '\t');
		value = column ? strchr(column + 1, '\t') : NULL;
		if (!value)
			continue;
		*column++ = *value++ = '\0';
		value[strcspn(value, "\n")] = '\0';
		if (!strcmp(line, "version"))
			samples_version(column, value);
		else
			samples_add(group, *column ? column : implementation,
				    line, atof(value));
	}
}

static void fill(char **into, const char *const *from)
{
	int nr = 0;

	while (from[nr] && nr < ARGUMENTS_MAX) {
		into[nr] = (char *)from[nr];
		nr++;
	}
	into[nr] = NULL;
}

int run_worker(const char *implementation, int nodes, const char *group,
	       const char *const *arguments)
{
	char path[PATH_MAX], *argv[ARGUMENTS_MAX + 2] = { path };
	struct child child;

	if (!find_worker(implementation, path, sizeof(path)))
		return say_failure("bench-%s is not there; 'ninja "
				   "bench-workers' builds it",
				   implementation);
	fill(argv + 1, arguments);
	if (start_child(&child, false, nodes, argv))
		return EXIT_FAILED;
	read_samples(child.out, group, implementation);
	return judge(implementation, arguments[0], end_child(&child));
}

int run_counted(const char *implementation, const char *const *arguments,
		double *instructions)
{
	char path[PATH_MAX], line[512];
	char *argv[ARGUMENTS_MAX + 5] = { "valgrind", "--tool=callgrind",
					  "--callgrind-out-file=/dev/null",
					  path };
	struct child child;
	bool found = false;

	if (!find_worker(implementation, path, sizeof(path)))
		return -1;
	fill(argv + 4, arguments);
	if (start_child(&child, true, 1, argv))
		return -1;
	while (fgets(line, sizeof(line), child.out)) {
		const char *at = strstr(line, "Collected : ");

		if (at) {
			*instructions = atof(at + 12);
			found = true;
		}
	}
	return end_child(&child) == 0 && found ? 0 : -1;
}
