/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crash_text.c - the texts about a crash state: names, phrases, and the sentences for each cause; see
 * crash_finding.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "finding/crash_parts.h"
#include "finding/fix.h"
#include "finding/message.h"
#include "finding/own.h"

#define PLACE_MAX 1200
#define VALUE_CHARS 34   /* the shown part of a value; 8 bytes always fit */
#define EXPECTED_SHOWN 3 /* of several lines that a history may print */

/* Does a persisted store explain the loss of the first lost store, and which of the two was made first? */
enum beside {
	BESIDE_NOTHING,
	BESIDE_LATER,   /* a persisted store that was made after it */
	BESIDE_EARLIER, /* a persisted store that was made before it */
};

/* When the first lost store was flushed, relative to the first persisted store. */
enum flushed {
	FLUSHED_NOT,
	FLUSHED_BEFORE, /* only a fence after the flush is missing */
	FLUSHED_AFTER,  /* the flush itself comes too late */
};

/* Sentences as in kind.h.  {store} is the first persisted store, {flush} the flush of the first lost store, {point}
 * what the crash prevented, {fails} what recovery does.  The first row of a cause whose requirements are met is
 * used. */
static const struct {
	enum crash_cause cause;
	enum beside beside;
	enum flushed flushed;
	const char *message, *fix;
} sentences[] = {
	{CAUSE_UNFLUSHED, BESIDE_LATER, FLUSHED_NOT,
	 "the store at {store} can be on media while this one is not: this one is not flushed before {store}",
	 FIX_PERSIST_FIRST},
	{CAUSE_UNFLUSHED, BESIDE_EARLIER, FLUSHED_NOT,
	 "if the power fails before {point}, the store at {store} is on media, but this one is not: it is not flushed yet",
	 FIX_PERSIST_FIRST FIX_OR_TRANSACTION},
	{CAUSE_UNFLUSHED, BESIDE_NOTHING, FLUSHED_NOT,
	 "if the power fails before {point}, this store is not on media yet, but something that needs it is",
	 FIX_PERSIST " before what relies on it" FIX_OR_TRANSACTION},
	{CAUSE_UNFENCED, BESIDE_LATER, FLUSHED_BEFORE,
	 "the store at {store} can be on media while this one is not: this one is flushed at {flush}, but no fence follows "
	 "before {store}",
	 FIX_FENCE_FLUSH ", before the store at {store}"},
	{CAUSE_UNFENCED, BESIDE_LATER, FLUSHED_AFTER,
	 "the store at {store} can be on media while this one is not: this one is flushed only later, at {flush}",
	 FIX_PERSIST_FIRST},
	{CAUSE_UNFENCED, BESIDE_LATER, FLUSHED_NOT,
	 "the store at {store} can be on media while this one is not: this one bypasses the cache, but no fence follows "
	 "before {store}",
	 FIX_FENCE_DIRECT},
	{CAUSE_UNFENCED, BESIDE_EARLIER, FLUSHED_NOT,
	 "if the power fails before {point}, the store at {store} is on media, but this one is not: it is not fenced yet",
	 FIX_PERSIST_FIRST FIX_OR_TRANSACTION},
	{CAUSE_UNFENCED, BESIDE_NOTHING, FLUSHED_NOT,
	 "if the power fails before {point}, this store is not fenced and may not be on media yet, but something that needs it is",
	 FIX_PERSIST " before what relies on it" FIX_OR_TRANSACTION},
	{CAUSE_UNORDERED, BESIDE_LATER, FLUSHED_BEFORE,
	 "the store at {store} can be on media while this one is not: both are flushed, but no fence separates them",
	 FIX_FENCE_FLUSH ", before the store at {store}"},
	{CAUSE_UNORDERED, BESIDE_LATER, FLUSHED_AFTER,
	 "the store at {store} can be on media while this one is not: both are flushed, but no fence separates them",
	 FIX_PERSIST_FIRST},
	{CAUSE_UNORDERED, BESIDE_LATER, FLUSHED_NOT,
	 "the store at {store} can be on media while this one is not: no fence separates them", FIX_PERSIST_FIRST},
	{CAUSE_UNORDERED, BESIDE_EARLIER, FLUSHED_AFTER,
	 "the store at {store} can be on media while this later one is not", FIX_PERSIST_FIRST FIX_OR_TRANSACTION},
	/* Nothing flushes it: whatever relies on both may have been stored, and persisted, later. */
	{CAUSE_UNORDERED, BESIDE_EARLIER, FLUSHED_NOT,
	 "the store at {store} can be on media while this later one is not",
	 FIX_PERSIST " before anything relies on it" FIX_OR_TRANSACTION},
	{CAUSE_UNORDERED, BESIDE_NOTHING, FLUSHED_NOT,
	 "if the power fails before {point}, this store may not be on media, though something that needs it is",
	 FIX_PERSIST " before what relies on it" FIX_OR_TRANSACTION},
	{CAUSE_TORN, BESIDE_NOTHING, FLUSHED_NOT,
	 "part of this store can be on media without the rest: only 8 aligned bytes are written atomically",
	 "make the change by one aligned store of 8 bytes, or log it first"},
	{CAUSE_EARLY, BESIDE_NOTHING, FLUSHED_NOT,
	 "this store can be on media before something that it needs: recovery {fails} if the power fails before {point}",
	 "first store and persist the data that this store makes valid" FIX_OR_TRANSACTION},
	{CAUSE_MOMENT, BESIDE_NOTHING, FLUSHED_NOT,
	 "recovery {fails} if the power fails before {point} and everything stored until then is on media", ""},
	{CAUSE_BLANK, BESIDE_NOTHING, FLUSHED_NOT,
	 "recovery passes without a pool file, but {fails} on the new file, which holds only zeros until the program stores to it: "
	 "the power may fail before {point}",
	 "let recovery treat a file of zeros as a missing file, or make the pool under another name and rename it when it is "
	 "complete; to test without creation, make the pool with --setup, or use --after FUNCTION"},
	{CAUSE_CREATION, BESIDE_NOTHING, FLUSHED_NOT,
	 "recovery {fails} if the power fails before {create} returns: creating a pool is not atomic",
	 "create the pool under another name and rename it when {create} has returned; to test without creation, make the "
	 "pool with --setup, or use --after {create}"},
	{CAUSE_ORDERLY, BESIDE_NOTHING, FLUSHED_NOT,
	 "recovery {fails} without a crash, too: it does so on what complete operations leave, with everything on media; no store is "
	 "to blame",
	 "let the program go on after each operation of the list that it refuses, and open whatever complete operations leave"},
};

