/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"

void *mem_alloc(size_t size)
{
	void *memory = calloc(1, size ? size : 1);

	BUG_ON(!memory);
	return memory;
}

void *mem_resize(void *old, size_t count, size_t size)
{
	void *memory;

	BUG_ON(size && count > SIZE_MAX / size);
	memory = realloc(old, count && size ? count * size : 1);
	BUG_ON(!memory);
	return memory;
}
