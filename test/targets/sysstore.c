/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysstore.c - what system calls write into mapped PM. */
// events: store,ntstore,lockstore,repstore,sysstore
#include "target.h"

#include <sys/socket.h>
#include <sys/uio.h>

int main(int argc, char **argv)
{
	char *p, *v, name[4096];
	int fd, pair[2], ends[2];
	struct iovec iov[3];

	CHECK(argc == 2);
	snprintf(name, sizeof(name), "%s.in", argv[1]);
	fd = file_create(name, 0);
	CHECK(write(fd, "0123456789abcdefghijklmnopqrstuv", 32) == 32);
	CHECK(lseek(fd, 0, SEEK_SET) == 0);
	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && pipe(ends) == 0);
	p = pool_create(argv[1]);
	v = volatile_create();
	begin(p);

	CHECK(read(fd, p, 4) == 4);            //! sysstore pool+0x0 4 0x33323130
	CHECK(pread(fd, p + 0x3d, 8, 2) == 8); //! sysstore pool+0x3d 8 0x3938373635343332
	/* only what was read is stored */
	CHECK(pread(fd, p + 0x80, 100, 29) == 3); //! sysstore pool+0x80 3 0x767574
	CHECK(pread(fd, p + 0x80, 100, 50) == 0);
	CHECK(read(-1, p + 0x80, 8) == -1);
	iov[0] = (struct iovec){p + 0x100, 2};
	iov[1] = (struct iovec){v, 2};
	iov[2] = (struct iovec){p + 0x110, 4};
	CHECK(preadv(fd, iov, 3, 0) == 8);
	//! sysstore pool+0x100 2 0x3130
	//! sysstore pool+0x110 4 0x37363534
	CHECK(send(pair[0], "hello", 5, 0) == 5);
	CHECK(recv(pair[1], p + 0x140, 64, 0) == 5); //! sysstore pool+0x140 5 0x6f6c6c6568
	CHECK(write(ends[1], "pipe", 4) == 4);
	CHECK(read(ends[0], p + 0x180, 64) == 4); //! sysstore pool+0x180 4 0x65706970
	CHECK(read(fd, v, 4) == 4);
	CHECK(fstat(fd, (struct stat *)(p + 0x200)) == 0); //! sysstore pool+0x200 144 *

	end(p);
	CHECK(memcmp(p + 0x140, "hello", 5) == 0);
	return 0;
}
