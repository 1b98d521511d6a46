// SPDX-License-Identifier: GPL-2.0-or-later
/* ops_prints.cc - store, then print a line about it: ops_prints POOL printf|cout|write|writev|together */
#include "target.h"

#include <iostream>
#include <sys/uio.h>

static void print(const char *how, int n)
{
	char text[16] = {(char)('0' + n), '\n'};
	struct iovec vector[] = {{text, 1}, {text + 1, 1}};

	if (!strcmp(how, "printf")) {
		printf("%d", n);
		printf("\n");
	} else if (!strcmp(how, "cout")) {
		std::cout << n << '\n';
	} else if (!strcmp(how, "write")) {
		CHECK(write(dup(1), text, 1) == 1);
		CHECK(write(1, text + 1, 1) == 1);
	} else {
		CHECK(writev(1, vector, 2) == 2);
	}
}

int main(int argc, char **argv)
{
	char *pool;

	CHECK(argc == 3);
	pool = pool_create(argv[1]);
	begin(pool);
	for (int n = 0; n < 3; n++) {
		ST8(pool + 8 * n, n + 1);
		CHECK(write(2, "noise\n", 6) == 6);
		if (strcmp(argv[2], "together"))
			print(argv[2], n);
	}
	if (!strcmp(argv[2], "together"))
		CHECK(write(1, "0\n1\n2\n", 6) == 6);
	end(pool);
	return 0;
}
