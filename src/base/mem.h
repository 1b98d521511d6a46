/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mem.h - memory that is always there.
 *
 * These never return NULL: a program that cannot get the few bytes it asks for here has no sentence to say about it,
 * and ends at once.  Sizes that come from a file must be checked by the caller before they come here. */
#ifndef BLACKOUT_BASE_MEM_H
#define BLACKOUT_BASE_MEM_H

#include <stddef.h>

/* `size` zeroed bytes; free() gives them back. */
void *mem_alloc(size_t size);

/* realloc to `count` items of `size` bytes; what is new is not zeroed. */
void *mem_resize(void *old, size_t count, size_t size);

#endif
