/* SPDX-License-Identifier: GPL-2.0-or-later */
/* joining.c - see joining.h. */
#include "search/joining.h"

#include <string.h>

enum {
	EVERY = 8,      /* one of so many inputs is put together; */
	PATIENCE = 4,   /* after so many that did nothing new, one of twice as many, */
	SLOWER_MOST = 3 /* and so on, so often */
};

static void pair_add(struct joining *j, size_t first, size_t second)
{
	if (j->parts.at[first].source != JOINING_SECOND && !j->parts.at[second].is_joined)
		vec_push(&j->pairs, ((struct joining_pair){first, second}));
}

void joining_add(struct joining *j, const struct joining_part *part)
{
	size_t added = j->parts.count;

	vec_push(&j->parts, *part);
	for (size_t i = 0; i < added; i++) {
		pair_add(j, added, i);
		pair_add(j, i, added);
	}
}

bool joining_due(struct joining *j, uint64_t now)
{
	unsigned slower = j->failed / PATIENCE < SLOWER_MOST ? j->failed / PATIENCE : SLOWER_MOST;

	if (!j->pairs.count || now - j->last < (uint64_t)EVERY << slower)
		return false;
	j->last = now;
	return true;
}

/* Is it used less than another pair?  Among equals, the second part that did most, and the oldest first one, which is short. */
static bool is_fresher(const struct joining *j, const struct joining_pair *pair, const struct joining_pair *than)
{
	const struct joining_part *a = &j->parts.at[pair->second], *b = &j->parts.at[than->second];

	if (a != b)
		return a->second < b->second || (a->second == b->second && a->news > b->news);
	a = &j->parts.at[pair->first];
	b = &j->parts.at[than->first];
	return a->first < b->first || (a->first == b->first && a < b);
}

bool joining_next(struct joining *j, enum joining_pairs pairs, struct joined *joined)
{
	size_t best = 0;

	if (!j->pairs.count)
		return false;
	for (size_t i = 1; i < j->pairs.count; i++)
		if (is_fresher(j, &j->pairs.at[i], &j->pairs.at[best]))
			best = i;
	struct joining_part *first = &j->parts.at[j->pairs.at[best].first];
	struct joining_part *second = &j->parts.at[j->pairs.at[best].second];

	if (pairs == JOINING_ONCE && second->second)
		return false;
	*joined = (struct joined){first->execution, second->execution, (size_t)first->source};
	first->first++;
	second->second++;
	memmove(&j->pairs.at[best], &j->pairs.at[best + 1], (--j->pairs.count - best) * sizeof(*j->pairs.at));
	return true;
}

void joining_told(struct joining *j, bool is_new)
{
	j->failed = is_new ? 0 : j->failed + 1;
}

void joining_free(struct joining *j)
{
	vec_free(&j->parts);
	vec_free(&j->pairs);
}
