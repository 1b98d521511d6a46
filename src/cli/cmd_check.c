/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_check.c - `blackout check [options] DIR`: analyze an earlier recording again. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/analyze.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/layers.h"
#include "ops/substitute.h"
#include "run/kept_operations.h"

static struct analysis_words judging;
static struct operation_words operating;
static struct report_words reporting;
static const char *out;
static bool progress, quiet;

static const struct option options[] = {
	ANALYSIS_OPTIONS(&judging),
	TESTING_OPTIONS(&judging),
	{"resume", NULL, NULL, "continue where an earlier run or check was interrupted", OPTION_FLAG, &judging.resume},
	EXPLORE_OPTIONS(&judging),
	RACE_OPTIONS(&judging),
	OPERATION_OPTIONS(&operating),
	SERVICE_OPTIONS(&judging),
	REPORT_OPTIONS(&reporting, "error", REPORTS_PRINTED),
	{"out", "DIR", NULL, "directory for the reports (default: the recording)", OPTION_TEXT, &out},
	OPTION_PROGRESS(&progress),
	OPTION_QUIET(&quiet),
	{0},
};

const struct usage usage_check = {
	.command = "check",
	.operands = "DIR",
	.about = "Analyze the recording in DIR. Report every misuse of flush and fence and, with\n"
		 "--recover, every crash state on which CMD fails.",
	.options = options,
	.operand = OPERAND_RECORDING,
	.operands_min = 1,
	.operands_max = 1,
};

static int check_resume(struct analyze *analyze, struct err *err)
{
	saved_options_read(options, analyze->out, &analyze->saved);
	if (judging.recover)
		return 0;
	err_set(err, "there is nothing to resume in %s: no crash states were tested there", analyze->out);
	return err_status(err, ERR_USAGE);
}

/* The recording has its own list, and no other can be judged by it. */
static int list_check(const char *kept, struct err *err)
{
	struct oplist *recorded, *given;
	struct oplist_bytes a, b;
	bool same = false;

	if (oplist_read(&given, operating.ops, err) < 0)
		return -1;
	if (oplist_read(&recorded, kept, err) == 0) {
		a = oplist_bytes(recorded, 0, SIZE_MAX);
		b = oplist_bytes(given, 0, SIZE_MAX);
		same = a.size == b.size && !memcmp(a.at, b.at, a.size);
		oplist_free(recorded);
	}
	oplist_free(given);
	if (same)
		return 0;
	err_set(err, "the program was recorded with other operations than those in %s", operating.ops);
	err_hint(err, "leave out --ops: the recording has its operations in %s", kept);
	return err_status(err, ERR_USAGE);
}

static bool is_given(const void *value)
{
	for (const struct option *o = options; o->name; o++)
		if (o->value == value)
			return option_given(o);
	return false;
}

/* Operations are judged if an option or a word says so.  With --resume, the file of --ops may be gone. */
static int check_operations(const struct analyze *analyze, struct err *err)
{
	static struct kept_operations kept;
	const char *needy = operating.op_marks ? "op-marks" : operation_words_needy(&operating);
	bool wanted = operating.ops || needy || substitute_words_in_shell(judging.recover) ||
		      substitute_words_in_shell(judging.client);

	if (kept_operations_at(&kept, analyze->dir, err) < 0)
		return -1;
	if (wanted && kept_operations_exist(&kept)) {
		if (is_given(&operating.ops) && list_check(kept.list, err) < 0)
			return -1;
		operating.ops = kept.list;
	}
	if (!needy || operating.ops)
		return 0;
	err_set(err, "--%s needs --ops, since %s was recorded without it", needy, analyze->dir);
	return err_status(err, ERR_USAGE);
}

/* A strategy or a plug-in may need more than was recorded.  That is known before the recording is read. */
static int layers_check(const struct analyze *analyze, struct err *err)
{
	struct trace *trace;
	struct event ev;
	char what[128];
	uint32_t lacks;

	if (trace_open(&trace, analyze->dir, err) < 0)
		return -1;
	const char *name = choice_lacks(&analyze->how.choice, trace_layers(trace), &lacks);
	/* The facts about the recording come before its first event. */
	int r = trace_next(trace, &ev, err) < 0
			? -1
			: oracle_options_check(analyze->plugins, trace, analyze->dir_shown, err);
	trace_close(trace);
	snprintf(what, sizeof(what), "--detect %s", name ? name : "");
	return name ? layers_refuse(analyze->dir_shown, lacks, what, err) : r;
}

static int check_run(struct analyze *analyze, struct err *err)
{
	if ((judging.resume && check_resume(analyze, err) < 0) || check_operations(analyze, err) < 0)
		return command_fail(err);
	if (analyze_prepare(analyze, err) < 0 || layers_check(analyze, err) < 0)
		return command_fail(err);
	if (out && mkdir(out, 0777) < 0 && errno != EEXIST) {
		err_sys(err, "cannot create %s", out);
		return command_fail(err);
	}
	if (analyze_read(analyze, err) < 0)
		return command_fail(err);
	return analyze_finish(analyze, NULL);
}

int cmd_check(int argc, char **argv)
{
	struct analyze analyze = {
		.words = &judging,
		.operation_words = &operating,
		.report = &reporting,
		.options = options,
	};
	struct err err;
	int status, first = option_parse(&usage_check, argc, argv, &status);

	if (!first)
		return status;
	interrupt_watch();
	interrupt_hear();
	analyze.show_progress = progress;
	analyze.quiet = quiet;
	analyze.dir = analyze.dir_shown = argv[first];
	analyze.out = analyze.out_shown = out ? out : argv[first];
	analyze.how.elsewhere = true;
	status = check_run(&analyze, &err);
	analyze_close(&analyze);
	return status;
}
