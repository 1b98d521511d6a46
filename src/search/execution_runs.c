/* SPDX-License-Identifier: GPL-2.0-or-later */
/* execution_runs.c - the runs of an execution: natively, and recorded; see execution.h. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "blackout/trace_format.h"
#include "run/pmem_force.h"
#include "run/recording.h"
#include "search/execution_in.h"
#include "trace/seal.h"

enum { RECORDING_PATIENCE = 10 /* times the time limit, unless the program is known to hang */ };

/* A second recording, for detectors that need what cannot be recorded together with the branches. */
#define JUDGED_DIR "judged"

/* ---- running ---- */

int execution_place_prepare(struct running *r, struct err *err)
{
	const struct place_options how = {
		.start = r->plan->start,
		.fallback = r->dir,
		.client = r->client,
		.ready = r->plan->talk ? NULL : r->plan->ready, /* a test would be a connection, too */
		.network = r->plan->talk || r->plan->overhears,
		.timeout = r->plan->timeout,
		.stop = r->plan->stop,
	};

	return place_open(&r->place, &how, err);
}

static int command_run(struct running *r, const struct words *argv, const struct words *environment, unsigned patience,
		       struct outcome *outcome, struct err *err)
{
	const struct place_run run = {
		.argv = argv->items,
		.environment = environment->items,
		.input = r->stdin_path,
		.patience = patience,
		.files = r->files,
		.file_count = r->file_count,
	};

	return place_run(r->place, &run, outcome, err);
}

/* The last line with something in it. */
static void last_line(char *line, size_t size, const struct tail *tail)
{
	const char *end = tail->text ? tail->text + tail->size : NULL, *start;

	*line = 0;
	if (!end)
		return;
	while (end > tail->text && strchr("\n\r\t ", end[-1]))
		end--;
	for (start = end; start > tail->text && start[-1] != '\n'; start--)
		;
	if ((size_t)(end - start) >= size)
		end = start + size - 1;
	memcpy(line, start, (size_t)(end - start));
	line[end - start] = 0;
}

static int native_run(struct running *r, struct err *err)
{
	struct words argv = {0}, environment = {0};
	struct outcome outcome;
	int result;

	execution_output_keep(&argv, r);
	execution_command(&argv, r->plan, r->input, *r->kept.list ? r->kept.list : NULL, r->kept.output);
	if (r->plan->job->pmem_force)
		pmem_force_add(&environment);
	result = command_run(r, &argv, &environment, 1, &outcome, err);
	words_free(&argv);
	words_free(&environment);
	if (result < 0)
		return result;
	r->result->was_native = true;
	r->result->left = place_left(r->place, r->files, r->file_count);
	r->result->native = outcome.ending;
	/* How to use a program is often said on standard output. */
	bool refused = outcome.ending.kind == ENDING_EXIT && !outcome.err.size;
	last_line(r->result->said, sizeof(r->result->said), refused ? &outcome.out : &outcome.err);
	outcome_free(&outcome);
	return 0;
}

static int recording_seal(const char *dir, const struct outcome *outcome, struct err *err)
{
	char text[32], seconds[32];
	const struct seal_meta metas[] = {{"outcome", text}, {"seconds", seconds}};
	const struct seal_options how = {.metas = metas, .meta_count = 2};
	bool exited = outcome->ending.kind == ENDING_EXIT;

	snprintf(text, sizeof(text), "%s %d", exited ? "exit" : "signal",
		 exited || outcome->ending.kind == ENDING_SIGNAL ? outcome->ending.value : SIGKILL);
	snprintf(seconds, sizeof(seconds), "%.3f", outcome->seconds);
	return trace_seal(dir, &how, err);
}

static void layers_choose(struct recorder_job *job, uint32_t layers)
{
	job->loads |= (layers & BO_LAYER_LOADS) != 0;
	job->code_hash |= (layers & BO_LAYER_CODE) != 0;
	job->sync |= (layers & BO_LAYER_SYNC) != 0;
	job->dependencies |= (layers & BO_LAYER_DEPENDENCIES) != 0;
}

