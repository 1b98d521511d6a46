/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"

static void (*on_exhaustion)(void);

void mem_on_exhaustion(void (*handler)(void))
{
	on_exhaustion = handler;
}

static void *memory_check(void *memory)
{
	if (!memory && on_exhaustion)
		on_exhaustion();
	BUG_ON(!memory);
	return memory;
}

void *mem_alloc(size_t size)
{
	return memory_check(calloc(1, size ? size : 1));
}

void *mem_resize(void *old, size_t count, size_t size)
{
	BUG_ON(size && count > SIZE_MAX / size);
	return memory_check(realloc(old, count && size ? count * size : 1));
}
