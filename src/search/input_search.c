/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input_search.c - see input_search.h: the loop of executions. */
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
#include <xxhash.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/random.h"
#include "crash/strategy.h"
#include "image/tree.h"
#include "search/input_search_in.h"
#include "search/kept_input.h"
#include "search/minimize.h"

enum { WAIT_MS = 200, NOTES_MOST = 50, FAILURES_MOST = 5 };

#define MINIMIZING_SHARE 0.15 /* of the budget, if there are findings */
#define REACH_DIR EXECUTIONS_DIR "/reach"

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

static int input_store(struct input_search *s, const struct input *input, uint64_t number, struct err *err)
{
	char dir[PATH_MAX];

	if (execution_dir(dir, &s->plan, number, err) < 0)
		return -1;
	if (mkdir(dir, 0777) < 0 && errno != EEXIST)
		return err_sys(err, "cannot make %s", dir);
	return input_write(input, s->plan.sources, dir, err);
}

/* There is at least one operation. */
static bool lacks_operations(const struct input_search *s, const struct input *input)
{
	for (size_t i = 0; i < s->plan.sources->count; i++)
		if (s->plan.sources->at[i].ops && !input->of[i].size)
			return true;
	return false;
}

/* Returns its number; 0: it is known. */
static uint64_t attempt_add(struct input_search *s, const struct attempt *attempt)
{
	struct input_digest digest = input_digest(&attempt->input, s->plan.sources);
	uint64_t *known = map_put(&s->seen, digest.at[0], digest.at[1]);

	if (*known)
		return 0;
	vec_push(&s->attempts, *attempt);
	*known = s->attempts.count;
	s->attempts.at[*known - 1].joined =
		attempt->origin == ORIGIN_JOINED || (attempt->parent && s->attempts.at[attempt->parent - 1].joined);
	vec_push(&s->waiting, s->attempts.count);
	return s->attempts.count;
}

int input_search_offer(struct input_search *s, struct input *input, enum attempt_origin origin, uint64_t parent,
		       size_t bound, struct err *err)
{
	struct attempt attempt = {.input = *input, .origin = origin, .parent = parent, .bound = bound};
	struct search_step step = {.kind = SEARCH_STEP_INPUT, .parent = parent, .bound = bound, .origin = origin};

	input_clean(&attempt.input, s->plan.sources, s->options->max_input);
	step.execution = lacks_operations(s, &attempt.input) ? 0 : attempt_add(s, &attempt);
	if (!step.execution)
		input_free(input);
	*input = (struct input){0};
	if (!step.execution)
		return 0;
	if (input_store(s, &attempt.input, step.execution, err) < 0)
		return -1;
	return search_journal_add(&s->journal, &step, err) < 0 ? -1 : 1;
}

int input_search_keep(struct input_search *s, uint64_t number, struct err *err)
{
	struct attempt *attempt = &s->attempts.at[number - 1];

	if (attempt->kept)
		return 0;
	if (kept_input_write(&s->plan, &attempt->input, s->inputs + 1, err) < 0)
		return -1;
	attempt->kept = ++s->inputs;
	gathering_number_input(s->gathering, number, attempt->kept);
	return 0;
}

/* ---- executions ---- */

static void directory_remove(const char *dir, const char *name)
{
	char path[PATH_MAX];

	if (path_format(path, sizeof(path), "%s/%s", dir, name))
		tree_remove(path);
}

/* Findings get smaller inputs in the last part of the budget. */
static double time_reserved(const struct input_search *s)
{
	return s->phase == PHASE_TURNING && gathering_count(s->gathering) ? MINIMIZING_SHARE * s->options->budget : 0;
}

/* Has the search done, or found, as much as the user wants? */
static bool is_enough(const struct input_search *s)
{
	uint64_t found = 0;

	if (s->options->max_executions && s->executions - s->minimized >= s->options->max_executions)
		return true;
	if (!s->options->stop_after)
		return false;
	for (size_t i = 0; i < gathering_count(s->gathering); i++) {
		const struct finding *finding = gathering_at(s->gathering, i)->finding;

		found += !finding->reason && finding->severity <= s->options->fail_on;
	}
	return found >= s->options->stop_after;
}

/* However short the time is, one seed is executed. */
bool input_search_is_over(struct input_search *s)
{
	s->stopped |= stop_asked(&s->plan.stop);
	if (s->stopped || (s->executions && s->end > 0 && clock_seconds() >= s->end - time_reserved(s)))
		return true;
	return s->phase != PHASE_SMALLER && is_enough(s);
}

