/* SPDX-License-Identifier: GPL-2.0-or-later */
/* finding.h - what was found, as people and programs read it: named, grouped, counted, with an identity of its own.
 *
 *     struct findings *f = findings_collect(sinks, sink_count, trace, symbols, &options);    // after the trace was read
 *     history_collect(f, dir, symbols, &options, &err);                     // the events around each, for the drawing (history.h)
 *     suppress_apply(suppress, f); baseline_apply(f, old);        // suppress.h, baseline.h
 *     findings_number(f);                                         // order and F1, F2 ...
 *     ... report it (report/report.h), findings_count(f, SEVERITY_ERROR), findings_fail(f, &fail_on)
 *     findings_free(f);
 *
 * A collection is independent of trace and symbols once it is made: every string is its own.  It can also come from a
 * file (report/reader.h).
 *
 * One finding per kind and program location.  The location is the innermost frame of the user's own code: frames of the
 * C library, of PM libraries and of the loader are folded, unless --own makes them the user's, and so are functions that
 * flush for their callers (helpers.h).  If all frames are folded it is the outermost of them, a helper if there is
 * one.  Different reasons (variants) and stacks at one location are one finding: the
 * worst and then most frequent gives the sentence, the counts are added. */
#ifndef BLACKOUT_FINDING_FINDING_H
#define BLACKOUT_FINDING_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "detect/sink.h"
#include "finding/kind.h"
#include "trace/symbols.h"
#include "trace/trace.h"

#define FINDING_PLATFORMS_MAX 8
#define FINDING_DETECTORS_MAX 4
#define FINGERPRINT_CHARS 32

