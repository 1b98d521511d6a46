/* SPDX-License-Identifier: GPL-2.0-or-later */
/* length_field.c - a length says where the command is. */
// symbolic: stdin
// stdin: \x01ab
// trigger stdin: \x05abcdeW
#include "search.h"

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);
	uint8_t bytes[64] = {0};
	size_t count = input_read(0, bytes, sizeof(bytes));

	SAVE(pool, 1);
	if (count < 2 || bytes[0] + 2u > count)
		return 0;
	if (bytes[0] == 5 && bytes[1 + bytes[0]] == 'W')
		ST8(pool, 2); //! missing-flush error
	return 0;
}
