/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input_search.c - see input_search.h: the loop of executions, and what is made of their results. */
#include "search/input_search.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/path.h"
#include "image/tree.h"
#include "report/report.h"
#include "search/input_search_in.h"
#include "search/kept_input.h"

enum { WAIT_MS = 200, NOTES_MOST = 50 };

void input_search_note(struct input_search *s, const char *format, ...)
{
	char *note;
	va_list args;

	va_start(args, format);
	BUG_ON(vasprintf(&note, format, args) < 0);
	va_end(args);
	if (s->notes.count < NOTES_MOST)
		vec_push(&s->notes, note);
	else
		free(note);
}

/* ---- inputs ---- */

static bool is_seed(const struct input_search *s, uint64_t number)
{
	return number <= s->options->seed_count;
}

bool input_search_offer(struct input_search *s, struct input *input, uint64_t parent, size_t bound)
{
	struct input_digest digest;
	uint64_t *known;

	input_clean(input, s->plan.sources, s->options->max_input);
	digest = input_digest(input, s->plan.sources);
	known = map_put(&s->seen, digest.at[0], digest.at[1]);
	if (*known) {
		input_free(input);
		return false;
	}
	vec_push(&s->attempts, ((struct attempt){.input = *input, .parent = parent, .bound = bound}));
	*known = s->attempts.count;
	vec_push(&s->waiting, s->attempts.count);
	*input = (struct input){0};
	return true;
}

/* ---- results ---- */

static int input_keep(struct input_search *s, uint64_t number, struct err *err)
{
	struct attempt *attempt = &s->attempts.at[number - 1];

	if (attempt->kept)
		return 0;
	attempt->kept = ++s->inputs;
	gathering_number_input(s->gathering, number, attempt->kept);
	return kept_input_write(&s->plan, &attempt->input, attempt->kept, err);
}

/* Crashes and hangs of the program itself are no findings about PM. */
static int ending_judge(struct input_search *s, uint64_t number, struct err *err)
{
	struct attempt *attempt = &s->attempts.at[number - 1];
	char text[80];

	if (!attempt->was_native || attempt->native.kind == ENDING_EXIT)
		return 0;
	if (input_keep(s, number, err) < 0)
		return -1;
	ending_text(attempt->native, text, sizeof(text));
	input_search_note(s, "on the input inputs/%" PRIu64 " the program itself %s%s%s%s", attempt->kept,
			  attempt->native.kind == ENDING_SIGNAL ? "is killed by " : "", text,
			  *attempt->said ? ": " : "", attempt->said);
	return 0;
}

/* Only findings.json and the folders of crash findings are needed. */
static void reports_remove(const char *dir)
{
	char path[PATH_MAX];

	for (int i = 0; i < REPORT_COUNT; i++)
		if (i != REPORT_JSON &&
		    path_format(path, sizeof(path), "%s/%s", dir, report_file((enum report_format)i)))
			unlink(path);
}

static int findings_take(struct input_search *s, uint64_t number, const char *dir, struct err *err)
{
	struct attempt *attempt = &s->attempts.at[number - 1];
	const struct gathering_input input = {.size = input_size(&attempt->input, s->plan.sources),
					      .number = attempt->kept};
	int taken = gathering_add(s->gathering, dir, number, &input, err);

	reports_remove(dir);
	if (taken <= 0)
		return taken;
	return input_keep(s, number, err);
}

static int behavior_take(struct input_search *s, uint64_t number, const char *recording, struct err *err)
{
	struct attempt *attempt = &s->attempts.at[number - 1];
	struct behavior behavior = {0};
	int result = behavior_read(&behavior, recording, err);

	if (result == 0)
		attempt->novelty = behavior_set_add(&s->behavior, &behavior);
	behavior_free(&behavior);
	return result < 0 || !attempt->novelty ? result : input_keep(s, number, err);
}

/* An execution is over: take all that it tells. */
static int result_take(struct input_search *s, uint64_t number, const struct execution_result *result, const char *dir,
		       struct err *err)
{
	struct attempt *attempt = &s->attempts.at[number - 1];
	char recording[PATH_MAX];

