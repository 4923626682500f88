// SPDX-License-Identifier: GPL-2.0-only
/*
 * test.c - the tests' main program
 *
 *	test NAME [--seconds N] [--seed N]
 *
 * It mounts what it needs, unless whoever started it has done so.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <time.h>
#include <unistd.h>

#include "test.h"

unsigned int seconds = 60;
uint64_t seed;

static const struct {
	const char *name;
	void (*run)(void);
} tests[] = {
	{ "reach", test_reach }, { "race", test_race },
	{ "chaos", test_chaos }, { "faults", test_faults },
	{ "bits", test_bits },	 { "lists", test_lists },
	{ "alloc", test_alloc },
};
#define NR_TESTS (sizeof(tests) / sizeof(tests[0]))

extern unsigned int nr_checks;
extern unsigned int nr_failed;

static void usage(const char *wrong)
{
	fprintf(stderr,
		"test: %s\n"
		"usage: test NAME [--seconds N] [--seed N], NAME one of",
		wrong);
	for (size_t i = 0; i < NR_TESTS; i++)
		fprintf(stderr, " %s", tests[i].name);
	fputc('\n', stderr);
	exit(2);
}

static uint64_t number(const char *option, const char *text)
{
	char wrong[PATH];
	char *end;
	uint64_t value;

	if (!text)
		text = "";
	value = strtoull(text, &end, 0);
	if (*text != '\0' && *end == '\0')
		return value;
	snprintf(wrong, sizeof(wrong), "%s wants a number, not \"%s\"", option,
		 text);
	usage(wrong);
	return 0;
}

static void options(char **option)
{
	char wrong[PATH];

	for (; *option; option += 2) {
		if (strcmp(*option, "--seconds") == 0) {
			seconds = (unsigned int)number(option[0], option[1]);
		} else if (strcmp(*option, "--seed") == 0) {
			seed = number(option[0], option[1]);
		} else {
			snprintf(wrong, sizeof(wrong), "no option is called %s",
				 *option);
			usage(wrong);
		}
	}
}

/* EBUSY: it is there already. */
static void mount_once(const char *type, const char *path)
{
	make_directory(path);
	if (mount(type, path, type, 0, NULL) && errno != EBUSY)
		die("%s can't be mounted on %s: %s", type, path,
		    strerror(errno));
}

static void world(void)
{
	mount_once("proc", "/proc");
	mount_once("sysfs", "/sys");
	mount_once("debugfs", "/sys/kernel/debug");
	mount_once("devtmpfs", "/dev");
	mount_once("tmpfs", "/w");
	mount_once("cgroup2", "/cg");
	file_write("/cg/cgroup.subtree_control", "+memory");
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	seed = (uint64_t)time(NULL) * 1000003 + (uint64_t)getpid();
	if (argc < 2)
		usage("which test?");
	options(argv + 2);
	for (size_t i = 0; i < NR_TESTS; i++) {
		if (strcmp(tests[i].name, argv[1]) != 0)
			continue;
		world();
		note("%s: seed %llu, %u seconds", argv[1],
		     (unsigned long long)seed, seconds);
		image_make();
		tests[i].run();
		printf("1..%u\n", nr_checks);
		return nr_failed > 0;
	}
	usage("no test is called so");
}
