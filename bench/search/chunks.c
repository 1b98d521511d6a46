/* SPDX-License-Identifier: GPL-2.0-or-later */
/* chunks.c - chunks with a length, of kinds that are skipped and one that is saved. */
// stdin: \x04A123\x04B123\x04C123\x04D123\x04E123
#include "lure.h"

static void chunk_look(const uint8_t *in)
{
	switch (in[0]) {
	case 'A': lure_count += in[1] > 30; break;
	case 'B': lure_count += in[2] > 39; break;
	case 'C': lure_count += in[3] > 48; break;
	case 'D': lure_count += in[1] > 57; break;
	case 'E': lure_count += in[2] > 66; break;
	case 'F': lure_count += in[3] > 75; break;
	case 'G': lure_count += in[1] > 84; break;
	case 'H': lure_count += in[2] > 93; break;
	case 'I': lure_count += in[3] > 102; break;
	case 'J': lure_count += in[1] > 111; break;
	case 'L': lure_count += in[2] > 120; break;
	case 'M': lure_count += in[3] > 129; break;
	case 'N': lure_count += in[1] > 138; break;
	case 'O': lure_count += in[2] > 147; break;
	case 'P': lure_count += in[3] > 156; break;
	case 'Q': lure_count += in[1] > 165; break;
	case 'R': lure_count += in[2] > 174; break;
	case 'T': lure_count += in[3] > 183; break;
	case 'U': lure_count += in[1] > 192; break;
	case 'V': lure_count += in[2] > 201; break;
	case 'X': lure_count += in[3] > 210; break;
	case 'Y': lure_count += in[1] > 219; break;
	case 'Z': lure_count += in[2] > 228; break;
	}
}

static void chunk_save(char *pool, const uint8_t *in, uint8_t length)
{
	if (in[0] == 'S' && length > 2 && in[1] == 0xff)
		lure_end(pool);
}

int main(int argc, char **argv)
{
	char *pool = lure_begin(argc, argv);
	uint8_t in[80] = {0};
	size_t count = input_all(in, 64), at = 0;

	lures(in, count);
	while (at < count && in[at] && at + in[at] < count) {
		chunk_look(in + at + 1);
		chunk_save(pool, in + at + 1, in[at]);
		at += in[at] + 1u;
	}
	return 0;
}