	attempt->done = true;
	attempt->native = result->native;
	attempt->was_native = result->was_native;
	memcpy(attempt->said, result->said, sizeof(attempt->said));
	s->executions++;
	if (path_make(recording, sizeof(recording), err, "%s/" EXECUTION_RECORDING, dir) < 0)
		return -1;
	if (result->unknown && start_learn(s->plan.start, recording, err) < 0)
		return -1;
	if (is_seed(s, number) && input_keep(s, number, err) < 0)
		return -1;
	if (ending_judge(s, number, err) < 0 || behavior_take(s, number, recording, err) < 0)
		return -1;
	if (result->is_untested)
		input_search_note(s, "crash states of inputs/%" PRIu64 " were not tested: %s", attempt->kept,
				  result->untested.sentence);
	return result->judged ? findings_take(s, number, dir, err) : 0;
}

/* ---- executions ---- */

static bool is_over(struct input_search *s)
{
	s->stopped |= stop_asked(&s->plan.stop);
	return s->stopped || (s->end > 0 && clock_seconds() >= s->end);
}

static bool is_waiting(const struct input_search *s)
{
	return s->waiting_from < s->waiting.count;
}

/* A seed runs alone: it may use PM files that are not known yet, so that they are not private. */
static bool may_start(const struct input_search *s)
{
	if (!is_waiting(s) || s->running_count == s->plan.jobs)
		return false;
	return !s->running_count || (!is_seed(s, s->running[0].number) && !is_seed(s, s->waiting.at[s->waiting_from]));
}

static unsigned parts_choose(const struct input_search *s, uint64_t number)
{
	return EXECUTION_NATIVE | EXECUTION_JUDGE | (is_seed(s, number) ? EXECUTION_FIRST : 0);
}

static int next_start(struct input_search *s, struct err *err)
{
	uint64_t number = s->waiting.at[s->waiting_from++];
	struct execution *e = &s->running[s->running_count];

	if (execution_start(e, &s->plan, &s->attempts.at[number - 1].input, number, parts_choose(s, number), err) < 0)
		return -1;
	s->running_count++;
	return 0;
}

/* An execution that failed is lost; but if none works, neither will the next. */
static int failure_judge(struct input_search *s, const struct execution *e, const struct execution_result *result,
			 struct err *err)
{
	if (result->stopped) {
		s->stopped |= stop_asked(&s->plan.stop);
		return 0;
	}
	if (!s->executions || result->err.status == ERR_USAGE) {
		*err = result->err;
		return -1;
	}
	input_search_note(s, "execution %" PRIu64 " failed: %s", e->number, result->err.sentence);
	return 0;
}

static int execution_take(struct input_search *s, size_t index, struct err *err)
{
	struct execution e = s->running[index];
	struct execution_result *result = mem_alloc(sizeof(*result));
	int status;

	s->running[index] = s->running[--s->running_count];
	execution_end(&e, result);
	status = result->done ? result_take(s, e.number, result, e.dir, err) : failure_judge(s, &e, result, err);
	free(result);
	return status;
}

static void progress_tell(const struct input_search *s)
{
	const struct input_search_options *o = s->options;
	struct input_search_progress progress = {
		.executions = s->executions,
		.inputs = s->inputs,
		.branches = s->branches,
		.sites = s->behavior.sites.count,
		.findings = gathering_count(s->gathering),
		.waiting = s->waiting.count - s->waiting_from,
		.budget_left = s->end > 0 ? s->end - clock_seconds() : -1,
	};

	if (o->progress)
		o->progress(o->arg, &progress);
}

/* Wait until one of the executions is over, or it is time to stop. */
static int executions_wait(struct input_search *s, struct err *err)
{
	struct pollfd polls[JOBS_MOST];
	int status = 0;

	for (size_t i = 0; i < s->running_count; i++)
		polls[i] = (struct pollfd){.fd = s->running[i].fd, .events = POLLIN};
	if (poll(polls, s->running_count, WAIT_MS) < 0 && errno != EINTR)
		return err_sys(err, "cannot wait for an execution");
	for (size_t i = s->running_count; i-- > 0 && status == 0;)
		if (polls[i].revents)
			status = execution_take(s, i, err);
	progress_tell(s);
	return status;
}

static void executions_stop(struct input_search *s)
{
	struct execution_result *result = mem_alloc(sizeof(*result));

	for (size_t i = 0; i < s->running_count; i++)
		execution_stop(&s->running[i]);
	for (size_t i = 0; i < s->running_count; i++)
		execution_end(&s->running[i], result);
	s->running_count = 0;
	free(result);
}