/* A function of a stack.  Unknown texts are NULL, unknown numbers 0. */
struct finding_frame {
	const char *file; /* base name of the source */
	const char *path; /* as the compiler saw it */
	const char *function;
	const char *module;
	uint64_t offset; /* in the module's file; what is left where there is no debug info */
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

/* What happened on the line of the first example, for the drawing. */
struct finding_event {
	uint64_t number; /* as in dump */
	const char *op;  /* name of the op */
	uint32_t thread;
	uint32_t line_offset; /* stores and flushes: first byte, from the start of the line */
	uint32_t size;        /* stores: bytes of it in this line */
	const char *value;    /* stores: as dump prints it; otherwise NULL */
	const char *where;    /* "kv.c:118 in put", or NULL */
	uint8_t dirty;        /* after it, a bit per 8-byte word of the line: stored and not written back, */
	uint8_t awaiting;     /* written back, or stored past the cache, and not fenced (or not synced), */
	uint8_t ordered;
	/* written back by clflush: on media before anything that is stored later */
	bool example; /* this is the event that the finding is about */
};

/* How recovery ended on a crash state.  OUTPUT: it passed, and what it printed is wrong. */
enum finding_outcome { OUTCOME_IS_EXIT, OUTCOME_IS_SIGNAL, OUTCOME_IS_TIMEOUT, OUTCOME_IS_OUTPUT, OUTCOME_IS_COUNT };

/* What allows the state: it gives the sentence and the fix (crash.c).  "Lost" and "persisted" are the first of each
 * array. */
enum crash_cause {
	CAUSE_UNFLUSHED, /* lost: stored, not flushed before the power failed; persisted, if any, was stored later */
	CAUSE_UNFENCED, /* lost: flushed (or stored past the cache), not fenced before persisted was stored or power failed */
	CAUSE_UNORDERED, /* lost and persisted: both flushed, one fence completes both */
	CAUSE_TORN,      /* lost and persisted are parts of one store */
	CAUSE_EARLY,     /* all so far is on media: persisted was stored before something that it needs */
	CAUSE_MOMENT,    /* only the moment counts: nothing was pending, or what was does not matter */
	CAUSE_BLANK,     /* a file that the run has made holds only zeros, where recovery would pass without the file */
	CAUSE_CREATION,  /* a library's create call has not returned yet: no error of the program */
	CAUSE_COUNT
};

/* A store of a crash state, on media or lost. */
struct finding_store {
	struct finding_stack stack;
	const char *pool;      /* path of the PM file */
	const char *pool_name; /* findings_pool_name of it */
	uint64_t offset;
	uint32_t size;
	const char *value;          /* as dump prints it */
	uint64_t event;             /* as in dump */
	uint32_t thread;            /* as in dump; 0: there is only one, or it is not known */
	struct finding_stack flush; /* empty if it was not flushed */
	uint64_t flush_event;       /* 0: it was not, or not read back */
	bool certain;               /* guaranteed to be on media at the crash, not pending */
};

/* A crash state on which recovery fails. */
struct finding_crash {
	struct finding_stack point; /* where the power failed: just before this */
	const char *point_op;       /* "sfence", "store", "exit": what it was about to do */
	uint64_t point_event;
	uint32_t point_thread; /* as in dump; 0: there is only one, or it is not known */
	enum crash_cause cause;
	/* Pending stores, or the last of the program, that matter; the first speak for the rest. */
	struct finding_store *persisted, *lost;
	/* Those at the beginning of persisted that tell something: certain, or stored after what is lost. */
	size_t telling_count;
	size_t persisted_count, lost_count;   /* of the arrays, */
	uint64_t persisted_total, lost_total; /* of the state; more where the arrays are cut */
	struct {
		enum finding_outcome outcome;
		uint64_t value;             /* EXIT: status; SIGNAL: number; TIMEOUT: 0 */
		const char *out, *err;      /* tails of what it printed; "" if nothing */
		struct finding_stack stack; /* where it crashed; empty if not known */
	} recovery;
	uint64_t states;  /* crash states that fail so */
	const char *mode; /* how recovery was run: "fork server", "namespace" ...; NULL: not known */
	/* In DIR/crash; NULL: none.  It has a name of its own until folders_finish makes it the id. */
	const char *folder;
	/* The stores to blame are a library's own: the place is in the library, not where the program called it. */
	bool in_library;
	size_t seen_from; /* then: the places of the program that called it */
	bool nested;      /* the power failed in recovery: persisted and lost are stores of that */
	bool always;      /* CAUSE_MOMENT: recovery was seen to fail on every set of the pending stores */
	bool unfinished;  /* the search for the stores that matter was cut short */
};

/* A finding of another detector that is part of this one: crash findings say what comes of it. */
struct finding_also {
	enum finding_kind kind;
	const char *detector, *message, *fix;
};

/* What speaks for the verdict: a part of all that the code did in the run. */
struct finding_runs {
	uint64_t times; /* stores: those that were persisted; flushes and fences: those that were needless */
	uint64_t total; /* 0: not known */
	bool neighbour; /* whenever it was persisted, that was by a flush of something else */
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
	const char *detector; /* the first of */
	const char *detectors[FINDING_DETECTORS_MAX];
	size_t detector_count;     /* 0: `detector` alone */
	struct finding_also *also; /* what others found at the same place, and say in other words */
	size_t also_count;
	const char *platforms[FINDING_PLATFORMS_MAX];
	size_t platform_count;
	const char *message, *fix; /* fix: NULL where none can be given */
	struct finding_runs runs;  /* not in findings.json but as part of the message */
	uint64_t count;
	char fingerprint[FINGERPRINT_CHARS + 1];
	struct finding_stack stack;
	struct finding_related *related;
	size_t related_count;
	const char *pool;                       /* path of the first example's PM file, NULL if there is none */
	const char *pool_name;                  /* findings_pool_name of it; not read back */
	struct sighting_example first, largest; /* `largest` is not in findings.json, nor is the drawing */
	const struct finding_event *events;
	size_t event_count;
	uint64_t line_start;         /* offset in the pool of the line that the events are of */
	struct finding_crash *crash; /* crash findings; NULL for others */
	/* suppression and baseline */
	enum finding_state state;
	const char *reason; /* why it is suppressed, NULL if active */
};

/* Figures of a run; those that it did not produce are absent. */
#define FINDINGS_STATS(X) X(stores) X(flushes) X(fences) X(loads) X(threads)
#define FINDINGS_POINTS(X) X(visited) X(unique)
/* total, with different code, left out for that; of the others, explored completely, partly, and not at all */
#define FINDINGS_SEGMENTS(X) X(total) X(unique) X(left_out) X(explored) X(partial) X(untested)
#define FINDINGS_STATES(X) X(feasible) X(distinct) X(explored) X(tested) X(failed) X(accepted)
/* What becomes of the crash states: orders in which stores get to media; sets of stores (feasible); their contents;
 * those of chosen segments alone; those that recovery can tell apart; those that it was run on. */
#define FINDINGS_FUNNEL(X) X(sequences) X(sets) X(contents) X(after_segments) X(after_reads) X(tested)
/* Crash states from which recovery could be crashed in turn (--nested), and those from which it was. */
#define FINDINGS_NESTED(X) X(states) X(crashed)
#define FINDINGS_SECONDS(X) X(record) X(analyse) X(recover) X(total)

struct findings_figure {
	uint64_t value;
	bool known;
	/* Decimal, where JSON has no number for it (beyond 2^53); otherwise NULL.  About right if it has an
	 * exponent. */
	const char *large;
};

/* A segment with many crash states, and where what is pending at its end was stored. */
struct findings_segment {
	uint64_t number, first, last; /* its events */
	struct findings_figure feasible;
	uint64_t stores;          /* units pending at its end */
	struct finding_stack end; /* the event that ends it; empty at the end of the recording */
	struct findings_site {
		struct finding_stack stack;
		uint64_t stores, unflushed;
	} * sites; /* most first */
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
		/* explored: tested by explore; accepted: tested, and as the initial state is: creation was rolled
		 * back */
		FINDINGS_STATES(X)
	} crash_states;
	struct {
		FINDINGS_FUNNEL(X)
	} funnel;
	struct {
		FINDINGS_NESTED(X)
#undef X
	} nested;
	struct findings_figure complete; /* value: 0 or 1 */
	struct {
#define X(name) double name; /* negative: not known */
		FINDINGS_SECONDS(X)
#undef X
	} seconds;
};

