/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fork_follow.c - children that are followed: parent, child and grandchild in one order. */
// record: --follow-children
// events: store,fork,exec,exit,map,unmap,write
#include "target.h"

#include <sys/wait.h>

static void reap(pid_t pid)
{
	int status;

	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

int main(int argc, char **argv)
{
	char *p;
	pid_t pid;

	CHECK(argc == 2);
	p = pool_create(argv[1]);
	begin(p);
	ST8(p, 1);    //! store pool+0x0 8 0x1
	pid = fork(); //! fork pid=N followed
	if (pid == 0) {
		int fd = open(argv[1], O_RDWR);

		/* a child starts with the mappings of its parent */
		//! t2 map pool+0x0 16384 at=0x100000000 prot=rw- flags=shared,fixed
		ST8(p + 8, 2);                         //! t2 store pool+0x8 8 0x2
		CHECK(pwrite(fd, "w", 1, 0x100) == 1); //! t2 write pool+0x100 1
		pid = fork();                          //! t2 fork pid=N followed
		if (pid == 0) {
			//! t3 map pool+0x0 16384 at=0x100000000 prot=rw- flags=shared,fixed
			ST8(p + 16, 3); //! t3 store pool+0x10 8 0x3
			_exit(0);       //! t3 exit 0
		}
		reap(pid);
		ST8(p + 8, 4); //! t2 store pool+0x8 8 0x4
		/* a child's mapping is its own */
		CHECK(munmap(p, PAGE) == 0); //! t2 unmap 0x100000000 4096
		_exit(0);                    //! t2 exit 0
	}
	reap(pid);
	ST8(p, 5); //! store pool+0x0 8 0x5
	end(p);
	CHECK(load8(p + 8) == 4 && load8(p + 16) == 3);
	return 0;
}
