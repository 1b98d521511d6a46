/* SPDX-License-Identifier: GPL-2.0-or-later */
/* result.c - turn a failing state and its cause into a result: recovery's output on it, and a folder to replay it
 * from. */
#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "crash/checkpoints.h"
#include "explain/explain.h"
#include "image/snapshot.h"

enum { PATH_ROOM = PATH_MAX + 16, PASSES = 3 /* runs that must pass before we believe it */ };

void result_point(const struct explain *e, const struct trial *trial, struct crash_sighting *s)
{
	const struct point *point = trial->point ? points_get(e->campaign->survey->points, trial->point) : NULL;
	enum op op = point ? point->op : (enum op)trial->op;

	s->point = point ? point->context : trial->context;
	s->point_op = op_name(op == OP_COUNT ? OP_EXIT : op);
	s->point_event = trial->event + 1;
}

void result_stores(struct explain *e, struct crash_sighting *s, const struct crash_store *lost, size_t lost_count,
		   const struct crash_store *persisted, size_t persisted_count)
{
	s->lost = campaign_block(e->campaign, lost, lost_count * sizeof(*lost));
	s->lost_count = lost_count;
	s->persisted = campaign_block(e->campaign, persisted, persisted_count * sizeof(*persisted));
	s->persisted_count = persisted_count;
}

void result_join(struct explain *e, struct result *result, const struct job *job)
{
	/* Contents that an earlier strategy found, too, are already counted. */
	bool counted = result->strategies & (strategy_bit(job->strategy) - 1);

	e->result = 1 + (size_t)(result - e->campaign->results.all.at);
	result->sighting.states += counted ? job->fresh : job->states;
	result->strategies |= strategy_bit(job->strategy);
}

static const char *tail_text(struct campaign *c, const struct tail *tail)
{
	return tail->size ? arena_copy(&c->texts, tail->text, tail->size) : NULL;
}

/* The stack */

static const char *known_text(struct campaign *c, const char *text)
{
	return *text ? campaign_text(c, text) : NULL;
}

static struct finding_frame frame_of(struct campaign *c, const struct recovery_frame *from)
{
	const char *slash = strrchr(from->file, '/');

	return (struct finding_frame){
		.file = known_text(c, slash ? slash + 1 : from->file),
		.path = known_text(c, from->file),
		.function = known_text(c, from->function),
		.module = campaign_text(c, from->module),
		.line = from->line,
	};
}

static int result_stack(struct explain *e, struct crash_sighting *s, const struct state *state,
			const struct crash_context *crash, struct err *err)
{
	struct recovery_frame frames[RESULT_FRAMES_MAX];
	struct finding_frame copy[RESULT_FRAMES_MAX];
	bool hangs = s->ending.kind == ENDING_TIMEOUT;
	int count = tester_stack(e->campaign->tester, state, crash, hangs, frames, RESULT_FRAMES_MAX, err);

	if (count <= 0)
		return count;
	for (int i = 0; i < count; i++)
		copy[i] = frame_of(e->campaign, &frames[i]);
	s->frames = campaign_block(e->campaign, copy, (size_t)count * sizeof(*copy));
	s->frame_count = (size_t)count;
	return 0;
}

static void result_output(struct campaign *c, struct result *result, const struct outcome *outcome,
			  const struct outcome *idle, const struct crash_context *crash)
{
	struct crash_sighting *s = &result->sighting;

	oracles_tell(c->oracles, crash, result->verdict, outcome, idle, s);
	s->out = tail_text(c, &outcome->out);
	s->err = tail_text(c, &outcome->err);
	s->mode = recovery_mode_name(outcome->mode);
}

/* Recovery passes now that it runs alone.  Does it always?  A recovery with a race fails only sometimes, and that is
 * still a failure.  1: it passed every time; 0: it failed; -1, TESTER_STOPPED. */
static int result_passes(struct explain *e, const struct state *state, const struct crash_context *crash,
			 struct err *err)
{
	bool passed = true;

