/* SPDX-License-Identifier: GPL-2.0-or-later */
/* execution.c - see execution.h. */
#include "search/execution.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/path.h"
#include "blackout/trace_format.h"
#include "image/tree.h"
#include "ops/substitute.h"
#include "run/kept_operations.h"
#include "run/pmem_force.h"
#include "run/recording.h"
#include "run/shell.h"
#include "search/place.h"
#include "trace/seal.h"

enum { RECORDING_PATIENCE = 10 /* times the time limit, unless the program is known to hang */ };

#define TESTING_SHARE 0.25 /* of the time that is left, for the crash states of one execution */
#define BUDGET_LEAST 0.1   /* seconds for them, however little time is left */

/* A second recording, for detectors that need what cannot be recorded together with the branches. */
#define JUDGED_DIR "judged"

/* One execution, in its own process. */
struct running {
	const struct execution_plan *plan;
	const struct input *input;
	unsigned parts;
	char dir[PATH_MAX], recording[PATH_MAX], judged[PATH_MAX];
	char stdin_path[PATH_MAX];
	struct kept_operations kept;  /* with operations */
	char *client;                 /* writes what it prints to: */
	char client_output[PATH_MAX]; /* "" if nothing is kept */
	bool writes_file;             /* what operations print is written to {out} */
	struct place *place;
	struct place_file files[SOURCES_MAX];
	size_t file_count;
	struct execution_result *result;
};

int execution_dir(char dir[PATH_MAX], const struct execution_plan *plan, uint64_t number, struct err *err)
{
	return path_make(dir, PATH_MAX, err, "%s/" EXECUTIONS_DIR "/%" PRIu64, plan->dir, number);
}

/* ---- the command line ---- */

static const struct input_source *ops_source(const struct execution_plan *plan, size_t *index)
{
	for (*index = 0; *index < plan->sources->count; ++*index)
		if (plan->sources->at[*index].ops)
			return &plan->sources->at[*index];
	return NULL;
}

/* The bytes of argument `number`, if it is a source; NULL: it is as the user wrote it. */
static const struct input_bytes *argument_bytes(const struct execution_plan *plan, const struct input *input,
						size_t number)
{
	for (size_t i = 0; i < plan->sources->count; i++)
		if (plan->sources->at[i].kind == BO_SOURCE_ARG && plan->sources->at[i].number == number)
			return &input->of[i];
	return NULL;
}

/* The words of --ops in the target and the client. */
static unsigned substituted_words(const struct execution_plan *plan)
{
	return substitute_words_in_arguments(plan->target->items, plan->target->count) |
	       substitute_words_in_shell(plan->client);
}

void execution_command(struct words *argv, const struct execution_plan *plan, const struct input *input,
		       const char *ops, const char *out)
{
	const struct substitution values = {.ops = ops, .out = out};

	for (size_t i = 0; i < plan->target->count; i++) {
		const struct input_bytes *bytes = argument_bytes(plan, input, i);
		char *text = bytes ? NULL : substitute_argument(plan->target->items[i], ops ? &values : NULL, NULL);

		if (bytes)
			words_add(argv, "%.*s", (int)bytes->size, (const char *)bytes->at);
		else
			words_add(argv, "%s", text);
		free(text);
	}
}

/* What the operations print is kept, unless it is written to {out}.  No shell may come between the recorder and the
 * program, so it is replaced. */
static void output_keep(struct words *argv, const struct running *r)
{
	if (!*r->kept.output || r->writes_file || r->client)
		return;
	words_add(argv, "/bin/sh");
	words_add(argv, "-c");
	words_add(argv, "exec \"$@\" >\"$0\"");
	words_add(argv, "%s", r->kept.output);
}

static void words_move(struct words *to, struct words *from)
{
	for (size_t i = 0; i < from->count; i++)
		words_add(to, "%s", from->items[i]);
	words_free(from);
}

char *execution_sender(const char *dir, struct err *err)
{
	char self[PATH_MAX], *text = NULL;
	size_t size;

	if (recorder_find_self(self, err) < 0)
		return NULL;
	FILE *out = open_memstream(&text, &size);
	BUG_ON(!out);
	fputs("exec ", out);
	shell_quote(self, out);
	fputs(" send ", out);
	shell_quote(dir, out);
	fclose(out);
	return text;
}

/* The client with its words replaced; its output is kept, too. */
static char *client_text(const struct running *r)
{
	const struct substitution values = {.ops = r->kept.list, .out = r->kept.output};
	char *text, *kept;

	text = substitute_shell(r->plan->client, *r->kept.list ? &values : NULL, NULL);
	if (!*r->kept.list || r->writes_file)
		return text;
	free(text);
	BUG_ON(asprintf(&kept, "{ %s\n} >{out}", r->plan->client) < 0);
	text = substitute_shell(kept, &values, NULL);
	free(kept);
	return text;
}

