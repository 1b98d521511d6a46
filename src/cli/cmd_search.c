/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_search.c - `blackout search [options] -- PROGRAM [ARGS...]`: make inputs that take PROGRAM to more of what it does
 * to PM, and judge each run as `run` does.
 *
 * Standard output has the report and nothing else.  What PROGRAM prints is not shown: it runs often. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analyze.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/quantity.h"
#include "cli/record_target.h"
#include "finding/suppress.h"
#include "ops/substitute.h"
#include "search/cover.h"
#include "search/input_search.h"
#include "search/overhear.h"
#include "search/place.h"
#include "search/seeds.h"

static struct record_options recording;
static struct analysis_words judging;
static struct operation_words operating;
static struct report_words reporting;
static struct {
	struct option_list symbolic;
	const char *seeds, *max_input, *strategy;
	uint64_t max_executions, stop_after;
	bool resume;
} searching;

static const struct option options[] = {
	OPTION_GROUP("Search"),
	{"symbolic", "WHAT", NULL,
	 "what may be changed: stdin, file:PATH, arg:N, ops, or socket, what the client sends (default: stdin; with --ops, "
	 "ops; with --client only, socket)",
	 OPTION_LIST, &searching.symbolic},
	{"seeds", "DIR", NULL, "inputs to begin with (default: what the command itself gets)", OPTION_TEXT,
	 &searching.seeds},
	{"max-input", "BYTES", "4096", "how long an input may become", OPTION_TEXT, &searching.max_input},
	{"strategy", OPTION_VALUES(SEARCH_STRATEGIES(SEARCH_STRATEGY_BAR)), "pm", "which branch is turned next",
	 OPTION_TEXT, &searching.strategy},
	{"max-executions", "N", "0", "end the search after N executions; 0: no limit", OPTION_NUMBER,
	 &searching.max_executions},
	{"stop-after", "N", "0", "end the search after N findings that count for --fail-on; 0: go on", OPTION_NUMBER,
	 &searching.stop_after},
	{"resume", NULL, NULL, "go on with the search in DIR", OPTION_FLAG, &searching.resume},
	RUN_OPTIONS(&recording, &judging, &operating, &reporting),
	{0},
};

const struct usage usage_search = {
	.command = "search",
	.operands = "-- PROGRAM [ARGS...]",
	.about = "Follow the input through PROGRAM, make inputs that take the other side of its\n"
		 "branches, prefer those that lead to changes of persistent memory (PM), and judge\n"
		 "each run as `blackout run` does. Each execution gets private copies of the PM\n"
		 "files, as they are at the start.",
	.options = options,
	.operand = OPERAND_PROGRAM,
	.operands_min = 1,
};

/* All that the command holds. */
struct task {
	struct analyze analyze;
	struct record record;
	struct input_sources sources;
	struct conversation talk; /* of the client, if what it sends may be changed */
	struct seeds seeds;
	struct start *start;
	struct words target;
	uint64_t max_input;
	struct input_search_options options;
	struct input_search *search;
};

/* ---- preparing ---- */

static int sources_parse(struct task *t, struct err *err)
{
	const char *fallback = operating.ops ? "ops" : judging.client ? SOCKET_WORD : "stdin";

	for (size_t i = 0; i < searching.symbolic.count; i++)
		if (input_sources_add(&t->sources, searching.symbolic.items[i], err) < 0)
			return -1;
	if (!searching.symbolic.count && input_sources_add(&t->sources, fallback, err) < 0)
		return -1;
	if (!t->sources.sockets || (judging.client && !operating.ops))
		return 0;
	if (!judging.client)
		err_set(err, "--symbolic socket needs --client");
	else
		err_set(err,
			"--symbolic socket cannot be used with --ops: with a list, the client sends its operations");
	return err_status(err, ERR_USAGE);
}

/* A program that has the word {ops} reads the operations from a file; and then there is no other standard input. */
static void operations_place(struct task *t, int argc, char **argv)
{
	unsigned words = substitute_words_in_arguments(argv, (size_t)argc);

	for (size_t i = 0; i < t->sources.count; i++)
		if (t->sources.at[i].ops && words & SUBSTITUTE_OPS)
			t->sources.at[i].kind = BO_SOURCE_FILE;
}

static struct seeds_from seeds_from(struct task *t, int argc, char **argv)
{
	return (struct seeds_from){
		.sources = &t->sources,
		.argv = argv,
		.argc = (size_t)argc,
		.ops = t->analyze.operations.list,
	};
}

/* Other seeds take the place of the default one. */
static int seeds_replace(struct task *t, int argc, char **argv, struct err *err)
{
	const struct seeds_from from = seeds_from(t, argc, argv);

	return searching.seeds ? seeds_read(&t->seeds, &from, searching.seeds, err) : 0;
}

