/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crash_sample.h - a trace with a few contexts and crash states that failed there, for tests of crash findings.
 *
 *     struct crash_sample s = crash_sample_make(dir);
 *     const struct crash_store lost = crash_sample_store(AT_STORE, AT_FLUSH, 0x80);
 *     const struct crash_sighting sighting = crash_sample_sighting(NULL, &lost);
 *     crash_add(s.crash, &sighting);
 *     crash_end(s.crash);
 *     ... s.findings ...
 *     crash_sample_free(&s); */
#ifndef BLACKOUT_TEST_CRASH_SAMPLE_H
#define BLACKOUT_TEST_CRASH_SAMPLE_H

#include "finding/crash_finding.h"
#include "report/report.h"

/* Contexts of the trace: in a program without symbols, so that a place is "kv+0x10", and in libpmemobj, which AT_CALLER
 * calls. */
enum { AT_CALLER = 1, AT_STORE, AT_OTHER, AT_FLUSH, AT_FENCE, AT_LIBRARY };

struct crash_sample {
	struct trace *trace;
	struct symbols *symbols;
	struct findings *findings;
	struct crash_findings *crash;
};

struct crash_sample crash_sample_make(const char *dir);
void crash_sample_free(struct crash_sample *sample);

/* A store of eight bytes. */
struct crash_store crash_sample_store(uint32_t context, uint32_t flush, uint64_t offset);

extern const uint8_t crash_sample_value[8]; /* the bytes it stores */

/* One store on media, one lost store, and a recovery that died; NULL: none. */
struct crash_sighting crash_sample_sighting(const struct crash_store *persisted, const struct crash_store *lost);

/* The same inside operation 17 of a list, with a recovery that ended, but printed what no legal history prints. */
struct crash_sighting crash_sample_mismatch(const struct crash_store *persisted, const struct crash_store *lost);

/* Return a report as text; the caller frees it. */
char *crash_sample_report(enum report_format format, const struct findings *findings);

#endif
