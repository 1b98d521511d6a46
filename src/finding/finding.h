/* SPDX-License-Identifier: GPL-2.0-or-later */
/* finding.h - the findings that people and programs read: named, grouped, counted, each with a stable identity.
 *
 *     struct findings *f = findings_collect(sinks, sink_count, trace, symbols, &options);  // after the trace was read
 *     history_collect(f, dir, symbols, &options, &err);           // history.h: the events around each, for the drawing
 *     suppress_apply(suppress, f); baseline_apply(f, old);        // suppress.h, baseline.h
 *     findings_number(f);                                         // sort, and number F1, F2 ...
 *     ... report it (report/report.h), findings_count(f, SEVERITY_ERROR), findings_fail(f, &fail_on)
 *     findings_free(f);
 *
 * Once made, a collection does not depend on the trace or the symbols: it owns all its strings.  It can also be read
 * from a file (report/reader.h).
 *
 * There is one finding per kind and program location.  The location is the innermost frame of the user's own code.
 * Frames of the C library, of PM libraries and of the loader are folded, unless --own makes them the user's.
 * Functions that flush for their callers (helpers.h) are folded too.  If all frames are folded, the location is the
 * outermost helper, or the outermost frame if there is no helper.  Different reasons (forms) and stacks at one
 * location become one finding.  The most severe form, then the most frequent, gives the sentence; the counts are
 * added.  What was never written back because its transaction does not cover it is a part of that finding. */
#ifndef BLACKOUT_FINDING_FINDING_H
#define BLACKOUT_FINDING_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/ending.h"
#include "base/vec.h"
#include "detect/sink.h"
#include "finding/kind.h"
#include "trace/symbols.h"
#include "trace/trace.h"
#include "variable/variable.h"

#define FINGERPRINT_CHARS 32

/* A frame of a stack.  Unknown texts are NULL, unknown numbers 0. */
struct finding_frame {
	const char *file; /* base name of the source */
	const char *path; /* full path as in the debug info */
	const char *function;
	const char *module;
	uint64_t offset; /* in the module's file; the only place known if there is no debug info */
	uint32_t line;
	bool inlined;
	bool own;    /* the user's code, not folded: neither a library nor a helper */
	bool helper; /* the user's, but it flushes for its callers (helpers.h); not read back from a file */
};

struct finding_stack {
	struct finding_frame *frames; /* innermost first */
	size_t count;
	size_t location; /* index of the frame that is the location; 0 in an empty stack */
};

struct finding_related {
	enum related_role role;
	struct finding_stack stack;
};

/* An event on the line of the first example, for the drawing. */
struct finding_event {
	uint64_t number; /* as in dump */
	const char *op;  /* name of the op */
	uint32_t thread;
	uint32_t line_offset; /* stores and flushes: first byte, from the start of the line */
	uint32_t size;        /* stores: the number of bytes in this line */
	const char *value;    /* stores: as dump prints it; otherwise NULL */
	const char *where;    /* "kv.c:118 in put", or NULL */
	uint8_t dirty;        /* after it, a bit per 8-byte word of the line: stored and not written back */
	uint8_t awaiting;     /* written back, or stored past the cache, and not fenced (or not synced) */
	uint8_t ordered;      /* written back by clflush: on media before any later store */
	bool example;         /* the finding is about this event */
};

/* Why the state is possible.  The cause selects the message and the fix (crash_text.c).  "Lost" and "persisted"
 * refer to the first store of each array. */
enum crash_cause {
	CAUSE_UNFLUSHED, /* lost: not flushed before the power failed; persisted, if any, was stored later */
	CAUSE_UNFENCED,  /* lost: flushed or stored past the cache; no fence before persisted was stored or the crash */
	CAUSE_UNORDERED, /* lost and persisted: both flushed, and one fence completes both */
	CAUSE_TORN,      /* lost and persisted are parts of one store */
	CAUSE_EARLY,     /* everything so far is on media: persisted was stored before something that it needs */
	CAUSE_MOMENT,    /* only the moment matters: nothing was pending, or the pending stores do not matter */
	CAUSE_BLANK,     /* a file that the run created still holds only zeros; recovery would pass without the file */
	CAUSE_CREATION,  /* a library's create call has not returned yet: not an error of the program */
	CAUSE_ORDERLY,   /* recovery fails in the same way without a crash: no store is to blame */
	CAUSE_COUNT
};

