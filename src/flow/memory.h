/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memory.h - memory for src/flow, which is used with and without a C library. */
#ifndef BLACKOUT_FLOW_MEMORY_H
#define BLACKOUT_FLOW_MEMORY_H

#include <stddef.h>

/* As realloc, but never fails; 0 bytes: free the block and return NULL. */
typedef void *flow_resize(void *block, size_t bytes);

#endif
