/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scratch.h - an empty directory for a test, what cmocka needs around it, and words that the trace tests share.
 *
 *     cmocka_unit_test_setup_teardown(test, scratch_make, scratch_remove)
 *     static void test(void **state) { const char *dir = *state; ... }
 */
#ifndef BLACKOUT_TEST_SCRATCH_H
#define BLACKOUT_TEST_SCRATCH_H

/* cmocka.h wants these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "trace/trace.h"

int scratch_make(void **state);
int scratch_remove(void **state);

#define scratch_test(function) cmocka_unit_test_setup_teardown(function, scratch_make, scratch_remove)

/* Open a recording that must be sound. */
struct trace *scratch_open(const char *dir);

/* The same, and read it to its end: what is asked of its names then is known. */
struct trace *scratch_read(const char *dir);

/* The next event, which must be there and of this type. */
struct event scratch_next(struct trace *trace, enum event_type type);

/* No event must be left. */
void scratch_end(struct trace *trace);

/* Read the whole recording: the number of events, or -1 with *err filled. */
long scratch_read_all(const char *dir, struct err *err);

/* Reading must fail with exactly this sentence. */
void scratch_expect_error(const char *dir, const char *sentence);

/* A random number that is the same on every run: xorshift, seeded by *state, which must not be 0. */
uint64_t scratch_random(uint64_t *seed);

#endif
