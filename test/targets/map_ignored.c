/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_ignored.c - what is no PM: private and read-only mappings, anonymous memory, files without a name. */
#include "target.h"

static void use(char *q)
{
	CHECK(q != MAP_FAILED);
	ST8(q, 1);
	SFENCE();
}

int main(int argc, char **argv)
{
	char *p, *q;
	int fd, nameless;

	CHECK(argc == 2);
	p = pool_create(argv[1]);
	fd = file_create("pool.b", POOL_BYTES);
	begin(p);

	use(mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0));                 //! sfence
	use(mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)); //! sfence
	use(mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));  //! sfence
	nameless = memfd_create("pool.memfd", 0);
	CHECK(nameless >= 0 && ftruncate(nameless, POOL_BYTES) == 0);
	use(mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, nameless, 0)); //! sfence
	nameless = file_create("pool.gone", POOL_BYTES);
	CHECK(unlink("pool.gone") == 0);
	use(mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, nameless, 0)); //! sfence
	/* read-only shared, and shared of a descriptor that cannot write */
	q = mmap(NULL, POOL_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	CHECK(q != MAP_FAILED && load8(q) == 0);
	fd = open("pool.b", O_RDONLY);
	q = mmap(NULL, POOL_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	CHECK(q != MAP_FAILED && mprotect(q, POOL_BYTES, PROT_READ | PROT_WRITE) == -1);
	CHECK(mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED);
	/* writes to files that are no PM */
	fd = open("pool.b", O_RDWR);
	CHECK(pwrite(fd, "x", 1, 0) == 1 && fsync(fd) == 0 && ftruncate(fd, PAGE) == 0 && unlink("pool.b") == 0);
	ST8(p, 2); //! store pool+0x0 8 0x2
	end(p);
	return 0;
}