/* The recorder is told how long each message of a connection is, up to the one that ends it. */
static void connection_name(const struct running *r, unsigned connection, struct words *inputs)
{
	char sizes[SOURCES_MAX * 21] = "";
	size_t length = 0;

	for (size_t i = 0; i < r->plan->sources->count; i++) {
		const struct input_source *source = &r->plan->sources->at[i];

		if (source->kind != BO_SOURCE_SOCKET || source->number != connection)
			continue;
		length += (size_t)snprintf(sizes + length, sizeof(sizes) - length, "%s%zu", length ? "," : "",
					   r->input->of[i].size);
		if (!r->input->of[i].size)
			break;
	}
	words_add(inputs, SOCKET_WORD ":%s", sizes);
}

/* The sources, as the recorder wants to be told them (run/sources.h). */
static void inputs_name(const struct running *r, struct words *inputs)
{
	*inputs = (struct words){0};
	for (size_t i = 0; i < r->plan->sources->count; i++) {
		const struct input_source *source = &r->plan->sources->at[i];

		if ((source->ops && r->plan->client) || source->kind == BO_SOURCE_SOCKET)
			continue; /* the client reads them; see below */
		if (source->kind == BO_SOURCE_ARG)
			words_add(inputs, "arg:%u", source->number);
		else if (source->kind == BO_SOURCE_FILE)
			words_add(inputs, "file:%s", source->ops ? r->kept.list : source->path);
		else
			words_add(inputs, "stdin");
	}
	for (unsigned i = 1; r->plan->talk && i <= r->plan->talk->connections; i++)
		connection_name(r, i, inputs);
	if (r->plan->overhears)
		words_add(inputs, SOCKET_WORD);
}

static unsigned recording_patience(const struct running *r)
{
	return r->result->was_native && r->result->native.kind == ENDING_TIMEOUT ? 1 : RECORDING_PATIENCE;
}

static void words_move(struct words *to, struct words *from)
{
	for (size_t i = 0; i < from->count; i++)
		words_add(to, "%s", from->items[i]);
	words_free(from);
}

/* Run the recorder.  `*outcome` is the program's, and is freed by the caller if the result is 0. */
static int recorder_run(struct running *r, const struct recorder_job *template, struct recording *recording,
			bool branches, struct outcome *outcome, struct err *err)
{
	struct recorder_job job = *template;
	struct words argv = {0}, environment = {0}, recorder = {0};
	char why[200];
	int result;

	job.dir = recording->dir;
	if (branches)
		inputs_name(r, &job.inputs);
	job.ops = *r->kept.list ? r->kept.list : NULL;
	job.target = (struct words){0};
	execution_command(&job.target, r->plan, r->input, job.ops, r->kept.output);
	execution_output_keep(&argv, r);
	recorder_command(r->plan->recorder, &job, &recorder, &environment);
	words_move(&argv, &recorder);
	result = command_run(r, &argv, &environment, recording_patience(r), outcome, err);
	words_free(&argv);
	words_free(&environment);
	words_free(&job.target);
	if (branches)
		words_free(&job.inputs);
	if (result < 0)
		return result;
	if (recording_stopped(recording, why, sizeof(why))) {
		err_set(err, "the recorder stopped because of %s", why);
	} else if (!recording_started(recording)) {
		last_line(why, sizeof(why), &outcome->err);
		err_set(err, "the recorder did not start%s%s", *why ? ": " : "", why);
	} else if (recording_seal(recording->dir, outcome, err) == 0) {
		return 0;
	}
	outcome_free(outcome);
	return -1;
}

/* The client's command line is the same in all runs, so what it prints has to be put where the recording keeps it. */
static int output_move(const struct running *r, struct err *err)
{
	if (!*r->client_output || rename(r->client_output, r->kept.output) == 0)
		return 0;
	return err_sys(err, "cannot make %s", r->kept.output);
}

