/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clean_packet.c - packets without a mistake. */
// symbolic: stdin
// stdin: \x02abc
#include "search.h"

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);
	uint8_t bytes[32] = {0};
	size_t count = input_read(0, bytes, sizeof(bytes));

	if (count < 2 || bytes[0] > count - 1)
		return 0;
	for (int i = 0; i < bytes[0] && i < 8; i++)
		SAVE(pool + i * LINE, bytes[1 + i]);
	if (bytes[1] == 'Z')
		SAVE(pool + 8 * LINE, 1);
	return 0;
}
