/* SPDX-License-Identifier: GPL-2.0-or-later */
/* excerpt.h - a line of any bytes as short text for a message: an operation, or a line of output.
 *
 *     char text[EXCERPT_ROOM];
 *     excerpt(text, sizeof(text), line, size);              // put k\001 1337...
 *
 * Control characters become \ooo, as in names of files; other bytes stay, since reports deal with UTF-8.  A newline at
 * the end is left out.  If the line does not fit, the text ends with "...", and no UTF-8 character is cut in two. */
#ifndef BLACKOUT_OPS_EXCERPT_H
#define BLACKOUT_OPS_EXCERPT_H

#include <stddef.h>

enum { EXCERPT_ROOM = 160 };

/* `room` is at least 4. */
void excerpt(char *text, size_t room, const char *bytes, size_t size);

#endif
