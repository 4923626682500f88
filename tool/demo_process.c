// SPDX-License-Identifier: MIT
/*
 * demo_process.c - the demo's side of its children
 *
 * A child is this program, executed again, with one end of a socket pair as
 * its standard input.  Messages keep their boundaries, and both sides are the
 * same binary, so a message is a struct.
 *
 * A child that dies closes its end: then the wait for its answer is over, and
 * how it died is said.  A signal to the demo ends the wait, too.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "demo.h"
#include "interrupt.h"
#include "say.h"

#define WATCH_MS 100

/* How long a child may take to close its connections. */
#define END_SECONDS 20

extern char **environ;

static int spawn(struct demo_process *process, int theirs)
{
	static char name[] = "wane", command[] = "demo-child";
	char *argv[] = { name, command, NULL };
	posix_spawn_file_actions_t actions;
	int err = posix_spawn_file_actions_init(&actions);

	if (err)
		return err;
	err = posix_spawn_file_actions_adddup2(&actions, theirs, DEMO_SOCKET);
	if (!err)
		err = posix_spawn(&process->pid, "/proc/self/exe", &actions,
				  NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return err;
}

static int start(struct demo_process *process)
{
	int sockets[2];
	int err;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		return say_failure("cannot make a socket: %s", strerror(errno));
	err = spawn(process, sockets[1]);
	close(sockets[1]);
	if (err) {
		close(sockets[0]);
		return say_failure("cannot start a process: %s", strerror(err));
	}
	process->socket = sockets[0];
	return 0;
}

/* ---- Answers ------------------------------------------------------------- */

static void close_socket(struct demo_process *process)
{
	close(process->socket);
	process->socket = -1;
}

/* The child of @process has closed its end: say how it ended. */
static int say_death(struct demo_process *process)
{
	char letter = (char)('a' + process->mode);
	int status = 0;

	close_socket(process);
	waitpid(process->pid, &status, 0);
	if (interrupted())
		return EXIT_INTERRUPTED;
	if (WIFSIGNALED(status))
		return say_failure("the process of (%c) was killed by signal "
				   "%d (%s); was there too little memory?",
				   letter, WTERMSIG(status),
				   strsignal(WTERMSIG(status)));
	return say_failure("the process of (%c) ended by itself, exit code %d",
			   letter, WEXITSTATUS(status));
}

static int receive(struct demo_process *process, struct demo_reply *reply)
{
	struct pollfd child = { .fd = process->socket, .events = POLLIN };
	ssize_t got;

	while (poll(&child, 1, WATCH_MS) <= 0)
		if (interrupted())
			return EXIT_INTERRUPTED;
	got = recv(process->socket, reply, sizeof(*reply), 0);
	if (got != (ssize_t)sizeof(*reply))
		return say_death(process);
	if (reply->kind == DEMO_FAILURE)
		return say_failure("(%c): %s", 'a' + process->mode,
				   reply->text);
	return 0;
}

static int ask(struct demo_process *process, const void *message, size_t size,
	       struct demo_reply *reply)
{
	if (send(process->socket, message, size, MSG_NOSIGNAL) < 0)
		return say_death(process);
	return receive(process, reply);
}

/* ---- The life of a child ------------------------------------------------- */

int demo_process_start(struct demo_process *process,
		       const struct demo_options *options, enum demo_mode mode)
{
	struct demo_setup setup = { .options = *options, .mode = mode };
	struct demo_reply reply;
	int code;

	process->mode = mode;
	code = start(process);
	return code ? code : ask(process, &setup, sizeof(setup), &reply);
}

int demo_process_run(struct demo_process *process,
		     const struct demo_slice *slice, struct demo_reply *reply)
{
	return ask(process, slice, sizeof(*slice), reply);
}

/* A child that does not end by itself is killed; its files can bear that. */
void demo_process_end(struct demo_process *process)
{
	struct timespec pause = { .tv_nsec = 10000000 };
	int patience = END_SECONDS * 100;

	if (process->socket < 0)
		return;
	close_socket(process);
	while (!waitpid(process->pid, NULL, WNOHANG)) {
		if (patience-- == 0)
			kill(process->pid, SIGKILL);
		nanosleep(&pause, NULL);
	}
}
