/* SPDX-License-Identifier: MIT */
/*
 * command.h - the commands of `wane`
 *
 * Each gets its own name as argv[0] and returns an exit code.
 */
#ifndef WANE_TOOL_COMMAND_H
#define WANE_TOOL_COMMAND_H

int command_demo(int argc, char **argv);
void command_demo_help(void);

/* One configuration of the demo, in a process of its own. */
int command_demo_child(int argc, char **argv);

int command_bench(int argc, char **argv);
void command_bench_help(void);

#endif /* WANE_TOOL_COMMAND_H */
