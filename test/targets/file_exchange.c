/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file_exchange.c - two PM files swap their names. */
// events: store,rename,unlink
#include "target.h"

#include <linux/fs.h>

int main(int argc, char **argv)
{
	char *p, *q;
	int fd;

	CHECK(argc == 2);
	p = pool_create(argv[1]);
	fd = file_create("pool.b", PAGE);
	q = file_map(fd, SECOND_ADDR, PAGE);
	begin(p);
	ST8(p, 1); //! store pool+0x0 8 0x1
	ST8(q, 2); //! store pool.b+0x0 8 0x2
	if (renameat2(AT_FDCWD, "pool", AT_FDCWD, "pool.b", RENAME_EXCHANGE) < 0) {
		fprintf(stderr, "skip: this file system cannot exchange names\n");
		return 77;
	}
	//! rename pool.b -> pool
	//! rename pool -> pool.b
	ST8(p, 3); //! store pool+0x0 8 0x3
	ST8(q, 4); //! store pool.b+0x0 8 0x4
	CHECK(rename("pool.b", "pool") == 0);
	//! unlink pool.b links=0
	//! rename pool -> pool
	ST8(p, 5); //! store pool+0x0 8 0x5
	end(p);
	return 0;
}
