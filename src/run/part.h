/* SPDX-License-Identifier: GPL-2.0-or-later */
/* part.h - the file in the results of a shard that says which part they are, and of what.
 *
 *     struct part part = {.index = 2, .total = 7, .recording = dir};
 *     part_identify(dir, &part.identity, &err);
 *     part_write(&part, out, &err);                 // before testing; again when it is complete
 *     part_read(&part, out, &err);                  // later, to put the parts together
 *
 * The file is a text, PART/shard:
 *
 *     blackout-shard 1
 *     part 2 of 7
 *     complete 1
 *     identity 0123456789abcdef
 *     budget 90s                                    or nothing behind the word
 *     recording /home/me/blackout.out               to the end of the file: a path may have line ends in it
 *
 * The recording is not copied.  It is identified by a hash of its traces: their sizes, beginnings and ends. */
#ifndef BLACKOUT_RUN_PART_H
#define BLACKOUT_RUN_PART_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { PART_TOTAL_MAX = 100000, PART_BUDGET_MAX = 32 };

struct part {
	uint32_t index, total; /* from 1 */
	bool complete;         /* all of its crash states were tested */
	uint64_t identity;     /* of the recording */
	char budget[PART_BUDGET_MAX];
	char recording[PATH_MAX]; /* absolute */
};

/* -1: the recording cannot be read. */
int part_identify(const char *recording, uint64_t *identity, struct err *err);

/* The file in `dir` is replaced at once, so it is never seen half written. */
int part_write(const struct part *part, const char *dir, struct err *err);

/* The results in `dir` are no part any more. */
void part_forget(const char *dir);

/* -1, ERR_USAGE: `dir` has no such file, or a damaged one. */
int part_read(struct part *part, const char *dir, struct err *err);

/* The same for the content of the file.  False: it is damaged. */
bool part_parse(struct part *part, const char *text, size_t size);

#endif
