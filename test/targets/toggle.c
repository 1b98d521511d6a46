/* SPDX-License-Identifier: GPL-2.0-or-later */
/* toggle.c - toggle FILE; toggle FILE check: three hundred operations take a lock, count themselves, and give the lock
 * back.  It is never flushed, and is in the line of a number that recovery reads. */
// needs: clwb
#include "target.h"

#define OPERATIONS 300
#define LOCK PAGE
#define NUMBER (LOCK + 8)
#define COUNT (2 * PAGE)

static int check(const char *path)
{
	int fd = open(path, O_RDWR);
	char *pool = fd < 0 ? MAP_FAILED : mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (pool == MAP_FAILED)
		return 0;
	return load8(pool + NUMBER) > 7 || load8(pool + COUNT) > OPERATIONS ? 3 : 0;
}

int main(int argc, char **argv)
{
	char *pool;

	CHECK(argc == 2 || argc == 3);
	if (argc == 3)
		return check(argv[1]);
	pool = pool_create(argv[1]);
	ST8(pool + NUMBER, 7);
	CLWB(pool + NUMBER);
	SFENCE();
	for (unsigned i = 1; i <= OPERATIONS; i++) {
		ST8(pool + LOCK, 1);
		ST8(pool + COUNT, i);
		CLWB(pool + COUNT);
		SFENCE();
		ST8(pool + LOCK, 0);
	}
	return 0;
}
