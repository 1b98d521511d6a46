/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rebind.h - let one loaded library call other functions than those that it imports.
 *
 * A function that the stub exports replaces the one of the C library for the whole program.  To replace it for a single
 * library, the addresses that the dynamic linker has put into this library are overwritten:
 *
 *     struct rebind_function functions[] = {{"malloc", my_malloc, malloc, .required = true}};
 *     if (rebind_library("libpmemobj.so", functions, 1))
 *             ... libpmemobj calls my_malloc; everything else calls malloc ...
 *
 * Call it while the process has a single thread. */
#ifndef BLACKOUT_PRELOAD_REBIND_H
#define BLACKOUT_PRELOAD_REBIND_H

#include <stdbool.h>
#include <stddef.h>

struct rebind_function {
	const char *name;
	void *by;       /* what the library calls from now on */
	void *before;   /* what it was bound to */
	bool required;  /* the library must import it */
	bool variables; /* only in variables of the library that have its address; calls by its name stay as they are */
};

/* `prefix`: of the name of the library's file.  All functions are rebound, or, if this returns false, none: the library is
 * not loaded, does not import a required function, or was already bound to something else than `before`. */
bool rebind_library(const char *prefix, const struct rebind_function *functions, size_t count);

#endif
