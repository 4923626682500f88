/* SPDX-License-Identifier: MIT */
/*
 * machine.h - what numbers were taken on
 */
#ifndef WANE_TOOL_MACHINE_H
#define WANE_TOOL_MACHINE_H

#include <stdint.h>

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

struct machine {
	char processor[128];
	char kernel[256];
	unsigned int processors;
	uint64_t memory;
};

void machine_read(struct machine *machine);

#endif /* WANE_TOOL_MACHINE_H */