/* For the solver, which need not answer then. */
static bool is_over(void *arg)
{
	return input_search_is_over(arg);
}

/* A search that is resumed has executed some.  At its end, others may be left: they are for the next one. */
static bool is_wanted(const struct input_search *s, const struct attempt *attempt)
{
	return !attempt->done && (s->phase != PHASE_SMALLER || attempt->origin == ORIGIN_MINIMIZED);
}

static bool is_waiting(struct input_search *s)
{
	while (s->waiting_from < s->waiting.count && !is_wanted(s, &s->attempts.at[s->waiting.at[s->waiting_from] - 1]))
		s->waiting_from++;
	return s->waiting_from < s->waiting.count;
}

static bool is_seed(const struct input_search *s, uint64_t number)
{
	return s->attempts.at[number - 1].origin == ORIGIN_SEED;
}

static uint64_t waiting_first(const struct input_search *s)
{
	return s->waiting.at[s->waiting_from];
}

/* A seed runs alone: it may use PM files that are not known yet, so that they are not private. */
static bool may_start(const struct input_search *s)
{
	return !s->running_count || (!is_seed(s, s->running[0].number) && !is_seed(s, waiting_first(s)));
}

static unsigned parts_choose(const struct input_search *s, uint64_t number)
{
	const struct attempt *attempt = &s->attempts.at[number - 1];
	unsigned tests = attempt->again ? EXECUTION_TEST : 0;

	switch (attempt->origin) {
	case ORIGIN_SEED: return EXECUTION_FIRST | EXECUTION_NATIVE | EXECUTION_JUDGE | tests;
	case ORIGIN_MINIMIZED: return EXECUTION_PROMISING | EXECUTION_JUDGE | EXECUTION_TEST;
	default: return EXECUTION_NATIVE | EXECUTION_JUDGE | tests;
	}
}

static int next_start(struct input_search *s, struct err *err)
{
	uint64_t number = waiting_first(s);
	struct execution *e = &s->running[s->running_count];

	s->waiting_from++;
	if (execution_start(e, &s->plan, &s->attempts.at[number - 1].input, number, parts_choose(s, number), err) < 0)
		return -1;
	s->running_count++;
	return 0;
}

/* Use all jobs. */
static int jobs_fill(struct input_search *s, struct err *err)
{
	while (s->running_count < s->plan.jobs && !input_search_is_over(s)) {
		int picked = 1;

		if (!is_waiting(s))
			picked = s->phase == PHASE_TURNING ? input_pick(s, err) : 0;
		if (picked <= 0 || !may_start(s))
			return picked < 0 ? -1 : 0;
		if (next_start(s, err) < 0)
			return -1;
	}
	return 0;
}

/* What the execution wrote is removed, so that there is room for the reports. */
static int space_lacks(struct input_search *s, const struct execution *e, struct err *err)
{
	directory_remove(e->dir, EXECUTION_RECORDING);
	err_set(err, "no space is left on the device of %s; %s", s->plan.dir,
		s->executions ? "the reports cover the executions so far" : "nothing was executed");
	return err_hint(err, "free some space there, and go on with --resume");
}

/* An execution that failed is lost; but if none works, neither will the next. */
static int failure_judge(struct input_search *s, const struct execution *e, const struct execution_result *result,
			 struct err *err)
{
	if (result->stopped) {
		s->stopped |= stop_asked(&s->plan.stop);
		return 0;
	}
	if (result->full)
		return space_lacks(s, e, err);
	if (!s->executions || result->err.status == ERR_USAGE || ++s->failures == FAILURES_MOST) {
		*err = result->err;
		return -1;
	}
	s->cut = true; /* --resume executes it again */
	input_search_note(s, "execution %" PRIu64 " failed: %s", e->number, result->err.sentence);
	return 0;
}

static void time_note(struct input_search *s)
{
	const struct course_point now = {
		.seconds = clock_seconds() - s->begin,
		.executions = s->executions,
		.inputs = s->inputs,
		.branches = s->sides.taken,
		.pm_reached = reach_reached(s->reach),
		.pm_known = reach_count(s->reach),
		.findings = gathering_count(s->gathering),
	};

	course_add(&s->course, &now);
}

/* Crash states are left if time was up, or recovery could not be run. */
static bool are_tests_left(const struct execution_result *result)
{
	return result->cut || (result->is_untested && result->recorded.kind == ENDING_EXIT);
}

