/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "detect/segments.h"

#include <xxhash.h>

#include "base/map.h"
#include "base/vec.h"

struct segments {
	bool code;
	uint64_t representatives;
	uint64_t total, left_out;
	uint64_t hashed; /* hash of the sequence of code hashes since the last cut */
	struct map names;
	VEC_OF(uint64_t) tails; /* by thread: hash of its stores and flushes since its last code hash; 0: none */
};

struct segments *segments_new(bool code, uint64_t representatives)
{
	struct segments *s = mem_alloc(sizeof(*s));

	s->code = code;
	s->representatives = representatives;
	return s;
}

void segments_free(struct segments *segments)
{
	if (!segments)
		return;
	map_free(&segments->names);
	vec_free(&segments->tails);
	free(segments);
}

static uint64_t chain(uint64_t hash, uint64_t next)
{
	const uint64_t pair[2] = {hash, next};

	return XXH3_64bits(pair, sizeof(pair));
}

static uint64_t *tail_of(struct segments *s, uint32_t thread)
{
	while (s->tails.count <= thread)
		vec_push(&s->tails, 0);
	return &s->tails.at[thread];
}

void segments_event(struct segments *segments, const struct event *ev)
{
	uint64_t *tail;

	if (!segments->code)
		return;
	switch (ev->type) {
	case EVENT_CODE_HASH:
		segments->hashed = chain(segments->hashed, ev->value);
		*tail_of(segments, ev->thread) = 0;
		break;
	case EVENT_STORE:
	case EVENT_CLFLUSH:
	case EVENT_CLFLUSHOPT:
	case EVENT_CLWB:
	case EVENT_MSYNC:
	case EVENT_FILE_SYNC:
	case EVENT_FILE_WRITE:
	case EVENT_FILE_TRUNCATE:
	case EVENT_FILE_ALLOCATE:
		tail = tail_of(segments, ev->thread);
		*tail = chain(*tail, (uint64_t)ev->context << 8 | ev->type);
		break;
	default: break;
	}
}

/* A sum, so that the result does not depend on which thread is which. */
static uint64_t tails_sum(const struct segments *s)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->tails.count; i++)
		sum += s->tails.at[i] ? chain(s->tails.at[i], 0) : 0;
	return sum;
}

struct segment segments_cut(struct segments *segments)
{
	struct segment segment = {.number = ++segments->total, .chosen = true};
	uint64_t *seen;

	if (!segments->code)
		return segment;
	segment.name[0] = segments->hashed;
	segment.name[1] = tails_sum(segments);
	segments->hashed = 0;
	seen = map_put(&segments->names, segment.name[0], segment.name[1]);
	segment.seen = ++*seen;
	segment.chosen = !segments->representatives || segment.seen <= segments->representatives;
	segments->left_out += !segment.chosen;
	return segment;
}

void segments_skip(struct segments *segments)
{
	segments->total++;
	segments->hashed = 0;
}

uint64_t segments_total(const struct segments *segments)
{
	return segments->total;
}

uint64_t segments_unique(const struct segments *segments)
{
	return segments->names.count;
}

uint64_t segments_left_out(const struct segments *segments)
{
	return segments->left_out;
}
