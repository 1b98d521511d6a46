/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crash-nested-lines-buggy.c - an undo log over two lines that one fence completes.  Recovery throws the log away
 * before what it restored is on media.  Both crashes must come at the right time: the first leaves one line without the
 * other, the second an empty log. */
// recover: check
// run: --nested --detect explore
#include "crash.h"

struct pool {
	_Alignas(LINE) uint64_t logged; /* the log holds the old values */
	_Alignas(LINE) uint64_t log_a;
	uint64_t log_b;
	_Alignas(LINE) uint64_t a;
	_Alignas(LINE) uint64_t b;
};

static void change(struct pool *pool, uint64_t value)
{
	ST8(&pool->log_a, load8(&pool->a));
	ST8(&pool->log_b, load8(&pool->b));
	PERSIST(&pool->log_a);
	ST8(&pool->logged, 1);
	PERSIST(&pool->logged);
	ST8(&pool->a, value);
	ST8(&pool->b, value);
	CLWB(&pool->a);
	PERSIST(&pool->b);
	ST8(&pool->logged, 0);
	PERSIST(&pool->logged);
}

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);

	change(pool, 1);
	change(pool, 2);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (!pool)
		return 0;
	if (load8(&pool->logged)) {
		ST8(&pool->logged, 0); //! recovery-error error
		PERSIST(&pool->logged);
		ST8(&pool->a, load8(&pool->log_a)); //! recovery-error error
		ST8(&pool->b, load8(&pool->log_b)); //! recovery-error error
		CLWB(&pool->a);
		PERSIST(&pool->b);
	}
	if (load8(&pool->a) != load8(&pool->b))
		REFUSE("half a change");
	return 0;
}