/* Who drives the server, if it is one. */
static int client_choose(struct running *r, struct err *err)
{
	if (r->plan->talk)
		r->client = execution_sender(r->dir, err);
	else if (r->plan->client)
		r->client = client_text(r);
	return r->plan->client && !r->client ? -1 : 0;
}

/* ---- input ---- */

static int operations_write(struct running *r, const char *recording, struct err *err)
{
	struct oplist *list = NULL;
	char path[PATH_MAX];
	int result;

	if (!r->plan->how->operations.list)
		return 0;
	if (kept_operations_at(&r->kept, recording, err) < 0)
		return -1;
	size_t index;
	const struct input_source *source = ops_source(r->plan, &index);
	if (!source)
		return kept_operations_write(&r->kept, r->plan->how->operations.list, err);
	if (path_make(path, sizeof(path), err, "%s/%s", r->dir, source->name) < 0 || oplist_read(&list, path, err) < 0)
		return -1;
	result = kept_operations_write(&r->kept, list, err);
	oplist_free(list);
	return result;
}

/* A source, the operations, or nothing. */
const char *execution_stdin(const struct execution_plan *plan)
{
	for (size_t i = 0; i < plan->sources->count; i++)
		if (plan->sources->at[i].kind == BO_SOURCE_STDIN && !plan->sources->at[i].ops)
			return plan->sources->at[i].name;
	return plan->how->operations.list && !(substituted_words(plan) & SUBSTITUTE_OPS) ? EXECUTION_OPERATIONS : NULL;
}

static int stdin_choose(struct running *r, struct err *err)
{
	const char *name = execution_stdin(r->plan);

	if (name && strcmp(name, EXECUTION_OPERATIONS) != 0)
		return path_make(r->stdin_path, sizeof(r->stdin_path), err, "%s/%s", r->dir, name);
	return path_make(r->stdin_path, sizeof(r->stdin_path), err, "%s", name ? r->kept.list : "/dev/null");
}

static void files_choose(struct running *r)
{
	for (size_t i = 0; i < r->plan->sources->count; i++)
		if (r->plan->sources->at[i].path)
			r->files[r->file_count++] = (struct place_file){
				.path = r->plan->sources->at[i].path,
				.bytes = r->input->of[i].at,
				.size = r->input->of[i].size,
			};
}

static int input_prepare(struct running *r, struct err *err)
{
	if (input_write(r->input, r->plan->sources, r->dir, err) < 0 ||
	    (r->plan->talk && conversation_write(r->plan->talk, r->dir, err) < 0))
		return -1;
	r->writes_file = substituted_words(r->plan) & SUBSTITUTE_OUT;
	files_choose(r);
	return 0;
}

/* ---- running ---- */

static int place_prepare(struct running *r, struct err *err)
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

	output_keep(&argv, r);
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
	output_keep(&argv, r);
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
	result = operations_write(r, recording.dir, err) < 0 || stdin_choose(r, err) < 0
			 ? -1
			 : recorder_run(r, job, &recording, branches, &outcome, err);
	recording_close(&recording);
	if (result < 0)
		return result;
	r->result->recorded = outcome.ending;
	outcome_free(&outcome);
	return output_move(r, err);
}

/* ---- judging ---- */

/* Crash states are tested if the recording has an end: the program exited, with whatever status. */
static const char *untested_reason(const struct running *r)
{
	if (r->result->recorded.kind == ENDING_EXIT)
		return NULL;
	return r->result->recorded.kind == ENDING_SIGNAL ? "the program was killed by a signal"
							 : "the program did not end within its time limit";
}

/* The analysis of this recording: as the user wants it, but quiet, and without testing crash states of behavior that
 * was tested before. */
static struct analysis_options options_choose(const struct running *r, struct oplist *list)
{
	struct analysis_options how = *r->plan->how;

	how.reading = NULL;
	how.progress = NULL;
	how.arg = NULL;
	how.stop = r->plan->stop;
	how.write_suppressions = NULL;
	how.symbols = r->plan->symbols;
	if (r->plan->jobs > 1)
		how.testing.jobs = 1;
	how.testing.budget = r->plan->end > 0 ? TESTING_SHARE * (r->plan->end - clock_seconds()) : 0;
	if (r->plan->end > 0 && how.testing.budget < BUDGET_LEAST)
		how.testing.budget = BUDGET_LEAST;
	if (list)
		how.operations.list = list;
	if (!r->result->tested)
		how.testing.recover = NULL;
	return how;
}