	for (unsigned i = 0; passed && i < PASSES; i++) {
		struct tester_result run;
		int r = tester_run(e->campaign->tester, state, crash, 1, &run, err);

		if (r < 0)
			return r;
		passed = verdict_passed(run.verdict);
		outcome_free(&run.outcome);
	}
	return passed;
}

/* A failure that began at a checkpoint has been run from the start: rule 4 of checkpoints.h. */
static void result_compare(struct explain *e, struct verdict later, struct verdict start)
{
	struct campaign *c = e->campaign;

	if (verdict_same(later, start) || verdict_hangs(later) || verdict_hangs(start))
		return;
	if (c->checkpoints && !checkpoints_are_off(c->checkpoints))
		checkpoints_differ(c->checkpoints);
	outcomes_distrust(c->outcomes);
}

enum { RESULT_FLAKY = 1, RESULT_EXCUSED, RESULT_UNEXAMINED };

/* Run recovery on the state for its output.  If it now fails in a different way, or may not be run, use the output that
 * was kept.  RESULT_FLAKY: it passes, so its outcome depends on more than the state.  RESULT_EXCUSED: an oracle takes
 * back its verdict, after a look at what recovery does here if it only recovers (`idle`; NULL: it is not known). */
static int result_hear(struct explain *e, struct result *result, const struct state *state,
		       const struct crash_context *crash, const struct outcome *idle, struct err *err)
{
	struct campaign *c = e->campaign;
	struct crash_sighting *s = &result->sighting;
	const struct outcome *before = outcomes_kept(c->outcomes, crash_case(state->digest, crash), crash);
	struct tester_result run;
	int r;

	if (before && verdict_same(oracles_judge(c->oracles, before, crash), result->verdict)) {
		if (idle && oracles_excuse(c->oracles, result->verdict, before, idle, crash))
			return RESULT_EXCUSED;
		result_output(c, result, before, idle, crash);
	}
	/* A hang was already seen twice.  Only its stack would be new. */
	if (s->mode && verdict_hangs(result->verdict))
		return explain_may_run(e, result->verdict) ? result_stack(e, s, state, crash, err) : 0;
	bool later = before && before->from;
	if (!explain_may_run(e, result->verdict) && ((s->mode && !later) || !explain_may_run_late(e)))
		return 0;
	r = tester_run(c->tester, state, crash, 1, &run, err);
	if (r < 0)
		return r;
	if (later)
		result_compare(e, result->verdict, run.verdict);
	bool same = verdict_same(run.verdict, result->verdict);
	bool excused = same && idle && oracles_excuse(c->oracles, result->verdict, &run.outcome, idle, crash);
	if (same && (!s->mode || run.outcome.out.size + run.outcome.err.size))
		result_output(c, result, &run.outcome, idle, crash);
	outcome_free(&run.outcome);
	if (excused)
		return RESULT_EXCUSED;
	if (verdict_passed(run.verdict))
		return result_passes(e, state, crash, err);
	bool has_stack = verdict_hangs(result->verdict) || result->verdict.ending.kind == ENDING_SIGNAL;
	return has_stack && explain_may_run(e, result->verdict) ? result_stack(e, s, state, crash, err) : 0;
}

/* The same, after a look at what recovery does if it only recovers.  RESULT_UNEXAMINED: no time is left for that. */
static int result_run(struct explain *e, struct result *result, const struct state *state,
		      const struct crash_context *crash, struct err *err)
{
	struct campaign *c = e->campaign;
	const struct crash_context only = oracles_place_idle(c->oracles, *crash);
	struct tester_result idle;
	int r;

	if (!oracles_may_excuse(c->oracles, result->verdict))
		return result_hear(e, result, state, crash, NULL, err);
	if (!explain_may_run_late(e))
		return oracles_likely_excuse(c->oracles, result->verdict)
			       ? RESULT_UNEXAMINED
			       : result_hear(e, result, state, crash, NULL, err);
	r = tester_run(c->tester, state, &only, 1, &idle, err);
	if (r < 0)
		return r;
	r = result_hear(e, result, state, crash, &idle.outcome, err);
	outcome_free(&idle.outcome);
	return r;
}

