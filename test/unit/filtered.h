/* SPDX-License-Identifier: GPL-2.0-or-later */
/* filtered.h - what the filters of the assembler of blackout-cc make of a text. */
#ifndef TEST_FILTERED_H
#define TEST_FILTERED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scratch.h"

/* The filtered text must be `expected`; NULL: as it was. */
static inline void expect_filtered(void (*filter)(const char *, size_t, FILE *), const char *text, const char *expected)
{
	char *got = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&got, &size);

	assert_non_null(out);
	filter(text, strlen(text), out);
	fclose(out);
	assert_string_equal(got, expected ? expected : text);
	free(got);
}

#endif
