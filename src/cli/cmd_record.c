/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_record.c - `blackout record [options] -- PROGRAM [ARGS...]`
 *
 * The order matters: everything that can be wrong with the command line is said before --setup runs and before an earlier recording
 * is removed.  Standard output belongs to the target; what we say goes to standard error. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/option.h"
#include "cli/summary.h"
#include "run/pmpath.h"
#include "run/process.h"
#include "run/program.h"
#include "run/recorder.h"
#include "run/recording.h"
#include "trace/seal.h"

static struct {
	struct option_list pm;
	const char *setup;
	const char *out;
	bool pmem_force;
	bool follow, loads, code_hash, compress, quiet;
} given;

static const struct option options[] = {
	{"pm", "PATH", NULL, "a persistent file, directory or glob; otherwise every file mapped shared and writable",
	 OPTION_LIST, &given.pm},
	{"setup", "CMD", NULL, "shell command to run first, unrecorded", OPTION_TEXT, &given.setup},
	{"no-pmem-force", NULL, NULL, "do not set PMEM_IS_PMEM_FORCE=1 for the target", OPTION_UNSET,
	 &given.pmem_force},
	OPTION_OUT(&given.out),
	{"follow-children", NULL, NULL, "record child processes too, and wait for them", OPTION_FLAG, &given.follow},
	{"loads", NULL, NULL, "record loads from persistent memory too", OPTION_FLAG, &given.loads},
	{"code-hash", NULL, NULL, "record at each fence a hash of the code executed since the last one", OPTION_FLAG,
	 &given.code_hash},
	{"compress", NULL, NULL, "compress the recording when it is complete", OPTION_FLAG, &given.compress},
	OPTION_QUIET(&given.quiet),
	{0},
};

static const struct usage usage = {
	.command = "record",
	.operands = "-- PROGRAM [ARGS...]",
	.about = "Run PROGRAM and record every store, flush and fence it does to persistent memory.\n"
		 "PROGRAM is any x86-64 Linux program; it needs no recompiling, and no persistent memory.",
	.options = options,
	.program = true,
	.operands_min = 1,
};

/* One recording on its way. */
struct record {
	struct recorder recorder;
	struct recorder_job job;
	struct program program;
	struct recording recording;
	struct process_end end;
};

static int job_fill(struct record *s, int argc, char **argv, struct err *err)
{
	char pattern[PATH_MAX];

	for (size_t i = 0; i < given.pm.count; i++) {
		if (pmpath_resolve(pattern, given.pm.items[i], err) < 0)
			return -1;
		words_add(&s->job.pm, "%s", pattern);
	}
	for (int i = 0; i < argc; i++)
		words_add(&s->job.target, "%s", argv[i]);
	s->job.follow = given.follow;
	s->job.loads = given.loads;
	s->job.code_hash = given.code_hash;
	return 0;
}

static int record_prepare(struct record *s, int argc, char **argv, struct err *err)
{
	if (program_find(&s->program, argv[0], err) < 0 || program_check(&s->program, err) < 0)
		return -1;
	if (recorder_find_valgrind(&s->recorder, err) < 0 || recorder_find_tool(&s->recorder, err) < 0)
		return -1;
	if (job_fill(s, argc, argv, err) < 0)
		return -1;
	if (recording_create(&s->recording, given.out, err) < 0)
		return -1;
	s->job.dir = s->recording.dir;
	return 0;
}

/* How a command ended, as a person would say it. */
static const char *end_text(const struct process_end *end, char *text, size_t size)
{
	if (end->signal)
		snprintf(text, size, "was killed by signal %d (%s)", end->signal, strsignal(end->signal));
	else
		snprintf(text, size, "exited with status %d", end->status);
	return text;
}

/* Run --setup.  Its standard input is empty: ours belongs to the target. */
static int setup_run(struct record *s, struct err *err)
{
	char *argv[] = {"/bin/sh", "-c", (char *)given.setup, NULL};
	struct process process = {.argv = argv, .null_stdin = true};
	char text[128];

	if (!given.setup)
		return 0;
	if (process_run(&process, &s->end, err) < 0)
		return -1;
	if (s->end.interrupted || (!s->end.signal && !s->end.status))
		return 0;
	err_set(err, "the setup command %s: %s", end_text(&s->end, text, sizeof(text)), given.setup);
	return err_status(err, ERR_TARGET);
}

