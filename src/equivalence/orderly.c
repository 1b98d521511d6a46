/* SPDX-License-Identifier: GPL-2.0-or-later */
/* orderly.c - see orderly.h. */
#include "equivalence/orderly.h"

#include <stdlib.h>

#include "base/vec.h"
#include "crash/reading.h"

struct orderly {
	const char *dir;
	const struct origin *origin;
	struct reading *reading; /* NULL: not opened yet */
	size_t room;
	VEC_OF(struct orderly_content) kept; /* the oldest first */
};

struct orderly *orderly_new(const char *dir, const struct origin *origin, size_t kept)
{
	struct orderly *o = mem_alloc(sizeof(*o));

	*o = (struct orderly){.dir = dir, .origin = origin, .room = kept};
	return o;
}

void orderly_free(struct orderly *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->kept.count; i++)
		content_free(o->kept.at[i].content);
	vec_free(&o->kept);
	reading_close(o->reading);
	free(o);
}

/* All platforms agree on what the program itself saw.  On this one, next to nothing is pending. */
static int orderly_open(struct orderly *o, struct err *err)
{
	reading_close(o->reading);
	o->reading = NULL;
	return reading_open(&o->reading, o->dir, platform_find("eadr"), o->origin, err);
}

static const struct orderly_content *content_keep(struct orderly *o, uint64_t event)
{
	struct image *image = reading_image(o->reading);
	struct state *state;

	if (o->kept.count == o->room) {
		content_free(o->kept.at[0].content);
		o->kept.count--;
		for (size_t i = 0; i < o->kept.count; i++)
			o->kept.at[i] = o->kept.at[i + 1];
	}
	image_settle(image);
	state = state_all(image);
	vec_push(&o->kept, ((struct orderly_content){event, state_content(image, state), state->digest}));
	state_free(state);
	return &o->kept.at[o->kept.count - 1];
}

const struct orderly_content *orderly_at(struct orderly *o, uint64_t event, struct err *err)
{
	for (size_t i = 0; i < o->kept.count; i++)
		if (o->kept.at[i].event == event)
			return &o->kept.at[i];
	if ((!o->reading || reading_number(o->reading) > event) && orderly_open(o, err) < 0)
		return NULL;
	return reading_to(o->reading, event, err) < 0 ? NULL : content_keep(o, event);
}
