/* SPDX-License-Identifier: GPL-2.0-or-later */
/* place.h - run commands on private copies of the files of the start (start.h), which they find at the original paths.
 *
 *     struct place *place;
 *     if (place_open(&place, &options, &err) == 0 &&
 *         place_run(place, &(struct place_run){.argv = argv, .input = "seed", .patience = 1}, &outcome, &err) == 0)
 *             ... outcome.ending ...                        // the caller frees *outcome
 *     place_close(place);
 *
 * Each run begins with the files of the start.  The copies are in a mount namespace (run/namespace.h), so nothing that a
 * run does to them, or beside them, reaches the user's files, and several places can be used at a time. */
#ifndef BLACKOUT_SEARCH_PLACE_H
#define BLACKOUT_SEARCH_PLACE_H

#include "base/stop.h"
#include "run/outcome.h"
#include "search/start.h"

struct place;

/* A file that is not as in the start: input for the run. */
struct place_file {
	const char *path; /* of the start */
	const uint8_t *bytes;
	size_t size;
};

struct place_options {
	struct start *start;
	const char *fallback;       /* a directory for the copies if they do not fit into memory */
	const char *client, *ready; /* run/service.h; NULL: the commands end by themselves */
	bool network;               /* the commands have a network of their own, if that is possible */
	double timeout;             /* seconds, for one run */
	struct stop stop;
};

struct place_run {
	char *const *argv;        /* ends with NULL */
	char *const *environment; /* KEY=VALUE to add; NULL: nothing */
	const char *input;        /* path of the standard input, of the client if there is one */
	unsigned patience;        /* times the time limit */
	const struct place_file *files;
	size_t file_count;
};

/* Can there be private copies on this machine? -1: *err says why not. */
int place_check(struct err *err);
/* Can each have its own network?  -1: *err says why not. */
int place_check_network(struct err *err);

int place_open(struct place **place, const struct place_options *options, struct err *err);
void place_close(struct place *place); /* NULL is fine */

/* 0: *outcome says how it ended; PLACE_STOPPED; -1. */
enum { PLACE_STOPPED = -2 };
int place_run(struct place *place, const struct place_run *run, struct outcome *outcome, struct err *err);

/* A hash of the start's files as the last run has left them, but not of these, which were input for it.  0: they are too
 * large, or cannot be read. */
uint64_t place_left(const struct place *place, const struct place_file *inputs, size_t count);

#endif
