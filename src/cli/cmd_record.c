/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_record.c - `blackout record [options] -- PROGRAM [ARGS...]`
 *
 * All mistakes in the command line are reported before --setup runs and before an earlier recording is removed.
 * Standard output belongs to the target; our messages go to standard error. */
#include <stdio.h>

#include "analysis/scan.h"
#include "cli/command.h"
#include "cli/oracle_options.h"
#include "cli/record_target.h"
#include "cli/summary.h"

static struct record_options given;
static struct operation_words operation_words;
static struct oracle_words oracle_words;

static const struct option options[] = {
	RECORD_OPTIONS(&given),
	{"inputs", "SOURCE", NULL,
	 "record the branches that depend on this input: stdin, file:PATH, arg:N or socket; takes longer", OPTION_LIST,
	 &given.inputs},
	{"inputs-most", "N", NULL, "follow at most so many different values that depend on input", OPTION_NUMBER,
	 &given.inputs_most},
	{"inputs-check", NULL, NULL, "record each value that is followed, too, to check the recorder", OPTION_FLAG,
	 &given.inputs_check},
	ORACLE_OPTIONS(&oracle_words, "record what this plug-in needs"),
	OPERATION_MARK_OPTIONS(&operation_words),
	SERVICE_OPTIONS(&given),
	OPTION_GROUP("Output"),
	OPTION_OUT(&given.out),
	OPTION_PROGRESS(&given.progress),
	OPTION_QUIET(&given.quiet),
	{0},
};

const struct usage usage_record = {
	.command = "record",
	.operands = "-- PROGRAM [ARGS...]",
	.about = "Run PROGRAM and record all its stores, flushes and fences to persistent\n"
		 "memory (PM). PROGRAM is any x86-64 Linux program; it needs no recompiling, and\n"
		 "no persistent memory.",
	.options = options,
	.operand = OPERAND_PROGRAM,
	.operands_min = 1,
};

static int record_finish(const struct record *r, const struct scan *scan)
{
	const struct summary summary = {
		.dir = given.out,
		.is_script = r->program.is_script,
		.pm_given = given.pm.count > 0,
		.seconds = r->end.seconds,
		.disk_bytes = recording_bytes(&r->recording),
	};
	const char *stopped = trace_meta(scan_trace(scan), "stopped");

	if (!given.quiet)
		summary_print(&summary, scan_trace(scan), scan_stats(scan), stderr);
	return record_judge(r, stopped ? stopped : "");
}

/* The events are counted on another core while they are written.  With --follow-children they are counted afterwards,
 * because the events of several processes can be put in sequence only when all of them are known. */
static int record_counted(struct record *r, struct scan *scan, struct err *err)
{
	int packed, status;

	if (!given.follow && !given.quiet) {
		scan_follow(scan, r->recording.dir);
		r->follower = scan;
	}
	if (record_target(r, err) < 0 || record_seal(r, err) < 0)
		return r->end.interrupted ? STATUS_INTERRUPTED : command_fail(err);
	/* A recorder that gave up has ended the target, too.  So after a normal exit there is no need to read the
	 * recording. */
	if (given.quiet && !r->end.interrupted && !r->end.signal && !r->end.status)
		return record_compress(r, err) < 0 ? command_fail(err) : record_judge(r, "");
	if (scan_finish(scan, r->recording.dir, err) < 0)
		return command_fail(err);
	packed = record_compress(r, err);
	status = record_finish(r, scan);
	return packed < 0 ? command_fail(err) : status;
}

static int record_run(struct record *r, struct err *err)
{
	static const struct choice no_detector = {.places = true};
	struct scan *scan;
	int status;

	if (record_setup(r, err) < 0)
		return command_fail(err);
	if (r->end.interrupted)
		return STATUS_INTERRUPTED;
	scan = scan_new(&no_detector, &(struct scan_options){0});
	status = record_counted(r, scan, err);
	scan_free(scan);
	return status;
}

/* What the plug-ins need, though they are not called. */
static int oracles_prepare(struct record *record, struct plugins **plugins, struct err *err)
{
	if (oracle_options_open(plugins, &oracle_words, err) < 0)
		return -1;
	record->plugins = *plugins;
	given.loads |= plugins_layers(*plugins) & BO_LAYER_LOADS;
	return 0;
}

int cmd_record(int argc, char **argv)
{
	struct operation_options operations = {0};
	struct plugins *plugins = NULL;
	struct record record = RECORD_NEW(&given, &operations);
	struct err err;
	int status, first = option_parse(&usage_record, argc, argv, &status);

	if (!first)
		return status;
	if (oracles_prepare(&record, &plugins, &err) < 0 ||
	    operation_options_parse(&operations, &operation_words, given.client, &err) < 0 ||
	    record_prepare(&record, argc - first, argv + first, &err) < 0)
		status = command_fail(&err);
	else
		status = record_run(&record, &err);
	record_close(&record);
	operation_options_free(&operations);
	plugins_close(plugins);
	return status;
}
