/* SPDX-License-Identifier: GPL-2.0-or-later */
/* packets.c - 24 kinds of packets that are only checked, and one that is stored. */
// stdin: \x01aaa\x02bbb\x03ccc\x04ddd\x05eee\x06fff
#include "lure.h"

/* Each kind is code of its own, so that each of its branches is one more to turn. */
#define KIND(n)                                             \
	case n:                                             \
		lure_count += in[1] > 20 + 7 * (n) ? 1 : 2; \
		if (in[2] == 5 * (n) + 1)                   \
			lure_count ^= (n) + 1;              \
		break;
#define FOUR_KINDS(n) KIND(n) KIND((n) + 1) KIND((n) + 2) KIND((n) + 3)

static void packet_check(const uint8_t *in)
{
	switch (in[0]) {
		FOUR_KINDS(1)
		FOUR_KINDS(5)
		FOUR_KINDS(9)
		FOUR_KINDS(13)
		FOUR_KINDS(17)
		FOUR_KINDS(21)
	}
}

static void packet_store(char *pool, const uint8_t *in)
{
	if (in[0] == 40 && in[1] == in[2])
		lure_end(pool);
}

int main(int argc, char **argv)
{
	char *pool = lure_begin(argc, argv);
	uint8_t in[24] = {0};

	lures(in, input_all(in, sizeof(in)));
	for (int i = 0; i < 24; i += 4) {
		packet_check(in + i);
		packet_store(pool, in + i);
	}
	return 0;
}