/* What was run.  Strings are the collection's (findings_text). */
struct findings_target {
	VEC_OF(const char *) command;
	VEC_OF(const char *) pm; /* the PM files */
	VEC_OF(const char *) platforms;
	VEC_OF(const char *) own, fold, no_fold; /* options of these names */
	const char *recover;                     /* NULL: none */
	const char *client;                      /* NULL: none */
	const char *mode; /* how recovery was run, with the reason: "fork server"; NULL: it was not */
};

struct findings {
	struct finding *at;
	size_t count;
	const char *tool_version;
	struct findings_target target;
	struct findings_stats stats;
	VEC_OF(struct findings_segment) segments; /* the largest; not read back */
	VEC_OF(const char *) warnings;            /* sentences: why a run without findings is no success */
	VEC_OF(const char *) narrowed;            /* options that limit what was tested: "--after init" */
	VEC_OF(const char *) notes; /* sentences for the reader: sources that changed, unused suppressions */
	struct arena texts;
	VEC_OF(void *) blocks; /* arrays of frames, related, events */
};

/* What recovery makes of the stores of a context that the program never wrote back. */
enum leftover_fate {
	LEFTOVER_UNKNOWN,     /* that was not tested, or something else fails there */
	LEFTOVER_UNTOUCHED,   /* it passes without them, and does not touch them */
	LEFTOVER_OVERWRITTEN, /* it passes, and overwrites them before it reads them */
	LEFTOVER_ACCEPTED,    /* it reads what is there without them, and passes */
	LEFTOVER_FATAL,       /* it fails where they are lost */
};

struct leftover_proof {
	uint32_t context;
	enum leftover_fate fate;
};

struct findings_options {
	const char *const *own;     /* --own: fnmatch(3) patterns of modules (name or path) and of source paths */
	const char *const *fold;    /* --fold: the same, and of functions; stronger than --own */
	const char *const *no_fold; /* --no-fold: of functions that are no helpers */
	size_t own_count, fold_count, no_fold_count;
	const struct helpers *helpers;       /* NULL: none */
	const char *recording;               /* the directory, for those who must read it again; NULL: not known */
	const struct leftover_proof *proofs; /* one for each context at most */
	size_t proof_count;
};

/* An empty collection: nothing known, nothing found. */
struct findings *findings_new(void);
void findings_free(struct findings *findings);

/* Name and group what the sinks hold; the trace must have been read to its end.  `target.platforms` is filled from the
 * sinks, `target.pm` from the trace. */
struct findings *findings_collect(struct sink *const *sinks, size_t sink_count, const struct trace *trace,
				  struct symbols *symbols, const struct findings_options *options);

/* One more detector that found it. */
void finding_add_detector(struct finding *finding, const char *detector);

/* A copy of `text` that lives as long as the collection; NULL for NULL. */
const char *findings_text(struct findings *findings, const char *text);

/* What a PM file is called in sentences: the end of its path, from a name on, that no other file of target.pm has.  A
 * part of `path`; NULL for NULL. */
const char *findings_pool_name(const struct findings *findings, const char *path);

/* A zeroed array that lives as long; NULL for an empty one. */
void *findings_block(struct findings *findings, size_t count, size_t size);

/* Sort: active ones first, then by severity, count, location; and give ids. */
void findings_number(struct findings *findings);

/* Active findings of a severity; all that are suppressed or known. */
size_t findings_count(const struct findings *findings, enum severity severity);
size_t findings_silenced(const struct findings *findings);

/* The argument of --fail-on: false if `text` is none of "error", "performance", "warning", "never". */
bool fail_on_parse(const char *text, enum severity *lowest, bool *never);

/* Is there an active finding at or above `lowest`? */
bool findings_fail(const struct findings *findings, enum severity lowest);

/* The frame that is a stack's location, or NULL for an empty stack. */
const struct finding_frame *stack_location(const struct finding_stack *stack);

/* The same line of the same source, or the same instruction where there is none?  NULL is nowhere. */
bool frame_same_place(const struct finding_frame *a, const struct finding_frame *b);

/* "kv.c:118 in put", "put (kv+0x1234)", "kv+0x1234": truncated to size.  Control characters become \ooo. */
void frame_text(const struct finding_frame *frame, char *text, size_t size);

/* The same without the function: "kv.c:118". */
void frame_place(const struct finding_frame *frame, char *text, size_t size);

/* `from` with control characters as \\ooo, truncated to size. */
void text_plain(char *text, size_t size, const char *from);

/* The same of a function's name.  Arguments of templates can go on for lines, and hide which function it is: in a long
 * name they are "<...>". */
void function_plain(char *text, size_t size, const char *function);

#endif
