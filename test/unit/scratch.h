/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scratch.h - an empty directory for each test, the cmocka includes, and helpers shared by the trace tests.
 *
 *     cmocka_unit_test_setup_teardown(test, scratch_make, scratch_remove)
 *     static void test(void **state) { const char *dir = *state; ... } */
#ifndef BLACKOUT_TEST_SCRATCH_H
#define BLACKOUT_TEST_SCRATCH_H

/* These must come before cmocka.h. */
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

/* Open a recording, which must be valid. */
struct trace *scratch_open(const char *dir);

/* The same, and read it to its end, so that all its definitions are known. */
struct trace *scratch_read(const char *dir);

/* Return the next event, which must exist and have this type. */
struct event scratch_next(struct trace *trace, enum event_type type);

/* Check that no event is left. */
void scratch_end(struct trace *trace);

/* Read the whole recording.  Return the number of events, or -1 with *err filled. */
long scratch_read_all(const char *dir, struct err *err);

/* Reading must fail with exactly this message. */
void scratch_expect_error(const char *dir, const char *sentence);

/* The same, but only what is damaged is compared, not where. */
void scratch_expect_damage(const char *dir, const char *what);

#endif
