/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reader_parts.h - the parts of reader.c: members of JSON objects, taken with what is known about them.
 *
 * Each returns -1 and fills the reader's err if the member is not as it must be.  Strings become the collection's. */
#ifndef BLACKOUT_REPORT_READER_PARTS_H
#define BLACKOUT_REPORT_READER_PARTS_H

#include <jansson.h>

#include "finding/finding.h"

struct reader {
	struct findings *findings;
	const char *name;
	char where[80]; /* what is being read, for the sentence */
	struct err *err;
};

int reader_fail(struct reader *r, const char *key, const char *problem);

/* A string, NULL if it is not there.  One with a zero byte in it would be cut short, and so is refused. */
int take_text(struct reader *r, const json_t *object, const char *key, bool needed, const char **text);

/* A number from 0 to `limit`; the figure is left as it is if it is not there. */
int take_number(struct reader *r, const json_t *object, const char *key, bool needed, uint64_t limit,
		struct findings_figure *figure);

/* A member that must be there and be an object or array: '{' or '['. */
int take_inner(struct reader *r, const json_t *object, const char *key, char bracket, const json_t **inner);

/* `stack` and `location`.  The location is one of the frames, or else becomes the outermost. */
int read_stack(struct reader *r, const json_t *object, struct finding_stack *stack);

/* `crash` of a finding; reader_crash.c. */
int read_crash(struct reader *r, const json_t *object, struct finding *finding);

#endif
