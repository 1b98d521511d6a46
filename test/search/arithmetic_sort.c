/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arithmetic_sort.c - bytes that are sorted before they are looked at. */
// symbolic: stdin
// stdin: \x01\x00
// trigger stdin: \x0a\x5d\x64\x8e\xc0
#include "search.h"

static int byte_compare(const void *left, const void *right)
{
	return *(const uint8_t *)left - *(const uint8_t *)right;
}

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);
	uint8_t bytes[8];
	size_t size = input_read(0, bytes, sizeof(bytes));

	SAVE(pool, 1);
	if (size < 5)
		return 0;
	qsort(bytes, size, 1, byte_compare);
	if (bytes[0] == 10 && bytes[2] == 100 && bytes[4] - bytes[3] == 50)
		ST8(pool, 2); //! missing-flush error
	return 0;
}
