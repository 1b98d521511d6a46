/* SPDX-License-Identifier: GPL-2.0-or-later */
/* library.c - dependencies that pass through functions of the C library. */
#include "depend.h"

static void words_prepare(struct words *words)
{
	(void)words;
}

static ALIGN(64) char buffer[sizeof(((struct words *)NULL)->from)];

/* So that the compiler does not know how much is copied, and calls the library. */
static APART size_t bytes_of(size_t n)
{
	return n;
}

static APART void copy(void *to, const void *from, size_t n)
{
	memcpy(to, from, n);
}

CASE(memcpy_word)
{
	copy(buffer, (const void *)&pm->from[1], bytes_of(8));
	pm->to[1] = *(word *)buffer; //! copied to from
}

/* Through volatile memory, and word by word. */
CASE(memcpy_small)
{
	copy(buffer, (const void *)pm->from, bytes_of(24));
	for (unsigned i = 0; i < 3; i++)
		pm->to[i] = ((word *)buffer)[i]; //! copied to from
}

CASE(memcpy_large)
{
	copy(buffer, (const void *)pm->from, sizeof(pm->from));
	copy((void *)pm->to, buffer, sizeof(pm->to)); //! copied to from
}

CASE(memcpy_direct)
{
	copy((void *)pm->to, (const void *)pm->from, sizeof(pm->from)); //! copied to from
}

CASE(memmove_overlapping)
{
	copy(buffer, (const void *)pm->from, 256);
	memmove(buffer + 16, buffer, bytes_of(200));
	copy((void *)pm->to, buffer + 16, 200); //! copied to from
}

CASE(memset_value)
{
	memset((void *)pm->to, (int)pm->x, bytes_of(24));
}
//! store to[0]: data x
//! store to[1]: data x
//! store to[2]: data x

CASE(memset_clears)
{
	copy(buffer, (const void *)pm->from, 64);
	memset(buffer, 0, bytes_of(64));
	copy((void *)pm->array, buffer, 32);
}
//! store array[0]: nothing
//! store array[1]: nothing
//! store array[2]: nothing
//! store array[3]: nothing

/* The length is both computed from the text and found by decisions on it. */
CASE(string_length)
{
	pm->y = strlen(pm->text); //! store y: data text; control text
	pm->w = 1;                //! store w: nothing
}

CASE(string_comparison)
{
	if (!strcmp(pm->text, "persistent"))
		pm->y = 1; //! store y: control text
	pm->w = 1;         //! store w: nothing
}

CASE(memory_comparison)
{
	if (memcmp(pm->text, "persistent", bytes_of(11)) == 0)
		pm->y = 1; //! store y: control text
	pm->w = 1;         //! store w: nothing
}

CASE(string_search)
{
	const char *found = strchr(pm->text, 't');

	if (found)
		pm->y = 1; //! store y: control text
	pm->w = 1;         //! store w: nothing
}

CASE(number_printed)
{
	char text[32];

	snprintf(text, sizeof(text), "%lu", (unsigned long)pm->x);
	*(volatile char *)&pm->y = text[0]; //! store y: data x; control x
	pm->w = 1;                          //! store w: nothing
}

/* What was printed is forgotten: what a stream does with it is none of the program's decisions. */
CASE(stream)
{
	FILE *null = fopen("/dev/null", "w");

	if (pm->flag)
		fprintf(null, "%lu\n", (unsigned long)pm->x);
	pm->y = (uint64_t)ftell(null); //! store y: nothing
	fclose(null);
}
