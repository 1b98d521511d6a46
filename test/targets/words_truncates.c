/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words_truncates.c - words_truncates FILE: a recovery for words.c that fails if B is there without A; where C is lost
 * it makes the file longer first. */
#include "target.h"

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDWR) : -1;
	struct stat st;
	char *p;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size < (off_t)POOL_BYTES)
		return 0;
	p = mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(p != MAP_FAILED);
	if (!load8(p + 2 * 64) && ftruncate(fd, (off_t)POOL_BYTES * 2) < 0)
		return 9;
	return load8(p + 64) && !load8(p) ? 3 : 0;
}
