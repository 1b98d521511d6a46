/* SPDX-License-Identifier: GPL-2.0-or-later */
/* expectation.c - see expectation.h. */
#include "equivalence/expectation.h"

#include <stdlib.h>

#include "base/map.h"

struct expectations {
	struct orderly *orderly;
	struct map index; /* content and setting -> 1 + index */
	VEC_OF(struct expectation *) all;
};

struct expectations *expectations_new(struct orderly *orderly)
{
	struct expectations *e = mem_alloc(sizeof(*e));

	e->orderly = orderly;
	return e;
}

void expectations_free(struct expectations *e)
{
	for (size_t i = 0; e && i < e->all.count; i++) {
		output_free(e->all.at[i]->output);
		output_free(e->all.at[i]->again);
		free(e->all.at[i]);
	}
	if (e) {
		vec_free(&e->all);
		map_free(&e->index);
	}
	free(e);
}

static struct expectation *expectation_find(struct expectations *all, struct digest content, uint64_t setting)
{
	const struct crash_context crash = {.command = setting};
	struct digest run = crash_run(content, &crash);
	uint64_t *index = map_put(&all->index, run.low, run.high);

	if (!*index) {
		struct expectation *e = mem_alloc(sizeof(*e));

		e->content = content;
		e->setting = setting;
		vec_push(&all->all, e);
		*index = all->all.count;
	}
	return all->all.at[*index - 1];
}

static void run_heard(void *arg, const struct outcome *outcome)
{
	struct expectation *e = arg;

	if (!outcome) /* it was stopped, and must run again */
		return;
	e->runs++;
	if (!ending_same(outcome->ending, (struct ending){ENDING_EXIT, 0}) || !outcome->output) {
		e->failed = true;
		e->ending = outcome->ending;
	} else if (!e->output)
		e->output = output_copy(outcome->output);
	else if (!e->again && !output_same(e->output, outcome->output))
		e->again = output_copy(outcome->output);
}

/* Files of other names or sizes than now cannot be shown as a state of the tester's image. */
static int content_run(struct expectation *e, struct tester *tester, const struct content *content,
		       const struct crash_context *crash, unsigned runs, struct err *err)
{
	struct tester_result run;
	int r = 0;

	while (r == 0 && e->runs < runs) {
		r = tester_run_content(tester, content, crash, 1, &run, err);
		if (r == 0) {
			run_heard(e, &run.outcome);
			outcome_free(&run.outcome);
		}
	}
	return r;
}

static int state_run(struct expectation *e, struct tester *tester, struct state *state,
		     const struct crash_context *crash, unsigned runs, struct err *err)
{
	int r = 0;

	state->digest = e->content;
	for (unsigned i = e->runs; i < runs && r == 0; i++)
		r = tester_listen(tester, state, crash, run_heard, e, err);
	return r;
}

int expectations_ask(struct expectations *all, struct tester *tester, uint64_t event, uint64_t setting, unsigned runs,
		     struct expectation **expectation, struct err *err)
{
	const struct crash_context crash = {.event = CRASH_NONE, .command = setting};
	const struct orderly_content *content = orderly_at(all->orderly, event, err);
	struct state *state;
	int r;

	if (!content)
		return -1;
	*expectation = expectation_find(all, content->digest, setting);
	if ((*expectation)->runs >= runs)
		return 0;
	state = state_like(tester->image, content->content);
	if (!state)
		return content_run(*expectation, tester, content->content, &crash, runs, err);
	r = state_run(*expectation, tester, state, &crash, runs, err);
	state_free(state);
	return r;
}
