/* SPDX-License-Identifier: GPL-2.0-or-later */
/* straddles.c - straddles FILE RECORDS SIZE; straddles FILE check SIZE: records that count if their last word says so.
 *
 * The words of a record are stored in order, so the last one vouches for the others, as long as they are in one line.
 * Records of 24 bytes do not keep to that; the instructions are the same for all of them. */
// needs: clwb
#include "target.h"

#define RECORDS 400

struct record {
	uint64_t key, value, valid;
};

static struct record *record_at(char *pool, size_t size, uint64_t i)
{
	return (struct record *)(pool + i * size);
}

static int check(const char *path, size_t size)
{
	int fd = open(path, O_RDWR);
	char *pool = fd < 0 ? MAP_FAILED : mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (pool == MAP_FAILED)
		return 0;
	for (uint64_t i = 0; i < RECORDS; i++) {
		const struct record *r = record_at(pool, size, i);

		if (r->valid && (r->key != i + 1 || r->value != 7 * (i + 1)))
			return 3;
	}
	return 0;
}

int main(int argc, char **argv)
{
	size_t size;
	char *pool;

	CHECK(argc == 4);
	size = strtoul(argv[3], NULL, 10);
	if (!strcmp(argv[2], "check"))
		return check(argv[1], size);
	pool = pool_create(argv[1]);
	for (uint64_t i = 0; i < strtoull(argv[2], NULL, 10); i++) {
		struct record *r = record_at(pool, size, i);

		ST8(&r->key, i + 1);
		ST8(&r->value, 7 * (i + 1));
		ST8(&r->valid, 1);
		CLWB(&r->key);
		CLWB(&r->valid);
		SFENCE();
	}
	return 0;
}
