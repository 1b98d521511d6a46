/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file_lock.c - a target keeps the POSIX locks on its files, which a process loses when it closes any descriptor of the
 * file; and a descriptor keeps its position. */
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

static void made_writable(void);

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
	made_writable();

	end(p);
	return 0;
}

/* A file becomes PM when its mapping is made writable, of which the recorder has no descriptor. */
static void made_writable(void)
{
	struct flock lock = {.l_type = F_WRLCK, .l_len = 1};
	int fd = file_create("third", POOL_BYTES);
	char *third = mmap(NULL, POOL_BYTES, PROT_READ, MAP_SHARED, fd, 0);

	CHECK(third != MAP_FAILED);
	CHECK(fcntl(fd, F_SETLK, &lock) == 0);
	CHECK(lseek(fd, 5, SEEK_SET) == 5);
	CHECK(mprotect(third, POOL_BYTES, PROT_READ | PROT_WRITE) == 0); //! file third id=3 size=16384 created
	CHECK(is_locked("third"));
	CHECK(lseek(fd, 0, SEEK_CUR) == 5);
	ST8(third + 8, 3); //! store third+0x8 8 0x3
}
