/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tester.c - the common part of all testers: deadlines, counts, known outcomes; see tester.h. */
#include "crash/tester.h"

#include "base/clock.h"

/* For implementations */

void tester_learn(struct tester *t, const struct tester_ticket *ticket, const struct outcome *outcome)
{
	struct verdict verdict = {0};

	if (ticket->heard) {
		if (ticket->name.low | ticket->name.high)
			outcomes_keep(t->outcomes, ticket->name, &ticket->crash, outcome);
		ticket->heard(ticket->arg, outcome);
	} else {
		verdict = outcomes_learn(t->outcomes, ticket->name, &ticket->crash, outcome);
		if (ticket->told)
			ticket->told(ticket->arg, &verdict);
	}
	tester_count(t, verdict);
}

void tester_give_up(const struct tester_ticket *ticket)
{
	if (ticket->told)
		ticket->told(ticket->arg, NULL);
	if (ticket->heard)
		ticket->heard(ticket->arg, NULL);
}

/* For users of a tester */

int tester_open(struct tester **tester, const struct tester_maker *maker, const struct tester_options *options,
		struct image *image, struct outcomes *outcomes, struct err *err)
{
	const struct tester common = {.options = *options, .image = image, .outcomes = outcomes};

	return maker->open(tester, &common, maker->arg, err);
}

void tester_close(struct tester *t)
{
	if (t)
		t->ops->close(t);
}

static void tester_look(const struct tester *t)
{
	if (t->options.look)
		t->options.look(t->options.arg);
}

void tester_count(struct tester *t, struct verdict verdict)
{
	t->runs++;
	t->failed += verdict_failed(verdict);
	tester_look(t);
}

static double tester_deadline(const struct tester *t)
{
	return t->failed + t->options.failed > 0 ? t->options.deadline_failed : t->options.deadline;
}

double tester_time_left(const struct tester *t)
{
	double deadline = tester_deadline(t), left = deadline - clock_seconds();

	return deadline <= 0 ? -1 : left > 0 ? left : 0;
}

bool tester_time_is_over(const struct tester *t)
{
	double deadline = tester_deadline(t);

	return deadline > 0 && clock_seconds() > deadline;
}

bool tester_is_stopped(const struct tester *t)
{
	return stop_asked(&t->options.recovery.stop) || tester_time_is_over(t);
}

int tester_submit(struct tester *t, const struct state *state, const struct crash_context *crash, struct err *err)
{
	return tester_submit_told(t, state, crash, NULL, NULL, err);
}

/* Recovery is about to run in this context. */
static int context_prepare(struct tester *t, const struct crash_context *crash, struct err *err)
{
	return oracles_prepare(outcomes_oracles(t->outcomes), t, crash, false, err);
}

int tester_prepare(struct tester *t, const struct crash_context *crash, struct err *err)
{
	return tester_time_is_over(t) ? 0 : context_prepare(t, crash, err);
}

int tester_claim_own(struct tester *t, struct digest name, const struct crash_context *crash, struct err *err)
{
	const struct shard_parts *parts = t->options.parts;
	bool known = outcomes_get(t->outcomes, name).known;
	int r = known && !parts && !t->options.shard.total ? 0 : tester_prepare(t, crash, err);

	if (r < 0)
		return r;
	if (parts && !parts->whole && !known)
		return 1;
	oracles_meet(outcomes_oracles(t->outcomes), crash);
	return outcomes_claim(t->outcomes, name, crash);
}

int tester_claim(struct tester *t, struct digest name, const struct crash_context *crash, struct err *err)
{
	int r;

	if (shard_takes(&t->options.shard, crash_content(name, crash)))
		return tester_claim_own(t, name, crash, err);
	r = tester_prepare(t, crash, err);
	return r < 0 ? r : 1;
}

int tester_submit_told(struct tester *t, const struct state *state, const struct crash_context *crash,
		       tester_told *told, void *arg, struct err *err)
{
	const struct tester_ticket ticket = {.name = crash_case(state->digest, crash),
					     .crash = *crash,
					     .told = told,
					     .arg = arg};
	int r = tester_time_is_over(t) ? TESTER_STOPPED : context_prepare(t, crash, err);

	return r < 0 ? r : t->ops->submit(t, state, &ticket, err);
}

int tester_listen(struct tester *t, const struct state *state, const struct crash_context *crash, tester_heard *heard,
		  void *arg, struct err *err)
{
	const struct tester_ticket ticket = {.name = state->digest, .crash = *crash, .heard = heard, .arg = arg};

	BUG_ON(crash->key);
	return tester_time_is_over(t) ? TESTER_STOPPED : t->ops->submit(t, state, &ticket, err);
}

int tester_submit_lazy(struct tester *t, const struct state *certain, const struct crash_context *crash, void *ticket,
		       const struct lazy_options *options, struct err *err)
{
	const struct tester_input input = {.state = certain, .crash = crash};
	int r = tester_time_is_over(t) ? TESTER_STOPPED : context_prepare(t, crash, err);

	if (r < 0)
		return r;
	oracles_meet(outcomes_oracles(t->outcomes), crash);
	return t->ops->submit_lazy(t, &input, ticket, options, err);
}

int tester_drain(struct tester *t, struct err *err)
{
	return t->ops->drain(t, err);
}

static int input_run(struct tester *t, const struct tester_input *input, unsigned patience,
		     struct tester_result *result, struct err *err)
{
	int r = oracles_prepare(outcomes_oracles(t->outcomes), t, input->crash, true, err);

	if (r == 0)
		r = t->ops->run(t, input, patience, &result->outcome, err);
	if (r < 0)
		return r;
	result->verdict = oracles_judge(outcomes_oracles(t->outcomes), &result->outcome, input->crash);
	t->runs++;
	tester_look(t);
	return 0;
}

int tester_run(struct tester *t, const struct state *state, const struct crash_context *crash, unsigned patience,
	       struct tester_result *result, struct err *err)
{
	return input_run(t, &(struct tester_input){.state = state, .crash = crash}, patience, result, err);
}

int tester_run_content(struct tester *t, const struct content *content, const struct crash_context *crash,
		       unsigned patience, struct tester_result *result, struct err *err)
{
	return input_run(t, &(struct tester_input){.content = content, .crash = crash}, patience, result, err);
}

int tester_stack(struct tester *t, const struct state *state, const struct crash_context *crash, bool hangs,
		 struct recovery_frame *frames, size_t room, struct err *err)
{
	return t->ops->stack(t, &(struct tester_input){.state = state, .crash = crash}, hangs, frames, room, err);
}

int tester_record(struct tester *t, const struct tester_input *input, const struct tester_recording *how,
		  struct err *err)
{
	return t->ops->record(t, input, how, err);
}

int tester_start_recording(struct tester *t, const struct tester_input *input, const struct tester_recording *how,
			   tester_heard *heard, void *arg, struct err *err)
{
	BUG_ON(!input->state);
	return tester_time_is_over(t) ? TESTER_STOPPED : t->ops->start_recording(t, input, how, heard, arg, err);
}

struct tester_facts tester_facts(const struct tester *t)
{
	return t->ops->facts(t);
}

const char *tester_foreign_file(const struct tester *t, size_t index)
{
	return t->ops->foreign_file(t, index);
}

uint64_t tester_runs(const struct tester *t)
{
	return t->runs;
}

uint64_t tester_failed(const struct tester *t)
{
	return t->failed;
}
