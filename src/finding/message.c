/* SPDX-License-Identifier: GPL-2.0-or-later */
/* message.c - see message.h. */
#include "finding/message.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "finding/crash_finding.h"
#include "finding/own.h"

#define WORD_MAX 1200

static bool same_frame(const struct finding_frame *a, const struct finding_frame *b)
{
	if (strcmp(a->module, b->module))
		return false;
	if (a->line && b->line && a->path && b->path)
		return a->line == b->line && !strcmp(a->path, b->path);
	return a->offset == b->offset;
}

/* Two stacks with the same location: returns the caller in `stack` where they diverge, or NULL. */
static const struct finding_frame *stack_parting(const struct finding_stack *stack, const struct finding_stack *other)
{
	size_t i = stack->location, j = other->location;

	for (; i < stack->count && j < other->count; i++, j++)
		if (!same_frame(&stack->frames[i], &other->frames[j]))
			return i == stack->location ? NULL : &stack->frames[i];
	return NULL;
}

/* The same inside the library that their location calls: returns the innermost named function in `stack` after they
 * diverge, or NULL. */
static const struct finding_frame *stack_parting_inside(const struct finding_stack *stack,
							const struct finding_stack *other)
{
	size_t i = stack->location, j = other->location;

	if (i >= stack->count || j >= other->count || !same_frame(&stack->frames[i], &other->frames[j]))
		return NULL;
	do {
		if (!i || !j)
			return NULL;
	} while (same_frame(&stack->frames[--i], &other->frames[--j]));
	while (i < stack->location && !stack->frames[i].function)
		i++;
	return i < stack->location ? &stack->frames[i] : NULL;
}

/* The text that tells places in the same line apart: " (from kv.c:7)", " (tx.c:10 in commit)" or " (in commit)". */
static void place_parting(const struct finding_frame *caller, const struct finding_frame *callee, char *text)
{
	char frame[WORD_MAX / 2];

	if (caller) {
		frame_place(caller, frame, sizeof(frame));
		snprintf(text, WORD_MAX, " (from %s)", frame);
	} else if (callee && callee->line) {
		frame_text(callee, frame, sizeof(frame));
		snprintf(text, WORD_MAX, " (%s)", frame);
	} else if (callee) {
		function_plain(frame, sizeof(frame), callee->function);
		snprintf(text, WORD_MAX, " (in %s)", frame);
	} else {
		text[0] = 0;
	}
}

/* The place of a stack.  Programs that flush or fence in a function of their own do it all in one place.  So if
 * another place of the finding is the same, the caller where they differ is named too.  A library may do both in one
 * call; then, with `inside`, the library's function is named. */
static void stack_place(const struct finding *finding, const struct finding_stack *stack, bool inside, char *text)
{
	const struct finding_frame *caller = stack == &finding->stack ? NULL : stack_parting(stack, &finding->stack);
	char parting[WORD_MAX];

	for (size_t i = 0; i < finding->related_count && !caller; i++)
		if (&finding->related[i].stack != stack)
			caller = stack_parting(stack, &finding->related[i].stack);
	place_parting(caller, inside ? stack_parting_inside(stack, &finding->stack) : NULL, parting);
	frame_place(stack_location(stack), text, WORD_MAX);
	snprintf(text + strlen(text), WORD_MAX - strlen(text), "%s", parting);
}

/* The nth related place of a role: {flush}, {flush2}. */
static bool related_place(const struct finding *finding, const char *word, size_t length, bool inside, char *text)
{
	unsigned wanted = 1;

	if (length && word[length - 1] >= '2' && word[length - 1] <= '9')
		wanted = (unsigned)(word[--length] - '0');
	for (unsigned role = 0; role < ROLE_COUNT; role++) {
		const char *name = role_name((enum related_role)role);

		if (strlen(name) != length || memcmp(name, word, length))
			continue;
		for (size_t i = 0; i < finding->related_count; i++)
			if (finding->related[i].role == (enum related_role)role && !--wanted)
				return stack_place(finding, &finding->related[i].stack,
						   inside && (role == ROLE_FLUSH || role == ROLE_FENCE), text),
				       true;
		frame_place(NULL, text, WORD_MAX);
		return true;
	}
	return false;
}

static void platforms_text(const struct finding *finding, char *text)
{
	size_t used = 0;

	text[0] = 0;
	for (size_t i = 0; i < finding->platform_count && used < WORD_MAX - 64; i++)
		used += (size_t)snprintf(text + used, 64, "%s%s", i ? " and " : "", finding->platforms[i]);
}

/* The library's function that was creating the pool when the power failed. */
static void create_text(const struct finding_stack *point, char *text)
{
	strcpy(text, "the create call");
	for (size_t i = 0; i < point->count; i++)
		if (own_creates(point->frames[i].function))
			function_plain(text, WORD_MAX, point->frames[i].function);
}

/* " (persisted in 3 of 214 runs of this code, each time by the flush of a neighbor)"; empty if the code ran once. */
static void evidence_text(const struct finding *finding, char *text)
{
	const struct finding_runs *runs = &finding->runs;

	text[0] = 0;
	if (runs->total > 1)
		snprintf(text, WORD_MAX, " (persisted in %" PRIu64 " of %" PRIu64 " runs of this code%s)", runs->times,
			 runs->total,
			 !runs->neighbor    ? ""
			 : runs->times == 1 ? ", by the flush of a neighbor"
					    : ", each time by the flush of a neighbor");
}

