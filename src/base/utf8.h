/* SPDX-License-Identifier: GPL-2.0-or-later */
/* utf8.h - step through text of any bytes, character by character.
 *
 *     for (size_t at = 0, n; at < size; at += n ? n : 1)
 *             if (!(n = utf8_length(text + at, size - at)))
 *                     fputs(UTF8_REPLACEMENT, out); */
#ifndef BLACKOUT_BASE_UTF8_H
#define BLACKOUT_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

#define UTF8_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD, in place of a byte that is not UTF-8 */

/* The length in bytes of the character at `text`, of which `size` bytes are left; 0: it is not UTF-8. */
size_t utf8_length(const char *text, size_t size);

/* The number of columns that the text takes on a terminal, one per character. */
size_t utf8_columns(const char *text, size_t size);

bool utf8_valid(const char *text);

#endif
