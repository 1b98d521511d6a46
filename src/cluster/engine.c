/* SPDX-License-Identifier: GPL-2.0-or-later */
/* engine.c - the table of engines. */
#include "cluster/engine.h"

#include <string.h>

static const struct engine_ops *const engines[] = {
#define X(name) &engine_##name,
	ENGINES(X)
#undef X
};

const struct engine_ops *engine_find(const char *name)
{
	for (size_t i = 0; i < sizeof(engines) / sizeof(*engines); i++)
		if (!strcmp(engines[i]->name, name))
			return engines[i];
	return NULL;
}
