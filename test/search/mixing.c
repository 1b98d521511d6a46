/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mixing.c - eight bytes whose mixture has one value, as no solver can find them. */
// symbolic: stdin
// stdin: aaaaaaaa
// trigger stdin: blackout
// expect: incomplete
#include "search.h"

static uint64_t mix(uint64_t x)
{
	for (int round = 0; round < 24; round++) {
		x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
		x = (x ^ x >> 27) * 0x94d049bb133111eb;
		x ^= x >> 31;
		x += 0x9e3779b97f4a7c15 * x;
		x ^= x << 13 | x >> 51;
	}
	return x;
}

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);
	uint64_t number = 0;

	SAVE(pool, 1);
	if (input_read(0, &number, sizeof(number)) == sizeof(number) && mix(number) == 0xd00f78cf4bfb40ea) {
		SAVE(pool + LINE, 1);
		ST8(pool, 2); //! missing-flush error
	}
	return 0;
}
