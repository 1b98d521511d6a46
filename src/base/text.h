/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text.h - compare texts that may be absent.
 *
 *     if (text_equal(frame->path, other->path)) ... */
#ifndef BLACKOUT_BASE_TEXT_H
#define BLACKOUT_BASE_TEXT_H

#include <stdbool.h>
#include <string.h>

/* True if both are NULL, or neither is and they have the same bytes. */
static inline bool text_equal(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

#endif
