/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text_crash.c - the story of a crash finding: where the power failed, what was on media and what not, what recovery
 * did.
 *
 *     power fails: before the sfence at kv.c:123
 *     on media: 8 bytes at pool+0x40 = 0x1 (kv.c:121), flushed at kv.c:122
 *     lost: 8 bytes at pool+0x80 = 0x2a (kv.c:118), flushed at kv.c:119
 *     recovery: SIGSEGV in kv_check (kv.c:402) on 12 crash states
 *     it printed: item 3 has no name
 *     ...
 *     replay: blackout replay blackout.out F2 */
#include <string.h>

#include "finding/crash.h"
#include "report/text_out.h"

#define STORES_MAX 4u /* on media and lost each */
#define PRINTED_MAX 300

/* What needs no quotes in a shell. */
#define SAFE "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:,+@%-"

/* "8 bytes at pool+0x40 = 0x1 (kv.c:121), flushed at kv.c:122". */
static void text_stores(struct text *t, const char *label, const struct finding_store *stores, size_t count,
			uint64_t total)
{
	size_t shown = count < STORES_MAX ? count : STORES_MAX;

	for (size_t i = 0; i < shown; i++) {
		char line[2000], store[400], place[600], flush[600];

		crash_store_text(&stores[i], store, sizeof(store));
		frame_place(stack_location(&stores[i].stack), place, sizeof(place));
		frame_place(stack_location(&stores[i].flush), flush, sizeof(flush));
		snprintf(line, sizeof(line), "%s (%s)%s%s", store, place, stores[i].flush.count ? ", flushed at " : "",
			 stores[i].flush.count ? flush : "");
		text_paragraph(t, label, line);
	}
	if (total > shown) {
		char line[80], number[40];

		snprintf(line, sizeof(line), "and %s more", grouped_text(number, total - shown, " "));
		text_paragraph(t, label, line);
	}
}

/* The last line that recovery printed, or where it ended if it printed nothing. */
static void text_printed(struct text *t, const struct finding_crash *crash)
{
	const char *from = *crash->recovery.err ? crash->recovery.err : crash->recovery.out;
	size_t end = strlen(from);
	char line[PRINTED_MAX + 1];

	while (end && (from[end - 1] == '\n' || from[end - 1] == ' '))
		end--;
	size_t start = end;
	while (start && from[start - 1] != '\n')
		start--;
	if (start == end)
		return;
	snprintf(line, sizeof(line), "%.*s", (int)(end - start), from + start);
	text_paragraph(t, "it printed:", line);
}

void text_crash(struct text *t, const struct finding *finding)
{
	const struct finding_crash *crash = finding->crash;
	char line[2000], what[1200], number[40];

	crash_point_text(crash, what, sizeof(what));
	snprintf(line, sizeof(line), "before %s%s", what, crash->nested ? ", in recovery from an earlier crash" : "");
	text_paragraph(t, "power fails:", line);
	text_stores(t, "on media:", crash->persisted, crash->telling_count, crash->telling_count);
	text_stores(t, "lost:", crash->lost, crash->lost_count, crash->lost_total);
	crash_failure_text(crash, what, sizeof(what));
	snprintf(line, sizeof(line), "%s on %s crash state%s", what, grouped_text(number, crash->states, " "),
		 crash->states == 1 ? "" : "s");
	text_paragraph(t, "recovery:", line);
	text_printed(t, crash);
}

/* A word of a shell command, quoted where it must be. */
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