/* A store of a crash state, on media or lost. */
struct finding_store {
	struct finding_stack stack;
	const char *pool;      /* path of the PM file */
	const char *pool_name; /* its name in messages: findings_pool_name */
	uint64_t offset;
	uint32_t size;
	const char *value;          /* as dump prints it */
	uint64_t event;             /* as in dump */
	uint32_t thread;            /* as in dump; 0: there is only one thread, or it is unknown */
	struct finding_stack flush; /* empty if it was not flushed */
	uint64_t flush_event;       /* 0: not flushed, or not read back */
	bool certain;               /* guaranteed to be on media at the crash, not pending */
	struct variable variable;   /* what it stores to; its text is NULL if that is not known */
};

/* Where a crash is in the list of operations (--ops). */
struct finding_operation {
	bool known;    /* false: the run has no operations; the other fields mean nothing */
	bool inside;   /* the power failed during it; false: after it, before the next one begins */
	int64_t index; /* from 0; between operations, the last complete one: -1 before the first */
	/* As ops/excerpt.h writes it; NULL before the first operation. */
	const char *text;
	/* For replay, not in findings.json: recovery performs operations (replay/folder.h), from {first} on. */
	bool performs;
	uint64_t first;
};

/* What recovery should have printed, if one of the legal histories is what happened. */
struct finding_expected {
	const char *line;    /* the first line that differs, as ops/excerpt.h writes it; OUTPUT_ENDS: no such line */
	const char *history; /* which one: "if the operation happened"; NULL: in all of them */
};

/* In place of a line that an output does not have, because it ends before. */
#define OUTPUT_ENDS "(end of output)"

/* What recovery printed after a crash, though no legal history prints it. */
struct finding_mismatch {
	const struct finding_expected *expected; /* at least one */
	size_t expected_count;                   /* 0: there is no mismatch */
	const char *got;                         /* the first line that differs; OUTPUT_ENDS: no such line */
	uint64_t line;                           /* its number in the output, from 1; 0: unknown */
	const char *query;                       /* the operation that printed it; NULL: unknown */
	bool endless;                            /* the output has no end; it was cut */
	/* No crash is needed: with everything on media, recovery does not print what the recorded run printed. */
	bool recorded;
};

/* A crash state on which recovery fails. */
struct finding_crash {
	struct finding_stack point; /* the power failed just before this */
	const char *point_op;       /* what it was about to do: "sfence", "store", "exit" */
	uint64_t point_event;
	uint32_t point_thread; /* as in dump; 0: there is only one thread, or it is unknown */
	struct finding_operation operation;
	enum crash_cause cause;
	/* The stores that matter: pending ones, or the last ones of the program.  The most important come first. */
	struct finding_store *persisted, *lost;
	/* The number of stores at the start of `persisted` that explain the failure: certain, or stored after the
	 * lost ones. */
	size_t telling_count;
	size_t persisted_count, lost_count;   /* lengths of the arrays */
	uint64_t persisted_total, lost_total; /* stores of the state; larger than the counts if the arrays were cut */
	struct {
		struct ending ending;
		const char *out, *err;      /* the end of what it printed; "" if nothing */
		struct finding_stack stack; /* where it crashed; empty if unknown */
		struct finding_mismatch mismatch;
	} recovery;
	/* The kind of finding that this failure of recovery is by itself.  The finding has another one if an invariant is
	 * its reason.  Not read back. */
	enum finding_kind failure;
	uint64_t states;  /* crash states with this failure */
	const char *mode; /* how recovery was run: "fork server", "namespace" ...; NULL: unknown */
	/* Its folder in DIR/crash; NULL: none.  It has a temporary name until folders_finish renames it to the id. */
	const char *folder;
	/* The blamed stores are a library's own: the finding's place is in the library, not in the program that
	 * called it. */
	bool in_library;
	size_t seen_from; /* then: the number of places in the program that called it */
	bool nested;      /* the power failed during recovery: persisted and lost are stores of recovery */
	bool always;      /* CAUSE_MOMENT: recovery was seen to fail on every set of the pending stores */
	bool unfinished;  /* the search for the stores that matter was cut short */
};

/* The likely invariant that a crash state violates: `first` should persist before `second`, or, of RA1, both or
 * neither. */