static int target_run(struct record *s, struct err *err)
{
	struct words argv = {0}, environment = {0};
	const char *force = getenv("PMEM_IS_PMEM_FORCE");

	/* What the user set himself stays. */
	if (!force && given.pmem_force)
		words_add(&environment, "PMEM_IS_PMEM_FORCE=1");
	s->job.pmem_force = force ? !strcmp(force, "1") : given.pmem_force;
	recorder_command(&s->recorder, &s->job, &argv, &environment);
	struct process process = {.argv = argv.items, .environment = environment.items, .wait_all = given.follow};
	int result = process_run(&process, &s->end, err);
	words_free(&argv);
	words_free(&environment);
	return result;
}

/* Close the trace; what only we know of the run goes into it. */
static int record_seal(struct record *s, struct err *err)
{
	char outcome[32], seconds[32], line[200];
	const struct seal_meta metas[] = {{"outcome", outcome}, {"seconds", seconds}};
	const struct seal_options how = {.compress = given.compress, .metas = metas, .meta_count = 2};

	if (!recording_started(&s->recording)) {
		recording_last_words(&s->recording, line, sizeof(line));
		err_set(err, "the recorder did not start%s%s", *line ? ": " : "", line);
		return err_hint(err, "blackout doctor");
	}
	if (s->end.interrupted)
		snprintf(outcome, sizeof(outcome), "interrupted");
	else if (s->end.signal)
		snprintf(outcome, sizeof(outcome), "signal %d", s->end.signal);
	else
		snprintf(outcome, sizeof(outcome), "exit %d", s->end.status);
	snprintf(seconds, sizeof(seconds), "%.3f", s->end.seconds);
	return trace_seal(s->recording.dir, &how, err);
}

/* The recording is there; what does the target's end make of it? */
static int record_judge(struct record *s, const struct summary *summary)
{
	char text[128];
	struct err err;

	if (s->end.interrupted) {
		fprintf(stderr, "interrupted; the recording up to there is usable\n");
		return STATUS_INTERRUPTED;
	}
	if (*summary->stopped) {
		err_set(&err, "the recorder stopped: %s; the recording up to there is usable", summary->stopped);
		return command_fail(&err);
	}
	if (!s->end.signal && !s->end.status)
		return STATUS_DONE;
	err_set(&err, "%s %s; the recording up to there is usable", s->program.path,
		end_text(&s->end, text, sizeof(text)));
	err_status(&err, ERR_TARGET);
	return command_fail(&err);
}

static int record_finish(struct record *s)
{
	struct summary summary = {
		.dir = given.out,
		.is_script = s->program.is_script,
		.pm_given = given.pm.count > 0,
		.seconds = s->end.seconds,
		.disk_bytes = recording_bytes(&s->recording),
	};
	struct err err;

	/* A recorder that gave up has ended the target too, so after an orderly end there is nothing to read. */
	if (given.quiet && !s->end.interrupted && !s->end.signal && !s->end.status)
		return STATUS_DONE;
	if (summary_print(&summary, s->recording.dir, given.quiet ? NULL : stderr, &err) < 0)
		return command_fail(&err);
	return record_judge(s, &summary);
}

static int record_run(struct record *s, struct err *err)
{
	if (setup_run(s, err) < 0)
		return command_fail(err);
	if (s->end.interrupted)
		return STATUS_INTERRUPTED;
	if (target_run(s, err) < 0 || record_seal(s, err) < 0)
		return s->end.interrupted ? STATUS_INTERRUPTED : command_fail(err);
	return record_finish(s);
}

int cmd_record(int argc, char **argv)
{
	struct record record = {.recording.lock = -1};
	struct err err;
	int status, first = option_parse(&usage, argc, argv, &status);

	if (!first)
		return status;
	if (record_prepare(&record, argc - first, argv + first, &err) < 0)
		status = command_fail(&err);
	else
		status = record_run(&record, &err);
	recording_close(&record.recording);
	words_free(&record.job.pm);
	words_free(&record.job.target);
	return status;
}
