/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_changed.c - a file that a process which is not recorded changed while nobody had it mapped here. */
// events: store
#include "target.h"

#include <sys/wait.h>

static void change(const char *path)
{
	int fd, status;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0) {
		fd = open(path, O_RDWR);
		CHECK(pwrite(fd, "changed elsewhere", 17, 0x100) == 17 && ftruncate(fd, 3 * PAGE) == 0);
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

int main(int argc, char **argv)
{
	char *p, *q;
	int fd;

	CHECK(argc == 2);
	p = pool_create(argv[1]);
	fd = file_create("pool.b", 2 * PAGE);
	q = file_map(fd, SECOND_ADDR, 2 * PAGE);
	begin(p);
	ST8(q, 1);         //! store pool.b+0x0 8 0x1
	ST8(q + 0x108, 2); //! store pool.b+0x108 8 0x2
	ST8(q + PAGE, 3);  //! store pool.b+0x1000 8 0x3
	CHECK(munmap(q, 2 * PAGE) == 0);
	change("pool.b");
	q = file_map(fd, SECOND_ADDR, 3 * PAGE);
	ST8(q + 8, 4); //! store pool.b+0x8 8 0x4
	end(p);
	CHECK(memcmp(q + 0x100, "changed elsewhere", 17) == 0);
	return 0;
}
