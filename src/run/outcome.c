/* SPDX-License-Identifier: GPL-2.0-or-later */
/* outcome.c - see outcome.h. */
#include "run/outcome.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "ops/output.h"

static void tail_copy(struct tail *copy, const struct tail *tail)
{
	*copy = *tail;
	if (!tail->text)
		return;
	copy->text = mem_alloc(tail->size + 1);
	memcpy(copy->text, tail->text, tail->size);
}

void outcome_copy(struct outcome *copy, const struct outcome *outcome)
{
	*copy = *outcome;
	tail_copy(&copy->out, &outcome->out);
	tail_copy(&copy->err, &outcome->err);
	copy->output = outcome->output ? output_copy(outcome->output) : NULL;
}

void outcome_free(struct outcome *outcome)
{
	free(outcome->out.text);
	free(outcome->err.text);
	output_free(outcome->output);
	outcome->out = outcome->err = (struct tail){0};
	outcome->output = NULL;
}

static bool tail_same(const struct tail *a, const struct tail *b)
{
	return a->size == b->size && a->cut == b->cut && (!a->size || !memcmp(a->text, b->text, a->size));
}

bool outcome_same(const struct outcome *a, const struct outcome *b)
{
	return ending_same(a->ending, b->ending) && a->by_client == b->by_client && tail_same(&a->out, &b->out) &&
	       tail_same(&a->err, &b->err) &&
	       (a->output && b->output ? output_same(a->output, b->output) : a->output == b->output);
}
