/* SPDX-License-Identifier: GPL-2.0-or-later */
/* assignment.c - see assignment.h. */
#include "expression/assignment.h"

#include "base/err.h"

static struct assignment_source *source_at(struct assignment *assignment, uint32_t source)
{
	BUG_ON(!source);
	while (assignment->sources.count < source)
		vec_push(&assignment->sources, (struct assignment_source){0});
	return &assignment->sources.at[source - 1];
}

static const struct assignment_source *source_get(const struct assignment *assignment, uint32_t source)
{
	return source && source <= assignment->sources.count ? &assignment->sources.at[source - 1] : NULL;
}

void assignment_put(struct assignment *assignment, uint32_t source, const void *bytes, size_t count)
{
	struct assignment_source *to = source_at(assignment, source);

	to->bytes.count = 0;
	vec_append(&to->bytes, (const uint8_t *)bytes, count);
	to->length = count;
}

void assignment_set_byte(struct assignment *assignment, uint32_t source, uint64_t offset, uint8_t byte)
{
	struct assignment_source *to = source_at(assignment, source);

	while (to->bytes.count <= offset)
		vec_push(&to->bytes, 0);
	to->bytes.at[offset] = byte;
}

void assignment_set_length(struct assignment *assignment, uint32_t source, uint64_t length)
{
	source_at(assignment, source)->length = length;
}

uint8_t assignment_byte(const struct assignment *assignment, uint32_t source, uint64_t offset)
{
	const struct assignment_source *from = source_get(assignment, source);

	return from && offset < from->bytes.count ? from->bytes.at[offset] : 0;
}

uint64_t assignment_length(const struct assignment *assignment, uint32_t source)
{
	const struct assignment_source *from = source_get(assignment, source);

	return from ? from->length : 0;
}

void assignment_copy(struct assignment *to, const struct assignment *from)
{
	if (to == from)
		return;
	assignment_free(to);
	for (uint32_t source = 1; source <= from->sources.count; source++) {
		const struct assignment_source *old = source_get(from, source);

		assignment_put(to, source, old->bytes.at, old->bytes.count);
		assignment_set_length(to, source, old->length);
	}
}

void assignment_free(struct assignment *assignment)
{
	for (size_t i = 0; i < assignment->sources.count; i++)
		vec_free(&assignment->sources.at[i].bytes);
	vec_free(&assignment->sources);
}
