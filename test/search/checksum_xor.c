/* SPDX-License-Identifier: GPL-2.0-or-later */
/* checksum_xor.c - the last of eight bytes is the exclusive or of the others, and one of those is a command. */
// symbolic: stdin
// stdin: abcdefgh
// trigger stdin: Pbcdefg\x51
#include "search.h"

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);
	uint8_t packet[8] = {0}, sum = 0;

	SAVE(pool, 1);
	if (input_read(0, packet, sizeof(packet)) != sizeof(packet))
		return 0;
	for (int i = 0; i < 7; i++)
		sum ^= packet[i];
	if (sum != packet[7])
		return 0;
	SAVE(pool + 2 * LINE, sum);
	if (packet[0] == 'P')
		ST8(pool, 2); //! missing-flush error
	return 0;
}