/* An execution whose crash states were not all tested is done again when the search goes on: the journal does not have it. */
static int success_take(struct input_search *s, const struct execution *e, const struct execution_result *result,
			struct err *err)
{
	const struct search_step step = {
		.kind = SEARCH_STEP_EXECUTED,
		.execution = e->number,
		.was_native = result->was_native,
		.judged = result->judged,
		.native = result->native,
		.recorded = result->recorded,
	};

	s->failures = 0;
	if (!are_tests_left(result) && search_journal_add(&s->journal, &step, err) < 0)
		return -1;
	if (result_take(s, e->number, result, err) < 0)
		return -1;
	time_note(s);
	return 0;
}

static int execution_take(struct input_search *s, size_t index, struct err *err)
{
	struct execution e = s->running[index];
	struct execution_result *result = mem_alloc(sizeof(*result));
	int status;

	s->running[index] = s->running[--s->running_count];
	execution_end(&e, result);
	status = result->done ? success_take(s, &e, result, err) : failure_judge(s, &e, result, err);
	free(result);
	return status;
}

static void progress_tell(const struct input_search *s)
{
	const struct input_search_options *o = s->options;
	struct input_search_progress progress = {
		.executions = s->executions,
		.inputs = s->inputs,
		.branches = s->sides.taken,
		.pm_reached = reach_reached(s->reach),
		.pm_known = reach_count(s->reach),
		.findings = gathering_count(s->gathering),
		.waiting = s->waiting.count - s->waiting_from + s->queue.heap.count,
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

/* Some executions end in a way that cannot be tested; others may have done the same. */
bool input_search_tests_left(const struct input_search *s)
{
	const struct analysis_options *how = s->plan.how;
	bool tests = how->testing.recover && how->choice.strategy_count;

	return s->cut || (tests && s->tested.contexts.count < s->behavior.contexts.count);
}

uint64_t input_search_dropped(const struct input_search *s)
{
	return s->queue.dropped + s->frontier.queue.dropped;
}

/* Nothing was left to do, or to test. */
static bool is_complete(struct input_search *s)
{
	return s->phase == PHASE_TURNING && !s->running_count && !input_search_is_over(s) &&
	       !input_search_tests_left(s) && !input_search_dropped(s);
}

/* Until nothing is left to execute in this phase, or it is over. */
static int executions_run(struct input_search *s, enum search_phase phase, struct err *err)
{
	int status = 0;

	s->phase = phase;
	while (status == 0 && !input_search_is_over(s)) {
		status = jobs_fill(s, err);
		if (status < 0 || !s->running_count)
			break;
		status = executions_wait(s, err);
	}
	s->complete = status == 0 && is_complete(s);
	executions_stop(s);
	return status;
}

int input_search_execute(struct input_search *s, struct err *err)
{
	return executions_run(s, PHASE_SMALLER, err);
}

/* ---- the whole ---- */

/* The seeds show whether the program works, and whether it reads what may be changed. */
static int seeds_judge(const struct input_search *s, struct err *err)
{
	const struct attempt *last = NULL;
	char text[80];

	for (size_t i = 0; i < s->attempts.count && s->attempts.at[i].origin == ORIGIN_SEED; i++) {
		if (!s->attempts.at[i].was_native || s->attempts.at[i].native.kind == ENDING_EXIT)
			last = &s->attempts.at[i];
	}
	if (!last) {
		ending_text(s->attempts.at[0].native, text, sizeof(text));
		err_set(err, "%s does not end well on any seed: %s%s%s", s->plan.target->items[0], text,
			*s->attempts.at[0].said ? ": " : "", s->attempts.at[0].said);
		return err_status(err, ERR_TARGET);
	}
	if (s->reads || (s->plan.client && s->plan.how->operations.list))
		return 0;
	bool failed = last->was_native && last->native.value;
	ending_text(last->native, text, sizeof(text));
	err_set(err, "%s read nothing of what may be changed (%s%s)%s%s%s%s", s->plan.target->items[0],
		s->plan.sources->at[0].name, s->plan.sources->count > 1 ? " and others" : "",
		failed ? "; it ended with " : "", failed ? text : "", failed && *last->said ? ": " : "",
		failed ? last->said : "");
	err_hint(err, "--symbolic names the input that it reads: stdin, file:PATH, arg:N or ops");
	return err_status(err, ERR_TARGET);
}

/* Who wants to know soon does not want to wait long for smaller inputs: at most as long as the search took. */
static void end_hasten(struct input_search *s)
{
	double now = clock_seconds(), soon = now + (now - s->begin);

	if (s->options->stop_after && (s->end <= 0 || s->end > soon))
		s->end = s->plan.end = soon;
}

int input_search_run(struct input_search *s, struct err *err)
{
	bool complete;

	s->begin = clock_seconds();
	s->end = s->plan.end = s->options->budget > 0 ? s->begin + s->options->budget : 0;
	if (executions_run(s, PHASE_SEEDS, err) < 0 || (!s->stopped && s->executions && seeds_judge(s, err) < 0))
		return -1;
	if (executions_run(s, PHASE_TURNING, err) < 0)
		return -1;
	complete = s->complete;
	s->phase = PHASE_SMALLER;
	end_hasten(s);
	if (!s->stopped && inputs_minimize(s, err) < 0)
		return -1;
	s->complete = complete;
	time_note(s);
	return 0;
}

/* ---- going on ---- */

static int input_resume(struct input_search *s, const struct search_step *step, struct err *err)
{
	struct attempt attempt = {.origin = (enum attempt_origin)step->origin,
				  .parent = step->parent,
				  .bound = step->bound,
				  .again = true};
	struct input none = {0};
	char dir[PATH_MAX];

	if (execution_dir(dir, &s->plan, step->execution, err) < 0 ||
	    input_read(&attempt.input, s->plan.sources, dir, &none, err) < 0)
		return -1;
	if (step->origin > ORIGIN_JOINED || step->parent > s->attempts.count ||
	    attempt_add(s, &attempt) != step->execution)
		return err_set(err, "the journal of the search in %s is damaged: input %" PRIu64 " is out of place",
			       s->plan.dir, step->execution);
	if (step->origin == ORIGIN_TURNED || step->origin == ORIGIN_FRONTIER)
		share_made(&s->share, step->origin == ORIGIN_TURNED ? SHARE_QUEUE : SHARE_FRONTIER);
	return 0;
}

static int step_resume(void *arg, const struct search_step *step, struct err *err)
{
	struct input_search *s = arg;
	struct execution_result *result;
	int status;

	if (step->kind == SEARCH_STEP_INPUT)
		return input_resume(s, step, err);
	if (step->execution > s->attempts.count)
		return err_set(err, "the journal of the search in %s is damaged: there is no input %" PRIu64,
			       s->plan.dir, step->execution);
	if (step->kind == SEARCH_STEP_TURNED) {
		*map_put(&s->turned, step->execution, search_turned_key(step->branch, step->tries)) = 1 + step->verdict;
		s->solved += step->verdict == SOLVER_SOLVED;
		s->unsat += step->verdict == SOLVER_UNSAT;
		s->unknown += step->verdict == SOLVER_UNKNOWN;
		return 0;
	}
	if (s->attempts.at[step->execution - 1].done)
		return err_set(err, "the journal of the search in %s is damaged: input %" PRIu64 " is executed twice",
			       s->plan.dir, step->execution);
	result = mem_alloc(sizeof(*result));
	result->native = step->native;
	result->recorded = step->recorded;
	result->was_native = step->was_native;
	result->judged = step->judged;
	status = result_take(s, step->execution, result, err);
	free(result);
	return status;
}

/* Inputs that were made smaller had been kept at the end of the search that goes on now. */
static int smaller_resume(struct input_search *s, struct err *err)
{
	for (size_t i = 0; i < gathering_count(s->gathering); i++)
		if (input_search_keep(s, gathering_at(s->gathering, i)->execution, err) < 0)
			return -1;
	return 0;
}

static void text_digest(uint64_t *digest, const char *text)
{
	*digest = XXH3_64bits_withSeed(text, strlen(text) + 1, *digest);
}

/* All that decides what the search does, and how it judges. */
static uint64_t options_digest(const struct input_search_options *o)
{
	const uint64_t numbers[] = {o->max_input, o->strategy, o->seed, o->plan.layers};
	const struct choice *choice = &o->plan.how->choice;
	const char *depends = o->plan.how->testing.depends;
	uint64_t digest = XXH3_64bits(numbers, sizeof(numbers));

	for (size_t i = 0; i < o->plan.target->count; i++)
		text_digest(&digest, o->plan.target->items[i]);
	for (size_t i = 0; i < o->plan.sources->count; i++)
		text_digest(&digest, o->plan.sources->at[i].name);
	for (size_t i = 0; i < choice->detector_count; i++)
		text_digest(&digest, choice->detectors[i]->name);
	for (size_t i = 0; i < choice->strategy_count; i++)
		text_digest(&digest, choice->strategies[i]->name);
	for (size_t i = 0; i < choice->platform_count; i++)
		text_digest(&digest, choice->platforms[i]->name);
	text_digest(&digest, depends ? depends : "");
	return digest;
}

/* ---- beginning and end ---- */

void input_search_forget(const char *dir)
{
	directory_remove(dir, EXECUTIONS_DIR);
	directory_remove(dir, KEPT_INPUTS);
	directory_remove(dir, COURSE_FILE);
}

static int directory_prepare(struct input_search *s, struct err *err)
{
	char path[PATH_MAX];

	if (path_make(path, sizeof(path), err, "%s/" EXECUTIONS_DIR, s->plan.dir) < 0)
		return -1;
	if (mkdir(path, 0777) < 0 && errno != EEXIST)
		return err_sys(err, "cannot make %s", path);
	if (path_make(path, sizeof(path), err, "%s/" REACH_DIR, s->plan.dir) < 0)
		return -1;
	s->reach = reach_new(path);
	return 0;
}

/* What is judged is then not what the user gave. */
static void cut_note(struct input_search *s, const struct input *seed, size_t number)
{
	for (size_t i = 0; i < s->plan.sources->count; i++)
		if (seed->of[i].size > s->options->max_input)
			input_search_note(s, "%s of seed %zu was cut to %zu bytes: --max-input allows more",
					  s->plan.sources->at[i].name, number, s->options->max_input);
}

static int seeds_offer(struct input_search *s, struct err *err)
{
	for (size_t i = 0; i < s->options->seed_count; i++) {
		struct input seed = input_copy(&s->options->seeds[i]);

		cut_note(s, &seed, i + 1);
		if (input_search_offer(s, &seed, ORIGIN_SEED, 0, 0, err) < 0)
			return -1;
	}
	return 0;
}

int input_search_new(struct input_search **search, const struct input_search_options *options, struct err *err)
{
	struct input_search *s = *search = mem_alloc(sizeof(*s));
	uint64_t digest = options_digest(options);

	s->options = options;
	s->plan = options->plan;
	s->plan.behavior = &s->tested;
	s->plan.fruitless = &s->fruitless;
	s->plan.symbols = symbols_open(NULL);
	s->random = random_seed(options->seed, 0);
	if (s->plan.jobs > JOBS_MOST)
		s->plan.jobs = JOBS_MOST;
	share_begin(&s->share);
	s->gathering = gathering_new();
	s->turner = turner_new(&s->plan, options->max_input, &(struct stop){is_over, s}, err);
	if (!s->turner || directory_prepare(s, err) < 0)
		return -1;
	if (options->resume &&
	    (search_journal_read(s->plan.dir, digest, step_resume, s, err) < 0 || smaller_resume(s, err) < 0))
		return -1;
	if (search_journal_open(&s->journal, s->plan.dir, digest, options->resume, err) < 0 ||
	    course_open(&s->course, s->plan.dir, options->resume, err) < 0)
		return -1;
	/* Seeds come first: if nothing was executed, some of them may be missing. */
	return s->executions ? 0 : seeds_offer(s, err);
}

void input_search_free(struct input_search *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->attempts.count; i++) {
		input_free(&s->attempts.at[i].input);
		vec_free(&s->attempts.at[i].code);
	}
	for (size_t i = 0; i < s->notes.count; i++)
		free(s->notes.at[i]);
	for (size_t i = 0; i < s->concretes.count; i++)
		free(s->concretes.at[i].name);
	search_journal_close(&s->journal);
	course_close(&s->course);
	gathering_free(s->gathering);
	behavior_set_free(&s->behavior);
	behavior_set_free(&s->tested);
	vec_free(&s->fruitless.left);
	symbols_close(s->plan.symbols);
	sides_free(&s->sides);
	turner_free(s->turner);
	if (s->reach)
		reach_free(s->reach);
	queue_free(&s->queue);
	map_free(&s->seen);
	map_free(&s->turned);
	frontier_free(&s->frontier);
	map_free(&s->spent);
	map_free(&s->concrete);
	vec_free(&s->concretes);
	vec_free(&s->attempts);
	vec_free(&s->waiting);
	vec_free(&s->variations);
	joining_free(&s->joining);
	vec_free(&s->notes);
	if (s->complete) /* nothing is left to resume */
		directory_remove(s->plan.dir, EXECUTIONS_DIR);
	free(s);
}
