/* SPDX-License-Identifier: GPL-2.0-or-later */
/* finding.c - a collection of findings: its memory, sorting, counts, and the text of places; see finding.h. */
#include "finding/finding.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define FUNCTION_LONG 60 /* longer names are abbreviated */

#ifndef BLACKOUT_VERSION
#define BLACKOUT_VERSION "unknown"
#endif

struct findings *findings_new(void)
{
	struct findings *findings = mem_alloc(sizeof(*findings));

	findings->tool_version = BLACKOUT_VERSION;
#define X(name) findings->stats.seconds.name = -1;
	FINDINGS_SECONDS(X)
#undef X
	return findings;
}

void findings_free(struct findings *findings)
{
	if (!findings)
		return;
	for (size_t i = 0; i < findings->blocks.count; i++)
		free(findings->blocks.at[i]);
	vec_free(&findings->blocks);
	vec_free(&findings->target.command);
	vec_free(&findings->target.pm);
	vec_free(&findings->target.platforms);
	vec_free(&findings->target.own);
	vec_free(&findings->target.fold);
	vec_free(&findings->target.no_fold);
	vec_free(&findings->warnings);
	vec_free(&findings->narrowed);
	vec_free(&findings->missing);
	vec_free(&findings->notes);
	vec_free(&findings->segments);
	arena_free(&findings->texts);
	free(findings->at);
	free(findings);
}

const char *findings_text(struct findings *findings, const char *text)
{
	return text ? arena_copy(&findings->texts, text, strlen(text)) : NULL;
}

void findings_note(struct findings *findings, const char *format, ...)
{
	char note[4096];
	va_list args;

	va_start(args, format);
	vsnprintf(note, sizeof(note), format, args);
	va_end(args);
	vec_push(&findings->notes, findings_text(findings, note));
}

/* True if the path ends in `names`, starting at a whole name. */
static bool path_ends_in(const char *path, const char *names)
{
	size_t length = strlen(path), wanted = strlen(names);

	return length >= wanted && !strcmp(path + length - wanted, names) &&
	       (length == wanted || *names == '/' || path[length - wanted - 1] == '/');
}

static bool name_is_unique(const struct findings *findings, const char *path, const char *name)
{
	for (size_t i = 0; i < findings->target.pm.count; i++)
		if (strcmp(findings->target.pm.at[i], path) != 0 && path_ends_in(findings->target.pm.at[i], name))
			return false;
	return true;
}

const char *findings_pool_name(const struct findings *findings, const char *path)
{
	const char *name = path ? path + strlen(path) : NULL;

	while (name && name > path) {
		do
			name--;
		while (name > path && name[-1] != '/');
		if (name_is_unique(findings, path, name))
			break;
	}
	return name;
}

void *findings_block(struct findings *findings, size_t count, size_t size)
{
	if (!count)
		return NULL;
	void *block = mem_alloc(count * size);
	vec_push(&findings->blocks, block);
	return block;
}

void findings_add(struct findings *findings, const struct finding *finding)
{
	findings->at = mem_resize(findings->at, findings->count + 1, sizeof(*findings->at));
	findings->at[findings->count++] = *finding;
}

/* ---- order and counts ---- */

/* NULL comes last. */
static int text_compare(const char *a, const char *b)
{
	if (!a || !b)
		return !a - !b;
	return strcmp(a, b);
}

static int number_compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int frame_compare(const struct finding_frame *a, const struct finding_frame *b)
{
	int order;

	if (!a || !b)
		return !a - !b;
	if ((order = text_compare(a->file, b->file)) || (order = number_compare(a->line, b->line)))
		return order;
	if ((order = text_compare(a->module, b->module)) || (order = text_compare(a->path, b->path)))
		return order;
	return a->line ? 0 : number_compare(a->offset, b->offset); /* findings.json has no offset if there is a line */
}

static int finding_compare(const void *left, const void *right)
{
	const struct finding *a = left, *b = right;
	int order;

	if ((a->state != FINDING_ACTIVE) != (b->state != FINDING_ACTIVE))
		return a->state != FINDING_ACTIVE ? 1 : -1;
	if (a->severity != b->severity)
		return a->severity < b->severity ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	if ((order = frame_compare(stack_location(&a->stack), stack_location(&b->stack))))
		return order;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return strcmp(a->fingerprint, b->fingerprint);
}

void findings_number(struct findings *findings)
{
	if (findings->count)
		qsort(findings->at, findings->count, sizeof(*findings->at), finding_compare);
	for (size_t i = 0; i < findings->count; i++)
		snprintf(findings->at[i].id, sizeof(findings->at[i].id), "F%zu", i + 1);
}

size_t findings_count(const struct findings *findings, enum severity severity)
{
	size_t count = 0;

	for (size_t i = 0; i < findings->count; i++)
		count += findings->at[i].state == FINDING_ACTIVE && findings->at[i].severity == severity;
	return count;
}

size_t findings_silenced(const struct findings *findings)
{
	size_t count = 0;

	for (size_t i = 0; i < findings->count; i++)
		count += findings->at[i].state != FINDING_ACTIVE;
	return count;
}

