/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_target.c - see record_target.h. */
#include "cli/record_target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "blackout/trace_format.h"
#include "campaign/campaign.h"
#include "cli/command.h"
#include "cli/meter.h"
#include "cli/saved_options.h"
#include "ops/substitute.h"
#include "report/report.h"
#include "run/mend.h"
#include "run/pmpath.h"
#include "run/sources.h"
#include "run/tee.h"
#include "search/input_search.h"
#include "trace/seal.h"

/* A comma inside parentheses belongs to the name of a C++ function. */
static int calls_split(struct words *calls, const char *list, struct err *err)
{
	for (const char *start = list, *c = list, *close = c;; c++) {
		if (*c == '(' && c >= close)
			close = strchr(c, ')') ? strchr(c, ')') : c;
		if (*c && (*c != ',' || c < close))
			continue;
		if (c == start)
			return err_set(err, "--calls has an empty name in '%s'", list);
		words_add(calls, "%.*s", (int)(c - start), start);
		if (!*c)
			return 0;
		start = c + 1;
	}
}

static int inputs_fill(struct record *r, struct err *err)
{
	const struct record_options *o = r->options;

	for (size_t i = 0; i < o->inputs.count; i++)
		if (sources_add(&r->job.inputs, o->inputs.items[i], err) < 0)
			return -1;
	if (o->inputs.count && o->dependencies) {
		err_set(err, "--inputs and --dependencies cannot be recorded together");
		return err_status(err, ERR_USAGE);
	}
	r->job.inputs_most = o->inputs_most;
	r->job.inputs_check = o->inputs_check;
	return 0;
}

static int job_fill(struct record *r, struct err *err)
{
	const struct record_options *o = r->options;
	char pattern[PATH_MAX];

	for (size_t i = 0; i < o->pm.count; i++) {
		if (pmpath_resolve(pattern, o->pm.items[i], err) < 0)
			return -1;
		words_add(&r->job.pm, "%s", pattern);
	}
	for (size_t i = 0; i < o->calls.count; i++)
		if (calls_split(&r->job.calls, o->calls.items[i], err) < 0)
			return err_status(err, ERR_USAGE);
	for (size_t i = 0; plugins_call(r->plugins, i); i++)
		words_add(&r->job.calls, "%s", plugins_call(r->plugins, i));
	if (inputs_fill(r, err) < 0)
		return -1;
	r->job.op_marks = r->operations->marks;
	r->job.transactions = o->transactions;
	r->job.follow = o->follow;
	r->job.loads = o->loads;
	r->job.reads = o->reads;
	r->job.code_hash = o->code_hash;
	r->job.dependencies = o->dependencies;
	r->job.sync = o->sync;
	return 0;
}

/* The reports of an earlier recording do not apply to this one. */
static void reports_remove(const struct recording *recording)
{
	for (int i = 0; i < REPORT_COUNT; i++)
		unlinkat(recording->fd, report_file((enum report_format)i), 0);
	saved_options_remove(recording->dir);
	campaign_forget(recording->dir);
	input_search_forget(recording->dir);
}

int record_begin(struct record *r, struct err *err)
{
	if (recording_create(&r->recording, r->options->out, err) < 0)
		return -1;
	reports_remove(&r->recording);
	return 0;
}

/* A swapped pool must not be used by the target.  Arguments may be paths, also after an equals sign.  Directories are
 * searched only if the user says that they contain PM. */
static int pools_check(const struct record *r, int argc, char **argv, struct err *err)
{
	struct stat st;

	for (size_t i = 0; i < r->options->pm.count; i++)
		if (mend_check(r->options->pm.items[i], err) < 0)
			return -1;
	for (int i = 1; i < argc; i++) {
		const char *equals = strchr(argv[i], '='), *paths[] = {argv[i], equals ? equals + 1 : ""};

		for (int k = 0; k < 2; k++)
			if (*paths[k] && !(stat(paths[k], &st) == 0 && S_ISDIR(st.st_mode)) &&
			    !(lstat(paths[k], &st) == 0 && S_ISREG(st.st_mode)) && mend_check(paths[k], err) < 0)
				return -1;
	}
	return 0;
}

/* Without --ops, {ops} stands for nothing. */
static int words_check(const struct record *r, int argc, char **argv, struct err *err)
{
	const struct record_options *o = r->options;

	if (substitute_refuse(substitute_words_in_arguments(argv, (size_t)argc), "PROGRAM", err) < 0 ||
	    substitute_refuse(substitute_words_in_shell(o->setup), "--setup", err) < 0)
		return -1;
	return substitute_refuse(substitute_words_in_shell(o->client), "--client", err);
}

