/* SPDX-License-Identifier: GPL-2.0-or-later */
/* evidence.h - judges the sightings of detectors again, using source lines and the results of the whole run.
 *
 * A detector knows only calling contexts, that is, instructions.  One source line may be many contexts: an unrolled
 * loop, an inlined function, a copy that takes several stores, a function with many callers.  This file combines
 * contexts into places.  A place is a line of the user's code and, for folded code such as a library's templates, the
 * lines that were compiled into it, for all callers.  These rules use the results of all stores, flushes and fences of
 * a place (struct sink_site):
 *
 *  1. A store that is left unflushed is a missing flush if other stores of its place were persisted.
 *
 *  2. A place that stores often (EVIDENCE_OFTEN times) and persists few of its stores may do so by design.  Its missing
 *     flush is a warning.
 *
 *  3. A place whose stores are never persisted, but all overwritten or left behind, gets one verdict.  If any are left,
 *     it is the verdict on those; if none are left, and the stores that overwrite them mostly end unpersisted, it is
 *     transient data.  Dirty overwrites of such a place are not reported in addition.  Neither are dirty overwrites of
 *     a place that rule 2 applies to.
 *
 *  4. A dirty overwrite is not reported for data that only msync or fsync persists: the kernel may write pages at any
 *     time, so the program does not rely on intermediate values.  It is not reported for data that a libpmemobj
 *     transaction flushes when it commits: until then, a crash rolls back to the content before all of the stores.  No
 *     dirty overwrite is reported in a run that only syncs after its last store (sink_at_end).
 *
 *  5. A store to an object that is then freed, or in a transaction that is then aborted, need not be flushed, although
 *     its line may have been flushed when another object used it.  The trace does not show which objects these are.
 *     Therefore a missing flush is only a warning in a run that frees objects or aborts transactions with libpmemobj.
 *
 *  6. What recovery does with a leftover (struct leftover_proof) overrides rules 2 and 5.  If recovery fails without
 *     the leftover, the missing flush is an error.  If recovery reads the old data and passes, it is a warning.  If
 *     recovery overwrites the leftover before it reads it, the leftover is transient data.
 *
 *  7. A needless flush or fence that is needed at other times is a warning, and the fix does not tell the user to
 *     remove it.  The same holds for a needless add to a transaction, but its severity does not change. */
#ifndef BLACKOUT_FINDING_EVIDENCE_H
#define BLACKOUT_FINDING_EVIDENCE_H

#include "base/map.h"
#include "base/vec.h"
#include "finding/stacks.h"

enum { EVIDENCE_OFTEN = 32 };

/* The end of the stores of a place. */
enum {
	FATE_LOST = 1, /* more stores are left than persisted */
	FATE_FLUSHED = 2,
	FATE_SYNCED = 4,   /* by msync */
	FATE_COMMITTED = 8 /* a libpmemobj transaction flushes it when it commits */
};

/* The sum over the contexts of a place, and over the sightings there. */
struct place {
	struct sink_site site;
	unsigned fate;
	unsigned proofs;   /* of its leftovers, one bit for each enum leftover_fate */
	uint64_t needless; /* flushes or fences that had nothing to do */
};

struct evidence {
	struct stacks *stacks;
	struct sink *sink;
	struct map proof_of;         /* from a context to its enum leftover_fate */
	struct map stores, steps;    /* from the hash of a place to 1 + index of places */
	VEC_OF(struct place) places; /* of stores, and of flushes and fences */
	bool stores_known, steps_known;
	bool frees_known, frees; /* rule 5: the run frees objects or aborts transactions */
	VEC_OF(bool) dropped;    /* by index of the sink entry: it must not be reported */
};

/* Judges the entries of a sink again.  The arguments must outlive the evidence, which evidence_free frees. */
void evidence_apply(struct evidence *evidence, struct stacks *stacks, struct sink *sink);
void evidence_free(struct evidence *evidence);

/* True if the rules say that the entry at `index` must not be reported. */
bool evidence_drops(const struct evidence *evidence, size_t index);

/* The figures that support the verdict of an entry. */
struct finding_runs evidence_runs(struct evidence *evidence, const struct sighting *sighting);

#endif
