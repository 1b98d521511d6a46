/* SPDX-License-Identifier: GPL-2.0-or-later */
/* creation_many.c - creation_many FILE; creation_many FILE check: a pool is created by twelve stores of different code
 * and one fence, and then said to be complete.  Recovery looks at all of them, and refuses what is not complete. */
// needs: clwb
#include "target.h"

#define LINES 12
#define AT(pool, line) ((pool) + (line)*64)
#define STORE(line)                    \
	ST8(AT(pool, line), line + 1); \
	CLWB(AT(pool, line));

int main(int argc, char **argv)
{
	char *pool;
	int fd;

	if (argc == 3) {
		fd = open(argv[1], O_RDWR);
		pool = fd < 0 ? MAP_FAILED : mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (pool == MAP_FAILED)
			return 3;
		for (unsigned line = 0; line < LINES; line++)
			if (load8(AT(pool, line)) > LINES)
				return 4;
		return load8(AT(pool, LINES)) ? 0 : 3;
	}
	CHECK(argc == 2);
	pool = pool_create(argv[1]);
	STORE(0)
	STORE(1) STORE(2) STORE(3) STORE(4) STORE(5) STORE(6) STORE(7) STORE(8) STORE(9) STORE(10) STORE(11) SFENCE();
	ST8(AT(pool, LINES), 1);
	CLWB(AT(pool, LINES));
	SFENCE();
	return 0;
}
