/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file_sync.c - msync, the calls that persist files, and writes that do so themselves. */
// events: store,write,msync,fsync,fdatasync,sync_file_range,syncfs,sync
#include <sys/uio.h>

#include "target.h"

int main(int argc, char **argv)
{
	char *p, *v;
	int fd, other;

	CHECK(argc == 2);
	other = file_create("other", PAGE);
	p = pool_create(argv[1]);
	v = volatile_create();
	fd = open(argv[1], O_RDWR);
	begin(p);

	CHECK(msync(p, POOL_BYTES, MS_SYNC) == 0);       //! msync pool+0x0 16384 flags=sync
	CHECK(msync(p + PAGE, 100, MS_SYNC) == 0);       //! msync pool+0x1000 4096 flags=sync
	CHECK(msync(p + 2 * PAGE, PAGE, MS_ASYNC) == 0); //! msync pool+0x2000 4096 flags=async
	CHECK(msync(p + 1, PAGE, MS_SYNC) == -1);
	CHECK(msync(v, PAGE, MS_SYNC) == 0);
	CHECK(fsync(fd) == 0);     //! fsync pool
	CHECK(fdatasync(fd) == 0); //! fdatasync pool
	CHECK(fsync(other) == 0);
	CHECK(sync_file_range(fd, PAGE, 2 * PAGE,
			      SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER) == 0);
	//! sync_file_range pool+0x1000 8192
	CHECK(fsync(-1) == -1);
	ST1(p, 1);              //! store pool+0x0 1 0x1
	CHECK(syncfs(fd) == 0); //! syncfs pool
	sync();                 //! sync pool

	int through = open(argv[1], O_WRONLY | O_DSYNC);
	struct iovec two = {"ab", 2};
	CHECK(pwrite(through, "xyz", 3, 0x1000) == 3);
	//! write pool+0x1000 3
	//! fdatasync pool+0x1000 3
	CHECK(pwritev2(fd, &two, 1, 0x2000, RWF_DSYNC) == 2);
	//! write pool+0x2000 2
	//! fdatasync pool+0x2000 2
	CHECK(pwritev2(fd, &two, 1, 0x3000, 0) == 2); //! write pool+0x3000 2
	end(p);
	return 0;
}
