/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model_text.h - programs for the model, written as text.
 *
 * A program is a sequence of events:
 *
 *     A B C          store the next value to object A, B, C: 8 bytes; the layout "AB|C" puts A and B on one line
 *     A=1            store that value
 *     nt:A lock:A    store it with another kind of store; rep:A and sys:A too
 *     wide:A         16 bytes, A and the next object of its line
 *     half:A         8 bytes, the second half of A and the first of the next
 *     cross:A        8 bytes, the last 4 of A's line and the first 4 of the next
 *     clwb:A clflushopt:A clflush:A            clwb:-  flushes volatile memory
 *     sfence mfence locked
 *     @2             the following events are by thread 2
 *     write:A fsync fdatasync sync sync_file_range msync msync:B async      msync of all, or of the page of B
 *     truncate:A     the file ends before A;   punch:A  A becomes zero
 *     map mapagain private unmap unlink collapse exit:2 load
 *
 *     struct run *r = run_start("adr", MODEL_STATES, "AB|C", NULL);
 *     run_text(r, "A B C clwb:A sfence", false);
 *     run_free(r); */
#ifndef BLACKOUT_TEST_MODEL_TEXT_H
#define BLACKOUT_TEST_MODEL_TEXT_H

/* These must come before cmocka.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/model.h"

#define OBJECTS 16u
#define UNITS 24u
#define LOG 4096u

struct run {
	struct model *model;
	const char *layout;
	uint64_t offset[OBJECTS]; /* of A, B, ... */
	uint8_t value[OBJECTS];   /* last stored */
	uint32_t thread;
	uint8_t data[16];
	char log[LOG]; /* what the observer was told */

	/* Units by (event, word), as bits of the sets. */
	struct {
		uint64_t event, word;
	} units[UNITS];
	unsigned unit_count;
	uint32_t certain;
	uint8_t ever[(1u << UNITS) / 8];
	size_t union_count, point_count;
};

/* Create a run, with an observer that gets the run as its argument.  The caller frees it. */
struct run *run_start(const char *platform, enum model_depth depth, const char *layout,
		      const struct model_observer *observer);
void run_free(struct run *r);

/* Apply the events.  With `crashes`, count the sets of persisted units before, between and after them: union_count
 * over all crash points, point_count after the last event.  That needs an observer that calls run_certain for
 * certain units. */
void run_text(struct run *r, const char *text, bool crashes);
void run_certain(struct run *r, const struct unit *unit);

#endif
