/* SPDX-License-Identifier: GPL-2.0-or-later */
/* echo.c - copy stdin to stdout and the number of bytes to stderr, write a pool, and exit with the status in
 * argv[2]. */
#include "target.h"

int main(int argc, char **argv)
{
	char buffer[4096], *p;
	ssize_t got;
	long total = 0;

	CHECK(argc == 3);
	p = pool_create(argv[1]);
	while ((got = read(0, buffer, sizeof(buffer))) > 0) {
		CHECK(write(1, buffer, (size_t)got) == got);
		total += got;
	}
	fprintf(stderr, "copied %ld bytes\n", total);
	ST8(p, total);
	return atoi(argv[2]);
}
