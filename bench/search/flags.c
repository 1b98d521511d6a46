/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flags.c - 64 bytes that are passed over, and then a command of three bytes. */
// stdin: ...................................................................
#include "lure.h"

static void command_run(char *pool, const uint8_t *in)
{
	if (in[0] == 'S' && in[1] == 'A' && in[2] == 'V')
		lure_end(pool);
}

int main(int argc, char **argv)
{
	char *pool = lure_begin(argc, argv);
	uint8_t in[67] = {0};

	lures(in, input_all(in, sizeof(in)));
	command_run(pool, in + 64);
	return 0;
}