/* For CAUSE_MOMENT, if every set of the pending stores was tried. */
static const char *const moment_always =
	"recovery {fails} if the power fails before {point}, no matter which pending stores reached media";

/* For an output that differs from what the recorded run printed, though everything is on media. */
static const char *const volatile_only =
	"even with everything on media, recovery does not print what the recorded run printed for the same operations: some effects of "
	"earlier operations are in volatile memory only";
static const char *const volatile_fix = "keep in persistent memory everything that later operations depend on";

/* Used if the search was cut short.  No fix is given then. */
static const char *const unfinished_lost =
	"recovery {fails} if the power fails before {point} and this store is lost; the search for the cause was cut short, so another "
	"store may be to blame";
static const char *const unfinished_early =
	"recovery {fails} if the power fails before {point}: this store, or one shortly before it, reached media too early; the search "
	"for the cause was cut short";

static const char *const causes[CAUSE_COUNT] = {"unflushed", "unfenced", "unordered", "torn",   "early",
						"moment",    "blank",    "creation",  "orderly"};

const char *cause_name(enum crash_cause cause)
{
	BUG_ON((unsigned)cause >= CAUSE_COUNT);
	return causes[cause];
}

bool cause_find(const char *name, enum crash_cause *cause)
{
	for (*cause = 0; *cause < CAUSE_COUNT; ++*cause)
		if (!strcmp(causes[*cause], name))
			return true;
	return false;
}

/* ---- phrases ---- */

void crash_failure_text(const struct finding_crash *crash, char *text, size_t size)
{
	const struct finding_frame *frame = stack_location(&crash->recovery.stack);
	const char *in = crash->recovery.ending.kind == ENDING_TIMEOUT ? ", hanging in" : " in";
	char place[600], function[300];

	ending_text(crash->recovery.ending, text, size);
	size_t used = strlen(text);
	if (!frame)
		return;
	frame_place(frame, place, sizeof(place));
	if (!frame->function || !frame->line) {
		snprintf(text + used, size - used, "%s %s", in, place);
		return;
	}
	function_plain(function, sizeof(function), frame->function);
	snprintf(text + used, size - used, "%s %s (%s)", in, function, place);
}

void crash_printed_text(const struct finding_crash *crash, char *text, size_t size)
{
	const char *from = *crash->recovery.err ? crash->recovery.err : crash->recovery.out;
	size_t end = strlen(from), start;

	while (end && (from[end - 1] == '\n' || from[end - 1] == ' '))
		end--;
	for (start = end; start && from[start - 1] != '\n';)
		start--;
	snprintf(text, size, "%.*s", (int)(end - start), from + start);
}

