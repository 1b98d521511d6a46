/* SPDX-License-Identifier: GPL-2.0-or-later */
/* invariants.h - likely invariants: which stores a program expects to persist before which others.
 *
 *     struct invariants *inv = invariants_new();
 *     invariants_begin(inv, trace);                     // a recording with the layer DEPENDENCIES, at its beginning
 *     while (trace_next(trace, &ev, &err) > 0)
 *             invariants_event(inv, &ev);
 *
 *     invariants_begin(inv, other);                     // a recovery, or the same recording again, to ask questions
 *     struct store_place a = invariants_place(inv, &first), b = invariants_place(inv, &second);
 *     struct invariant_match matches[INVARIANT_ORDERINGS];
 *     if (invariants_orders(inv, &a, &b, matches)) ...  // `a` should persist before `b`
 *     invariants_free(inv);
 *
 * doc/INVARIANTS.md has the rules and their reasons.  X and Y are places in PM, R and W are loads and stores of them:
 *
 *   RO1  W(Y) has a data dependency on R(X):      X persists before Y
 *   RO2  W(Y) has a control dependency on R(X):   X persists before Y
 *   RO3  R(Y) has a control dependency on R(X):   Y persists before X; X is a guardian
 *   RA1  X and Y are guardians:                   both persist, or neither
 *
 * An invariant holds for bytes of files, and is lifted to the code that had stored them: the pair of store sites, with
 * the distances between what they stored.  So it also applies to places that nobody has read. */
#ifndef BLACKOUT_INVARIANTS_INVARIANTS_H
#define BLACKOUT_INVARIANTS_INVARIANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

/* X(name): the orderings come first. */
#define INVARIANT_RULES(X) X(RO1) X(RO2) X(RO3) X(RA1)

enum invariant_rule {
#define X(name) INVARIANT_##name,
	INVARIANT_RULES(X)
#undef X
		INVARIANT_RULE_COUNT,
	INVARIANT_ORDERINGS = INVARIANT_RA1, /* how many rules order two places */
};

const char *invariant_rule_name(enum invariant_rule rule); /* "RO1" */

/* Why an invariant applies, the strongest first. */
enum invariant_scope {
	INVARIANT_ADDRESS,  /* it was inferred from these very bytes */
	INVARIANT_DISTANCE, /* from the same store sites at the same distance */
	INVARIANT_SITES,    /* from the same store sites, which store to different objects: any distance */
};

/* An instruction that shows an invariant, or one that it is about. */
struct invariant_code {
	const struct trace_module *module; /* of the innermost frame outside of libraries; NULL: no file */
	uint64_t offset;                   /* in the module's file */
	bool caller;                       /* the offset is that of a return address */
	const struct trace_module *from;   /* the same of that frame's caller; NULL: none, or no file */
	uint64_t from_offset;
	unsigned recording; /* 0: the first recording that was fed, 1: the next ...; where `context` is valid */
	uint32_t context;
};

/* What an instruction has to do with the invariant. */
enum invariant_role {
	INVARIANT_LOAD,    /* loads X: the guardian of RO3 and RA1, or what the store depends on */
	INVARIANT_BRANCH,  /* branches on X */
	INVARIANT_GUARDED, /* RO3: loads Y */
	INVARIANT_STORE,   /* RO1, RO2: stores Y */
};

struct invariant_reason {
	enum invariant_role role;
	struct invariant_code code;
};

#define INVARIANT_REASONS 6   /* most reasons that are kept for one invariant */
#define INVARIANT_DISTANCES 8 /* with more distances than this, an invariant holds at any */

/* An invariant between two store sites.  RA1: `first` is a site that stores guardians, and `second` is the same. */
struct invariant {
	enum invariant_rule rule;
	uint32_t number; /* from 0, in the order in which they were inferred */
	uint32_t first_site, second_site;
	struct invariant_code first, second;
	uint64_t seen;                          /* how many accesses showed it */
	bool anywhere;                          /* the stores are to different objects: it holds at any distance */
	int64_t distances[INVARIANT_DISTANCES]; /* otherwise at these: from the start of `first` to that of `second` */
	size_t distance_count;
	struct invariant_reason because[INVARIANT_REASONS];
	size_t because_count;
};

/* A store, to ask about. */
struct store_place {
	uint32_t file; /* by path, the same in all recordings */
	uint32_t site; /* the code that stores; 0: unknown */
	uint64_t offset, size;
};

/* How an invariant applies to two places.  An invariant of scope ADDRESS need not be lifted: the one that was never
 * seen between known store sites has `lifted` NULL. */
struct invariant_match {
	enum invariant_rule rule;
	enum invariant_scope scope;
	uint64_t seen; /* by these bytes, for ADDRESS; otherwise by these sites */
	const struct invariant *lifted;
	struct invariant_reason because[INVARIANT_REASONS];
	size_t because_count;
};

struct invariants *invariants_new(void);
void invariants_free(struct invariants *inv);

/* The events and stores that follow are of this recording, which must live until the next invariants_begin.
 * Recordings number their files, contexts and labels each in their own way. */
void invariants_begin(struct invariants *inv, const struct trace *trace);

/* Learn from the next event.  Feed all events of a recording, in their order. */
void invariants_event(struct invariants *inv, const struct event *ev);

/* The place of a store of the current recording; learns nothing. */
struct store_place invariants_place(struct invariants *inv, const struct event *ev);

/* Should `a` persist before `b`?  Fills `matches`, at most one for each rule, the strongest scope first and then the
 * most often seen, and returns their number.  Places that overlap are not ordered.
 *
 * RO1 and RO2 were inferred from an `a` that was stored earlier than `b`; RO3 says nothing about that.  Questions may
 * be asked between events, but the count of scope ADDRESS is then as of the first such question after
 * invariants_begin. */
size_t invariants_orders(const struct invariants *inv, const struct store_place *a, const struct store_place *b,
			 struct invariant_match matches[INVARIANT_ORDERINGS]);

/* Is the place a guardian?  Two guardians should persist both or neither (RA1). */
bool invariants_guardian(const struct invariants *inv, const struct store_place *place, struct invariant_match *match);

/* The number of lifted invariants, and each of them.  They stay where they are until invariants_free, but their
 * counts grow with further events. */
size_t invariants_count(const struct invariants *inv);
const struct invariant *invariants_at(const struct invariants *inv, size_t number);

/* The figures of the whole inference. */
struct invariants_figures {
	uint64_t ordering;  /* lifted invariants of RO1, RO2 and RO3 */
	uint64_t atomicity; /* store sites of guardians */
	uint64_t reads;     /* different loads from PM: code, place and size */
	uint64_t labels;    /* different sets of them */
	uint64_t many;      /* labels that list only some of their reads */
};

struct invariants_figures invariants_figures(const struct invariants *inv);

#endif
