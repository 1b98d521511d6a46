/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crash_parts.h - shared by the files that make crash findings.
 *
 *     crash_finding.c    sightings become findings
 *     crash_unite.c      findings that are one mistake
 *     crash_invariant.c  the invariant that is the reason of a finding
 *     crash_text.c       names, phrases and sentences */
#ifndef BLACKOUT_FINDING_CRASH_PARTS_H
#define BLACKOUT_FINDING_CRASH_PARTS_H

#include "finding/crash_finding.h"
#include "finding/stacks.h"

/* Joins findings that are views of one mistake, and advises to change both stores together if either of them may be
 * lost without the other. */
void crash_unite(struct findings *findings);

/* The kind of finding that a violated invariant of this rule is. */
enum finding_kind invariant_kind(const char *rule);

struct finding_invariant *invariant_make(struct stacks *stacks, const struct crash_invariant *from);

/* Gives a finding the invariant of another finding of the same mistake, with its message and places. */
void invariant_adopt(struct findings *findings, struct finding *finding, const struct finding *from);

/* The sentence that says why the two stores of the finding's invariant should be ordered, as in kind.h. */
const char *invariant_sentence(const struct finding *finding);

#endif
