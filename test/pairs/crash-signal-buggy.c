/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crash-signal-buggy.c - a pointer to an object is on media before the object: recovery follows the null in it. */
// recover: check
#include "crash.h"

struct object {
	_Alignas(LINE) const char *name;
};

struct pool {
	_Alignas(LINE) struct object *first;
	struct object objects[2];
	_Alignas(LINE) char names[2][LINE];
};

static int work(const char *path)
{
	struct pool *pool = (struct pool *)pool_create(path);
	struct object *object = &pool->objects[0];

	ST8(pool->names[0], 0x656d616e); /* "name" */
	PERSIST(pool->names[0]);
	ST8(&object->name, (uintptr_t)pool->names[0]); //! recovery-crash error
	ST8(&pool->first, (uintptr_t)object);
	PERSIST(&pool->first);
	PERSIST(&object->name);
	return 0;
}

static int check(const char *path)
{
	struct pool *pool = pool_open(path, POOL_ADDR, POOL_BYTES);

	if (pool && pool->first && *(const volatile char *)pool->first->name != 'n')
		REFUSE("the object has another name");
	return 0;
}
