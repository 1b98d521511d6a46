/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crash_finding.h - turns what a campaign knows about crash states (contexts, files, events) into findings.
 *
 *     struct crash_findings *c = crash_begin(findings, trace, symbols, &options);  // after findings_collect
 *     crash_add(c, &(struct crash_sighting){.kind = KIND_RECOVERY_CRASH, ...});    // any number, in a fixed sequence
 *     crash_end(c);                                                                // fingerprints, sorting, ids
 *     ... history, suppressions, baseline, findings_number: as for all findings ...
 *     folders_finish(findings, dir, &facts, &err);                                 // replay/folder.h: DIR/crash/F1 ...
 *
 * Sightings of one kind become one finding if they have the same blamed place, the same places of lost stores, and the
 * same failure of recovery (status or signal, and the place where it crashed).  It does not matter where the power
 * failed.  The first sighting describes the finding; the numbers of states are added and the platforms are joined.  All
 * arguments are copied.  If the blamed store is a library's own, on data that only the library touches (touched.h), the
 * finding and all such stores are placed in the library.  It is then one finding, no matter which part of the program
 * called the library.  A store that is on media too early and the loss of the data that it needs are one mistake; only
 * the loss is reported (crash_finding.c).
 *
 * An invariant makes a finding of kind ordering-violation or atomicity-violation of it.  Sightings with and without
 * the invariant are still the same finding.
 *
 * If the search for the cause was cut short, it is unknown which of the stores matter.  Then stores that a library
 * made for itself come last, and findings with the same failure of recovery are joined. */
#ifndef BLACKOUT_FINDING_CRASH_FINDING_H
#define BLACKOUT_FINDING_CRASH_FINDING_H

#include "finding/finding.h"

/* A finding keeps this many stores of a state; the rest are only counted. */
#define CRASH_STORES_MAX 64

/* A finding keeps this many bytes from the end of what recovery printed. */
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
	bool needed;  /* persisted ones, if `pair`: recovery fails only if it is on media */
};

/* An instruction that shows an invariant. */
struct crash_reason {
	enum related_role role;
	uint32_t context; /* of the recording; 0: only the place is known */
	const struct trace_module *module;
	uint64_t offset; /* in the module's file */
	bool caller;     /* the offset is that of a return address */
};

#define CRASH_REASONS_MAX 6

/* A likely invariant that the state violates. */
struct crash_invariant {
	const char *rule;       /* "RO1" to "RO3", "RA1" */
	uint32_t first, second; /* contexts of the two stores */
	struct crash_reason because[CRASH_REASONS_MAX];
	size_t because_count;
	uint64_t seen;
};

struct crash_sighting {
	enum finding_kind kind;
	const char *const *detectors; /* that found it; at least one */
	size_t detector_count;
	const char *platform;
	enum crash_cause cause;
	uint32_t blamed;      /* context of the finding's location: a store; 0: the crash point */
	uint32_t point;       /* context of the instruction that the crash prevented; 0: the end of the program */
	const char *point_op; /* its name in dump: op_name(ev) */
	uint64_t point_event;
	struct finding_operation operation;
	const struct crash_store *persisted,
		*lost; /* see enum crash_cause; crash_add puts the most informative stores first */
	uint64_t persisted_count, lost_count;
	bool pair; /* the search found which pending stores must be on media for recovery to fail: those `needed` */
	/* recovery */
	struct ending ending;
	const char *out, *err;              /* NULL: nothing */
	struct finding_mismatch mismatch;   /* KIND_OUTPUT_MISMATCH, with ENDING_OUTPUT */
	const struct finding_frame *frames; /* innermost first; `own` need not be set */
	size_t frame_count;
	/* 0: other sightings already count these states.  Then only the detectors are added, if the finding exists. */
	uint64_t states;
	const char *mode;
	const char *folder; /* base name under DIR/crash, as folder_new gave it; NULL: none */
	bool nested;
	bool always;     /* CAUSE_MOMENT: recovery was seen to fail on every set of the pending stores */
	bool unfinished; /* the search for the cause was cut short: some of the stores may not matter */
	/* The reason why it is a mistake to lose lost[0] while persisted[0] is on media; NULL: not known.  `kind` is what
	 * recovery's failure is by itself: the finding gets the kind that fits the invariant. */
	const struct crash_invariant *invariant;
};

struct crash_findings;

/* `trace` must have been read at least to the last event that a sighting names.  `options` may be NULL. */
struct crash_findings *crash_begin(struct findings *findings, const struct trace *trace, struct symbols *symbols,
				   const struct findings_options *options);
void crash_add(struct crash_findings *crash, const struct crash_sighting *sighting);
void crash_end(struct crash_findings *crash);

/* Converts a cause to its name and back: "unflushed", "unfenced", "unordered", "torn", "early", "moment", "blank",
 * "creation", "orderly". */
const char *cause_name(enum crash_cause cause);
bool cause_find(const char *name, enum crash_cause *cause);

/* How recovery failed: "SIGSEGV in kv_check (kv.c:402)", "exit status 3", "did not end within the time limit". */
void crash_failure_text(const struct finding_crash *crash, char *text, size_t size);

/* The last line that recovery printed, or "". */
void crash_printed_text(const struct finding_crash *crash, char *text, size_t size);

/* The instruction or end that the crash prevented: "the sfence at kv.c:125", "the end of the program". */
void crash_point_text(const struct finding_crash *crash, char *text, size_t size);

/* A store without its place in the program: "8 bytes at pool+0x1c0 = 0x2a", or with several threads "thread 2 stored
 * 8 bytes at ...". */
void crash_store_text(const struct finding_store *store, char *text, size_t size);

/* Where the crash is in the list of operations: "operation 17, `insert k7 v3`, was under way"; "" if there is no
 * list. */
void crash_operation_text(const struct finding_crash *crash, char *text, size_t size);

/* The outputs that differ: "`get k7` should print `v1` if the operation did not happen or `v3` if the operation happened, but
 * prints `v2`"; "" if none do. */
void crash_mismatch_text(const struct finding_crash *crash, char *text, size_t size);

/* The invariant and where the program shows it: "RO3, seen 12 times: guard at kv.c:402, load at kv.c:410"; "" if there is
 * none. */
void crash_invariant_text(const struct finding *finding, char *text, size_t size);

/* Fills in message and fix from the cause, the stacks and the related places (the flush of the first lost store, and
 * the first persisted store). */
void crash_say(struct findings *findings, struct finding *finding);

#endif
