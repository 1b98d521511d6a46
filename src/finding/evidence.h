/* SPDX-License-Identifier: GPL-2.0-or-later */
/* evidence.h - what detectors saw is judged again, with the knowledge of source lines and of the whole run.
 *
 * A detector knows calling contexts, that is, instructions.  One source line may be many of them: an unrolled loop, an
 * inlined function, a copy that takes several stores, a function with many callers.  Here contexts become places: the
 * line of the user's code and, of folded code, the lines that were compiled into it (a library's templates), whoever
 * called it.  With what became of all stores, flushes and fences of a place (struct sink_site), these rules decide:
 *
 *  1. A store that is left unflushed is a missing flush if other stores of its place were persisted.
 *
 *  2. A place that stores often (EVIDENCE_OFTEN times) and whose stores are mostly not persisted leaves them so by
 *     design, perhaps: its missing flush is a warning.
 *
 *  3. A place whose stores are never persisted, but all overwritten or left behind, has one verdict: the one on what is
 *     left; or, if nothing is and what overwrites it mostly ends unpersisted, transient data.  Dirty overwrites of that
 *     place are not reported besides, nor are those of a place that rule 2 applies to.
 *
 *  4. A dirty overwrite is not reported of data that only msync or fsync persists: pages reach media when the kernel
 *     likes, so the program does not count on values in between.  Nor is one of data that a libpmemobj transaction
 *     flushes when it commits: until then a crash rolls back to what was there before all of them.  Nor is any in a run
 *     that only syncs after its last store (sink_at_end).
 *
 *  5. What was stored to an object that is then freed, or in a transaction that is then aborted, need not be flushed,
 *     and the line may have been flushed in an earlier life.  The trace does not tell which objects these are.  In a
 *     run that frees or aborts by libpmemobj, a missing flush is therefore not certain: a warning.
 *
 *  6. What recovery does with a leftover (struct leftover_proof) counts more than rules 2 and 5: if it fails without it,
 *     the missing flush is an error; if it reads what is there without it and passes, a warning; if it overwrites it
 *     before it reads it, the leftover is transient data.
 *
 *  7. A needless flush or fence that is needed at other times is a warning, and nobody is told to remove it. */
#ifndef BLACKOUT_FINDING_EVIDENCE_H
#define BLACKOUT_FINDING_EVIDENCE_H

#include "base/map.h"
#include "base/vec.h"
#include "finding/stacks.h"

enum { EVIDENCE_OFTEN = 32 };

/* What becomes of what a place stores, in the end. */
enum {
	FATE_LOST = 1, /* more of it is left than persisted */
	FATE_FLUSHED = 2,
	FATE_SYNCED = 4,   /* by msync */
	FATE_COMMITTED = 8 /* a libpmemobj transaction flushes it when it commits */
};

/* The sum over the contexts of a place, and of what was seen there. */
struct place {
	struct sink_site site;
	unsigned fate;
	unsigned proofs;   /* of what it has left, a bit for each enum leftover_fate */
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
	VEC_OF(bool) dropped;    /* by index of the sink: not to be reported */
};

/* Judge the entries of a sink again.  The arguments must outlive the evidence, which evidence_free frees. */
void evidence_apply(struct evidence *evidence, struct stacks *stacks, struct sink *sink);
void evidence_free(struct evidence *evidence);

/* Is the entry of that index left out, because others say it better? */
bool evidence_drops(const struct evidence *evidence, size_t index);

/* The figures that speak for a judged entry. */
struct finding_runs evidence_runs(struct evidence *evidence, const struct sighting *sighting);

#endif
