/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text_crash.c - the story of a crash finding: where the power failed, what was on media and what was lost, and what
 * recovery did.
 *
 *     power fails: before the sfence at kv.c:123; operation 17, `put k7 v3`, was under way
 *     on media: 8 bytes at pool+0x40 = 0x1 (kv.c:121), flushed at kv.c:122
 *     lost: 8 bytes at pool+0x80 = 0x2a (kv.c:118), flushed at kv.c:119
 *     recovery: SIGSEGV in kv_check (kv.c:402) on 12 crash states
 *     it printed: item 3 has no name
 *     ...
 *     replay: blackout replay blackout.out F2 */
#include <string.h>

#include "finding/crash_finding.h"
#include "finding/own.h"
#include "report/text_out.h"

#define STORES_MAX 4u /* for "on media" and "lost" each */
#define PRINTED_MAX 300

/* Characters that need no quotes in a shell. */
#define SAFE "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:,+@%-"

/* "8 bytes at pool+0x40 = 0x1 (kv.c:121), flushed at kv.c:122". */
static void text_store(struct text *t, const char *label, const struct finding_store *s)
{
	char line[2000], store[400], place[600], flush[600];

	crash_store_text(s, store, sizeof(store));
	frame_place(stack_location(&s->stack), place, sizeof(place));
	frame_place(stack_location(&s->flush), flush, sizeof(flush));
	snprintf(line, sizeof(line), "%s (%s)%s%s", store, place, s->flush.count ? ", flushed at " : "",
		 s->flush.count ? flush : "");
	text_paragraph(t, label, line);
}

/* The library that made this store for its own purposes; NULL: it was not a library. */
static const char *store_library(const struct finding_store *store)
{
	size_t frame = own_library(&store->stack);

	return frame < store->stack.count ? store->stack.frames[frame].module : NULL;
}

/* Stores that a library makes for its own purposes come last (finding/crash_finding.h), and tell the user little.
 * Returns how many there are, if there are several and other stores too. */
static size_t library_count(const struct finding_store *stores, size_t count)
{
	size_t folded = 0;

	while (folded < count && store_library(&stores[count - 1 - folded]))
		folded++;
	return folded > 1 && folded < count ? folded : 0;
}

/* "and 37 stores of libpmemobj" */
static void text_library_stores(struct text *t, const char *label, const struct finding_store *last, size_t count)
{
	const char *module = store_library(last), *end = strstr(module, ".so");
	size_t length = end ? (size_t)(end - module) : strlen(module);
	char line[400], number[40];

	snprintf(line, sizeof(line), "and %s stores of %.*s", grouped_text(number, count, " "), (int)length, module);
	text_paragraph(t, label, line);
}

static void text_stores(struct text *t, const char *label, const struct finding_store *stores, size_t count,
			uint64_t total)
{
	size_t library = library_count(stores, count);
	size_t shown = count - library < STORES_MAX ? count - library : STORES_MAX;

	for (size_t i = 0; i < shown; i++)
		text_store(t, label, &stores[i]);
	if (library)
		text_library_stores(t, label, &stores[count - 1], library);
	shown += library;
	if (total > shown) {
		char line[80], number[40];

		snprintf(line, sizeof(line), "and %s more", grouped_text(number, total - shown, " "));
		text_paragraph(t, label, line);
	}
}

static void text_printed(struct text *t, const struct finding_crash *crash)
{
	char line[PRINTED_MAX + 1];

	/* Where outputs differ, the last line says nothing; the first one that differs does. */
	if (crash->recovery.mismatch.expected_count)
		return;
	crash_printed_text(crash, line, sizeof(line));
	if (*line)
		text_paragraph(t, "it printed:", line);
}

void text_crash(struct text *t, const struct finding *finding)
{
	const struct finding_crash *crash = finding->crash;
	char line[8192], what[1200], number[40], operation[1000];

	crash_point_text(crash, what, sizeof(what));
	crash_operation_text(crash, operation, sizeof(operation));
	snprintf(line, sizeof(line), "before %s%s%s%s", what,
		 crash->nested ? ", in recovery from an earlier crash" : "", *operation ? "; " : "", operation);
	text_paragraph(t, "power fails:", line);
	crash_invariant_text(finding, line, sizeof(line));
	if (*line)
		text_paragraph(t, "invariant:", line);
	text_stores(t, "on media:", crash->persisted, crash->telling_count, crash->telling_count);
	text_stores(t, "lost:", crash->lost, crash->lost_count, crash->lost_total);
	crash_failure_text(crash, what, sizeof(what));
	snprintf(line, sizeof(line), "%s on %s crash state%s", what, grouped_text(number, crash->states, " "),
		 crash->states == 1 ? "" : "s");
	text_paragraph(t, "recovery:", line);
	crash_mismatch_text(crash, line, sizeof(line));
	if (*line)
		text_paragraph(t, "outputs:", line);
	text_printed(t, crash);
}

/* Print a word of a shell command, quoted if necessary. */
static void word_quote(char *text, size_t size, const char *word)
{
	size_t used = 0;

	if (*word && strspn(word, SAFE) == strlen(word)) {
		snprintf(text, size, "%s", word);
		return;
	}
	text[used++] = '\'';
	for (; *word && used + 6 < size; word++) {
		if (*word == '\'')
			used += (size_t)sprintf(text + used, "%s", "'\\'");
		text[used++] = *word;
	}
	strcpy(text + used, "'");
}

void text_replay(struct text *t, const struct finding *finding)
{
	const char *folder = finding->crash->folder;
	char line[1200], dir[1000];

	if (!t->dir || !folder)
		return;
	word_quote(dir, sizeof(dir), t->dir);
	snprintf(line, sizeof(line), "blackout replay %s %s", dir, folder);
	text_paragraph(t, "replay:", line);
}
