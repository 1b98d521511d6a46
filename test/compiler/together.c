/* SPDX-License-Identifier: GPL-2.0-or-later */
/* together.c - one line stores to two members: together FILE [check] */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

struct entry {
	uint64_t key;
	uint64_t between;
	uint64_t value;
};

int main(int argc, char **argv)
{
	int fd = open(argv[1], O_RDWR | O_CREAT, 0644);
	if (fd < 0 || ftruncate(fd, 4096) < 0)
		return 2;
	struct entry *entry = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (argc > 2)
		return printf("%lu %lu\n", entry->key, entry->value) < 0;
	/* clang-format off */
	entry->key = 1, entry->value = 2;
	/* clang-format on */
	__builtin_ia32_clflush(entry);
	return 0;
}
