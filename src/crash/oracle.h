/* SPDX-License-Identifier: GPL-2.0-or-later */
/* oracle.h - does recovery do the right thing on a crash state?
 *
 * An oracle judges: outcome of a run of recovery, context of the crash -> verdict.  A campaign has a list of oracles.
 * The first that rejects a run decides how it failed; a run that none rejects has passed.  Everything else in the
 * engine compares verdicts: what is one group, what still fails in the same way while stores are put back, what hangs,
 * which kind of finding it becomes.
 *
 *     struct oracles *o = oracles_new(NULL, 0);                       // those of the table
 *     struct crash_context crash = oracles_place(o, (struct crash_context){.platform = adr, .event = 17});
 *     struct verdict v = oracles_judge(o, &outcome, &crash);
 *     if (verdict_failed(v))
 *             ... oracles_finding(o, v), v.ending ...
 *     oracles_free(o);
 *
 * To add an oracle, write a file with a struct oracle, and add it to ORACLES or to campaign_options.oracles.  Only
 * `accepts` and `finding` are needed.  An oracle that compares with what recovery does without a crash prepares that in
 * `begin` or, if it differs from context to context, in `prepare`.  If it judges the same content differently in
 * different contexts, it tells them apart by `key`; if recovery has to be started differently in them, by `command`. */
#ifndef BLACKOUT_CRASH_ORACLE_H
#define BLACKOUT_CRASH_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "crash/crash_context.h"
#include "finding/kind.h"
#include "run/outcome.h"

struct verdict {
	bool known;           /* false: recovery was not run, or is still running */
	uint8_t rejected_by;  /* 1 + position of the oracle in the list; 0: the run passed */
	bool orderly;         /* recovery fails in this way without a crash, too; see `fails_orderly` */
	bool unconfirmed;     /* outcome.unconfirmed */
	struct ending ending; /* how recovery failed, as that oracle sees it; or how it ended */
};

static inline bool verdict_passed(struct verdict v)
{
	return v.known && !v.rejected_by;
}

static inline bool verdict_failed(struct verdict v)
{
	return v.known && v.rejected_by;
}

/* Did it fail because recovery exceeded the time limit? */
static inline bool verdict_hangs(struct verdict v)
{
	return verdict_failed(v) && v.ending.kind == ENDING_TIMEOUT;
}

/* Are they failures of the same class?  Or did both pass? */
static inline bool verdict_same(struct verdict a, struct verdict b)
{
	return a.known && b.known && a.rejected_by == b.rejected_by && a.orderly == b.orderly &&
	       ending_same(a.ending, b.ending);
}

/* The verdict as a number; 0 if it is not known. */
static inline uint64_t verdict_code(struct verdict v)
{
	return v.known ? (uint64_t)v.unconfirmed << 49 | (uint64_t)v.orderly << 48 |
				 (uint64_t)(v.ending.kind + 1) << 40 | (uint64_t)v.rejected_by << 32 |
				 (uint32_t)v.ending.value
		       : 0;
}

static inline struct verdict verdict_decode(uint64_t code)
{
	if (!code)
		return (struct verdict){0};
	return (struct verdict){.known = true,
				.rejected_by = (uint8_t)(code >> 32),
				.orderly = code >> 48 & 1,
				.unconfirmed = code >> 49 & 1,
				.ending = {(enum ending_kind)((code >> 40 & 0xff) - 1), (int)(uint32_t)code}};
}

/* The same for verdict_same: one number for each class of failures. */
static inline uint64_t verdict_class(struct verdict v)
{
	v.unconfirmed = false;
	return verdict_code(v);
}

#define ORDERLY_NEVER UINT64_MAX

struct tester;
struct crash_sighting;   /* finding/crash_finding.h */
struct recovery_setting; /* run/setting.h */
struct output_rules;     /* ops/output.h */

/* For preparing: a tester whose recovery passes on what the program leaves at its end. */
struct oracle_scene {
	const char *dir;       /* the recording */
	struct tester *tester; /* tester_run_content runs recovery on any content (image/content.h) */
};

struct oracle {
	const char *name; /* one word, for the journal */

	/* Is this what recovery may do after this crash?  If not, *how is how it failed; at first it is how it ended.
	 * Failures with the same *how are alike.  The answer may depend only on the outcome and on the key of the
	 * context. */
	bool (*accepts)(void *state, const struct outcome *outcome, const struct crash_context *crash,
			struct ending *how);
	/* The kind of finding that such a failure becomes. */
	enum finding_kind (*finding)(struct ending how);

	/* The rest may be NULL. */
	void *state;         /* the first argument of all functions, unless `begin` sets another */
	const void *options; /* for `begin` */
	/* Called once, after recovery passed without a crash.  *state may be set before runs are asked for.  Until it
	 * returns 0, the oracle judges nothing.  0, TESTER_STOPPED or -1. */
	int (*begin)(void **state, const void *options, const struct oracle_scene *scene, struct err *err);
	void (*end)(void *state);
	/* Contexts with different keys are judged differently; 0: in the usual way. */
	uint64_t (*key)(void *state, const struct crash_context *crash);
	/* Contexts with different commands start recovery differently, so that the outcome of one says nothing about
	 * the other; 0: the command of the user.  Contexts with the same key must have the same command.  The tester
	 * gets the context with each run.  Only one oracle of a list may have this. */
	uint64_t (*command)(void *state, const struct crash_context *crash);
	/* The command in this context that only recovers: it does nothing that a second crash would see half done. */
	uint64_t (*idle)(void *state, const struct crash_context *crash);
	/* How recovery is started for a command; NULL: it cannot be, which the run then says. */
	const struct recovery_setting *(*setting)(void *state, uint64_t command);
	const struct output_rules *output; /* outcomes must have their outputs (ops/output.h) */

