/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file_reuse.c - a file that is made after another was removed is a file of its own, though the kernel gives it the
 * same inode number. */
// events: file,store,unlink
#include "target.h"

static char *make(const char *path)
{
	int fd = file_create(path, POOL_BYTES);
	char *p = file_map(fd, SECOND_ADDR, POOL_BYTES);

	close(fd);
	return p;
}

static void drop(const char *path)
{
	CHECK(munmap((void *)SECOND_ADDR, POOL_BYTES) == 0);
	CHECK(unlink(path) == 0);
}

int main(int argc, char **argv)
{
	char *p;
	int fd;

	CHECK(argc == 2);
	p = pool_create(argv[1]);
	begin(p);

	ST8(make("one"), 1);
	//! file one id=2 size=16384 created
	//! store one+0x0 8 0x1
	drop("one"); //! unlink one links=0
	ST8(make("two"), 2);
	//! file two id=3 size=16384 created
	//! store two+0x0 8 0x2
	drop("two"); //! unlink two links=0

	/* Only read, so never PM. */
	fd = file_create("three", POOL_BYTES);
	CHECK(mmap((void *)SECOND_ADDR, POOL_BYTES, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED);
	close(fd);
	drop("three");
	ST8(make("four"), 4);
	//! file four id=4 size=16384 created
	//! store four+0x0 8 0x4

	end(p);
	return 0;
}
