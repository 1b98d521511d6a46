/* SPDX-License-Identifier: GPL-2.0-or-later */
/* packets.c - 24 kinds of packets that are only checked, and one that is stored. */
// stdin: \x01aaa\x02bbb\x03ccc\x04ddd\x05eee\x06fff
#include "lure.h"

static void packet_check(const uint8_t *in)
{
	switch (in[0]) {
	case 1:
		lure_count += in[1] > 27 ? 1 : 2;
		if (in[2] == 6)
			lure_count ^= 2;
		break;
	case 2:
		lure_count += in[1] > 34 ? 1 : 2;
		if (in[2] == 11)
			lure_count ^= 3;
		break;
	case 3:
		lure_count += in[1] > 41 ? 1 : 2;
		if (in[2] == 16)
			lure_count ^= 4;
		break;
	case 4:
		lure_count += in[1] > 48 ? 1 : 2;
		if (in[2] == 21)
			lure_count ^= 5;
		break;
	case 5:
		lure_count += in[1] > 55 ? 1 : 2;
		if (in[2] == 26)
			lure_count ^= 6;
		break;
	case 6:
		lure_count += in[1] > 62 ? 1 : 2;
		if (in[2] == 31)
			lure_count ^= 7;
		break;
	case 7:
		lure_count += in[1] > 69 ? 1 : 2;
		if (in[2] == 36)
			lure_count ^= 8;
		break;
	case 8:
		lure_count += in[1] > 76 ? 1 : 2;
		if (in[2] == 41)
			lure_count ^= 9;
		break;
	case 9:
		lure_count += in[1] > 83 ? 1 : 2;
		if (in[2] == 46)
			lure_count ^= 10;
		break;
	case 10:
		lure_count += in[1] > 90 ? 1 : 2;
		if (in[2] == 51)
			lure_count ^= 11;
		break;
	case 11:
		lure_count += in[1] > 97 ? 1 : 2;
		if (in[2] == 56)
			lure_count ^= 12;
		break;
	case 12:
		lure_count += in[1] > 104 ? 1 : 2;
		if (in[2] == 61)
			lure_count ^= 13;
		break;
	case 13:
		lure_count += in[1] > 111 ? 1 : 2;
		if (in[2] == 66)
			lure_count ^= 14;
		break;
	case 14:
		lure_count += in[1] > 118 ? 1 : 2;
		if (in[2] == 71)
			lure_count ^= 15;
		break;
	case 15:
		lure_count += in[1] > 125 ? 1 : 2;
		if (in[2] == 76)
			lure_count ^= 16;
		break;
	case 16:
		lure_count += in[1] > 132 ? 1 : 2;
		if (in[2] == 81)
			lure_count ^= 17;
		break;
	case 17:
		lure_count += in[1] > 139 ? 1 : 2;
		if (in[2] == 86)
			lure_count ^= 18;
		break;
	case 18:
		lure_count += in[1] > 146 ? 1 : 2;
		if (in[2] == 91)
			lure_count ^= 19;
		break;
	case 19:
		lure_count += in[1] > 153 ? 1 : 2;
		if (in[2] == 96)
			lure_count ^= 20;
		break;
	case 20:
		lure_count += in[1] > 160 ? 1 : 2;
		if (in[2] == 101)
			lure_count ^= 21;
		break;
	case 21:
		lure_count += in[1] > 167 ? 1 : 2;
		if (in[2] == 106)
			lure_count ^= 22;
		break;
	case 22:
		lure_count += in[1] > 174 ? 1 : 2;
		if (in[2] == 111)
			lure_count ^= 23;
		break;
	case 23:
		lure_count += in[1] > 181 ? 1 : 2;
		if (in[2] == 116)
			lure_count ^= 24;
		break;
	case 24:
		lure_count += in[1] > 188 ? 1 : 2;
		if (in[2] == 121)
			lure_count ^= 25;
		break;
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

	input_all(in, sizeof(in));
	for (int i = 0; i < 24; i += 4) {
		packet_check(in + i);
		packet_store(pool, in + i);
	}
	return 0;
}
