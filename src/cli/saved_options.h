/* SPDX-License-Identifier: GPL-2.0-or-later */
/* saved_options.h - save the testing options beside the journal, so that `check --resume DIR` needs only DIR.
 *
 *     saved_options_write(options, dir, &err);                    // when testing begins
 *     saved_options_read(options, dir, &saved);                   // later: sets those that are not on the command line
 *
 * The options that are saved are those that the table marks as OPTION_KEPT. */
#ifndef BLACKOUT_CLI_SAVED_OPTIONS_H
#define BLACKOUT_CLI_SAVED_OPTIONS_H

#include "cli/option.h"
#include "run/words.h"

/* How the earlier tests differ from those that this command will run. */
struct saved_options {
	char changed[80];    /* changed settings on which outcomes depend: "--recover, --memory" */
	const char *timeout; /* the earlier value; NULL: nothing was tested before */
};

int saved_options_write(const struct option *options, const char *dir, struct err *err);
void saved_options_read(const struct option *options, const char *dir, struct saved_options *saved);

/* How the options of another directory differ from the present values: "--recover, --seed", or "".  The number of workers
 * may differ. */
void saved_options_compare(const struct option *options, const char *dir, struct saved_options *saved);
void saved_options_remove(const char *dir);

/* Add these options to a command line of `check`, but --jobs, and what has its default. */
void saved_options_words(const struct option *options, struct words *words);

/* A text of all options on which the outcomes of recovery depend (OPTION_OUTCOME).  The caller frees it. */
char *outcome_options_text(const struct option *options);

#endif
