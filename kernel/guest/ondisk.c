// SPDX-License-Identifier: GPL-2.0-only
/*
 * ondisk.c - run a program in a directory on a disk
 *
 *	wane=ondisk,test_memcontrol
 *
 * The kernel's own tests of memory cgroups make files where they are started, and
 * look at how their pages are reclaimed.  Those of a tmpfs only go to swap, which
 * the guest has not; so here is an ext4 on /dev/vda.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define DISK "/dev/vda"
#define PLACE "/disk"

static int complain(const char *what)
{
	fprintf(stderr, "ondisk: %s: %s\n", what, strerror(errno));
	return 2;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: ondisk PROGRAM [ARGUMENT...]\n");
		return 2;
	}
	mkdir(PLACE, 0755);
	if (mount(DISK, PLACE, "ext4", 0, NULL))
		return complain(DISK);
	if (chdir(PLACE))
		return complain(PLACE);
	execvp(argv[1], argv + 1);
	return complain(argv[1]);
}