static char *shell_text(const char *command, const struct substitution *values, unsigned *words)
{
	*words = 0;
	return command ? substitute_shell(command, values, words) : NULL;
}

/* The words of all commands get their values.  The client performs the operations of a server. */
static void commands_fill(struct record *r, int argc, char **argv)
{
	const struct record_options *o = r->options;
	const struct substitution values = {.ops = r->kept.list, .out = r->kept.output};
	const struct substitution *given = r->operations->list ? &values : NULL;
	unsigned words, performer = 0, all = 0;

	for (int i = 0; i < argc; i++) {
		char *text = substitute_argument(argv[i], given, &words);

		words_add(&r->job.target, "%s", text);
		free(text);
		performer |= words;
	}
	r->setup = shell_text(o->setup, given, &words);
	r->client = shell_text(o->client, given, &words);
	all = performer | words;
	if (r->client)
		performer = words;
	if (!given)
		return;
	r->job.ops = r->kept.list;
	r->reads_input = !(performer & SUBSTITUTE_OPS);
	r->writes_file = all & SUBSTITUTE_OUT;
}

int record_check(struct record *r, int argc, char **argv, struct err *err)
{
	struct service service = {.client = r->options->client, .ready = r->options->ready};

	if (r->options->client && service_check(&service, err) < 0)
		return -1;
	if (!r->operations->list && words_check(r, argc, argv, err) < 0)
		return -1;
	if (program_find(&r->program, argv[0], err) < 0 || program_check(&r->program, err) < 0)
		return -1;
	if (recorder_find_valgrind(&r->recorder, err) < 0 || recorder_find_tool(&r->recorder, err) < 0)
		return -1;
	return pools_check(r, argc, argv, err) < 0 ? -1 : job_fill(r, err);
}

int record_prepare(struct record *r, int argc, char **argv, struct err *err)
{
	if (record_check(r, argc, argv, err) < 0 || record_begin(r, err) < 0)
		return -1;
	r->job.dir = r->recording.dir;
	if (r->operations->list && (kept_operations_at(&r->kept, r->recording.dir, err) < 0 ||
				    kept_operations_write(&r->kept, r->operations->list, err) < 0))
		return -1;
	commands_fill(r, argc, argv);
	return 0;
}

/* How a command ended, in words. */
static const char *end_text(const struct process_end *end, char *text, size_t size)
{
	if (end->signal)
		snprintf(text, size, "was killed by signal %d (%s)", end->signal, strsignal(end->signal));
	else
		snprintf(text, size, "exited with status %d", end->status);
	return text;
}

/* --setup gets empty standard input: ours belongs to the target. */
int record_setup(struct record *r, struct err *err)
{
	char *argv[] = {"/bin/sh", "-c", r->setup, NULL};
	struct process process = {
		.argv = argv,
		.input = "/dev/null",
		.output = r->keep_stdout ? STDERR_FILENO : 0,
	};
	char text[128];

	if (!r->setup)
		return 0;
	if (process_run(&process, &r->end, err) < 0)
		return -1;
	if (r->end.interrupted || (!r->end.signal && !r->end.status))
		return 0;
	err_set(err, "the setup command %s: %s", end_text(&r->end, text, sizeof(text)), r->setup);
	return err_status(err, ERR_TARGET);
}

/* Say where the output is that was not shown, if there is any. */
static void hidden_say(const struct record *r)
{
	struct stat st;

	if (!r->options->quiet && stat(r->kept.output, &st) == 0 && st.st_size)
		fprintf(stderr, "what the %s printed is in %s/" KEPT_OUTPUT "\n", r->client ? "client" : "program",
			r->options->out);
}

/* Run the command.  With --ops, keep what it prints, or what its client prints, unless that is written to {out}. */
static int process_record(struct record *r, struct process *process, struct err *err)
{
	int show = r->hide_output ? TEE_HIDDEN : r->keep_stdout ? STDERR_FILENO : STDOUT_FILENO;
	struct tee *tee = NULL;
	struct err uncopied;

	process->output = process->client_output = r->keep_stdout ? STDERR_FILENO : 0;
	if (r->operations->list && !r->writes_file) {
		if (tee_start(&tee, r->kept.output, show, err) < 0)
			return -1;
		*(r->client ? &process->client_output : &process->output) = tee_input(tee);
	}
	int result = process_run(process, &r->end, err);
	if (tee && tee_stop(tee, result < 0 ? &uncopied : err) < 0)
		result = -1;
	if (tee && r->hide_output)
		hidden_say(r);
	return result;
}

