/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arena.h - an arena for strings: they are freed all at once.  A zeroed struct is an empty arena. */
#ifndef BLACKOUT_BASE_ARENA_H
#define BLACKOUT_BASE_ARENA_H

#include <stddef.h>

struct arena {
	struct arena_block *last;
};

/* Copy `length` bytes and add a zero byte. */
const char *arena_copy(struct arena *arena, const void *bytes, size_t length);

void arena_free(struct arena *arena);

#endif