static int recording_judge(struct running *r, struct err *err)
{
	const char *recording = *r->judged ? r->judged : r->recording;
	struct analysis_facts facts = {.out = r->dir, .out_shown = r->dir};
	const struct analysis_result *judged;
	struct oplist *list = NULL;
	struct analysis *analysis = NULL;
	int result = -1;

	if (*r->kept.list && oplist_read(&list, r->kept.list, err) < 0)
		return -1;
	struct analysis_options how = options_choose(r, list);
	if (how.testing.recover)
		facts.untested = untested_reason(r);
	if (analysis_new(&analysis, &how, err) == 0 && analysis_read(analysis, recording, err) == 0) {
		judged = analysis_judge(analysis, &facts);
		r->result->judged = judged->findings && !judged->unwritten;
		r->result->findings = judged->findings ? judged->findings->count : 0;
		r->result->cut = judged->tests_left;
		if (judged->unwritten)
			*err = *judged->unwritten;
		if (judged->untested) {
			r->result->is_untested = true;
			r->result->untested = *judged->untested;
		} else if (facts.untested) {
			r->result->is_untested = true;
			err_set(&r->result->untested, "%s", facts.untested);
		}
		result = r->result->judged ? 0 : -1;
	}
	analysis_free(analysis);
	if (list)
		oplist_free(list);
	return result;
}

/* ---- the process ---- */

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
	if (back < 0 || place_prepare(r, err) < 0)
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

static int runs_do(struct running *r, struct err *err)
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

/* The search reads them again, and --resume does, so they are kept. */
static int recordings_compress(const struct running *r, struct err *err)
{
	const struct seal_options how = {.compress = true};

	if (!r->plan->compress)
		return 0;
	if (trace_seal(r->recording, &how, err) < 0)
		return -1;
	return *r->judged ? trace_seal(r->judged, &how, err) : 0;
}

static int execution_run(struct running *r, struct err *err)
{
	int result;

	if (path_make(r->recording, sizeof(r->recording), err, "%s/" EXECUTION_RECORDING, r->dir) < 0 ||
	    input_prepare(r, err) < 0 || operations_write(r, r->dir, err) < 0 || stdin_choose(r, err) < 0)
		return -1;
	if (client_choose(r, err) < 0)
		return -1;
	if (r->client && *r->kept.output)
		strcpy(r->client_output, r->kept.output);
	result = place_prepare(r, err) < 0 ? -1 : runs_do(r, err);
	place_close(r->place);
	free(r->client);
	if (result == 0 && r->result->fruitless)
		return 0;
	if (result == 0 && r->parts & EXECUTION_JUDGE)
		result = recording_judge(r, err);
	return result < 0 ? result : recordings_compress(r, err);
}

static void result_send(int fd, const struct execution_result *result)
{
	size_t done = 0;

	while (done < sizeof(*result)) {
		ssize_t n = write(fd, (const char *)result + done, sizeof(*result) - done);

		if (n < 0 && errno != EINTR)
			return;
		done += n > 0 ? (size_t)n : 0;
	}
}

static void child_run(const struct execution_plan *plan, const struct input *input, const char *dir, unsigned parts,
		      int fd)
{
	struct execution_result *result = mem_alloc(sizeof(*result));
	struct running *r = mem_alloc(sizeof(*r));
	int status;

	*r = (struct running){.plan = plan, .input = input, .parts = parts, .result = result};
	strcpy(r->dir, dir);
	status = execution_run(r, &result->err);
	result->done = status == 0;
	result->stopped = status == PLACE_STOPPED || (status < 0 && stop_asked(&plan->stop));
	result->full = status < 0 && recording_lacks_room(plan->dir);
	result_send(fd, result);
}

int execution_start(struct execution *e, const struct execution_plan *plan, const struct input *input, uint64_t number,
		    unsigned parts, struct err *err)
{
	pid_t parent = getpid();
	int pipe_fds[2];

	*e = (struct execution){.number = number, .fd = -1};
	if (execution_dir(e->dir, plan, number, err) < 0)
		return -1;
	if (pipe2(pipe_fds, O_CLOEXEC) < 0)
		return err_sys(err, "cannot create a pipe");
	fflush(NULL);
	e->pid = fork();
	if (e->pid == 0) {
		close(pipe_fds[0]);
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
			_exit(1);
		/* The terminal interrupts only the search, which tells us.  A second SIGINT would kill us. */
		setpgid(0, 0);
		child_run(plan, input, e->dir, parts, pipe_fds[1]);
		_exit(0);
	}
	close(pipe_fds[1]);
	e->fd = pipe_fds[0];
	if (e->pid > 0)
		return 0;
	close(e->fd);
	return err_sys(err, "cannot start a process");
}

void execution_stop(const struct execution *e)
{
	kill(e->pid, SIGINT);
}

void execution_end(struct execution *e, struct execution_result *result)
{
	size_t got = 0;
	int status = 0;
	ssize_t n;

	while (got < sizeof(*result)) {
		n = read(e->fd, (char *)result + got, sizeof(*result) - got);
		if (n == 0 || (n < 0 && errno != EINTR))
			break;
		got += n > 0 ? (size_t)n : 0;
	}
	close(e->fd);
	while (waitpid(e->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (got == sizeof(*result))
		return;
	*result = (struct execution_result){0};
	err_set(&result->err, "the process of execution %" PRIu64 " ended with status 0x%x", e->number, status);
}
