/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file_write.c - system calls that write a mapped PM file. */
// events: store,write,truncate
#include "target.h"

#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>

int main(int argc, char **argv)
{
	char *p;
	int fd, append, other, ends[2];
	off_t from = 0, to = 0x900;
	struct iovec iov[3] = {{"abc", 3}, {"", 0}, {"defgh", 5}};

	CHECK(argc == 2);
	other = file_create("input", 0);
	CHECK(write(other, "0123456789", 10) == 10);
	CHECK(pipe(ends) == 0);
	p = pool_create(argv[1]);
	fd = open(argv[1], O_RDWR);
	append = open(argv[1], O_WRONLY | O_APPEND);
	begin(p);

	CHECK(write(fd, "hello", 5) == 5);  //! write pool+0x0 5
	CHECK(write(fd, " world", 6) == 6); //! write pool+0x5 6
	CHECK(memcmp(p, "hello world", 11) == 0);
	CHECK(pwrite(fd, "xyz", 3, 0x100) == 3); //! write pool+0x100 3
	CHECK(lseek(fd, 0x200, SEEK_SET) == 0x200);
	CHECK(writev(fd, iov, 3) == 8);                                   //! write pool+0x200 8
	CHECK(pwritev(fd, iov, 3, 0x300) == 8);                           //! write pool+0x300 8
	CHECK(syscall(SYS_pwritev2, fd, iov, 3ul, 0x400ul, 0ul, 0) == 8); //! write pool+0x400 8
	CHECK(syscall(SYS_pwritev2, fd, iov, 3ul, -1l, -1l, 0) == 8);     //! write pool+0x208 8
	CHECK(write(dup(fd), "d", 1) == 1);                               //! write pool+0x210 1
	ST8(p + 0x500, 1);                                                //! store pool+0x500 8 0x1
	/* out of the pool into itself */
	CHECK(pwrite(fd, p, 11, 0x600) == 11); //! write pool+0x600 11
	/* at the end, wherever the offset is */
	CHECK(write(append, "tail", 4) == 4); //! write pool+0x4000 4
	CHECK(write(append, "tail", 4) == 4); //! write pool+0x4004 4
	/* past the end: the gap is zero */
	CHECK(pwrite(fd, "far", 3, 0x5000) == 3); //! write pool+0x5000 3
	/* the kernel copies */
	CHECK(copy_file_range(other, &from, fd, &to, 7, 0) == 7); //! write pool+0x900 7
	CHECK(lseek(fd, 0xa00, SEEK_SET) == 0xa00);
	from = 2;
	CHECK(sendfile(fd, other, &from, 5) == 5); //! write pool+0xa00 5
	CHECK(write(ends[1], "spliced", 7) == 7);
	to = 0xb00;
	CHECK(splice(ends[0], NULL, fd, &to, 7, 0) == 7); //! write pool+0xb00 7
	/* what changes nothing */
	CHECK(write(fd, "", 0) == 0);
	CHECK(pwrite(fd, "x", 1, -1) == -1);
	CHECK(write(other, "not PM", 6) == 6);
	mark(argv[1], p + 0x700, 1); //! store pool+0x700 8 0x6d61726b01
	/* still ours when it is no longer mapped */
	end(p);
	CHECK(munmap(p, POOL_BYTES) == 0);
	CHECK(pwrite(fd, "late", 4, 0x800) == 4);
	return 0;
}
