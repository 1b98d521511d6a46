/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hash_exact.c - four bytes with one value of a hash function that multiplies. */
// symbolic: stdin
// stdin: aaaa
// trigger stdin: HASH
#include "search.h"

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);
	uint8_t bytes[4] = {0};
	uint32_t h = 0x811c9dc5;

	SAVE(pool, 1);
	if (input_read(0, bytes, sizeof(bytes)) != sizeof(bytes))
		return 0;
	for (int i = 0; i < 4; i++)
		h = (h ^ bytes[i]) * 16777619;
	if (h == 3424181009U)
		ST8(pool, 2); //! missing-flush error
	return 0;
}
