/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file_lock.c - a target keeps the POSIX locks on its files, which a process loses when it closes any descriptor of the file; and a descriptor
 * keeps its position. */
// events: file,store,write
#include "target.h"

#include <sys/wait.h>

static int is_locked(const char *path)
{
	int status;
	pid_t child = fork();

	CHECK(child >= 0);
	if (child == 0) {
		struct flock lock = {.l_type = F_WRLCK, .l_len = 1};
		int fd = open(path, O_RDWR);
		_exit(fd < 0 || fcntl(fd, F_GETLK, &lock) < 0 || lock.l_type != F_UNLCK);
	}
	CHECK(waitpid(child, &status, 0) == child);
	return status != 0;
}

int main(int argc, char **argv)
{
	struct flock lock = {.l_type = F_WRLCK, .l_len = 1};
	char *p, *second;
	int fd;

	CHECK(argc == 2);
	p = pool_create(argv[1]);
	fd = file_create("second", POOL_BYTES);
	CHECK(!is_locked("second"));
	CHECK(write(fd, "content", 7) == 7);
	CHECK(fcntl(fd, F_SETLK, &lock) == 0);
	CHECK(is_locked("second"));
	begin(p);

	second = file_map(fd, SECOND_ADDR, POOL_BYTES); //! file second id=2 size=16384 created
	CHECK(is_locked("second"));
	CHECK(lseek(fd, 0, SEEK_CUR) == 7);
	CHECK(write(fd, "more", 4) == 4); //! write second+0x7 4
	CHECK(is_locked("second"));
	ST8(second + 0x40, 1); //! store second+0x40 8 0x1
	CHECK(munmap(second, POOL_BYTES) == 0);
	CHECK(is_locked("second"));
	file_map(fd, SECOND_ADDR, POOL_BYTES);
	CHECK(is_locked("second"));
	CHECK(lseek(fd, 0, SEEK_CUR) == 11);

	end(p);
	return 0;
}
