/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mem.h - allocation that cannot fail.
 *
 * These functions never return NULL.  A program that cannot get the few bytes it asks for here could not report that
 * either, so it ends at once.  The caller must check sizes that come from a file before passing them here. */
#ifndef BLACKOUT_BASE_MEM_H
#define BLACKOUT_BASE_MEM_H

#include <stddef.h>

/* Return `size` zeroed bytes; release them with free(). */
void *mem_alloc(size_t size);

/* realloc to `count` items of `size` bytes.  New items are not zeroed. */
void *mem_resize(void *old, size_t count, size_t size);

/* Call this when memory runs out, in a process that is limited on purpose.  It does not return. */
void mem_on_exhaustion(void (*handler)(void));

#endif
