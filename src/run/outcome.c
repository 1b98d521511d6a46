/* SPDX-License-Identifier: GPL-2.0-or-later */
/* outcome.c - see outcome.h. */
#include "run/outcome.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

bool outcome_passed(const struct outcome *outcome)
{
	return outcome->kind == OUTCOME_EXIT && outcome->value == 0;
}

bool outcome_same(const struct outcome *a, const struct outcome *b)
{
	return a->kind == b->kind && a->value == b->value;
}

void outcome_describe(const struct outcome *outcome, char *text, size_t size)
{
	const char *name;

	switch (outcome->kind) {
	case OUTCOME_EXIT: snprintf(text, size, "exit status %d", outcome->value); break;
	case OUTCOME_SIGNAL:
		name = sigabbrev_np(outcome->value);
		if (name)
			snprintf(text, size, "SIG%s%s", name,
				 outcome->value == SIGXFSZ ? " (it wrote more than --disk allows)" : "");
		else
			snprintf(text, size, "signal %d", outcome->value);
		break;
	case OUTCOME_TIMEOUT: snprintf(text, size, "did not end within the time limit"); break;
	}
}

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
}

void outcome_free(struct outcome *outcome)
{
	free(outcome->out.text);
	free(outcome->err.text);
	outcome->out = outcome->err = (struct tail){0};
}
