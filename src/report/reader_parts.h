/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reader_parts.h - the parts of reader.c: get members of JSON objects, and check them.
 *
 * Each function returns -1 and fills the reader's err if the member is invalid.  Strings are copied to the
 * collection. */
#ifndef BLACKOUT_REPORT_READER_PARTS_H
#define BLACKOUT_REPORT_READER_PARTS_H

#include <jansson.h>

#include "finding/finding.h"

struct reader {
	struct findings *findings;
	const char *name;
	char where[80]; /* the part that is being read, for error messages */
	struct err *err;
};

int reader_fail(struct reader *r, const char *key, const char *problem);

/* Get a string; NULL if it is absent.  A string that contains a zero byte would be cut short, so it is refused. */
int take_text(struct reader *r, const json_t *object, const char *key, bool needed, const char **text);

/* Get a number from 0 to `limit`.  If it is absent, *number does not change. */
int take_number(struct reader *r, const json_t *object, const char *key, bool needed, uint64_t limit,
		struct findings_figure *figure);

/* Get a required member that is an object or array: '{' or '['. */
int take_inner(struct reader *r, const json_t *object, const char *key, char bracket, const json_t **inner);

/* Read `stack` and `location`.  If the location is not one of the frames, it becomes the outermost frame. */
int read_stack(struct reader *r, const json_t *object, struct finding_stack *stack);

/* Read a frame or location. */
int read_frame(struct reader *r, const json_t *object, struct finding_frame *frame);

/* Read `invariant` of a finding; reader_invariant.c. */
int read_invariant(struct reader *r, const json_t *object, struct finding *finding);

/* Read `variable` of a finding or a store, which may be absent; reader_variable.c. */
int read_variable(struct reader *r, const json_t *object, struct variable *variable);

/* Read `crash` of a finding; reader_crash.c. */
int read_crash(struct reader *r, const json_t *object, struct finding *finding);

#endif
