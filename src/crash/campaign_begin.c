/* SPDX-License-Identifier: GPL-2.0-or-later */
/* campaign_begin.c - before the first crash state: does recovery pass without a crash, and how does it end on the initial
 * state? */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "crash/campaign_in.h"

static bool content_any(const struct content *content)
{
	for (uint32_t file = 1; content_knows(content, file); file++)
		if (content_path(content, file))
			return true;
	return false;
}

static void printed_keep(struct campaign *c, const struct outcome *outcome)
{
	size_t size = outcome->out.size + outcome->err.size;
	char *both = mem_alloc(size + 1);

	if (outcome->out.size)
		memcpy(both, outcome->out.text, outcome->out.size);
	if (outcome->err.size)
		memcpy(both + outcome->out.size, outcome->err.text, outcome->err.size);
	c->printed = arena_copy(&c->texts, both, size);
	free(both);
}

/* The shell exits with these if a command is not found or cannot be executed. */
static bool shell_refuses(const struct outcome *outcome)
{
	return outcome->ending.kind == ENDING_EXIT && (outcome->ending.value == 126 || outcome->ending.value == 127);
}

/* Before the first crash state: recovery must pass on the files that the program left. */
static int orderly_end(struct campaign *c, struct err *err)
{
	struct outcome outcome;
	char how[128];
	int r = tester_run_content(c->tester, c->survey->final, 1, &outcome, err);

	if (r < 0)
		return r;
	if (!outcome_passed(&outcome)) {
		ending_text(outcome.ending, how, sizeof(how));
		printed_keep(c, &outcome);
		err_set(err, "recovery fails without any crash, on what the program leaves at its end: %s", how);
		err_status(err, shell_refuses(&outcome) ? ERR_USAGE : ERR_TARGET);
		if (outcome.ending.kind == ENDING_TIMEOUT)
			err_hint(err, "--timeout gives it more time");
		else if (outcome.ending.kind == ENDING_SIGNAL && outcome.ending.value == SIGXFSZ)
			err_hint(err, "--disk lets it write more");
		else if (!content_any(c->survey->final))
			err_hint(err, "the program leaves no persistent file behind");
		r = -1;
	}
	outcome_free(&outcome);
	return r;
}

static int initial_state(struct campaign *c, struct reading *reading, struct err *err)
{
	struct state *state = state_none(reading_image(reading));
	struct outcome outcome;
	int r = tester_run(c->tester, state, 1, &outcome, err);

	state_free(state);
	if (r < 0)
		return r;
	c->initial = verdict_of(&outcome);
	outcome_free(&outcome);
	return 0;
}

int campaign_begin(struct campaign *c, struct reading *reading, struct err *err)
{
	int r;

	if (c->begun)
		return 0;
	r = orderly_end(c, err);
	if (r == 0)
		r = initial_state(c, reading, err);
	c->begun = r == 0;
	return r;
}