/* Record into `dir`; the job says what, besides the branches that depend on input. */
static int record_into(struct running *r, const char *dir, const struct recorder_job *job, bool branches,
		       struct err *err)
{
	struct recording recording = {.fd = -1};
	struct outcome outcome;
	int result;

	if (recording_create(&recording, dir, err) < 0)
		return -1;
	result = execution_operations_write(r, recording.dir, err) < 0 || execution_stdin_choose(r, err) < 0
			 ? -1
			 : recorder_run(r, job, &recording, branches, &outcome, err);
	recording_close(&recording);
	if (result < 0)
		return result;
	r->result->recorded = outcome.ending;
	outcome_free(&outcome);
	return output_move(r, err);
}

/* ---- the sequence of runs ---- */

static int behavior_look(struct running *r, struct err *err)
{
	struct behavior behavior = {0};
	int result = behavior_read(&behavior, r->recording, NULL, err);

	r->result->tested = r->parts & EXECUTION_TEST || behavior_set_lacks(r->plan->behavior, &behavior);
	r->result->idle = behavior.contexts.count == 0;
	for (size_t i = 0; i < behavior.files.count; i++)
		r->result->unknown |= !start_has(r->plan->start, behavior.files.at[i]);
	behavior_free(&behavior);
	return result;
}

/* The detectors may need what cannot be recorded together with the branches. */
static int judged_record(struct running *r, struct err *err)
{
	struct recorder_job job = *r->plan->job;

	if (!(r->plan->layers & BO_LAYER_DEPENDENCIES) || !r->result->tested)
		return 0;
	layers_choose(&job, r->plan->layers);
	if (path_make(r->judged, sizeof(r->judged), err, "%s/" JUDGED_DIR, r->dir) < 0)
		return -1;
	return record_into(r, r->judged, &job, false, err);
}

static int path_record(struct running *r, struct err *err)
{
	struct recorder_job job = *r->plan->job;
	int result;

	layers_choose(&job, r->plan->layers & ~(uint32_t)BO_LAYER_DEPENDENCIES);
	result = record_into(r, r->recording, &job, true, err);
	return result < 0 ? result : behavior_look(r, err);
}

/* PM files became known: from now on they are private, too.  If the user's own were changed, the program must show what it
 * does to private ones. */
static int first_record(struct running *r, struct err *err)
{
	int result = path_record(r, err), back;
	struct err ignored;

	if (result == 0 && !r->result->unknown)
		return 0;
	place_close(r->place);
	r->place = NULL;
	if (result < 0) { /* it was interrupted, or failed; the user's files are put back all the same */
		if (trace_seal(r->recording, &(struct seal_options){0}, &ignored) == 0)
			start_learn(r->plan->start, r->recording, &ignored);
		return result;
	}
	back = start_learn(r->plan->start, r->recording, err);
	if (back < 0 || execution_place_prepare(r, err) < 0)
		return -1;
	return back ? path_record(r, err) : 0;
}

static bool is_fruitless(const struct running *r)
{
	const struct fruitless *known = r->plan->fruitless;

	if (!(r->parts & EXECUTION_PROMISING) || !r->result->left)
		return false;
	for (size_t i = 0; i < known->left.count; i++)
		if (known->left.at[i] == r->result->left)
			return true;
	return false;
}

int execution_runs_do(struct running *r, struct err *err)
{
	bool first = r->parts & EXECUTION_FIRST;
	int result = first ? first_record(r, err) : 0;

	if (result == 0 && r->parts & (EXECUTION_NATIVE | EXECUTION_PROMISING))
		result = native_run(r, err);
	if (result == 0 && is_fruitless(r)) {
		r->result->fruitless = true;
		return 0;
	}
	if (result == 0 && !first)
		result = path_record(r, err);
	if (result == 0 && r->parts & EXECUTION_JUDGE)
		result = judged_record(r, err);
	return result;
}
