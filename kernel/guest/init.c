// SPDX-License-Identifier: GPL-2.0-only
/*
 * The first program of the guest: makes Linux usable, runs one program, says
 * how that ended, and turns the machine off.
 *
 *	wane=PROGRAM,ARGUMENT,...	on the kernel's command line
 *
 * Without that it only tells what it runs on.  Its last line is for kernel/boot:
 *
 *	guest: exit N			128 + the signal if the program was killed
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARGUMENTS_MAX 64

static const struct place {
	const char *type;
	const char *path;
} places[] = {
	{ "proc", "/proc" },
	{ "sysfs", "/sys" },
	{ "devtmpfs", "/dev" },
	{ "tmpfs", "/tmp" },
	{ "cgroup2", "/sys/fs/cgroup" },
	{ "debugfs", "/sys/kernel/debug" },
};

static void complain(const char *what)
{
	printf("guest: %s: %s\n", what, strerror(errno));
}

static void mount_places(void)
{
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		mkdir(places[i].path, 0755);
		if (mount("none", places[i].path, places[i].type, 0, NULL))
			complain(places[i].path);
	}
}

/* What is read of a small file, as a string without the newline; else "". */
static const char *read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY);
	ssize_t length = fd < 0 ? 0 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	text[length > 0 ? length : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return text;
}

static void enable_controller(const char *name)
{
	int fd = open("/sys/fs/cgroup/cgroup.subtree_control", O_WRONLY);

	if (fd < 0 || write(fd, name, strlen(name)) < 0)
		complain(name);
	if (fd >= 0)
		close(fd);
}

static void tell_machine(void)
{
	struct utsname name;
	char nodes[64];

	uname(&name);
	read_text("/sys/devices/system/node/online", nodes, sizeof(nodes));
	printf("guest: Linux %s, %ld CPUs, nodes %s\n", name.release,
	       sysconf(_SC_NPROCESSORS_ONLN), nodes);
}

/* The words of wane=, in @line; 0 if it is not there. */
static int find_program(char *line, char **arguments)
{
	char *word, *rest = NULL;
	int count = 0;

	for (word = strtok_r(line, " ", &rest); word;
	     word = strtok_r(NULL, " ", &rest))
		if (!strncmp(word, "wane=", 5))
			break;
	if (!word)
		return 0;
	for (word = strtok_r(word + 5, ",", &rest);
	     word && count < ARGUMENTS_MAX; word = strtok_r(NULL, ",", &rest))
		arguments[count++] = word;
	arguments[count] = NULL;
	return count;
}

static void become(char **arguments)
{
	setenv("PATH", "/:/bin", 1);
	setenv("HOME", "/tmp", 1);
	chdir("/tmp");
	execvp(arguments[0], arguments);
	complain(arguments[0]);
	_exit(127);
}

/* Runs it to its end; whatever else ends meanwhile was left to us. */
static int run(char **arguments)
{
	pid_t ended, program = fork();
	int status = 0;

	if (program < 0) {
		complain("fork");
		return 1;
	}
	if (!program)
		become(arguments);
	do
		ended = wait(&status);
	while (ended != program);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Not sync(): file systems of the tests may hang, and nothing is kept. */
static void turn_off(void)
{
	fflush(stdout);
	reboot(RB_POWER_OFF);
	reboot(RB_AUTOBOOT);
}

int main(void)
{
	char line[4096], *arguments[ARGUMENTS_MAX + 1];
	int status = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	mount_places();
	enable_controller("+memory");
	tell_machine();
	read_text("/proc/cmdline", line, sizeof(line));
	if (find_program(line, arguments))
		status = run(arguments);
	printf("guest: exit %d\n", status);
	turn_off();
	return 1;
}
