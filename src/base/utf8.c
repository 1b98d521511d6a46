/* SPDX-License-Identifier: GPL-2.0-or-later */
/* utf8.c - see utf8.h. */
#include "base/utf8.h"

#include <stdint.h>
#include <string.h>

static bool is_tail(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

size_t utf8_length(const char *text, size_t size)
{
	const unsigned char *p = (const unsigned char *)text;

	if (!size)
		return 0;
	if (p[0] < 0x80)
		return 1;
	if (size >= 2 && p[0] >= 0xc2 && p[0] <= 0xdf && is_tail(p[1]))
		return 2;
	if (size >= 3 && (p[0] & 0xf0) == 0xe0 && is_tail(p[1]) && is_tail(p[2])) {
		uint32_t c = (uint32_t)(p[0] & 15) << 12 | (uint32_t)(p[1] & 63) << 6 | (p[2] & 63);

		/* Reject an overlong encoding, surrogates, and the two noncharacters. */
		return c < 0x800 || (c >= 0xd800 && c <= 0xdfff) || c >= 0xfffe ? 0 : 3;
	}
	if (size >= 4 && p[0] >= 0xf0 && p[0] <= 0xf4 && is_tail(p[1]) && is_tail(p[2]) && is_tail(p[3])) {
		uint32_t c = (uint32_t)(p[0] & 7) << 18 | (uint32_t)(p[1] & 63) << 12;

		return c < 0x10000 || c > 0x10ffff ? 0 : 4;
	}
	return 0;
}

size_t utf8_columns(const char *text, size_t size)
{
	size_t columns = 0;

	for (size_t at = 0, n; at < size; at += n ? n : 1, columns++)
		n = utf8_length(text + at, size - at);
	return columns;
}

bool utf8_valid(const char *text)
{
	size_t size = strlen(text), n = 1;

	for (size_t at = 0; at < size && n; at += n)
		n = utf8_length(text + at, size - at);
	return n;
}