struct finding_invariant {
	const char *rule; /* "RO1" to "RO3", "RA1" */
	struct finding_stack first, second;
	struct finding_related *because; /* the loads and branches that it was inferred from */
	size_t because_count;
	uint64_t seen; /* how often they showed it */
};

/* A finding of another detector that was merged into this one: a crash shows its effect, or a transaction that does not
 * cover the store is its cause. */
struct finding_also {
	enum finding_kind kind;
	const char *detector, *message, *fix;
};

/* The figures that support the verdict: in how many of its runs the code did this. */
struct finding_runs {
	uint64_t times; /* stores: those that were persisted; flushes and fences: those that were needless */
	uint64_t total; /* 0: unknown */
	bool neighbor;  /* every time it was persisted, a flush meant for something else did it */
};

/* With `search`: the input that shows the finding. */
struct finding_input {
	const char *path;         /* "inputs/3", in DIR; NULL: the finding is not of a search */
	const char *const *lines; /* its bytes, hexadecimal and as text; those that matter are marked */
	size_t line_count;
};

enum finding_state {
	FINDING_ACTIVE,
	FINDING_SUPPRESSED, /* by an entry of --suppress */
	FINDING_KNOWN,      /* in the --baseline */
};

struct finding {
	char id[24]; /* "F1"; "" before findings_number */
	enum finding_kind kind;
	enum severity severity;
	const char *detector; /* the first of `detectors` */
	const char *const *detectors;
	size_t detector_count;     /* 0: `detector` alone */
	struct finding_also *also; /* findings of other detectors at the same place that describe the same mistake */
	size_t also_count;
	const char *const *platforms;
	size_t platform_count;
	const char *message, *fix; /* fix: NULL if none can be given */
	struct finding_runs runs;  /* in findings.json only as part of the message */
	struct variable variable;  /* of a finding about a store: what it stores to; its text is NULL if not known */
	uint64_t count;
	char fingerprint[FINGERPRINT_CHARS + 1];
	struct finding_stack stack;
	struct finding_related *related;
	size_t related_count;
	const char *pool;                       /* path of the first example's PM file; NULL: none */
	const char *pool_name;                  /* its name in messages (findings_pool_name); not read back */
	struct sighting_example first, largest; /* neither `largest` nor the events are in findings.json */
	const struct finding_event *events;
	size_t event_count;
	uint64_t line_start;         /* offset in the pool of the line that the events belong to */
	struct finding_crash *crash; /* crash findings; NULL for others */
	/* Of a crash finding, the invariant that is its reason; NULL: none. */
	struct finding_invariant *invariant;
	struct finding_input input;
	/* suppression and baseline */
	enum finding_state state;
	const char *reason; /* why it is suppressed, NULL if active */
};

/* Figures of a run.  Figures that the run did not produce are absent. */
#define FINDINGS_STATS(X) X(stores) X(flushes) X(fences) X(loads) X(threads)
#define FINDINGS_POINTS(X) X(visited) X(unique)
/* All segments; those with different code; those left out because their code is known.  The others were explored
 * completely, partly, or not at all. */
#define FINDINGS_SEGMENTS(X) X(total) X(unique) X(left_out) X(explored) X(partial) X(untested)
#define FINDINGS_STATES(X) X(feasible) X(distinct) X(explored) X(tested) X(failed) X(accepted)
/* The funnel: sequences in which stores can reach media; sets of stores (feasible); their contents; the contents of
 * chosen segments only; the contents that recovery can tell apart; the contents that recovery ran on. */
#define FINDINGS_FUNNEL(X) X(sequences) X(sets) X(contents) X(after_segments) X(after_reads) X(tested)
/* With --nested: crash states whose recovery could itself be crashed, and those whose recovery was. */
#define FINDINGS_NESTED(X) X(states) X(crashed)
/* Recoveries that began at a checkpoint; outcomes that were known without a run; of both, those that were confirmed from
 * the start, and those that were not. */
#define FINDINGS_CHECKPOINTS(X) X(used) X(known) X(confirmed) X(differences)
/* With --ops: all operations; those with a tested crash inside; those with outputs that differ between orderly runs. */
#define FINDINGS_OPERATIONS(X) X(total) X(crashed_in) X(nondeterministic)
/* With the detector invariants: likely invariants that order two stores; store sites that should change together; of
 * these, the ones that some legal state violates; that were tested; that recovery proved right by failing. */
