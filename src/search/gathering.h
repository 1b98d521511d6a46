/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gathering.h - the findings of all executions, each once, with the smallest input that shows it.
 *
 *     struct gathering *gathering = gathering_new();
 *     gathering_add(gathering, dir_of_the_execution, 7, &(struct gathering_input){.number = 3, .size = 17}, &err);
 *     ...
 *     struct findings *findings = gathering_findings(gathering);
 *
 * Findings of different executions are the same if they have the same fingerprint. */
#ifndef BLACKOUT_SEARCH_GATHERING_H
#define BLACKOUT_SEARCH_GATHERING_H

#include "finding/finding.h"
#include "replay/folder.h"

struct gathering;

struct gathering_input {
	uint64_t number; /* inputs/NUMBER; 0: not kept yet */
	size_t size;
};

/* A finding, and the execution that shows it with the smallest input so far. */
struct gathering_entry {
	const struct finding *finding;
	struct gathering_input input;
	uint64_t execution;
	uint64_t inputs; /* executions that showed it */
	uint64_t count;  /* sum over them */
};

struct gathering *gathering_new(void);
void gathering_free(struct gathering *gathering);

/* Add the findings.json of an execution.  Returns how many of them are new or have a smaller input now; -1: it cannot be
 * read.  Entries refer to the execution's directory until the end, because it has the folders of crash findings. */
int gathering_add(struct gathering *gathering, const char *dir, uint64_t execution, const struct gathering_input *input,
		  struct err *err);

size_t gathering_count(const struct gathering *gathering);
const struct gathering_entry *gathering_at(const struct gathering *gathering, size_t index);
/* NULL: there is no such finding. */
const struct gathering_entry *gathering_find(const struct gathering *gathering, const char *fingerprint);
/* The input of all findings of this execution that have no number yet. */
void gathering_number_input(struct gathering *gathering, uint64_t execution, uint64_t number);

/* The union: figures are sums over all executions that were added. The caller numbers and frees it, and may do so only
 * before gathering_free. */
struct findings *gathering_findings(const struct gathering *gathering);

/* Make DIR/crash/F1 and so on from the folders of the executions; after findings_number. */
int gathering_folders(const struct gathering *gathering, struct findings *findings, const char *dir, struct err *err);

#endif
