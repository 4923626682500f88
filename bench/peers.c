// SPDX-License-Identifier: MIT
/*
 * peers.c - other people's libraries, found when a worker runs
 *
 * Each is loaded by name, with its symbols kept to itself: so all allocators
 * serve the same process side by side, none of them replaces malloc(), and
 * who lacks one still gets the others' numbers.  All are called through a
 * pointer, as a program calls a shared library.
 *
 * Allocators want thread-local storage near at hand, which a library loaded
 * late gets only where room was left for it: `wane bench` asks for that with
 * GLIBC_TUNABLES.
 */
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peers.h"
#include "worker.h"

struct allocator jemalloc, mimalloc;
struct judy judy;

static int (*mimalloc_version)(void);
static int (*jemalloc_control)(const char *name, void *old, size_t *old_size,
			       void *new, size_t new_size);

static void *open_any(const char *const *names)
{
	void *library = NULL;

	for (; !library && *names; names++)
		library = dlopen(*names, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
	return library;
}

/* POSIX lets a data pointer hold a function's address. */
static void find(void *library, const char *name, void *function)
{
	*(void **)function = library ? dlsym(library, name) : NULL;
}

static void *find_allocator(struct allocator *allocator,
			    const char *const *names, const char *alloc,
			    const char *release)
{
	void *library = open_any(names);

	find(library, alloc, &allocator->alloc);
	find(library, release, &allocator->free);
	if (!allocator->free)
		allocator->alloc = NULL;
	return library;
}

static void find_judy(void)
{
	static const char *const names[] = { "libJudy.so.1", NULL };
	void *library = open_any(names);

	find(library, "JudyLGet", &judy.get);
	find(library, "JudyLIns", &judy.insert);
	find(library, "JudyLFirst", &judy.first);
	find(library, "JudyLNext", &judy.next);
	find(library, "JudyLFreeArray", &judy.free);
	find(library, "JudyLMemUsed", &judy.bytes);
}

void peers_find(void)
{
	static const char *const je[] = { "libjemalloc.so.2", NULL };
	static const char *const mi[] = { "libmimalloc.so.3",
					  "libmimalloc.so.2", "libmimalloc.so",
					  NULL };

	find(find_allocator(&jemalloc, je, "malloc", "free"), "mallctl",
	     &jemalloc_control);
	find(find_allocator(&mimalloc, mi, "mi_malloc", "mi_free"),
	     "mi_version", &mimalloc_version);
	find_judy();
}

void peers_tell(void)
{
	const char *text = NULL;
	size_t size = sizeof(text);

	version("glibc", "%s", gnu_get_libc_version());
	version("liburcu", "%s", URCU_VERSION);
	if (mimalloc_version)
		version("mimalloc", "%d", mimalloc_version());
	if (jemalloc_control &&
	    jemalloc_control("version", &text, &size, NULL, 0) == 0)
		version("jemalloc", "%.*s", (int)strcspn(text, "-"), text);
}