/* The messages of a client are not known yet. */
static int seeds_prepare(struct task *t, int argc, char **argv, struct err *err)
{
	const struct seeds_from from = seeds_from(t, argc, argv);

	if (seeds_default(&t->seeds, &from, err) < 0)
		return -1;
	return t->sources.sockets ? 0 : seeds_replace(t, argc, argv, err);
}

static enum search_strategy strategy_find(const char *name)
{
	static const char *const names[] = {
#define X(upper, text) text,
		SEARCH_STRATEGIES(X)
#undef X
	};
	size_t count = sizeof(names) / sizeof(names[0]), found = 0;

	while (found < count && strcmp(names[found], name) != 0)
		found++;
	BUG_ON(found == count); /* the table of options has refused all others */
	return (enum search_strategy)found;
}

static uint32_t layers_needed(const struct task *t)
{
	uint32_t layers = choice_layers(&t->analyze.how.choice) | plugins_layers(t->analyze.plugins);

	layers |= recording.loads ? BO_LAYER_LOADS : 0;
	layers |= recording.code_hash ? BO_LAYER_CODE : 0;
	layers |= recording.sync ? BO_LAYER_SYNC : 0;
	return layers | (recording.dependencies ? BO_LAYER_DEPENDENCIES : 0);
}

static int max_input_parse(struct task *t, struct err *err)
{
	if (bytes_parse("max-input", searching.max_input, &t->max_input, err) < 0)
		return -1;
	if (t->max_input >= 1 && t->max_input <= INPUT_BYTES_MAX)
		return 0;
	err_set(err, "--max-input must be from 1 to %zu", INPUT_BYTES_MAX);
	return err_status(err, ERR_USAGE);
}

static void options_fill(struct task *t)
{
	struct analysis_options *how = &t->analyze.how;

	t->options = (struct input_search_options){
		.plan =
			{
				.dir = t->record.recording.dir,
				.sources = &t->sources,
				.start = t->start,
				.target = &t->target,
				.client = judging.client,
				.ready = judging.ready,
				.recorder = &t->record.recorder,
				.job = &t->record.job,
				.layers = layers_needed(t),
				.how = how,
				.timeout = how->testing.timeout,
				.jobs = how->testing.jobs,
				.compress = recording.compress,
				.stop.asked = interrupt_asked,
			},
		.seeds = t->seeds.at,
		.seed_count = t->seeds.count,
		.max_input = t->max_input,
		.strategy = strategy_find(searching.strategy),
		.budget = how->testing.budget,
		.max_executions = searching.max_executions,
		.stop_after = searching.stop_after,
		.fail_on = t->analyze.printing.fail_on,
		.seed = judging.seed,
		.resume = searching.resume,
	};
	if (recording.progress && !recording.quiet) {
		t->options.progress = progress_searching;
		t->options.arg = &t->analyze.progress;
	}
}

/* The layers are chosen for each recording, and so are target and operations. */
static void job_fill(struct task *t, int argc, char **argv)
{
	struct recorder_job *job = &t->record.job;
	const char *force = getenv("PMEM_IS_PMEM_FORCE");

	job->loads = job->code_hash = job->dependencies = job->sync = false;
	job->pmem_force = force ? !strcmp(force, "1") : recording.pmem_force;
	for (int i = 0; i < argc; i++)
		words_add(&t->target, "%s", argv[i]);
}

/* Find all mistakes before anything is run. */
static int task_prepare(struct task *t, int argc, char **argv, struct err *err)
{
	const char *needy = operating.op_marks ? "op-marks" : operation_words_needy(&operating);

	if (!operating.ops && needy) {
		err_set(err, "--%s needs --ops", needy);
		return err_status(err, ERR_USAGE);
	}
	recording.client = judging.client;
	recording.ready = judging.ready;
	t->analyze.quiet = true;
	if (max_input_parse(t, err) < 0 || analyze_prepare(&t->analyze, err) < 0 || sources_parse(t, err) < 0)
		return -1;
	operations_place(t, argc, argv);
	t->record.plugins = t->analyze.plugins;
	t->record.keep_stdout = true;
	if (record_check(&t->record, argc, argv, err) < 0 || seeds_prepare(t, argc, argv, err) < 0 ||
	    place_check(err) < 0)
		return -1;
	job_fill(t, argc, argv);
	return 0;
}

/* After --setup, the files are as each execution finds them. */
static int start_prepare(struct task *t, int argc, char **argv, struct err *err)
{
	const struct cover cover = {
		.pm = &t->record.job.pm,
		.sources = &t->sources,
		.argv = argv,
		.argc = (size_t)argc,
	};

	t->start = start_new();
	return cover_add(t->start, &cover, err);
}

/* Executions that would share a port or a socket run one after the other. */
static void jobs_limit(struct task *t)
{
	const char *path = conversation_shared_path(&t->talk, t->start);
	struct err why;
	int network = place_check_network(&why);

	if (t->options.plan.jobs == 1 || (network == 0 && !path))
		return;
	t->options.plan.jobs = 1;
	if (recording.quiet)
		return;
	progress_clear(&t->analyze.progress);
	if (network < 0)
		fprintf(stderr, "note: executions run one after the other, because they use the same ports: %s\n",
			why.sentence);
	else
		fprintf(stderr,
			"note: executions run one after the other, because they use the same socket: %s is in no "
			"directory of a PM file or of an argument\n",
			path);
}

