/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table_words.c - a table of wide entries, read by an index of two letters. */
// symbolic: stdin
// stdin: aa
// trigger stdin: fc
#include "search.h"

struct entry {
	uint32_t right, price;
};

static struct entry entries[64];

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);
	unsigned row = (unsigned)getchar() - 'a', column = (unsigned)getchar() - 'a';

	for (unsigned i = 0; i < 64; i++)
		entries[i] = (struct entry){i * 3, 1000 - i};
	SAVE(pool, 1);
	if (row >= 8 || column >= 8)
		return 0;
	if (entries[row * 8 + column].price == 958)
		ST8(pool, 2); //! missing-flush error
	return 0;
}