/* "`node->count` (8 bytes)"; "24 bytes from `node->key` on", if the variable is only the first of several; or "8 bytes". */
static void what_text(const struct finding *finding, char *text)
{
	const struct variable *variable = &finding->variable;
	uint32_t size = finding->first.size;
	const char *bytes = size == 1 ? "byte" : "bytes";

	if (variable->text && variable->size > size) /* all of it is what the program means */
		snprintf(text, WORD_MAX, "`%.200s` (%" PRIu64 " bytes)", variable->text, variable->size);
	else if (variable->text && (variable->size == size || !variable->size))
		snprintf(text, WORD_MAX, "`%.200s` (%" PRIu32 " %s)", variable->text, size, bytes);
	else if (variable->text)
		snprintf(text, WORD_MAX, "%" PRIu32 " %s from `%.200s` on", size, bytes, variable->text);
	else
		snprintf(text, WORD_MAX, "%" PRIu32 " %s", size, bytes);
}

/* Writes the replacement of `word`; returns false if it is not a word of kind.h.  `inside`: tell places inside
 * libraries apart, too. */
static bool word_fill(const struct finding *finding, const char *word, size_t length, bool inside, char *text)
{
#define IS(literal) (length == sizeof(literal) - 1 && !memcmp(word, literal, length))
	bool one = finding->first.size == 1;

	if (IS("here"))
		stack_place(finding, &finding->stack, false, text);
	else if (IS("bytes"))
		snprintf(text, WORD_MAX, "%" PRIu32 " byte%s", finding->first.size, one ? "" : "s");
	else if (IS("what"))
		what_text(finding, text);
	else if (IS("are"))
		strcpy(text, one ? "is" : "are");
	else if (IS("their"))
		strcpy(text, one ? "its" : "their");
	else if (IS("them"))
		strcpy(text, one ? "it" : "them");
	else if (IS("pool"))
		text_plain(text, WORD_MAX, finding->pool_name ? finding->pool_name : "the file");
	else if (IS("offset"))
		snprintf(text, WORD_MAX, "0x%" PRIx64, finding->first.offset);
	else if (IS("platforms"))
		platforms_text(finding, text);
	else if (IS("times"))
		snprintf(text, WORD_MAX, "%" PRIu64, finding->runs.times);
	else if (IS("runs"))
		snprintf(text, WORD_MAX, "%" PRIu64, finding->runs.total);
	else if (IS("evidence"))
		evidence_text(finding, text);
	else if (IS("point") && finding->crash)
		crash_point_text(finding->crash, text, WORD_MAX);
	else if (IS("fails") && finding->crash)
		strcpy(text, finding->crash->failure == KIND_OUTPUT_MISMATCH ? "prints wrong output" : "fails");
	else if (IS("create") && finding->crash)
		create_text(&finding->crash->point, text);
	else
		return related_place(finding, word, length, inside, text);
	return true;
#undef IS
}

void message_fill(const struct finding *finding, const char *template, char *text, size_t size)
{
	size_t used = 0;

	for (const char *p = template; *p && used + 1 < size;) {
		const char *end = *p == '{' && p[1] != '{' ? strchr(p, '}') : NULL;
		char word[WORD_MAX];

		if (end) {
			BUG_ON(!word_fill(finding, p + 1, (size_t)(end - p - 1), true, word));
			used += (size_t)snprintf(text + used, size - used, "%s", word);
			used = used < size ? used : size - 1;
			p = end + 1;
			continue;
		}
		p += *p == '{';
		text[used++] = *p++;
	}
	text[used] = 0;
}

bool message_knows(const char *template)
{
	static const struct finding nothing;
	char word[WORD_MAX];

	for (const char *p = template; (p = strchr(p, '{')); p++) {
		const char *end = strchr(p, '}');

		if (p[1] == '{')
			p++;
		else if (!end || !word_fill(&nothing, p + 1, (size_t)(end - p - 1), true, word))
			return false;
	}
	return true;
}

/* True if the word in braces is a place. */
static bool word_is_place(const char *word, size_t length)
{
	static const char *const others[] = {"bytes",     "what",  "are",   "their",  "them",  "pool", "offset",
					     "platforms", "point", "fails", "create", "times", "runs", "evidence"};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (strlen(others[i]) == length && !memcmp(others[i], word, length))
			return false;
	return true;
}

bool message_distinct(const struct finding *finding, const char *template)
{
	char places[4][WORD_MAX];
	size_t count = 0;

	for (const char *p = strchr(template, '{'), *end; p && count < 4; p = strchr(end, '{')) {
		end = strchr(p, '}');
		if (p[1] == '{' || !end) {
			end = p + 2;
			continue;
		}
		if (!word_is_place(p + 1, (size_t)(end - p - 1)))
			continue;
		word_fill(finding, p + 1, (size_t)(end - p - 1), false, places[count]);
		for (size_t i = 0; i < count; i++)
			if (!strcmp(places[i], places[count]))
				return false;
		count++;
	}
	return true;
}