/* Learn from the client what may be changed.  OVERHEAR_STOPPED; -1. */
static int talk_prepare(struct task *t, int argc, char **argv, struct err *err)
{
	struct execution_plan *plan = &t->options.plan;
	int result;

	if (!t->sources.sockets)
		return 0;
	result = searching.resume ? overhear_again(&t->talk, plan, err)
				  : overhear_client(&t->talk, plan, &t->seeds.at[0], err);
	if (result < 0)
		return result;
	plan->talk = &t->talk;
	conversation_add_sources(&t->talk, &t->sources, &t->seeds.at[0]);
	jobs_limit(t);
	if (seeds_replace(t, argc, argv, err) < 0)
		return -1;
	t->options.seeds = t->seeds.at;
	t->options.seed_count = t->seeds.count;
	return 0;
}

static int setup_run(struct task *t, struct err *err)
{
	const struct substitution values = {.ops = operating.ops, .out = "/dev/null"};

	if (!recording.setup)
		return 0;
	t->record.setup = substitute_shell(recording.setup, operating.ops ? &values : NULL, NULL);
	return record_setup(&t->record, err);
}

/* ---- the end ---- */

static int reports_write(struct task *t, struct findings *findings, struct err *err)
{
	const struct report_options how = {.dir = recording.out, .fail_on = t->analyze.printing.fail_on};
	int result = input_search_folders(t->search, findings, err);
	struct err more;

	if (judging.write_suppressions &&
	    suppress_write(findings, judging.write_suppressions, result ? &more : err) < 0)
		result = -1;
	if (report_write_all(findings, &how, t->record.recording.dir, result ? &more : err) < 0)
		result = -1;
	return result;
}

static int report_finish(struct task *t, struct findings *findings)
{
	const struct printing *printing = &t->analyze.printing;
	struct err err;
	int status = STATUS_DONE;

	if (reports_write(t, findings, &err) < 0)
		status = command_fail(&err);
	if (!(recording.quiet && printing->format == REPORT_TEXT) &&
	    printing_report(printing, findings, recording.out, &err) < 0)
		status = command_fail(&err);
	return status == STATUS_DONE ? printing_status(printing, findings) : status;
}

static int task_finish(struct task *t, int searched, const struct err *failed)
{
	struct findings *findings = input_search_findings(t->search);
	int status = findings ? report_finish(t, findings) : STATUS_DONE;

	findings_free(findings);
	if (searched < 0)
		return command_fail(failed);
	if (!interrupt_seen())
		return status;
	fprintf(stderr,
		"interrupted; the reports cover the executions so far\nhint: blackout search --resume goes on\n");
	return STATUS_INTERRUPTED;
}

/* A search that is resumed needs what is there. */
static int directory_begin(struct task *t, struct err *err)
{
	return searching.resume ? recording_create(&t->record.recording, recording.out, err)
				: record_begin(&t->record, err);
}

static int task_run(struct task *t, int argc, char **argv, struct err *err)
{
	int searched, prepared;

	if (directory_begin(t, err) < 0 || setup_run(t, err) < 0)
		return command_fail(err);
	if (t->record.end.interrupted || interrupt_seen())
		return STATUS_INTERRUPTED;
	interrupt_hear();
	if (start_prepare(t, argc, argv, err) < 0)
		return command_fail(err);
	options_fill(t);
	prepared = talk_prepare(t, argc, argv, err);
	if (prepared == OVERHEAR_STOPPED)
		return STATUS_INTERRUPTED;
	if (prepared < 0 || input_search_new(&t->search, &t->options, err) < 0)
		return command_fail(err);
	searched = input_search_run(t->search, err);
	progress_clear(&t->analyze.progress);
	return task_finish(t, searched, err);
}

static void task_close(struct task *t)
{
	input_search_free(t->search);
	start_free(t->start);
	seeds_free(&t->seeds);
	input_sources_free(&t->sources);
	conversation_free(&t->talk);
	words_free(&t->target);
	record_close(&t->record);
	analyze_close(&t->analyze);
}

int cmd_search(int argc, char **argv)
{
	static struct task task = {
		.analyze =
			{
				.words = &judging,
				.operation_words = &operating,
				.report = &reporting,
				.options = options,
			},
		.record = RECORD_NEW(&recording, &task.analyze.operations),
	};
	struct err err;
	int status, first = option_parse(&usage_search, argc, argv, &status);

	if (!first)
		return status;
	interrupt_watch();
	if (task_prepare(&task, argc - first, argv + first, &err) < 0)
		status = command_fail(&err);
	else
		status = task_run(&task, argc - first, argv + first, &err);
	task_close(&task);
	return status;
}
