/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops-call-fixed.c - a sorted array is copied, with a new number in it; the program maps its list of operations. */
// arguments: {ops}
// run: --detect inject,explore --op-marks call:perform
// ops: --count 16 --keys 50
// kind: 3 insert {newkey}
// kind: 1 show
#include "ops.h"

struct array {
	_Alignas(LINE) uint64_t count;
	_Alignas(LINE) uint64_t numbers[24];
};

struct pool {
	_Alignas(LINE) uint64_t current;
	struct array arrays[2];
};

static void range_persist(const void *p, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += LINE)
		CLWB((const char *)p + at);
	SFENCE();
}

static void insert(struct pool *pool, uint64_t number)
{
	struct array *from = &pool->arrays[pool->current];
	struct array *to = &pool->arrays[!pool->current];
	uint64_t at = from->count;

	for (; at > 0 && from->numbers[at - 1] > number; at--)
		ST8(&to->numbers[at], from->numbers[at - 1]);
	ST8(&to->numbers[at], number);
	while (at-- > 0)
		ST8(&to->numbers[at], from->numbers[at]);
	ST8(&to->count, from->count + 1);
	range_persist(to, sizeof(*to));
	ST8(&pool->current, !pool->current);
	PERSIST(&pool->current);
}

/* The operation: it must be a function of its own in the compiled program. */
__attribute__((noinline)) void perform(struct pool *pool, const char *line);

void perform(struct pool *pool, const char *line)
{
	struct operation op = operation_of(line);

	if (is(&op, "insert"))
		insert(pool, op.a);
	numbers_print(pool->arrays[pool->current].numbers, pool->arrays[pool->current].count);
}

int main(int argc, char **argv)
{
	struct pool *pool = pool_attach(argv[1], POOL_ADDR, POOL_BYTES);
	int fd = open(argv[argc - 1], O_RDONLY);
	const char *list, *line;
	struct stat st;

	CHECK(fd >= 0 && fstat(fd, &st) == 0);
	if (st.st_size == 0)
		return 0;
	list = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	CHECK(list != MAP_FAILED);
	for (line = list; line < list + st.st_size; line = strchr(line, '\n') + 1)
		perform(pool, line);
	return 0;
}
