/* SPDX-License-Identifier: GPL-2.0-or-later */
/* programs.h - small random programs, as the events that a recorder would write for them.  For tests of the model. */
#ifndef BLACKOUT_TEST_PROGRAMS_H
#define BLACKOUT_TEST_PROGRAMS_H

#include <stdint.h>
#include <stdio.h>

#include "trace/trace.h"

#define PROGRAM_EVENTS 32

struct program {
	struct event events[PROGRAM_EVENTS];
	uint8_t data[PROGRAM_EVENTS][72];
	size_t count;
};

/* Generate program `number` of the series `seed`: one or two files, one or two threads, one to four lines, and up to
 * ten events of every kind after the announcement of the files. */
void program_make(struct program *program, uint64_t seed, uint64_t number);

/* Remove one event from the program. */
void program_cut(struct program *program, size_t event);

/* Print one line per event. */
void program_print(const struct program *program, FILE *out);

#endif
