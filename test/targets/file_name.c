/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file_name.c - rename, link and unlink of PM files, which stay PM as long as they are mapped.
 * A dump calls a file by the name under which it became known. */
// events: store,rename,unlink,file
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

	CHECK(rename("pool.b", "pool.c") == 0);                                          //! rename pool.b -> pool.c
	ST8(q, 1);                                                                       //! store pool.b+0x0 8 0x1
	CHECK(renameat2(AT_FDCWD, "pool.c", AT_FDCWD, "pool.d", RENAME_NOREPLACE) == 0); //! rename pool.b -> pool.d
	CHECK(rename("missing", "pool.e") == -1);
	CHECK(link("pool.d", "pool.link") == 0);
	CHECK(unlink("pool.link") == 0);                                       //! unlink pool.b links=1
	ST8(q, 2);                                                             //! store pool.b+0x0 8 0x2
	CHECK(mkdir("sub", 0755) == 0 && rename("pool.d", "sub/pool.d") == 0); //! rename pool.b -> sub/pool.d
	CHECK(renameat(AT_FDCWD, "sub/pool.d", AT_FDCWD, "pool.b") == 0);      //! rename pool.b -> pool.b
	/* a file that is no PM takes the place of one that is */
	close(file_create("plain", 1));
	CHECK(rename("plain", "pool.b") == 0); //! unlink pool.b links=0
	ST8(q, 3);                             //! store pool.b+0x0 8 0x3
	/* a new file under the old name is another file */
	fd = file_create("pool.b2", PAGE);
	q = file_map(fd, SECOND_ADDR + 16 * PAGE, PAGE); //! file pool.b2 id=3 size=4096 created
	CHECK(unlink("pool.b2") == 0);                   //! unlink pool.b2 links=0
	ST8(q, 4);                                       //! store pool.b2+0x0 8 0x4
	fd = file_create("pool.b2", PAGE);
	q = file_map(fd, SECOND_ADDR + 16 * PAGE, PAGE); //! file pool.b2 id=4 size=4096 created
	ST8(q, 5);                                       //! store pool.b2+0x0 8 0x5
	CHECK(unlinkat(AT_FDCWD, "pool.b2", 0) == 0);    //! unlink pool.b2 links=0
	end(p);
	return 0;
}
