/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sample.h - findings made by hand, for the tests of what is done with them.
 *
 *     struct findings *f = sample_new();
 *     struct finding *a = sample_add(f, KIND_MISSING_FLUSH, SEVERITY_ERROR, 5);
 *     sample_frame(f, &a->stack, "put", "/src/kv.c", 118, "kv");           // innermost first
 */
#ifndef BLACKOUT_TEST_SAMPLE_H
#define BLACKOUT_TEST_SAMPLE_H

#include "finding/finding.h"

#define SAMPLE_MAX 32

/* An empty collection with a command, a pool and a platform. */
struct findings *sample_new(void);

/* Append a finding; its address is good for SAMPLE_MAX of them. */
struct finding *sample_add(struct findings *findings, enum finding_kind kind, enum severity severity, uint64_t count);

/* Append a frame; path and function may be NULL.  The location becomes the innermost frame that is the user's own. */
void sample_frame(struct findings *findings, struct finding_stack *stack, const char *function, const char *path,
		  uint32_t line, const char *module);

/* Append a related place. */
struct finding_related *sample_relate(struct findings *findings, struct finding *finding, enum related_role role);

/* Two findings that are ordinary, one suppressed, and one in which every name is as odd as names can be. */
struct findings *sample_all(void);
extern const char sample_odd_path[];

#endif
