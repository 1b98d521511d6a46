/* SPDX-License-Identifier: GPL-2.0-or-later */
/* machine.c - a machine of 23 instructions that compute and one that stores. */
// stdin: abcdefghijklmnop
#include "lure.h"

struct machine {
	unsigned top, left;
	char *pool;
};

static void instruction_perform(struct machine *m, uint8_t c, uint8_t argument)
{
	switch (c) {
	case 'a': m->top += 1; break;
	case 'b': m->top -= 1; break;
	case 'c': m->top *= 3; break;
	case 'd': m->top ^= 7; break;
	case 'e': m->top |= 8; break;
	case 'f': m->top &= 15; break;
	case 'g': m->top <<= 1; break;
	case 'h': m->top >>= 1; break;
	case 'i': m->top += 10; break;
	case 'j': m->top -= 10; break;
	case 'k': m->top = 0; break;
	case 'l': m->top = 1; break;
	case 'm': m->top = 2; break;
	case 'n': m->top = m->left; break;
	case 'o': m->top += m->left; break;
	case 'p': m->top -= m->left; break;
	case 'q': m->top ^= m->left; break;
	case 'r': m->top |= m->left; break;
	case 's': m->top &= m->left; break;
	case 't': m->top = ~m->top; break;
	case 'u': m->top = -m->top; break;
	case 'v': m->top *= 5; break;
	case 'w': m->top += 100; break;
	case 'x': m->left = m->top; break;
	case '=':
		if (argument == '7')
			lure_end(m->pool);
		break;
	}
}

int main(int argc, char **argv)
{
	struct machine m = {.pool = lure_begin(argc, argv)};
	uint8_t in[17] = {0};

	lures(in, input_all(in, 16));
	for (int i = 0; i < 16; i++)
		instruction_perform(&m, in[i], in[i + 1]);
	lure_count = m.top;
	return 0;
}
