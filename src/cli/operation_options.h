/* SPDX-License-Identifier: GPL-2.0-or-later */
/* operation_options.h - the options about operations, of `run`, `check` and `record`, from words to values.
 *
 *     static struct operation_words given;
 *     static const struct option options[] = {OPERATION_OPTIONS(&given), {0}};
 *     ...
 *     struct operation_options how;
 *     r = operation_options_parse(&how, &given, client != NULL, &err);           // reads the lists
 *     ...
 *     operation_options_free(&how); */
#ifndef BLACKOUT_CLI_OPERATION_OPTIONS_H
#define BLACKOUT_CLI_OPERATION_OPTIONS_H

#include "base/err.h"
#include "cli/option.h"
#include "ops/oplist.h"
#include "ops/output.h"

/* As on the command line. */
struct operation_words {
	/* OPERATION_MARK_OPTIONS */
	const char *ops, *op_marks;
	/* and in OPERATION_OPTIONS also */
	const char *probe;
	uint64_t ops_after, lag;
	struct option_list ignore_output;
};

/* clang-format off */
/* For commands that only record. */
#define OPERATION_MARK_OPTIONS(o) \
	OPTION_GROUP("Operations"), \
	{"ops", "FILE", NULL, "the operations that PROGRAM performs, one a line; it reads them from {ops}, or from its standard input", OPTION_TEXT | OPTION_KEPT, &(o)->ops}, \
	{"op-marks", "HOW", NULL, "how the start of an operation is recognized: reads, prints, call:FUNCTION, annotated or requests (default: reads; with --client, requests)", OPTION_TEXT | OPTION_KEPT, &(o)->op_marks}

/* For commands that test crash states, too. */
#define OPERATION_OPTIONS(o) \
	OPERATION_MARK_OPTIONS(o), \
	{"probe", "FILE", NULL, "operations that recovery performs instead of those that are left", OPTION_TEXT | OPTION_OUTCOME | OPTION_CONTENT, &(o)->probe}, \
	{"ops-after", "N", "0", "how many of the operations that are left recovery performs; 0: all", OPTION_NUMBER | OPTION_OUTCOME, &(o)->ops_after}, \
	{"lag", "N", "0", "how many of the last complete operations a crash may lose", OPTION_NUMBER | OPTION_OUTCOME, &(o)->lag}, \
	{"ignore-output", "REGEX", NULL, "lines of output that are not compared", OPTION_LIST | OPTION_OUTCOME, &(o)->ignore_output}
/* clang-format on */

/* Zeroed: there are no operations. */
struct operation_options {
	struct oplist *list;        /* NULL: no --ops */
	const char *marks;          /* how operations are recognized; NULL: they are not */
	struct oplist *probe;       /* NULL: none */
	struct output_rules *rules; /* with --ignore-output */
};

/* Check the words and read the files that they name.  -1, ERR_USAGE.  operation_options_free is needed in any case. */
int operation_options_parse(struct operation_options *options, const struct operation_words *words, bool has_client,
			    struct err *err);
void operation_options_free(struct operation_options *options);

/* The name of an option among them that makes no sense without operations; NULL: none is given. */
const char *operation_words_needy(const struct operation_words *words);

#endif
