/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "image/contents.h"

#include <stdlib.h>

#include "base/mem.h"

#define ROOM_FIRST 1024u

void contents_free(struct contents *contents)
{
	free(contents->at);
	*contents = (struct contents){0};
}

void contents_grow(struct contents *contents)
{
	struct contents old = *contents;

	contents->room = old.room ? old.room * 2 : ROOM_FIRST;
	contents->count = 0;
	contents->at = mem_alloc(contents->room * sizeof(*contents->at));
	for (size_t i = 0; i < old.room; i++) {
		if (old.at[i].low | old.at[i].high)
			contents_add(contents, old.at[i]);
	}
	free(old.at);
}
