/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_run.c - `blackout run [options] -- PROGRAM [ARGS...]`: record, analyze, test crash states, report.
 *
 * The analysis follows the recording on another core while it is written, so little is left to do when the target ends.
 * With --follow-children it comes afterwards, because the events of several processes can be put in sequence only when
 * all of them are known.
 *
 * Standard output has the report and nothing else; the target's standard output goes to standard error.  With --ops it
 * may be long, and is compared rather than read, so it goes to a file only. */
#include "cli/analyze.h"
#include "cli/cluster_options.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/record_target.h"

static struct record_options recording;
static struct analysis_words judging;
static struct operation_words operating;
static struct report_words reporting;
static struct cluster_words clustering;
static bool show_output;

static const struct option options[] = {
	RUN_OPTIONS(&recording, &judging, &operating, &reporting),
	{"show-output", NULL, NULL,
	 "with --ops, show on standard error what PROGRAM prints; without --ops it is always shown", OPTION_FLAG,
	 &show_output},
	CLUSTER_OPTIONS(&clustering),
	{0},
};

const struct usage usage_run = {
	.command = "run",
	.operands = "-- PROGRAM [ARGS...]",
	.about = "Run PROGRAM, record what it does to persistent memory (PM), and report every\n"
		 "misuse of flush and fence. With --recover, simulate a power failure at every\n"
		 "point that matters, and run CMD on what is left. PROGRAM is any x86-64 Linux\n"
		 "program; it needs no recompiling, and no persistent memory.",
	.options = options,
	.operand = OPERAND_PROGRAM,
	.operands_min = 1,
};

/* All other options about operations need --ops. */
static int operations_check(struct err *err)
{
	const char *needy = operating.op_marks ? "op-marks" : operation_words_needy(&operating);

	if (operating.ops || !needy)
		return 0;
	err_set(err, "--%s needs --ops", needy);
	return err_status(err, ERR_USAGE);
}

/* Find all mistakes before anything is run. */
static int run_prepare(struct record *record, struct analyze *analyze, int argc, char **argv, struct err *err)
{
	analyze->show_progress = recording.progress;
	analyze->quiet = recording.quiet;
	if (operations_check(err) < 0 || cluster_options_check(&clustering, &judging, NULL, err) < 0 ||
	    analyze_prepare(analyze, err) < 0)
		return -1;
	record->keep_stdout = true;
	record->hide_output = !show_output;
	recording.client = judging.client;
	recording.ready = judging.ready;
	uint32_t layers = choice_layers(&analyze->how.choice) | plugins_layers(analyze->plugins);
	recording.code_hash |= layers & BO_LAYER_CODE;
	recording.loads |= layers & BO_LAYER_LOADS;
	recording.dependencies |= layers & BO_LAYER_DEPENDENCIES;
	recording.sync |= layers & BO_LAYER_SYNC;
	record->plugins = analyze->plugins;
	if (record_prepare(record, argc, argv, err) < 0)
		return -1;
	analyze->dir = analyze->out = record->recording.dir;
	analyze->dir_shown = analyze->out_shown = recording.out;
	return 0;
}

static int run_go(struct record *record, struct analyze *analyze, struct err *err)
{
	struct err packing;
	int packed, status;

	if (record_setup(record, err) < 0)
		return command_fail(err);
	if (record->end.interrupted || interrupt_seen())
		return STATUS_INTERRUPTED;
	if (!recording.follow) {
		analysis_follow(analyze->analysis, analyze->dir);
		record->follower = analysis_scan(analyze->analysis);
	}
	if (record_target(record, err) < 0 || record_seal(record, err) < 0)
		return record->end.interrupted ? STATUS_INTERRUPTED : command_fail(err);
	interrupt_hear();
	if (analyze_read(analyze, err) < 0)
		return command_fail(err);
	packed = record_compress(record, &packing);
	if (clustering.engine && packed == 0 && analyze_will_test(analyze, record))
		return cluster_check(analyze, &clustering);
	status = analyze_finish(analyze, record);
	return packed < 0 ? command_fail(&packing) : status;
}

int cmd_run(int argc, char **argv)
{
	struct analyze analyze = {
		.words = &judging,
		.operation_words = &operating,
		.report = &reporting,
		.options = options,
	};
	struct record record = RECORD_NEW(&recording, &analyze.operations);
	struct err err;
	int status, first = option_parse(&usage_run, argc, argv, &status);

	if (!first)
		return status;
	interrupt_watch();
	if (run_prepare(&record, &analyze, argc - first, argv + first, &err) < 0)
		status = command_fail(&err);
	else
		status = run_go(&record, &analyze, &err);
	record_close(&record);
	analyze_close(&analyze);
	return status;
}
