/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sample.h - hand-made findings, for tests of code that processes findings.
 *
 *     struct findings *f = sample_new();
 *     struct finding *a = sample_add(f, KIND_MISSING_FLUSH, SEVERITY_ERROR, 5);
 *     sample_frame(f, &a->stack, "put", "/src/kv.c", 118, "kv");           // innermost first */
#ifndef BLACKOUT_TEST_SAMPLE_H
#define BLACKOUT_TEST_SAMPLE_H

#include "finding/finding.h"

#define SAMPLE_MAX 32

/* An empty collection with a command, a pool and a platform. */
struct findings *sample_new(void);

/* Append a finding.  The pointer stays valid for up to SAMPLE_MAX findings. */
struct finding *sample_add(struct findings *findings, enum finding_kind kind, enum severity severity, uint64_t count);

/* Append a frame; path and function may be NULL.  The location becomes the innermost frame of the user's own code. */
void sample_frame(struct findings *findings, struct finding_stack *stack, const char *function, const char *path,
		  uint32_t line, const char *module);

/* Append a related place. */
struct finding_related *sample_relate(struct findings *findings, struct finding *finding, enum related_role role);

/* Two ordinary findings, one suppressed, and one in which every name is as odd as possible. */
struct findings *sample_all(void);
extern const char sample_odd_path[];

#endif
