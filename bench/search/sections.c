/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sections.c - sections in brackets, each with its own letters; one of them is written. */
// stdin: [a]xyz[b]xyz[c]xyz
#include "lure.h"

static void letter_read(char *pool, char section, int depth, uint8_t c)
{
	switch (section) {
	case 'a': lure_count += c == 'x' ? 1 : c == 'y' ? 2 : c == 'q' ? 3 : 4; break;
	case 'b': lure_count -= c == 'x' ? 5 : c == 'w' ? 6 : c == 'v' ? 7 : 8; break;
	case 'c': lure_count ^= c == 't' ? 9 : c == 's' ? 10 : c == 'r' ? 11 : 12; break;
	case 'd': lure_count |= c == 'o' ? 13 : c == 'n' ? 14 : c == 'm' ? 15 : 16; break;
	case 'W':
		if (c == '#' && depth == 0)
			lure_end(pool);
		break;
	}
}

int main(int argc, char **argv)
{
	char *pool = lure_begin(argc, argv), section = 0;
	uint8_t in[32] = {0};
	size_t count = input_all(in, sizeof(in));
	int depth = 0;

	lures(in, count);
	for (size_t i = 0; i < count; i++) {
		if (in[i] == '[')
			depth++;
		else if (in[i] == ']')
			depth--;
		else if (depth)
			section = (char)in[i];
		else
			letter_read(pool, section, depth, in[i]);
	}
	return 0;
}
