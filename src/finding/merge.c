/* SPDX-License-Identifier: GPL-2.0-or-later */
/* merge.c - see merge.h. */
#include "finding/merge.h"

#include <string.h>

enum { ALSO_MAX = 8 };

/* ---- absorbing ---- */

static void also_add(struct findings *findings, struct finding *into, const struct finding_also *also)
{
	if (into->also_count == ALSO_MAX)
		return;
	if (!into->also)
		into->also = findings_block(findings, ALSO_MAX, sizeof(*into->also));
	into->also[into->also_count++] = *also;
	finding_add_detector(findings, into, into->detector);
	finding_add_detector(findings, into, also->detector);
}

void finding_absorb(struct findings *findings, struct finding *into, struct finding *other)
{
	also_add(findings, into,
		 &(struct finding_also){
			 .kind = other->kind,
			 .detector = other->detector,
			 .message = other->message,
			 .fix = other->fix,
		 });
	for (size_t i = 0; i < other->also_count; i++)
		also_add(findings, into, &other->also[i]);
	other->count = 0; /* marks it for removal */
}

void findings_drop_absorbed(struct findings *findings)
{
	size_t kept = 0;

	for (size_t i = 0; i < findings->count; i++)
		if (findings->at[i].count || findings->at[i].crash)
			findings->at[kept++] = findings->at[i];
	findings->count = kept;
}

/* ---- what is one mistake ---- */

/* Performance findings are not merged: they are a separate matter.  Transient data is an exception.  It is only a
 * guess, from missing flushes, that the data is volatile, and recovery shows that it is not. */
static bool may_merge(const struct finding *finding)
{
	enum finding_class class = kind_get(finding->kind)->class;

	return !finding->crash && (class == CLASS_DURABILITY || class == CLASS_ORDERING || class == CLASS_TRANSACTION ||
				   finding->kind == KIND_TRANSIENT_DATA);
}

/* True if the crash finding holds on all platforms of the other finding. */
static bool platforms_cover(const struct finding *crash, const struct finding *other)
{
	for (size_t i = 0; i < other->platform_count; i++) {
		bool found = false;

		for (size_t k = 0; k < crash->platform_count; k++)
			found |= !strcmp(crash->platforms[k], other->platforms[i]);
		if (!found)
			return false;
	}
	return true;
}

static struct finding *crash_at(struct findings *findings, const struct finding *other)
{
	for (size_t i = 0; i < findings->count; i++) {
		struct finding *crash = &findings->at[i];

		/* A half-created pool proves nothing about other findings in the line of the create call. */
		if (crash->crash && !crash->crash->nested && crash->crash->cause != CAUSE_CREATION &&
		    crash->also_count < ALSO_MAX &&
		    frame_same_place(stack_location(&crash->stack), stack_location(&other->stack)) &&
		    platforms_cover(crash, other))
			return crash;
	}
	return NULL;
}

void findings_merge(struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		struct finding *crash = may_merge(&findings->at[i]) ? crash_at(findings, &findings->at[i]) : NULL;

		if (crash)
			finding_absorb(findings, crash, &findings->at[i]);
	}
	findings_drop_absorbed(findings);
}
