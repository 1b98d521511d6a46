/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recovery_order.c - a command whose crash states recovery does not accept. */
// symbolic: stdin
// stdin: a
// trigger stdin: c
// run: --detect inject --recover '@ pool check'
#include "search.h"

#include "ops.h"

struct pool {
	_Alignas(LINE) uint64_t value;
	_Alignas(LINE) uint64_t valid;
};

static int check(const char *path)
{
	struct pool *pool = pool_attach(path, POOL_ADDR, POOL_BYTES);

	return pool->valid && pool->value != 7;
}

int main(int argc, char **argv)
{
	struct pool *pool;

	if (argc > 2)
		return check(argv[1]);
	pool = pool_attach(argv[1], POOL_ADDR, POOL_BYTES);
	switch (getchar()) {
	case 'b':
		SAVE(&pool->value, 7);
		SAVE(&pool->valid, 1);
		break;
	case 'c':
		SAVE(&pool->valid, 1); //! recovery-error error
		SAVE(&pool->value, 7);
		break;
	}
	return 0;
}