/* The noun for an op.  The table has the ops whose names are not nouns. */
static const char *op_noun(const char *op)
{
	static const struct {
		const char *op, *noun;
	} nouns[] = {
		{"ntstore", "non-temporal store"},
		{"lockstore", "locked store"},
		{"repstore", "string store"},
		{"sysstore", "system call"},
		{"locked", "locked instruction"},
		{"unmap", "munmap"},
		{"remap", "mremap"},
		{"exit", "end of the program"},
	};

	for (size_t i = 0; op && i < sizeof(nouns) / sizeof(*nouns); i++)
		if (!strcmp(nouns[i].op, op))
			return nouns[i].noun;
	return op;
}

void crash_point_text(const struct finding_crash *crash, char *text, size_t size)
{
	const struct finding_frame *frame = stack_location(&crash->point);
	char place[600], noun[80];

	if (!frame) {
		snprintf(text, size, "the end of the program");
		return;
	}
	/* The whole stack is a library's, for example at the end of the program.  What the library was doing tells
	 * more than where it was started. */
	if (!frame->own && crash->point.location + 1 == crash->point.count)
		frame = &crash->point.frames[0];
	frame_place(frame, place, sizeof(place));
	text_plain(noun, sizeof(noun), crash->point_op ? op_noun(crash->point_op) : "instruction");
	if (crash->point_thread)
		snprintf(text, size, "the %s at %s in thread %" PRIu32, noun, place, crash->point_thread);
	else
		snprintf(text, size, "the %s at %s", noun, place);
}

void crash_store_text(const struct finding_store *store, char *text, size_t size)
{
	char pool[300], thread[40] = "";

	text_plain(pool, sizeof(pool), store->pool_name ? store->pool_name : "??");
	if (store->thread)
		snprintf(thread, sizeof(thread), "thread %" PRIu32 " stored ", store->thread);
	int used = snprintf(text, size, "%s%" PRIu32 " byte%s at %s+0x%" PRIx64, thread, store->size,
			    store->size == 1 ? "" : "s", pool, store->offset);
	if (store->value && used > 0 && (size_t)used < size)
		used += snprintf(text + used, size - (size_t)used, " = %.*s%s", VALUE_CHARS, store->value,
				 strlen(store->value) > VALUE_CHARS ? ".." : "");
	if (store->variable.text && used > 0 && (size_t)used < size) {
		char name[300];

		text_plain(name, sizeof(name), store->variable.text);
		snprintf(text + used, size - (size_t)used, ", %s", name);
	}
}

void crash_operation_text(const struct finding_crash *crash, char *text, size_t size)
{
	const struct finding_operation *operation = &crash->operation;
	char what[700];

	text[0] = 0;
	if (!operation->known)
		return;
	if (operation->index < 0) {
		snprintf(text, size, "no operation had begun");
		return;
	}
	text_plain(what, sizeof(what), operation->text ? operation->text : "");
	snprintf(text, size, "operation %" PRId64 ", `%s`, was %s", operation->index, what,
		 operation->inside ? "under way" : "complete");
}

/* A line of output in messages: "`v3`", "an empty line", "nothing". */
static void crash_line_text(const char *line, char *text, size_t size)
{
	char plain[2100];

	text_plain(plain, sizeof(plain), line);
	if (!strcmp(line, OUTPUT_ENDS))
		snprintf(text, size, "nothing");
	else if (!*line)
		snprintf(text, size, "an empty line");
	else
		snprintf(text, size, "`%s`", plain);
}

/* How many expected lines, from this one on, have the same history? */
static size_t expected_alike(const struct finding_mismatch *mismatch, size_t first)
{
	const char *history = mismatch->expected[first].history;
	size_t next = first + 1;

	while (history && next < mismatch->expected_count && mismatch->expected[next].history &&
	       !strcmp(mismatch->expected[next].history, history))
		next++;
	return next - first;
}

/* Lines with the same history: "`5`, `8`, `10`, or one of 13 others in one of the orders that are legal".  Returns the
 * length of all, even if there is less room. */
static size_t expected_text(const struct finding_expected *expected, size_t count, bool others_before, char *text,
			    size_t room)
{
	const char *history = expected->history;
	size_t shown = count <= EXPECTED_SHOWN + 1 ? count : EXPECTED_SHOWN, used = 0;
	char line[2200];

	for (size_t i = 0; i < shown && used < room; i++) {
		crash_line_text(expected[i].line, line, sizeof(line));
		used += (size_t)snprintf(text + used, room - used, "%s%s",
					 i               ? i + 1 == count ? " or " : ", "
					 : others_before ? " or "
							 : "",
					 line);
	}
	if (shown < count && used < room)
		used += (size_t)snprintf(text + used, room - used, ", or one of %zu others", count - shown);
	if (history && used < room)
		used += (size_t)snprintf(text + used, room - used, " %s", history);
	return used;
}

