/* SPDX-License-Identifier: GPL-2.0-or-later */
/* struct_bits.c - bit fields of one word. */
// symbolic: stdin
// stdin: aaaa
// trigger stdin: \xed\x3e\x00\x80
#include "search.h"

struct bits {
	uint32_t kind : 3, size : 9, count : 5, rest : 14, last : 1;
};

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);
	struct bits bits = {0};

	SAVE(pool, 1);
	if (input_read(0, &bits, sizeof(bits)) != sizeof(bits))
		return 0;
	if (bits.kind == 5 && bits.size == 477 && bits.count == 3 && bits.rest == 0 && bits.last)
		ST8(pool, 2); //! missing-flush error
	return 0;
}
