/* SPDX-License-Identifier: GPL-2.0-or-later */
/* execution_in.h - what the files of execution.h share: an execution in its own process, its input and its runs. */
#ifndef BLACKOUT_SEARCH_EXECUTION_IN_H
#define BLACKOUT_SEARCH_EXECUTION_IN_H

#include "run/kept_operations.h"
#include "search/execution.h"
#include "search/place.h"

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

/* execution_input.c */

/* Write the input into the execution's directory. */
int execution_input_prepare(struct running *running, struct err *err);
/* Write the operations to where they are kept: in a recording, or in the execution's directory. */
int execution_operations_write(struct running *running, const char *recording, struct err *err);
/* Choose the file that is standard input; after execution_operations_write. */
int execution_stdin_choose(struct running *running, struct err *err);
/* Who drives the server, if it is one. */
int execution_client_choose(struct running *running, struct err *err);
/* Begin a command line with what keeps the output of the operations, unless it is written to {out}. */
void execution_output_keep(struct words *argv, const struct running *running);

/* execution_runs.c */

/* Open running->place, where the program runs.  The caller closes it. */
int execution_place_prepare(struct running *running, struct err *err);
/* Run the program in all the ways that the parts ask for, and put into the result what is seen.  0; PLACE_STOPPED; -1. */
int execution_runs_do(struct running *running, struct err *err);

#endif