void crash_mismatch_text(const struct finding_crash *crash, char *text, size_t size)
{
	const struct finding_mismatch *mismatch = &crash->recovery.mismatch;
	char line[2200], query[700] = "recovery";
	size_t used = 0;

	text[0] = 0;
	if (!mismatch->expected_count)
		return;
	if (mismatch->query)
		crash_line_text(mismatch->query, query, sizeof(query));
	else if (mismatch->line)
		snprintf(query, sizeof(query), "in line %" PRIu64 " of its output, recovery", mismatch->line);
	used = (size_t)snprintf(text, size, "%s should print ", query);
	for (size_t i = 0, alike; i < mismatch->expected_count && used < size; i += alike) {
		alike = expected_alike(mismatch, i);
		used += expected_text(&mismatch->expected[i], alike, i > 0, text + used, size - used);
	}
	crash_line_text(mismatch->got, line, sizeof(line));
	if (used < size && mismatch->endless && !strcmp(mismatch->got, OUTPUT_ENDS))
		snprintf(text + used, size - used, ", but prints without end");
	else if (used < size)
		snprintf(text + used, size - used, ", but prints %s%s", line,
			 mismatch->endless ? "; its output has no end, and was cut" : "");
}

/* ---- sentences ---- */

static bool has_role(const struct finding *finding, enum related_role role)
{
	for (size_t i = 0; i < finding->related_count; i++)
		if (finding->related[i].role == role)
			return true;
	return false;
}

/* True if {here} and {store} read differently.  In a loop, or in a function that stores for others, both stores may
 * be in one line. */
static bool places_differ(const struct finding *finding)
{
	char here[PLACE_MAX], store[PLACE_MAX];

	message_fill(finding, "{here}", here, sizeof(here));
	message_fill(finding, "{store}", store, sizeof(store));
	return strcmp(here, store) != 0;
}

static enum beside finding_beside(const struct finding *finding)
{
	const struct finding_crash *crash = finding->crash;

	if (!has_role(finding, ROLE_STORE) || !crash->lost_count || !crash->telling_count || !places_differ(finding))
		return BESIDE_NOTHING;
	return crash->persisted[0].event < crash->lost[0].event ? BESIDE_EARLIER : BESIDE_LATER;
}

static enum flushed finding_flushed(const struct finding *finding)
{
	const struct finding_crash *crash = finding->crash;

	if (!has_role(finding, ROLE_FLUSH))
		return FLUSHED_NOT;
	return crash->persisted_count && crash->persisted[0].event < crash->lost[0].flush_event ? FLUSHED_AFTER
												: FLUSHED_BEFORE;
}

/* Always finds a row, because each cause has one without requirements. */
static size_t sentence_find(const struct finding *finding)
{
	enum flushed flushed = finding_flushed(finding);
	enum beside beside = finding_beside(finding);

	for (size_t i = 0; i < sizeof(sentences) / sizeof(*sentences); i++)
		if (sentences[i].cause == finding->crash->cause &&
		    (sentences[i].flushed == FLUSHED_NOT || sentences[i].flushed == flushed) &&
		    (sentences[i].beside == BESIDE_NOTHING || sentences[i].beside == beside))
			return i;
	BUG_ON("a cause without a sentence");
	return 0;
}

/* True if the user can apply the fix.  Users cannot persist what a library stored for its own purposes. */
static bool fix_is_possible(const struct finding *finding)
{
	enum crash_cause cause = finding->crash->cause;

	return cause == CAUSE_EARLY || cause == CAUSE_BLANK || cause == CAUSE_CREATION || cause == CAUSE_ORDERLY ||
	       own_request(&finding->stack);
}

void crash_say(struct findings *findings, struct finding *finding)
{
	bool recorded = finding->crash->recovery.mismatch.recorded,
	     unfinished = finding->crash->unfinished && !recorded;
	size_t row = sentence_find(finding);
	const char *fix = recorded ? volatile_fix : sentences[row].fix;
	const char *reason = finding->invariant && !unfinished ? invariant_sentence(finding) : NULL;
	char text[8192];

	if (reason && finding->kind == KIND_ATOMICITY_VIOLATION)
		fix = FIX_TOGETHER;
	else if (reason && !finding->crash->lost_count)
		fix = FIX_PERSIST_FIRST FIX_OR_TRANSACTION;
	message_fill(finding,
		     reason                       ? reason
		     : recorded                   ? volatile_only
		     : finding->crash->always     ? moment_always
		     : !unfinished                ? sentences[row].message
		     : finding->crash->lost_count ? unfinished_lost
						  : unfinished_early,
		     text, sizeof(text));
	finding->message = findings_text(findings, text);
	if (unfinished || !*fix || !(recorded || fix_is_possible(finding)) || !message_distinct(finding, fix))
		return;
	message_fill(finding, fix, text, sizeof(text));
	finding->fix = findings_text(findings, text);
}
