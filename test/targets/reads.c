/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reads.c - with --reads, what system calls read from PM files are events too. */
// record: --reads
// events: store,read
#include "target.h"

#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>

int main(int argc, char **argv)
{
	char *p, *mapped, buffer[64];
	int fd, other, ends[2];
	off_t from = 0x300;
	struct iovec iov[2] = {{buffer, 3}, {buffer + 3, 5}};

	CHECK(argc == 2);
	other = file_create("other", 0x1000);
	CHECK(pipe(ends) == 0);
	p = pool_create(argv[1]);
	fd = open(argv[1], O_RDWR);
	begin(p);

	CHECK(read(fd, buffer, 5) == 5);         //! read pool+0x0 5
	CHECK(read(fd, buffer, 6) == 6);         //! read pool+0x5 6
	CHECK(pread(fd, buffer, 3, 0x100) == 3); //! read pool+0x100 3
	CHECK(lseek(fd, 0x200, SEEK_SET) == 0x200);
	CHECK(readv(fd, iov, 2) == 8);                                   //! read pool+0x200 8
	CHECK(preadv(fd, iov, 2, 0x300) == 8);                           //! read pool+0x300 8
	CHECK(syscall(SYS_preadv2, fd, iov, 2ul, 0x400ul, 0ul, 0) == 8); //! read pool+0x400 8
	CHECK(syscall(SYS_preadv2, fd, iov, 2ul, -1l, -1l, 0) == 8);     //! read pool+0x208 8
	CHECK(sendfile(ends[1], fd, &from, 9) == 9);                     //! read pool+0x300 9
	CHECK(sendfile(ends[1], fd, NULL, 2) == 2);                      //! read pool+0x210 2
	CHECK(copy_file_range(fd, &from, other, NULL, 7, 0) == 7);       //! read pool+0x309 7
	ST8(p, 1);                                                       //! store pool+0x0 8 0x1
	/* a private mapping */
	mapped = mmap(NULL, 0x1000, PROT_READ, MAP_PRIVATE, fd, 0x1000); //! read pool+0x1000 4096
	CHECK(mapped != MAP_FAILED);
	mapped = mremap(mapped, 0x1000, 0x3000, MREMAP_MAYMOVE); //! read pool+0x2000 8192
	CHECK(mapped != MAP_FAILED);
	CHECK(mremap(mapped, 0x3000, 0x2000, 0) == mapped);
	/* nothing is read, or nothing of a PM file */
	CHECK(pread(fd, buffer, 5, 1 << 30) == 0);
	CHECK(pread(other, buffer, 5, 0) == 5);
	end(p);
	return 0;
}
