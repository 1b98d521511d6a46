/* SPDX-License-Identifier: GPL-2.0-or-later */
/* moment.h - all crash states of one moment, which remain usable after the image has moved on.
 *
 *     struct moment *m = moment_new(image, &crash);
 *     ...                                              // the image moves on
 *     moment_digest(m, taken)                          // crash_case(state_digest(image, ...), &crash)
 *     moment_free(m);
 *
 * A set of persisted units is an array of flags, indexed by the unit's number in `choices`, not in model_pending.
 * moment_persisted converts it. */
#ifndef BLACKOUT_CRASH_MOMENT_H
#define BLACKOUT_CRASH_MOMENT_H

#include "crash/crash_context.h"
#include "image/digest.h"
#include "image/image.h"
#include "model/choices.h"

struct moment_line {
	uint64_t path; /* digest_path of its file */
	bool named;    /* the file has a name, so its content counts */
	uint8_t certain[LINE_BYTES];
};

struct moment {
	struct choices *choices;
	struct crash_context crash;
	struct digest certain, all; /* digests with none and with all of the pending units persisted */
	struct digest name;         /* hash of the certain content and the choices: equal names mean equal cases */
	struct moment_line *lines;
};

/* The digests are those of cases in this context. */
struct moment *moment_new(struct image *image, const struct crash_context *crash);
void moment_free(struct moment *moment);

/* The digest of the case with this set persisted. */
struct digest moment_digest(const struct moment *moment, const uint8_t *taken);

/* The flags in the order of model_pending; `persisted` has room for unit_count. */
void moment_persisted(const struct moment *moment, const uint8_t *taken, bool *persisted);

/* A hash of the contexts whose stores are lost, independent of the order and number of the stores.  Only lines with a
 * flag in `decided` count; NULL: all.  *units is the number of lost units. */
uint64_t moment_lost(const struct moment *moment, const uint8_t *taken, const uint8_t *decided, uint32_t *units);

#endif
