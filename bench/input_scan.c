/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input_scan.c - looks at each byte of its input a few times, and keeps the results in PM: input_scan POOL ROUNDS */
#include "target.h"

#include <ctype.h>

enum { INPUT_MOST = 1 << 22 };

struct results {
	_Alignas(64) uint64_t words, sum, longest;
};

static uint8_t input[INPUT_MOST];

/* Three looks at each byte: its class, whether it ends a word, its value. */
static struct results scan(size_t count)
{
	struct results r = {0};
	uint64_t length = 0;

	for (size_t i = 0; i < count; i++) {
		if (input[i] >= 'a' && input[i] <= 'z') {
			length++;
			r.sum += input[i];
			continue;
		}
		if (input[i] == ' ' && length) {
			r.words++;
			if (length > r.longest)
				r.longest = length;
		}
		length = 0;
	}
	return r;
}

int main(int argc, char **argv)
{
	size_t count = 0;
	ssize_t got;
	struct results *pool;

	CHECK(argc == 3);
	pool = (struct results *)pool_create(argv[1]);
	while (count < INPUT_MOST && (got = read(0, input + count, INPUT_MOST - count)) > 0)
		count += (size_t)got;
	for (int round = 0; round < atoi(argv[2]); round++) {
		struct results r = scan(count);

		ST8(&pool->words, r.words + (uint64_t)round);
		ST8(&pool->sum, r.sum);
		ST8(&pool->longest, r.longest);
		CLFLUSH(pool);
		SFENCE();
	}
	return 0;
}
