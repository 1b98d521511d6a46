/* SPDX-License-Identifier: GPL-2.0-or-later */
/* share.c - see share.h. */
#include "search/share.h"

enum { MOST = 8, PATIENCE = 16 /* inputs */ };

/* What a frontier leads to need not be near to PM. */
static const unsigned least[SHARE_SOURCES] = {[SHARE_QUEUE] = 2, [SHARE_FRONTIER] = 1};

void share_begin(struct share *s)
{
	*s = (struct share){0};
	for (unsigned source = 0; source < SHARE_SOURCES; source++)
		s->weight[source] = least[source];
}

static int weights(const struct share *s)
{
	return (int)(s->weight[SHARE_QUEUE] + s->weight[SHARE_FRONTIER]);
}

enum share_source share_next(const struct share *s)
{
	return 2 * (s->credit + (int)s->weight[SHARE_FRONTIER]) > weights(s) ? SHARE_FRONTIER : SHARE_QUEUE;
}

/* What was not taken is not saved for long. */
void share_made(struct share *s, enum share_source source)
{
	int most = weights(s);

	s->credit += (int)s->weight[SHARE_FRONTIER] - (source == SHARE_FRONTIER ? most : 0);
	s->credit = s->credit > most ? most : s->credit < -most ? -most : s->credit;
}

void share_told(struct share *s, enum share_source source, bool is_new)
{
	unsigned *weight = &s->weight[source];

	if (is_new) {
		*weight = 2 * *weight < MOST ? 2 * *weight : MOST;
		s->failed[source] = 0;
	} else if (++s->failed[source] == PATIENCE) {
		*weight = *weight / 2 > least[source] ? *weight / 2 : least[source];
		s->failed[source] = 0;
	}
}
