/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_record.c - `blackout record [options] -- PROGRAM [ARGS...]`
 *
 * The order matters: everything that can be wrong with the command line is said before --setup runs and before an earlier recording
 * is removed.  Standard output belongs to the target; what we say goes to standard error. */
#include <stdio.h>

#include "cli/command.h"
#include "cli/record.h"
#include "cli/summary.h"

static struct record_options given;

static const struct option options[] = {
	RECORD_OPTIONS(&given),
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

static int record_finish(struct record *r)
{
	struct summary summary = {
		.dir = given.out,
		.is_script = r->program.is_script,
		.pm_given = given.pm.count > 0,
		.seconds = r->end.seconds,
		.disk_bytes = recording_bytes(&r->recording),
	};
	struct err err;

	/* A recorder that gave up has ended the target too, so after an orderly end there is nothing to read. */
	if (given.quiet && !r->end.interrupted && !r->end.signal && !r->end.status)
		return STATUS_DONE;
	if (summary_print(&summary, r->recording.dir, given.quiet ? NULL : stderr, &err) < 0)
		return command_fail(&err);
	return record_judge(r, summary.stopped);
}

static int record_run(struct record *r, struct err *err)
{
	if (record_setup(r, err) < 0)
		return command_fail(err);
	if (r->end.interrupted)
		return STATUS_INTERRUPTED;
	if (record_target(r, err) < 0 || record_seal(r, err) < 0 || record_compress(r, err) < 0)
		return r->end.interrupted ? STATUS_INTERRUPTED : command_fail(err);
	return record_finish(r);
}

int cmd_record(int argc, char **argv)
{
	struct record record = RECORD_NEW(&given);
	struct err err;
	int status, first = option_parse(&usage, argc, argv, &status);

	if (!first)
		return status;
	if (record_prepare(&record, argc - first, argv + first, &err) < 0)
		status = command_fail(&err);
	else
		status = record_run(&record, &err);
	record_close(&record);
	return status;
}
