/* SPDX-License-Identifier: GPL-2.0-or-later */
/* moment.h - all crash states of one moment, after the image has moved on.
 *
 *     struct moment *m = moment_new(image);
 *     ...                                              // the image goes on
 *     moment_digest(m, taken)                          // the same that state_digest would have said
 *     moment_free(m);
 *
 * A set of persisted units is an array of flags by the number of the unit in `choices`, not in model_pending:
 * moment_persisted translates. */
#ifndef BLACKOUT_CRASH_MOMENT_H
#define BLACKOUT_CRASH_MOMENT_H

#include "image/digest.h"
#include "image/image.h"
#include "model/choices.h"

struct moment_line {
	uint64_t path; /* digest_path of its file */
	bool named;    /* the file has a name: its content counts */
	uint8_t certain[CHOICES_LINE];
};

struct moment {
	struct choices *choices;
	struct digest certain, all; /* of nothing, and of everything pending persisted */
	struct digest name; /* what is certain, and all that may be decided: the same name, the same crash states */
	struct moment_line *lines;
};

struct moment *moment_new(struct image *image);
void moment_free(struct moment *moment);

/* The content of a set. */
struct digest moment_digest(const struct moment *moment, const uint8_t *taken);

/* The flags in the order of model_pending; `persisted` has room for unit_count. */
void moment_persisted(const struct moment *moment, const uint8_t *taken, bool *persisted);

/* Whose stores are lost?  Independent of their order and number.  Only lines with a flag in `decided` count; NULL:
 * all. */
uint64_t moment_lost(const struct moment *moment, const uint8_t *taken, const uint8_t *decided, uint32_t *units);

#endif
