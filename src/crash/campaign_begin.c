/* SPDX-License-Identifier: GPL-2.0-or-later */
/* campaign_begin.c - before the first crash state: does recovery pass without a crash, and how does it end on the
 * initial state? */
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
static bool shell_refuses(struct ending ending)
{
	return ending.kind == ENDING_EXIT && (ending.value == 126 || ending.value == 127);
}

/* Before the first crash state: recovery must pass on the files that the program left. */
static int orderly_end(struct campaign *c, struct err *err)
{
	const struct crash_context crash = campaign_crash(c, 0, CRASH_NONE);
	struct tester_result run;
	char how[128];
	int r = tester_run_content(c->tester, c->survey->final, &crash, 1, &run, err);

	if (r < 0)
		return r;
	if (verdict_failed(run.verdict)) {
		ending_text(run.verdict.ending, how, sizeof(how));
		printed_keep(c, &run.outcome);
		err_set(err, "recovery fails without any crash, on what the program leaves at its end: %s", how);
		err_status(err, shell_refuses(run.outcome.ending) ? ERR_USAGE : ERR_TARGET);
		if (verdict_hangs(run.verdict))
			err_hint(err, "--timeout gives it more time");
		else if (ending_same(run.outcome.ending, (struct ending){ENDING_SIGNAL, SIGXFSZ}))
			err_hint(err, "--disk lets it write more");
		else if (!content_any(c->survey->final))
			err_hint(err, "the program leaves no persistent file behind");
		r = -1;
	}
	outcome_free(&run.outcome);
	return r;
}

static int initial_state(struct campaign *c, struct reading *reading, struct err *err)
{
	struct state *state = state_none(reading_image(reading));
	const struct crash_context crash = campaign_crash(c, 0, 0);
	struct tester_result run;
	int r = tester_run(c->tester, state, &crash, 1, &run, err);

	state_free(state);
	if (r < 0)
		return r;
	c->initial = run.verdict;
	outcome_free(&run.outcome);
	return 0;
}

int campaign_begin(struct campaign *c, struct reading *reading, struct err *err)
{
	int r;

	if (c->begun)
		return 0;
	r = orderly_end(c, err);
	if (r == 0)
		r = oracles_begin(c->oracles, &(struct oracle_scene){.dir = c->options.dir, .tester = c->tester}, err);
	if (r == 0)
		r = initial_state(c, reading, err);
	c->begun = r == 0;
	return r;
}
