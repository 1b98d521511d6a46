/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reference.h - a second implementation of the persistency rules, slow and obvious, to compare the model with.  It
 * shares no code with src/model.
 *
 * The whole history is kept.  For a crash after each event, every subset of the units stored so far is checked against
 * every rule, each taken literally from DESIGN's list:
 *
 *     struct reference *r = reference_run(events, count, REFERENCE_ADR);
 *     for (size_t i = 0; i < r->points[k].set_count; i++)
 *             r->points[k].sets[i]                            // a legal set after k events, bit u is r->units[u]
 *     reference_free(r); */
#ifndef BLACKOUT_TEST_REFERENCE_H
#define BLACKOUT_TEST_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

#define REFERENCE_UNITS 16 /* most units of a program */
#define REFERENCE_EVENTS 32
#define REFERENCE_FILES 3 /* ids are below this */
#define REFERENCE_BYTES 8192

enum reference_platform { REFERENCE_ADR, REFERENCE_EADR };
enum reference_kind { REFERENCE_CACHED, REFERENCE_DIRECT, REFERENCE_WRITTEN };

struct reference_unit {
	unsigned event; /* counted from 1 */
	uint32_t file;
	uint32_t thread;
	uint64_t word; /* offset / 8 */
	enum reference_kind kind;
	bool has[8];      /* bytes of the word that it stored and still has at the end */
	unsigned lost[8]; /* event that cut off, zeroed or moved the byte; 0: none */
	uint8_t value[8];
	unsigned gone; /* event that removed its last byte, or 0 */
};

struct reference_point {
	uint32_t universe;    /* units that are stored and not gone */
	uint32_t certain;     /* units in all sets */
	uint32_t overwritten; /* pending units some of whose bytes the last event changed */
	uint32_t *sets;
	size_t set_count;
};

struct reference {
	struct reference_unit units[REFERENCE_UNITS];
	unsigned unit_count;
	bool overflow; /* the program has too many units: nothing was computed */
	struct reference_point points[REFERENCE_EVENTS + 1];
	size_t point_count;
};

struct reference *reference_run(const struct event *events, size_t count, enum reference_platform platform);
void reference_free(struct reference *reference);

#endif
