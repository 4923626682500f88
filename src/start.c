/* SPDX-License-Identifier: MIT */
/*
 * start.c - the library's constructor, and its version
 *
 * Everything that is needed before the first call is set up here, bottom up,
 * so that no function has to ask whether it was.  What it takes is a few
 * hundred bytes; when even those are not there, the program cannot run.
 */
#include "start.h"

#include "port.h"
#include "xarray.h"

/*
 * Here and not in node.c, so that whoever links the static library needs this
 * file, and with it the constructor.
 */
int port_nr_nodes = 1;

#define TEXT(x) #x
#define VERSION(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)

const char *wane_version(void)
{
	return VERSION(WANE_VERSION_MAJOR, WANE_VERSION_MINOR,
		       WANE_VERSION_PATCH);
}

__attribute__((constructor)) static void start(void)
{
	node_start();
	barrier_start();
	thread_start();
	rcu_start();
	retire_start();
	if (slab_size_start() || xarray_start() || shrinker_info_init())
		port_panic(__FILE__, __LINE__, "memory to start with");
}
