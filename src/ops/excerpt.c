/* SPDX-License-Identifier: GPL-2.0-or-later */
/* excerpt.c - see excerpt.h. */
#include "ops/excerpt.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"

static const char dots[] = "...";

static bool is_control(unsigned char c)
{
	return c < ' ' || c == 0x7f;
}

static bool continues_character(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

void excerpt(char *text, size_t room, const char *bytes, size_t size)
{
	size_t used = 0, fits = 0; /* `fits`: so much can stay if the rest is replaced by dots */

	BUG_ON(room < sizeof(dots));
	if (size && bytes[size - 1] == '\n')
		size--;
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)bytes[i];
		size_t needs = is_control(c) ? 4 : 1;

		if (!continues_character(c) && used + sizeof(dots) <= room)
			fits = used;
		if (used + needs >= room) {
			memcpy(text + fits, dots, sizeof(dots));
			return;
		}
		if (is_control(c))
			snprintf(text + used, room - used, "\\%03o", c);
		else
			text[used] = (char)c;
		used += needs;
	}
	text[used] = '\0';
}