	/* A crash in this context is tested now, or its verdict is known from before. */
	void (*meets)(void *state, const struct crash_context *crash);
	/* Can a run in this context be judged already?  NULL: always. */
	bool (*ready)(void *state, const struct crash_context *crash);
	/* Make it so, before recovery runs in this context.  0, TESTER_STOPPED or -1.  It may run recovery by
	 * tester_listen and tester_run_content, in contexts without a crash (CRASH_NONE).  `alone`: the run is one of a few
	 * that decide what is reported, so no effort is too much to judge it right. */
	int (*prepare)(void *state, struct tester *tester, const struct crash_context *crash, bool alone,
		       struct err *err);

	/* The first event, from this one on, after which it judges what recovery does without a crash, on all that was
	 * stored so far; ORDERLY_NEVER: none. */
	uint64_t (*orderly)(void *state, uint64_t from);

	/* This run was rejected, by this oracle or another.  Does recovery fail in the same way without a crash, on
	 * contents that are orderly here?  Then no store is to blame, and all such failures are one finding.  The
	 * answer may depend on what that of `accepts` depends on.  NULL: never. */
	bool (*fails_orderly)(void *state, const struct outcome *outcome, const struct crash_context *crash);

	/* It rejected a run.  Is it fine nevertheless, now that we know what recovery does on the same state if it only
	 * recovers (`idle`)?  Asked once for each failure that would become a finding; NULL: never.  Failures of
	 * another class than 0 are expected to be excused, so they are no findings if there is no time to ask. */
	bool (*excuses)(void *state, const struct outcome *outcome, const struct outcome *idle,
			const struct crash_context *crash);

	/* Add to a sighting what it knows about this crash and, unless `outcome` is NULL, about a run that it rejected.
	 * `idle` as in `excuses`; NULL: not known.  What it adds must live as long as the oracle. */
	void (*tell)(void *state, const struct crash_context *crash, const struct outcome *outcome,
		     const struct outcome *idle, struct crash_sighting *sighting);
};

/* All oracles of every campaign, in the order in which they judge. */
#define ORACLES(X) X(oracle_exit_status)

#define X(row) extern const struct oracle row;
ORACLES(X)
#undef X

struct oracles;

/* `list` has `count` elements that must live as long as the result; NULL: ORACLES. */
struct oracles *oracles_new(const struct oracle *const *list, size_t count);
void oracles_free(struct oracles *oracles);

/* Call `begin` of those that have not begun.  0, TESTER_STOPPED or -1. */
int oracles_begin(struct oracles *oracles, const struct oracle_scene *scene, struct err *err);

/* The context with its key and command. */
struct crash_context oracles_place(const struct oracles *oracles, struct crash_context crash);

/* The same, to record what recovery itself does: see `idle`. */
struct crash_context oracles_place_idle(const struct oracles *oracles, struct crash_context crash);

/* Tell the oracles that a crash in this context is tested; see `meets`. */
void oracles_meet(const struct oracles *oracles, const struct crash_context *crash);

/* Make the oracles ready to judge runs in this context.  0, TESTER_STOPPED or -1. */
int oracles_prepare(const struct oracles *oracles, struct tester *tester, const struct crash_context *crash, bool alone,
		    struct err *err);

/* The first of these events of all oracles. */
uint64_t oracles_orderly(const struct oracles *oracles, uint64_t from);

/* For recovery_options: the setting of a command, and the rules of the outputs that oracles look at; NULL: none
 * does. */
const struct recovery_setting *oracles_setting(void *oracles, uint64_t command);
const struct output_rules *oracles_output(const struct oracles *oracles);

/* Not known: an oracle is not ready. */
struct verdict oracles_judge(const struct oracles *oracles, const struct outcome *outcome,
			     const struct crash_context *crash);

/* May this failure be excused?  Then recovery has to run in the context oracles_place_idle, too. */
bool oracles_may_excuse(const struct oracles *oracles, struct verdict failed);

/* Is it likely to be?  See `excuses`. */
bool oracles_likely_excuse(const struct oracles *oracles, struct verdict failed);

/* Is it?  `failed` is the verdict on `outcome`. */
bool oracles_excuse(const struct oracles *oracles, struct verdict failed, const struct outcome *outcome,
		    const struct outcome *idle, const struct crash_context *crash);

/* Add what the oracles know to a sighting; see `tell`.  `verdict` is the one on the outcome. */
void oracles_tell(const struct oracles *oracles, const struct crash_context *crash, struct verdict verdict,
		  const struct outcome *outcome, const struct outcome *idle, struct crash_sighting *sighting);

/* The kind of finding that a failure becomes. */
enum finding_kind oracles_finding(const struct oracles *oracles, struct verdict failed);

/* A hash of their names: verdicts of other oracles are worth nothing. */
uint64_t oracles_hash(const struct oracles *oracles);

/* "passed", or the name of the oracle that rejected the run; and back. */
const char *oracles_name(const struct oracles *oracles, struct verdict verdict);
bool oracles_find(const struct oracles *oracles, const char *name, size_t size, uint8_t *rejected_by);

#endif