bool fail_on_parse(const char *text, enum severity *lowest, bool *never)
{
	*never = !strcmp(text, "never");
	*lowest = SEVERITY_ERROR;
	return *never || severity_find(text, lowest);
}

bool findings_fail(const struct findings *findings, enum severity lowest)
{
	for (unsigned severity = 0; severity <= (unsigned)lowest; severity++)
		if (findings_count(findings, (enum severity)severity))
			return true;
	return false;
}

/* ---- places ---- */

const struct finding_frame *stack_location(const struct finding_stack *stack)
{
	return stack->count ? &stack->frames[stack->location] : NULL;
}

void variable_text(const struct variable *variable, char *text, size_t size)
{
	char name[300], type[300];

	text_plain(name, sizeof(name), variable->text ? variable->text : "");
	text_plain(type, sizeof(type), variable->type ? variable->type : "");
	snprintf(text, size, *type ? "%s (%s)" : "%s", name, type);
}

void text_plain(char *text, size_t size, const char *from)
{
	size_t used = 0;

	for (const unsigned char *p = (const unsigned char *)from; *p; p++) {
		bool odd = *p < ' ' || *p == 0x7f;

		if (used + (odd ? 4 : 1) >= size)
			break;
		if (odd)
			used += (size_t)sprintf(text + used, "\\%03o", *p);
		else
			text[used++] = (char)*p;
	}
	text[used] = 0;
}

/* The end of the template arguments that begin at `p`; NULL if it cannot be determined. */
static const char *arguments_end(const char *p)
{
	unsigned depth = 0;

	for (; *p; p++) {
		depth += *p == '<';
		if (*p == '>' && p[-1] != '-' && !--depth)
			return p + 1;
	}
	return NULL;
}

/* The length of an operator name at `p`, whose characters might be taken for brackets; 0 if there is none. */
static size_t operator_length(const char *p)
{
	static const char word[] = "operator";

	return strncmp(p, word, sizeof(word) - 1) ? 0 : sizeof(word) - 1 + strspn(p + sizeof(word) - 1, "<>=-");
}

/* Writes the name without template arguments.  Returns false if they cannot be determined, or if the result is still
 * too long. */
static bool function_brief(char *text, size_t size, const char *function)
{
	size_t used = 0, length;

	for (const char *p = function; *p; p += length) {
		const char *end = *p == '<' ? arguments_end(p) : NULL;
		const char *from = *p == '<' ? "<...>" : p;
		size_t put;

		if (*p == '<' && !end)
			return false;
		length = end ? (size_t)(end - p) : operator_length(p);
		length = length ? length : 1;
		put = end ? strlen(from) : length;
		if (used + put >= size)
			return false;
		memcpy(text + used, from, put);
		used += put;
	}
	text[used] = 0;
	return true;
}

void function_plain(char *text, size_t size, const char *function)
{
	char brief[512];
	bool is_long = strlen(function) > FUNCTION_LONG;

	text_plain(text, size, is_long && function_brief(brief, sizeof(brief), function) ? brief : function);
}

void frame_place(const struct finding_frame *frame, char *text, size_t size)
{
	char raw[1024];

	if (!frame)
		snprintf(raw, sizeof(raw), "an unknown place");
	else if (frame->file && frame->line)
		snprintf(raw, sizeof(raw), "%s:%" PRIu32, frame->file, frame->line);
	else if (frame->function)
		snprintf(raw, sizeof(raw), "%s (%s+0x%" PRIx64 ")", frame->function,
			 frame->module ? frame->module : "??", frame->offset);
	else
		snprintf(raw, sizeof(raw), "%s+0x%" PRIx64, frame->module ? frame->module : "??", frame->offset);
	text_plain(text, size, raw);
}

void frame_text(const struct finding_frame *frame, char *text, size_t size)
{
	frame_place(frame, text, size);
	if (!frame || !frame->file || !frame->line || !frame->function)
		return;
	size_t used = strlen(text);
	if (used + 5 < size) {
		strcpy(text + used, " in ");
		function_plain(text + used + 4, size - used - 4, frame->function);
	}
}

/* Adds a name to a list without duplicates.  Lists are short, so each addition makes a new one. */
static void name_add(struct findings *findings, const char *const **names, size_t *count, const char *name)
{
	const char **longer;

	for (size_t i = 0; i < *count; i++)
		if (!strcmp((*names)[i], name))
			return;
	longer = findings_block(findings, *count + 1, sizeof(*longer));
	for (size_t i = 0; i < *count; i++)
		longer[i] = (*names)[i];
	longer[(*count)++] = findings_text(findings, name);
	*names = longer;
}

void finding_add_detector(struct findings *findings, struct finding *finding, const char *detector)
{
	name_add(findings, &finding->detectors, &finding->detector_count, detector);
	finding->detector = finding->detectors[0];
}

void finding_add_platform(struct findings *findings, struct finding *finding, const char *platform)
{
	name_add(findings, &finding->platforms, &finding->platform_count, platform);
}

bool frame_same_place(const struct finding_frame *a, const struct finding_frame *b)
{
	return a && b && text_equal(a->module, b->module) && text_equal(a->path, b->path) && a->line == b->line &&
	       (a->line || a->offset == b->offset);
}
