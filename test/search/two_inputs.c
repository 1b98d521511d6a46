/* SPDX-License-Identifier: GPL-2.0-or-later */
/* two_inputs.c - standard input must have the key that a file has. */
// symbolic: stdin
// symbolic: file:key
// arguments: key pool
// stdin: ....
// file: key abcd
// trigger stdin: Kbcd
// trigger file: key Kbcd
#include "search.h"

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]), wanted[4] = "", given[4] = "";
	int fd = open(argv[1], O_RDONLY);

	SAVE(pool, 1);
	if (input_read(fd, wanted, 4) != 4 || input_read(0, given, 4) != 4)
		return 0;
	if (!memcmp(wanted, given, 4) && given[0] == 'K')
		ST8(pool, 2); //! missing-flush error
	return 0;
}