#define FINDINGS_INVARIANTS(X) X(ordering) X(atomicity) X(violable) X(tested) X(confirmed)
/* With the detector races: moments at which the power could have failed; recoveries that were recorded there; loads of the
 * program's stores that they did, by place and code; stores of the program that race with one of them. */
#define FINDINGS_RACES(X) X(crash_points) X(recoveries) X(loads) X(stores)
/* With `search`: runs of the program on inputs; inputs that were kept, because they showed something new; branches that
 * depend on input, by place and side; what the solver said of branches to turn; operations whose result was taken as it was;
 * PM-modifying instructions that were executed, and that are known. */
#define FINDINGS_SEARCH(X) \
	X(executions) X(inputs) X(branches) X(solved) X(unsat) X(unknown) X(concretised) X(pm_reached) X(pm_known)
/* With check --shard: which part of the crash states was tested, and of how many. */
#define FINDINGS_SHARD(X) X(index) X(total)
#define FINDINGS_SECONDS(X) X(record) X(analyse) X(recover) X(total)

struct findings_figure {
	uint64_t value;
	bool known;
	/* The value in decimal if it is too large for a JSON number (beyond 2^53); otherwise NULL.  It is
	 * approximate if it has an exponent. */
	const char *large;
};

static inline struct findings_figure figure_known(uint64_t value)
{
	return (struct findings_figure){.value = value, .known = true};
}

/* A segment with many crash states, and the places that made the stores pending at its end. */
struct findings_segment {
	uint64_t number, first, last; /* its events */
	struct findings_figure feasible;
	uint64_t stores;          /* units pending at its end */
	struct finding_stack end; /* the event that ends it; empty at the end of the recording */
	struct findings_site {
		struct finding_stack stack;
		uint64_t stores, unflushed;
	} * sites; /* by number of stores, largest first */
	size_t site_count;
	uint64_t site_total;
};

struct findings_stats {
#define X(name) struct findings_figure name;
	FINDINGS_STATS(X)
#undef X
	struct {
#define X(name) struct findings_figure name;
		FINDINGS_POINTS(X)
	} failure_points;
	struct {
		FINDINGS_SEGMENTS(X)
	} segments;
	struct {
		/* explored: tested by the detector explore.  accepted: tested, and recovery ended as on the initial
		 * state, because creation was rolled back. */
		FINDINGS_STATES(X)
	} crash_states;
	struct {
		FINDINGS_FUNNEL(X)
	} funnel;
	struct {
		FINDINGS_NESTED(X)
	} nested;
	struct {
		FINDINGS_CHECKPOINTS(X)
	} checkpoints;
	struct {
		FINDINGS_OPERATIONS(X)
	} operations;
	struct {
		FINDINGS_INVARIANTS(X)
	} invariants;
	struct {
		FINDINGS_RACES(X)
	} races;
	struct {
		FINDINGS_SEARCH(X)
	} search;
	struct {
		FINDINGS_SHARD(X)
#undef X
	} shard;
	struct findings_figure shards;   /* with merge: how many parts there should be */
	struct findings_figure complete; /* value: 0 or 1 */
	struct {
#define X(name) double name; /* negative: unknown */
		FINDINGS_SECONDS(X)
#undef X
	} seconds;
};

/* What was run.  The collection owns the strings (findings_text). */
struct findings_target {
	VEC_OF(const char *) command;
	VEC_OF(const char *) pm; /* the PM files */
	VEC_OF(const char *) platforms;
	VEC_OF(const char *) own, fold, no_fold; /* options of these names */
	const char *recover;                     /* NULL: none */
	const char *client;                      /* NULL: none */
	const char *mode; /* how recovery was run, with the reason: "fork server"; NULL: recovery was not run */
};

struct findings {
	struct finding *at;
	size_t count;
	const char *tool_version;
	struct findings_target target;
	struct findings_stats stats;
	VEC_OF(struct findings_segment) segments; /* only the largest; not read back */
	VEC_OF(const char *) warnings;            /* sentences: why a run without findings is not a success */
	VEC_OF(uint64_t) missing;                 /* with merge: the parts that were not there */
	VEC_OF(const char *) narrowed;            /* options that limit what was tested: "--after init" */
	VEC_OF(const char *) notes;               /* sentences for the reader: changed sources, unused suppressions */
	struct arena texts;
	VEC_OF(void *) blocks; /* arrays of frames, related, events */
};

