// SPDX-License-Identifier: MIT
/*
 * main.c - wane: one tool, a table of commands
 *
 *	wane demo --tenants 100
 *	     |    '- read by the command
 *	     '- found in the table
 */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include <wane/wane.h>

#include "command.h"
#include "say.h"

/*
 * struct command - One line of the table.
 * @summary: For the list of commands; NULL for one that the tool itself calls.
 * @help: Prints how to use it.
 */
struct command {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);
	void (*help)(void);
};

static int command_help(int argc, char **argv);
static int command_version(int argc, char **argv);

static void help_help(void)
{
	puts("usage: wane help [COMMAND]\n\n"
	     "Say what the commands are, or how to use one.");
}

static void version_help(void)
{
	puts("usage: wane version\n\n"
	     "Print the version of wane and of the SQLite it runs with.");
}

static const struct command commands[] = {
	{ "demo", "serve thousands of SQLite databases within one budget",
	  command_demo, command_demo_help },
	{ "bench", "measure the parts of wane against a rival each",
	  command_bench, command_bench_help },
	{ "help", "say how to use a command", command_help, help_help },
	{ "version", "print the version", command_version, version_help },
	{ "demo-child", NULL, command_demo_child, command_demo_help },
};

#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < NR_COMMANDS; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static int unknown_command(const char *name)
{
	return say_usage("unknown command '%s'; 'wane help' lists them", name);
}

static void print_commands(void)
{
	puts("usage: wane COMMAND [OPTION]...\n\n"
	     "Memory groups that give memory back.\n");
	for (size_t i = 0; i < NR_COMMANDS; i++)
		if (commands[i].summary)
			printf("  %-9s %s\n", commands[i].name,
			       commands[i].summary);
	puts("\n'wane help COMMAND' says more.");
}

static int command_help(int argc, char **argv)
{
	const struct command *command;

	if (argc > 2)
		return say_usage("help: one command at a time");
	if (argc < 2) {
		print_commands();
		return EXIT_DONE;
	}
	command = find_command(argv[1]);
	if (!command)
		return unknown_command(argv[1]);
	command->help();
	return EXIT_DONE;
}

static int command_version(int argc, char **argv)
{
	if (argc > 1)
		return say_usage("version: takes no argument, got '%s'",
				 argv[1]);
	printf("wane %s, SQLite %s\n", wane_version(), sqlite3_libversion());
	return EXIT_DONE;
}

int main(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2)
		return say_usage("which command? 'wane help' lists them");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		argv[1] = "help";
	if (!strcmp(argv[1], "--version"))
		argv[1] = "version";
	command = find_command(argv[1]);
	if (!command)
		return unknown_command(argv[1]);
	return command->run(argc - 1, argv + 1);
}
