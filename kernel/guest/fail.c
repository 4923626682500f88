// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ends as it is told to: for the tests of kernel/boot, which has to notice.
 *
 *	fail exit N		with this status
 *	fail signal N		killed by this signal
 *	fail hang		not at all
 *	fail panic		with the whole machine
 *	fail say TEXT		well; but the kernel's log says TEXT ('_' is a space)
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fail_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0) {
		perror(path);
		return 1;
	}
	close(fd);
	return 0;
}

static int fail_say(const char *text)
{
	char line[256], *at;

	snprintf(line, sizeof(line), "<4>%s\n", text);
	for (at = line; *at; at++)
		if (*at == '_')
			*at = ' ';
	return fail_write("/dev/kmsg", line);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	const char *what = argc > 2 ? argv[2] : "0";

	if (!strcmp(how, "exit"))
		return atoi(what);
	if (!strcmp(how, "signal"))
		return raise(atoi(what));
	if (!strcmp(how, "hang"))
		return pause();
	if (!strcmp(how, "panic"))
		return fail_write("/proc/sysrq-trigger", "c");
	if (!strcmp(how, "say"))
		return fail_say(what);
	fprintf(stderr, "fail: exit, signal, hang, panic or say, not '%s'\n",
		how);
	return 2;
}