int record_target(struct record *r, struct err *err)
{
	struct words argv = {0}, environment = {0};
	const char *force = getenv("PMEM_IS_PMEM_FORCE");

	/* If the user has set one of the variables (pmem_force.h), that decides for both. */
	r->job.pmem_force = force ? !strcmp(force, "1") : r->options->pmem_force;
	recorder_command(&r->recorder, &r->job, &argv, &environment);
	struct service service = {.client = r->client, .ready = r->options->ready};
	struct process process = {
		.argv = argv.items,
		.environment = environment.items,
		.wait_all = r->options->follow,
		.service = service.client ? &service : NULL,
		.input = r->reads_input && !r->client ? r->kept.list : NULL,
		.client_input = r->reads_input ? r->kept.list : NULL,
	};
	struct meter *meter = NULL;
	if (r->options->progress && !r->options->quiet)
		meter = meter_start(r->follower, &r->recording);
	int result = process_record(r, &process, err);
	meter_stop(meter);
	words_free(&argv);
	words_free(&environment);
	return result;
}

/* The recorder ran out of space.  `so`: what that means for the recording. */
static int room_refuse(const struct record *r, const char *why, const char *so, struct err *err)
{
	if (strcmp(why, BO_STOPPED_SPACE) != 0)
		return err_set(err, "the recorder of %s stopped because of %s; %s", r->recording.dir, why, so);
	err_set(err, "no space is left on the device of %s; %s", r->recording.dir, so);
	return err_hint(err, "free some space there, or choose another directory with --out");
}

static int start_judge(const struct record *r, struct err *err)
{
	char line[200];

	if (recording_stopped(&r->recording, line, sizeof(line)))
		return room_refuse(r, line, "nothing was recorded", err);
	recording_last_words(&r->recording, line, sizeof(line));
	err_set(err, "the recorder did not start%s%s", *line ? ": " : "", line);
	return err_hint(err, "blackout doctor");
}

int record_seal(struct record *r, struct err *err)
{
	char outcome[32], seconds[32];
	const struct seal_meta metas[] = {{"outcome", outcome}, {"seconds", seconds}};
	const struct seal_options how = {.metas = metas, .meta_count = 2};

	if (!recording_started(&r->recording))
		return start_judge(r, err);
	if (r->end.interrupted)
		snprintf(outcome, sizeof(outcome), "interrupted");
	else if (r->end.signal)
		snprintf(outcome, sizeof(outcome), "signal %d", r->end.signal);
	else
		snprintf(outcome, sizeof(outcome), "exit %d", r->end.status);
	snprintf(seconds, sizeof(seconds), "%.3f", r->end.seconds);
	return trace_seal(r->recording.dir, &how, err);
}

int record_compress(struct record *r, struct err *err)
{
	const struct seal_options how = {.compress = true};

	if (!r->options->compress || trace_seal(r->recording.dir, &how, err) == 0)
		return 0;
	return err_hint(err, "the recording is usable as it is, uncompressed");
}

int record_judge(const struct record *r, const char *stopped)
{
	char text[256];
	struct err err;

	if (r->end.interrupted) {
		fprintf(stderr, "interrupted; the recording up to there is usable\n");
		return STATUS_INTERRUPTED;
	}
	/* The recorder of a child may have had no trace in which to report it. */
	if (!*stopped && recording_stopped(&r->recording, text, sizeof(text)))
		stopped = text;
	if (*stopped) {
		room_refuse(r, stopped, "the recording up to there is usable", &err);
		return command_fail(&err);
	}
	if (!r->end.signal && !r->end.status)
		return STATUS_DONE;
	if (recording_failed(&r->recording, text, sizeof(text))) {
		err_set(&err, "Valgrind failed, not the target: %s", text);
		err_hint(&err, "%s/recorder.log has more; the recording up to there is usable", r->options->out);
		return command_fail(&err);
	}
	err_set(&err, "%s %s; the recording up to there is usable", r->end.by_client ? "the client" : r->program.path,
		end_text(&r->end, text, sizeof(text)));
	err_hint(&err, "blackout check --recover CMD %s tests the crash states of what was recorded", r->options->out);
	err_status(&err, ERR_TARGET);
	return command_fail(&err);
}

void record_close(struct record *r)
{
	recording_close(&r->recording);
	words_free(&r->job.pm);
	words_free(&r->job.calls);
	words_free(&r->job.inputs);
	words_free(&r->job.target);
	free(r->setup);
	free(r->client);
}
