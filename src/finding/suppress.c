/* SPDX-License-Identifier: GPL-2.0-or-later */
/* suppress.c - matches findings against suppressions, and writes suppressions; see suppress.h. */
#include "finding/suppress.h"

#include <fnmatch.h>
#include <string.h>

#include "finding/suppress_parse.h"

void suppress_free(struct suppress *suppress)
{
	if (!suppress)
		return;
	for (size_t i = 0; i < suppress->entries.count; i++)
		vec_free(&suppress->entries.at[i].frames);
	vec_free(&suppress->entries);
	arena_free(&suppress->texts);
	free(suppress);
}

/* ---- matching ---- */

static bool pattern_matches(const char *pattern, const char *text)
{
	return !fnmatch(pattern, text ? text : "", 0);
}

static bool frame_matches(const struct suppress_frame *pattern, const struct finding_frame *frame)
{
	if (pattern->fun && !pattern_matches(pattern->fun, frame->function))
		return false;
	if (pattern->file && !pattern_matches(pattern->file, frame->path) &&
	    !pattern_matches(pattern->file, frame->file))
		return false;
	return !pattern->module || pattern_matches(pattern->module, frame->module);
}

/* True if the patterns match the stack from frame `at` on.  The algorithm is that of shells for `*`: on a mismatch,
 * go back to the last `...` and let it take one frame more.  Earlier ones never need to take more. */
static bool frames_match(const struct suppress_entry *entry, const struct finding_stack *stack, size_t at)
{
	size_t pattern = 0, retry_pattern = SIZE_MAX, retry_at = 0;

	while (pattern < entry->frames.count) {
		if (entry->frames.at[pattern].any) {
			retry_pattern = ++pattern;
			retry_at = at;
		} else if (at < stack->count && frame_matches(&entry->frames.at[pattern], &stack->frames[at])) {
			pattern++;
			at++;
		} else if (retry_pattern != SIZE_MAX && retry_at < stack->count) {
			pattern = retry_pattern;
			at = ++retry_at;
		} else {
			return false;
		}
	}
	return true;
}

static bool entry_matches(const struct suppress_entry *entry, const struct finding *finding)
{
	bool from_inside = entry->frames.count && entry->frames.at[0].any;

	if (!pattern_matches(entry->kind, kind_get(finding->kind)->name))
		return false;
	if (entry->fingerprint && strcmp(entry->fingerprint, finding->fingerprint))
		return false;
	return frames_match(entry, &finding->stack, from_inside ? 0 : finding->stack.location);
}

void suppress_apply(struct suppress *suppress, struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		struct finding *finding = &findings->at[i];

		for (size_t j = 0; j < suppress->entries.count; j++) {
			struct suppress_entry *entry = &suppress->entries.at[j];

			if (finding->state == FINDING_KNOWN || !entry_matches(entry, finding))
				continue;
			entry->used = true; /* even if an earlier entry already suppressed it: both are in use */
			if (finding->state != FINDING_ACTIVE)
				continue;
			finding->state = FINDING_SUPPRESSED;
			finding->reason = findings_text(findings, entry->reason);
		}
	}
}

void suppress_note_unused(const struct suppress *suppress, struct findings *findings)
{
	for (size_t i = 0; i < suppress->entries.count; i++) {
		const struct suppress_entry *entry = &suppress->entries.at[i];

		if (!entry->used)
			findings_note(findings, "the suppression [%s] at %s:%u matched nothing (%s)", entry->kind,
				      suppress->name, entry->line, entry->reason);
	}
}

/* ---- writing ---- */

/* Writes a name as a quoted pattern that matches only this name. */
static void write_condition(FILE *out, const char *key, const char *name, bool *first)
{
	if (!name || !*name)
		return;
	fprintf(out, "%s%s:\"", *first ? "" : " ", key);
	for (; *name; name++) {
		if (*name == '\n') /* a line cannot contain it */
			fputc('?', out);
		else if (strchr("*?[]\\\"", *name))
			fprintf(out, "\\%c", *name);
		else
			fputc(*name, out);
	}
	fputc('"', out);
	*first = false;
}

static void write_entry(FILE *out, const struct finding *finding)
{
	const struct finding_frame *frame = stack_location(&finding->stack);
	char place[1200], message[4096];
	bool first = true;

	frame_text(frame, place, sizeof(place));
	text_plain(message, sizeof(message), finding->message);
	fprintf(out, "\n# %s: %s\n[%s]\n", place, message, kind_get(finding->kind)->name);
	fprintf(out, "reason: found by an earlier run, not examined yet\n");
	if (frame) {
		write_condition(out, "fun", frame->function, &first);
		write_condition(out, "file", frame->file, &first);
		write_condition(out, "module", frame->module, &first);
	}
	fprintf(out, "%sfingerprint: %s\n", first ? "" : "\n", finding->fingerprint);
}

int suppress_write(const struct findings *findings, const char *path, struct err *err)
{
	FILE *out = fopen(path, "we");

	if (!out)
		return err_sys(err, "cannot write %s", path);
	fprintf(out,
		"# Suppressions for `blackout run --suppress`.  Give each a reason; remove the fingerprint to silence\n"
		"# the whole function.\n");
	for (size_t i = 0; i < findings->count; i++)
		if (findings->at[i].state == FINDING_ACTIVE)
			write_entry(out, &findings->at[i]);
	bool failed = ferror(out);
	if (fclose(out) || failed)
		return err_sys(err, "cannot write %s", path);
	return 0;
}