/* Keep the state for replay, and the operations that recovery performs on it.  If that fails, the finding is still
 * reported. */
static void result_folder(struct explain *e, struct crash_sighting *s, const struct state *state,
			  const struct crash_context *crash)
{
	struct campaign *c = e->campaign;
	const struct recovery_setting *setting = crash->command ? oracles_setting(c->oracles, crash->command) : NULL;
	char name[16], path[PATH_MAX], file[PATH_ROOM];
	struct err err;

	snprintf(name, sizeof(name), "%04u", ++c->results.folders);
	if (folder_new(path, c->options.out, name, &err) < 0) {
		results_unkept(&c->results, &err);
		return;
	}
	if (path_make(file, sizeof(file), &err, "%s/" FOLDER_STATE, path) < 0 ||
	    snapshot_write(file, reading_image(e->reading), state, &err) < 0 ||
	    (setting && folder_keep_operations(path, setting->ops, &err) < 0)) {
		results_unkept(&c->results, &err);
		return;
	}
	s->operation.performs = setting != NULL;
	s->operation.first = setting ? setting->first : 0;
	snprintf(name, sizeof(name), ".%04u", c->results.folders);
	s->folder = campaign_text(c, name);
}

/* Rule 2 of creation.h. */
static bool is_creation(const struct explain *e, const struct crash_sighting *s)
{
	struct creation *creation = e->campaign->creation;

	return creation_covers(creation, s->point) && (!s->blamed || creation_covers(creation, s->blamed));
}

/* The creation result of this platform, or NULL. */
static struct result *creation_find(const struct explain *e)
{
	struct campaign *c = e->campaign;

	for (size_t i = 0; i < c->results.all.count; i++)
		if (c->results.all.at[i].sighting.cause == CAUSE_CREATION &&
		    !strcmp(c->results.all.at[i].sighting.platform, e->platform))
			return &c->results.all.at[i];
	return NULL;
}

/* Drop the stores: the layout of an unfinished pool is up to the library. */
static void result_becomes_creation(struct result *result)
{
	struct crash_sighting *s = &result->sighting;

	s->cause = CAUSE_CREATION;
	s->blamed = 0;
	s->lost_count = s->persisted_count = 0;
	s->unfinished = s->always = false;
	memset(result->contexts, 0, sizeof(result->contexts));
	result->by_loss = false;
}

int result_add(struct explain *e, const struct job *job, struct result *result, const struct state *state,
	       const struct crash_context *crash, struct err *err)
{
	struct crash_sighting *s = &result->sighting;
	struct result *creation;
	int r;

	if (is_creation(e, s)) {
		creation = creation_find(e);
		if (creation) {
			result_join(e, creation, job);
			return 0;
		}
		result_becomes_creation(result);
	}
	s->kind = oracles_finding(e->campaign->oracles, result->verdict);
	s->ending = result->verdict.ending;
	oracles_tell(e->campaign->oracles, crash, (struct verdict){0}, NULL, NULL, s);
	result->strategies = strategy_bit(job->strategy);
	s->platform = e->platform;
	s->states = job->states;
	r = result_run(e, result, state, crash, err);
	if (r == -1)
		return -1;
	e->campaign->results.flaky += r == RESULT_FLAKY ? job->states : 0;
	e->campaign->results.unexamined += r == RESULT_UNEXAMINED ? job->states : 0;
	if (r == RESULT_FLAKY || r == RESULT_EXCUSED || r == RESULT_UNEXAMINED)
		return 0;
	result_folder(e, s, state, crash);
	vec_push(&e->campaign->results.all, *result);
	e->result = e->campaign->results.all.count;
	return 0;
}
