/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_target.h - one recording, from the command line to the sealed trace: shared by `record` and `run`.
 *
 *     static struct record_options given;
 *     static const struct option options[] = {RECORD_OPTIONS(&given), {0}};
 *     ...
 *     struct record record = RECORD_NEW(&given, &operations);       // operation_options.h
 *     if (record_prepare(&record, argc, argv, &err) < 0 ||       // nothing is run or removed before this
 *         record_setup(&record, &err) < 0 || record_target(&record, &err) < 0 || record_seal(&record, &err) < 0) ...
 *     status = record_judge(&record, stopped);
 *     record_close(&record);
 *
 * After each step record.end tells whether the user interrupted. */
#ifndef BLACKOUT_CLI_RECORD_TARGET_H
#define BLACKOUT_CLI_RECORD_TARGET_H

#include "analysis/scan.h"
#include "cli/operation_options.h"
#include "cli/option.h"
#include "plugin/plugin.h"
#include "run/kept_operations.h"
#include "run/process.h"
#include "run/program.h"
#include "run/recorder.h"
#include "run/recording.h"

struct record_options {
	struct option_list pm, calls, inputs;
	const char *setup;
	const char *client, *ready; /* run/service.h; SERVICE_OPTIONS */
	const char *out;
	uint64_t inputs_most;
	bool inputs_check;
	bool pmem_force, transactions;
	bool follow, loads, reads, code_hash, dependencies, sync, compress, progress, quiet;
};

/* clang-format off */
/* Rows of the table of options. */
#define RECORD_OPTIONS(o) \
	OPTION_GROUP("Recording"), \
	{"pm", "PATH", NULL, "treat only this file, directory or glob as PM, not every file that is mapped shared and writable", OPTION_LIST, &(o)->pm}, \
	{"setup", "CMD", NULL, "run this shell command first, without recording it", OPTION_TEXT, &(o)->setup}, \
	{"no-pmem-force", NULL, NULL, "do not make libpmem and libpmem2 treat every file as PM", OPTION_UNSET, &(o)->pmem_force}, \
	{"follow-children", NULL, NULL, "record child processes too, and wait for them", OPTION_FLAG, &(o)->follow}, \
	{"loads", NULL, NULL, "record loads from PM too", OPTION_FLAG, &(o)->loads}, \
	{"reads", NULL, NULL, "record what system calls read from PM files too", OPTION_FLAG, &(o)->reads}, \
	{"code-hash", NULL, NULL, "record at each fence a hash of the code executed since the last one", OPTION_FLAG, &(o)->code_hash}, \
	{"dependencies", NULL, NULL, "record which loads from PM each store and load depends on; includes --loads, and takes longer", OPTION_FLAG, &(o)->dependencies}, \
	{"sync", NULL, NULL, "record how threads synchronize, and which accesses to PM are atomic in the source (blackout-cc)", OPTION_FLAG, &(o)->sync}, \
	{"calls", "LIST", NULL, "record the calls of these functions: [MODULE:]FUNCTION, comma-separated, with * and ?", OPTION_LIST, &(o)->calls}, \
	{"no-transactions", NULL, NULL, "do not record the calls of libpmemobj that the detector transactions needs", OPTION_UNSET, &(o)->transactions}, \
	{"compress", NULL, NULL, "compress the recording when it is complete", OPTION_FLAG, &(o)->compress}

/* Rows also for commands that only run recovery. */
#define SERVICE_OPTIONS(o) \
	OPTION_GROUP("Servers"), \
	{"client", "CMD", NULL, "the target and recovery are servers; run this shell command as their client", OPTION_TEXT | OPTION_OUTCOME, &(o)->client}, \
	{"ready", "WHAT", NULL, "how to tell that the server is up: a port or a socket path that accepts connections, or a shell command that succeeds", OPTION_TEXT | OPTION_OUTCOME, &(o)->ready}
/* clang-format on */

struct record {
	const struct record_options *options;
	const struct operation_options *operations;
	const struct plugins *plugins; /* functions whose calls they need are recorded; NULL: none */
	struct scan *follower;         /* counts the events while they are written; may be NULL */
	bool keep_stdout; /* standard output is for our report: output of setup and target goes to standard error */
	bool hide_output; /* with --ops, what the operations print is kept, but not shown */
	struct recorder recorder;
	struct recorder_job job;
	struct program program;
	struct recording recording;
	struct process_end end;
	struct kept_operations kept; /* with --ops */
	char *setup, *client;        /* with {ops} and the other words replaced; NULL: none */
	bool reads_input;            /* the operations are read from standard input, by the client if there is one */
	bool writes_file;            /* the output is written to {out} */
};

#define RECORD_NEW(given, parsed)                                              \
	{                                                                      \
		.options = (given), .operations = (parsed), .recording.fd = -1 \
	}

/* Check the command line, and find everything that is needed. */
int record_check(struct record *record, int argc, char **argv, struct err *err);

/* Make the directory an empty recording, and remove the reports of an earlier one. */
int record_begin(struct record *record, struct err *err);

/* Do both, and prepare the command. */
int record_prepare(struct record *record, int argc, char **argv, struct err *err);

/* Run --setup, if there is one. -1, ERR_TARGET: it failed. */
int record_setup(struct record *record, struct err *err);

/* Run and record the target until it ends. */
int record_target(struct record *record, struct err *err);

/* Close the trace, and add what only we know about the run.  Does not compress: that is record_compress. */
int record_seal(struct record *record, struct err *err);
int record_compress(struct record *record, struct err *err);

/* Tell the user how the target ended, if that matters, and return the exit status.  `stopped`: why the recorder gave
 * up, or "". */
int record_judge(const struct record *record, const char *stopped);

void record_close(struct record *record);

#endif
