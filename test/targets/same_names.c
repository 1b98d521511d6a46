/* SPDX-License-Identifier: GPL-2.0-or-later */
/* same_names.c - two pools with the same name in different directories.
 *
 *     same_names DATA INDEX           the index is persisted before the data that it points to; then one more store to the data is never written back
 *     same_names DATA INDEX check */
#include "target.h"

static uint64_t read_first(const char *path)
{
	uint64_t value = 0;
	int fd = open(path, O_RDONLY);

	if (fd >= 0 && read(fd, &value, sizeof(value)) < 0)
		value = 0;
	close(fd);
	return value;
}

int main(int argc, char **argv)
{
	CHECK(argc > 2);
	if (argc > 3)
		return read_first(argv[2]) && read_first(argv[1]) != 42 ? 3 : 0;
	char *data = file_map(file_create(argv[1], POOL_BYTES), POOL_ADDR, POOL_BYTES);
	char *index = file_map(file_create(argv[2], POOL_BYTES), SECOND_ADDR, POOL_BYTES);

	ST8(data, 42); // lost
	ST8(index, 1); // on media
	CLFLUSH(index);
	SFENCE();
	CLFLUSH(data);
	SFENCE();
	ST8(data, 43);
	ST8(data, 42); // never written back
	CHECK(munmap(data, POOL_BYTES) == 0);
	return 0;
}