int input_search_run(struct input_search *s, struct err *err)
{
	int status = 0;

	s->end = s->plan.end = s->options->budget > 0 ? clock_seconds() + s->options->budget : 0;
	while (status == 0 && !is_over(s)) {
		while (status == 0 && may_start(s))
			status = next_start(s, err);
		if (status < 0 || !s->running_count)
			break;
		status = executions_wait(s, err);
	}
	s->complete = status == 0 && !s->running_count && !is_waiting(s);
	executions_stop(s);
	return status;
}

bool input_search_is_complete(const struct input_search *s)
{
	return s->complete;
}

/* ---- beginning and end ---- */

void input_search_forget(const char *dir)
{
	char path[PATH_MAX];

	if (path_format(path, sizeof(path), "%s/" EXECUTIONS_DIR, dir))
		tree_remove(path);
	if (path_format(path, sizeof(path), "%s/" KEPT_INPUTS, dir))
		tree_remove(path);
}

static int directory_prepare(const struct input_search_options *o, struct err *err)
{
	char path[PATH_MAX];

	if (path_make(path, sizeof(path), err, "%s/" EXECUTIONS_DIR, o->plan.dir) < 0)
		return -1;
	return mkdir(path, 0777) < 0 && errno != EEXIST ? err_sys(err, "cannot make %s", path) : 0;
}

int input_search_new(struct input_search **search, const struct input_search_options *options, struct err *err)
{
	struct input_search *s = *search = mem_alloc(sizeof(*s));

	s->options = options;
	s->plan = options->plan;
	s->plan.behavior = &s->behavior;
	if (s->plan.jobs > JOBS_MOST)
		s->plan.jobs = JOBS_MOST;
	s->gathering = gathering_new();
	for (size_t i = 0; i < options->seed_count; i++) {
		struct input seed = input_copy(&options->seeds[i]);

		input_search_offer(s, &seed, 0, 0);
	}
	return directory_prepare(options, err);
}

void input_search_free(struct input_search *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->attempts.count; i++)
		input_free(&s->attempts.at[i].input);
	for (size_t i = 0; i < s->notes.count; i++)
		free(s->notes.at[i]);
	gathering_free(s->gathering);
	behavior_set_free(&s->behavior);
	map_free(&s->seen);
	vec_free(&s->attempts);
	vec_free(&s->waiting);
	vec_free(&s->notes);
	free(s);
}

/* ---- the report ---- */

static void input_show(const struct input_search *s, struct findings *f, struct finding *finding)
{
	const struct gathering_entry *entry = gathering_find(s->gathering, finding->fingerprint);
	const struct attempt *attempt = &s->attempts.at[entry->execution - 1];
	struct input matters = {0};
	struct words lines = {0};
	const char **copy;

	memcpy(matters.of, attempt->marks, sizeof(matters.of));
	kept_input_lines(&lines, s->plan.sources, &attempt->input, &matters);
	copy = findings_block(f, lines.count, sizeof(*copy));
	for (size_t i = 0; i < lines.count; i++)
		copy[i] = findings_text(f, lines.items[i]);
	finding->input.lines = copy;
	finding->input.line_count = lines.count;
	words_free(&lines);
}

static void figures_fill(const struct input_search *s, struct findings *f)
{
	f->stats.search.executions = figure_known(s->executions);
	f->stats.search.inputs = figure_known(s->inputs);
	f->stats.search.branches = figure_known(s->branches);
	f->stats.search.solved = figure_known(s->solved);
	f->stats.search.unsat = figure_known(s->unsat);
	f->stats.search.unknown = figure_known(s->unknown);
	f->stats.search.concretised = figure_known(s->concretised);
	f->stats.complete = figure_known(s->complete);
}

struct findings *input_search_findings(struct input_search *s)
{
	struct findings *f;

	if (!s->executions)
		return NULL;
	f = gathering_findings(s->gathering);
	f->target.recover = findings_text(f, s->plan.how->testing.recover);
	f->target.client = findings_text(f, s->plan.client);
	for (size_t i = 0; i < f->count; i++)
		input_show(s, f, &f->at[i]);
	for (size_t i = 0; i < s->notes.count; i++)
		findings_note(f, "%s", s->notes.at[i]);
	figures_fill(s, f);
	findings_number(f);
	return f;
}

int input_search_folders(struct input_search *s, struct findings *findings, struct err *err)
{
	return gathering_folders(s->gathering, findings, s->plan.dir, err);
}