/* What recovery does with the leftovers of a context. */
enum leftover_fate {
	LEFTOVER_UNKNOWN,     /* not tested, or recovery fails there for another reason */
	LEFTOVER_UNTOUCHED,   /* recovery passes without them and does not touch them */
	LEFTOVER_OVERWRITTEN, /* recovery passes, and overwrites them before it reads them */
	LEFTOVER_ACCEPTED,    /* recovery reads the old data in their place, and passes */
	LEFTOVER_FATAL,       /* recovery fails if they are lost */
};

struct leftover_proof {
	uint32_t context;
	enum leftover_fate fate;
};

struct findings_options {
	const char *const *own;     /* --own: fnmatch(3) patterns of modules (name or path) and of source paths */
	const char *const *fold;    /* --fold: the same, and patterns of functions; overrides --own */
	const char *const *no_fold; /* --no-fold: patterns of functions that are not helpers */
	size_t own_count, fold_count, no_fold_count;
	const struct helpers *helpers;       /* NULL: none */
	const char *recording;               /* the directory, for code that must read it again; NULL: unknown */
	const struct leftover_proof *proofs; /* at most one for each context */
	size_t proof_count;
};

/* An empty collection. */
struct findings *findings_new(void);
void findings_free(struct findings *findings);

/* Names and groups the contents of the sinks.  The trace must have been read to its end.  `target.platforms` is
 * filled from the sinks, `target.pm` from the trace. */
struct findings *findings_collect(struct sink *const *sinks, size_t sink_count, const struct trace *trace,
				  struct symbols *symbols, const struct findings_options *options);

/* Adds a finding, which has no number yet. */
void findings_add(struct findings *findings, const struct finding *finding);

/* Adds a detector that also found it. */
void finding_add_detector(struct findings *findings, struct finding *finding, const char *detector);
void finding_add_platform(struct findings *findings, struct finding *finding, const char *platform);

/* A copy of `text` that lives as long as the collection; NULL for NULL. */
const char *findings_text(struct findings *findings, const char *text);

/* Adds a sentence, without a full stop, to findings->notes. */
void findings_note(struct findings *findings, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The name of a PM file in messages: the shortest end of its path, starting at a name, that is unique in target.pm.
 * The result points into `path`; NULL for NULL. */
const char *findings_pool_name(const struct findings *findings, const char *path);

/* A zeroed array that lives as long as the collection; NULL for an empty one. */
void *findings_block(struct findings *findings, size_t count, size_t size);

/* Sorts the findings (active ones first, then by severity, count, location) and gives them ids. */
void findings_number(struct findings *findings);

/* The number of active findings of a severity, and of all findings that are suppressed or known. */
size_t findings_count(const struct findings *findings, enum severity severity);
size_t findings_silenced(const struct findings *findings);

/* Parses the argument of --fail-on.  Returns false unless `text` is "error", "performance", "warning" or "never". */
bool fail_on_parse(const char *text, enum severity *lowest, bool *never);

/* True if there is an active finding at or above `lowest`. */
bool findings_fail(const struct findings *findings, enum severity lowest);

/* The frame that is a stack's location, or NULL for an empty stack. */
const struct finding_frame *stack_location(const struct finding_stack *stack);

/* True if both are the same line of the same source, or the same instruction if there is no source.  NULL equals
 * nothing. */
bool frame_same_place(const struct finding_frame *a, const struct finding_frame *b);

/* Writes a frame as "kv.c:118 in put", "put (kv+0x1234)" or "kv+0x1234", truncated to size.  Control characters
 * become \ooo. */
void frame_text(const struct finding_frame *frame, char *text, size_t size);

/* The same without the function: "kv.c:118". */
void frame_place(const struct finding_frame *frame, char *text, size_t size);

/* Writes a variable as "node->count (struct node)", truncated to size; "" if it is not known. */
void variable_text(const struct variable *variable, char *text, size_t size);

/* Copies `from` with control characters as \\ooo, truncated to size. */
void text_plain(char *text, size_t size, const char *from);

/* The same for a function's name.  Template arguments can fill several lines and hide which function it is, so a
 * long name has "<...>" in their place. */
void function_plain(char *text, size_t size, const char *function);

#endif
