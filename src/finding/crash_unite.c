/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crash_unite.c - one mistake that was reported twice becomes one finding, or gets one advice. */
#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "finding/crash_finding.h"
#include "finding/crash_parts.h"
#include "finding/fix.h"
#include "finding/message.h"
#include "finding/own.h"

static bool failure_equal(const struct finding *a, const struct finding *b)
{
	return a->crash->failure == b->crash->failure && a->crash->nested == b->crash->nested &&
	       ending_same(a->crash->recovery.ending, b->crash->recovery.ending) &&
	       text_equal(a->platforms[0], b->platforms[0]);
}

/* The place of the store that came too early.  With an invariant, the finding is at the store that came too late. */
static const struct finding_frame *early_place(const struct finding *early)
{
	return stack_location(early->invariant ? &early->invariant->second : &early->stack);
}

/* X is stored and persisted, then Y, which X needs.  If the power fails between the two stores, X came too early; if
 * it fails afterwards, Y is lost.  True if `loss` and `early` are these two views of one mistake. */
static bool is_loss_of(const struct finding *loss, const struct finding *early)
{
	const struct finding_crash *crash = loss->crash;

	return crash && early->crash && early->crash->cause == CAUSE_EARLY && crash->lost_count &&
	       crash->telling_count && crash->persisted[0].certain && failure_equal(loss, early) &&
	       frame_same_place(stack_location(&crash->persisted[0].stack), early_place(early));
}

/* True if Y is a library's store, such as the end of a transaction that should have included X.  Then the library is
 * not at fault. */
static bool loses_library_store(const struct finding *finding)
{
	const struct finding_crash *crash = finding->crash;

	return crash && crash->lost_count && own_library(&crash->lost[0].stack) < crash->lost[0].stack.count;
}

/* Finds the finding to keep, if `finding` is the other view of the same mistake.  Normally the loss is kept: it
 * tells more, and covers the store that came early.  If the loss would blame a library for the program's mistake,
 * the early store is kept. */
static struct finding *side_find(struct findings *findings, const struct finding *finding)
{
	for (size_t i = 0; i < findings->count; i++) {
		struct finding *other = &findings->at[i];

		if (!other->crash || other->crash->cause == CAUSE_COUNT)
			continue;
		if (is_loss_of(other, finding) && !loses_library_store(other))
			return other;
		if (is_loss_of(finding, other) && loses_library_store(finding))
			return other;
	}
	return NULL;
}

/* The last line that recovery printed, with hexadecimal digits masked: they are mostly addresses or keys.  Results of
 * operations are no complaint: they are different in each operation. */
static void complaint_text(const struct finding *finding, char *text, size_t size)
{
	*text = 0;
	if (finding->crash->failure != KIND_OUTPUT_MISMATCH)
		crash_printed_text(finding->crash, text, size);
	for (; *text; text++)
		if (isxdigit((unsigned char)*text))
			*text = '#';
}

/* True if recovery fails in the same way and place, with the same message.  An unknown place or message matches any. */
static bool trips_alike(const struct finding *a, const struct finding *b)
{
	const struct finding_frame *place = stack_location(&a->crash->recovery.stack),
				   *other = stack_location(&b->crash->recovery.stack);
	char complaint[300], other_complaint[300];

	if (!failure_equal(a, b) || (place && other && !frame_same_place(place, other)))
		return false;
	complaint_text(a, complaint, sizeof(complaint));
	complaint_text(b, other_complaint, sizeof(other_complaint));
	return !*complaint || !*other_complaint || !strcmp(complaint, other_complaint);
}

/* If the search for the cause of this finding was cut short, finds another finding that probably has the same cause:
 * preferably one whose cause is known, otherwise an earlier one. */
static struct finding *cause_find_known(struct findings *findings, const struct finding *unfinished)
{
	struct finding *found = NULL;

	if (!unfinished->crash || !unfinished->crash->unfinished)
		return NULL;
	for (size_t i = 0; i < findings->count; i++) {
		struct finding *other = &findings->at[i];
		bool fits = other->crash && other != unfinished && other->crash->cause < CAUSE_COUNT &&
			    other->crash->cause != CAUSE_CREATION && trips_alike(other, unfinished);

		if (fits && !other->crash->unfinished)
			return other;
		found = fits && other < unfinished && !found ? other : found;
	}
	return found;
}

