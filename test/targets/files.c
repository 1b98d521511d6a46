/* SPDX-License-Identifier: GPL-2.0-or-later */
/* files.c - map every file named, make it if need be, and store its number into it. */
#include "target.h"

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		int fd = open(argv[i], O_CREAT | O_RDWR, 0644);
		char *p;

		CHECK(fd >= 0 && ftruncate(fd, PAGE) == 0);
		p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		CHECK(p != MAP_FAILED);
		ST8(p, i);
		CHECK(pwrite(fd, "x", 1, 100) == 1);
		close(fd);
	}
	return 0;
}
