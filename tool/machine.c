// SPDX-License-Identifier: MIT
/*
 * machine.c - what numbers were taken on
 */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "machine.h"

/* The first model name that Linux gives; not all architectures have one. */
static void read_processor(char *name, size_t size)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[256];

	snprintf(name, size, "unknown processor");
	if (!file)
		return;
	while (fgets(line, sizeof(line), file)) {
		const char *value = strstr(line, ": ");

		if (strncmp(line, "model name", 10) || !value)
			continue;
		snprintf(name, size, "%.*s", (int)strcspn(value + 2, "\n"),
			 value + 2);
		break;
	}
	fclose(file);
}

void machine_read(struct machine *machine)
{
	struct utsname system;
	long pages = sysconf(_SC_PHYS_PAGES);

	read_processor(machine->processor, sizeof(machine->processor));
	machine->kernel[0] = '\0';
	if (!uname(&system))
		snprintf(machine->kernel, sizeof(machine->kernel), "%s %s %s",
			 system.sysname, system.release, system.machine);
	machine->processors = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN);
	machine->memory = (uint64_t)(pages > 0 ? pages : 0) *
			  (uint64_t)sysconf(_SC_PAGESIZE);
}