static bool places_equal(const struct finding_stack *a, const struct finding_stack *b)
{
	return frame_same_place(stack_location(a), stack_location(b));
}

/* How the two invariants are about the same pair of stores. */
enum pairing { PAIR_OTHER, PAIR_SAME, PAIR_TURNED };

static enum pairing pair_compare(const struct finding_invariant *a, const struct finding_invariant *b)
{
	if (places_equal(&a->first, &b->first) && places_equal(&a->second, &b->second))
		return PAIR_SAME;
	return places_equal(&a->first, &b->second) && places_equal(&a->second, &b->first) ? PAIR_TURNED : PAIR_OTHER;
}

/* Finds the finding to keep of two that are about the same pair of stores: the one that orders them, or the earlier
 * one. */
static struct finding *pair_find(struct findings *findings, const struct finding *finding, enum pairing *pairing)
{
	for (size_t i = 0; finding->invariant && i < findings->count; i++) {
		struct finding *other = &findings->at[i];

		if (!other->invariant || other == finding || other->crash->cause == CAUSE_COUNT ||
		    other->crash->nested != finding->crash->nested ||
		    !text_equal(other->platforms[0], finding->platforms[0]))
			continue;
		*pairing = pair_compare(finding->invariant, other->invariant);
		if (*pairing != PAIR_OTHER &&
		    (other->kind != finding->kind ? other->kind == KIND_ORDERING_VIOLATION : other < finding))
			return other;
	}
	return NULL;
}

static void finding_take(struct findings *findings, struct finding *kept, struct finding *other)
{
	kept->count += other->count;
	kept->crash->states += other->count;
	for (size_t k = 0; k < other->detector_count; k++)
		finding_add_detector(findings, kept, other->detectors[k]);
	for (size_t k = 0; k < other->platform_count; k++)
		finding_add_platform(findings, kept, other->platforms[k]);
	if (other->invariant && !kept->invariant &&
	    frame_same_place(stack_location(&kept->stack), stack_location(&other->stack)))
		invariant_adopt(findings, kept, other);
	other->crash->cause = CAUSE_COUNT; /* marks it for removal */
}

static void fix_together(struct findings *findings, struct finding *finding)
{
	char text[4096];

	message_fill(finding, FIX_TOGETHER, text, sizeof(text));
	finding->fix = findings_text(findings, text);
}

static void findings_unite(struct findings *findings)
{
	size_t kept = 0;

	for (size_t i = 0; i < findings->count; i++) {
		struct finding *same = side_find(findings, &findings->at[i]);
		enum pairing pairing = PAIR_OTHER;

		same = same ? same : cause_find_known(findings, &findings->at[i]);
		same = same ? same : pair_find(findings, &findings->at[i], &pairing);
		if (same && pairing == PAIR_TURNED)
			fix_together(findings, same);
		if (same)
			finding_take(findings, same, &findings->at[i]);
	}
	for (size_t i = 0; i < findings->count; i++)
		if (!findings->at[i].crash || findings->at[i].crash->cause != CAUSE_COUNT)
			findings->at[kept++] = findings->at[i];
	findings->count = kept;
}

/* True if `a` loses the store that `b` needs on media. */
static bool loses_what_is_needed(const struct finding *a, const struct finding *b)
{
	return frame_same_place(stack_location(&a->crash->lost[0].stack),
				stack_location(&b->crash->persisted[0].stack));
}

/* True if recovery fails with X on media without Y, and also with Y without X.  Persisting one of them first would
 * only decide which of the two findings remains. */
static bool findings_are_mutual(const struct finding *a, const struct finding *b)
{
	return a->fix && b->fix && a->crash->lost_count && b->crash->lost_count && a->crash->telling_count &&
	       b->crash->telling_count && failure_equal(a, b) && loses_what_is_needed(a, b) &&
	       loses_what_is_needed(b, a);
}

static void findings_advise_together(struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		for (size_t k = 0; k < findings->count && findings->at[i].crash; k++) {
			if (k == i || !findings->at[k].crash ||
			    !findings_are_mutual(&findings->at[i], &findings->at[k]))
				continue;
			fix_together(findings, &findings->at[i]);
		}
}

void crash_unite(struct findings *findings)
{
	findings_unite(findings);
	findings_advise_together(findings);
}
