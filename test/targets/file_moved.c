/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file_moved.c - a file is found again under the name that it has now: its directory was renamed, its first name was
 * removed, it was renamed before it became PM. */
// events: file,store,rename,unlink
#include "target.h"

static char *map_again(const char *path)
{
	int fd = open(path, O_RDWR);
	char *p;

	CHECK(fd >= 0);
	p = file_map(fd, SECOND_ADDR, POOL_BYTES);
	close(fd);
	return p;
}

static void unmap(void)
{
	CHECK(munmap((void *)SECOND_ADDR, POOL_BYTES) == 0);
}

int main(int argc, char **argv)
{
	char *p;
	int fd;

	CHECK(argc == 2);
	p = pool_create(argv[1]);
	CHECK(mkdir("dir", 0755) == 0);
	close(file_create("dir/a", POOL_BYTES));
	begin(p);

	ST8(map_again("dir/a"), 1);
	//! file a id=2 size=16384 created
	//! store a+0x0 8 0x1
	CHECK(rename("dir", "moved") == 0); //! rename a -> moved/a
	unmap();
	ST8(map_again("moved/a") + 8, 2); //! store a+0x8 8 0x2
	unmap();

	CHECK(link("moved/a", "b") == 0);
	CHECK(unlink("moved/a") == 0); //! unlink a links=1
	ST8(map_again("b") + 16, 3);
	//! rename a -> b
	//! store a+0x10 8 0x3
	unmap();

	fd = file_create("c", POOL_BYTES);
	CHECK(mmap((void *)SECOND_ADDR, POOL_BYTES, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED);
	CHECK(write(fd, "content", 7) == 7);
	close(fd);
	CHECK(rename("c", "d") == 0);
	CHECK(mprotect((void *)SECOND_ADDR, POOL_BYTES, PROT_READ | PROT_WRITE) == 0);
	//! file d id=3 size=16384 created
	ST8((char *)SECOND_ADDR + 8, 4); //! store d+0x8 8 0x4

	end(p);
	return 0;
}
