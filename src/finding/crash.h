/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crash.h - findings about crash states, out of what a campaign knows: contexts, files, events.
 *
 *     struct crash_findings *c = crash_begin(findings, trace, symbols, &options);       // after findings_collect
 *     crash_add(c, &(struct crash_sighting){.kind = KIND_RECOVERY_CRASH, ...});         // any number, in an order that does not depend on time
 *     crash_end(c);                                                                     // fingerprints, order, ids
 *     ... history, suppressions, baseline, findings_number: as for all findings ...
 *     folders_finish(findings, dir, &facts, &err);                                      // crash/folder.h: DIR/crash/F1 ...
 *
 * Sightings of one kind are one finding if the blamed place, the places of the lost stores and the failure of recovery
 * (status or signal, and the place in which it crashed) are the same, wherever the power failed: the first speaks for
 * it, states are added, platforms united.  All that is given is copied.  If the blamed store is a library's own, on data
 * that only it touches (touched.h), the finding and all such stores are placed in the library: it is one finding then,
 * whoever of the program called the library.  A store that is on media too early, and the loss of what it needs, are
 * told as the second alone (crash.c).
 *
 * Where the search for the cause was cut short, nobody knows which of the stores matter.  Those that a library made for
 * itself come last, and findings on which recovery trips over the same thing are one. */
#ifndef BLACKOUT_FINDING_CRASH_H
#define BLACKOUT_FINDING_CRASH_H

#include "finding/finding.h"

/* Stores of a state beyond these are counted and not kept. */
#define CRASH_STORES_MAX 64

/* What recovery printed is kept up to this, its end. */
#define CRASH_TAIL_MAX 4096

struct crash_store {
	uint32_t context; /* of the store */
	uint32_t flush;   /* context of its flush; 0: it was not flushed */
	uint32_t file;
	uint32_t size;
	uint64_t offset;
	const uint8_t *value; /* `size` bytes; NULL: not known */
	uint64_t event, flush_event;
	bool certain; /* persisted ones: guaranteed to be on media at the crash, not pending */
	bool needed;  /* persisted ones, if the pair is known */
};

struct crash_sighting {
	enum finding_kind kind;
	bool by_inject, by_explore; /* who found it */
	const char *platform;
	enum crash_cause cause;
	uint32_t blamed;      /* context of the finding's location: a store; 0: the crash point */
	uint32_t point;       /* context of the instruction that did not happen any more; 0: the end of the program */
	const char *point_op; /* its name in dump: op_name(ev) */
	uint64_t point_event;
	const struct crash_store *persisted, *lost; /* see enum crash_cause; crash_add puts the telling ones first */
	uint64_t persisted_count, lost_count;
	bool pair; /* it is known which of the pending stores must be on media for recovery to fail: those `needed` */
	/* recovery */
	enum finding_outcome outcome;
	uint64_t value;
	const char *out, *err;              /* NULL: nothing */
	const struct finding_frame *frames; /* innermost first; `own` need not be set */
	size_t frame_count;
	/* 0: all of them are other sightings', and it is only told who met them, if the finding is there already. */
	uint64_t states;
	const char *mode;
	const char *folder; /* base name under DIR/crash, as folder_new gave it; NULL: none */
	bool nested;
	bool always;     /* CAUSE_MOMENT: recovery was seen to fail on every set of the pending stores */
	bool unfinished; /* the search for the cause was cut short: not all that is lost, or on media, need be so */
};

struct crash_findings;

/* `trace` must have been read at least to the last event that will be named; options may be NULL. */
struct crash_findings *crash_begin(struct findings *findings, const struct trace *trace, struct symbols *symbols,
				   const struct findings_options *options);
void crash_add(struct crash_findings *crash, const struct crash_sighting *sighting);
void crash_end(struct crash_findings *crash);

/* "exit", "signal", "timeout", "output"; and back. */
const char *outcome_name(enum finding_outcome outcome);
bool outcome_find(const char *name, enum finding_outcome *outcome);

/* "unflushed", "unfenced", "unordered", "torn", "early", "moment", "blank", "creation"; and back. */
const char *cause_name(enum crash_cause cause);
bool cause_find(const char *name, enum crash_cause *cause);

/* "SIGSEGV", "exit status 3", "no end within the time limit". */
void outcome_text(enum finding_outcome outcome, uint64_t value, char *text, size_t size);

/* "SIGSEGV in kv_check (kv.c:402)", "exit status 3", "no end within the time limit": how recovery failed. */
void crash_failure_text(const struct finding_crash *crash, char *text, size_t size);

/* The last line that recovery printed, or "". */
void crash_printed_text(const struct finding_crash *crash, char *text, size_t size);

/* "the sfence at kv.c:125", "the end of the program": what did not happen any more. */
void crash_point_text(const struct finding_crash *crash, char *text, size_t size);

/* "8 bytes at pool+0x1c0 = 0x2a", without the place in the program; where there are several threads "thread 2 stored 8
 * bytes at ...". */
void crash_store_text(const struct finding_store *store, char *text, size_t size);

/* Fill in message and fix, from cause, stacks and related places (the first lost store's flush, the first persisted
 * store). */
void crash_say(struct findings *findings, struct finding *finding);

#endif
