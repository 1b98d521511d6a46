/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dump_invariants.c - `blackout dump --invariants`: print every likely invariant, with its reasons.  Scripts rely on
 * the format, which blackout-dump(1) describes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/dump.h"
#include "invariants/invariants.h"

#define SEEN_WIDTH 12
#define REASON_COLUMN 18

static const char *const roles[] = {
	[INVARIANT_LOAD] = "load",
	[INVARIANT_BRANCH] = "branch",
	[INVARIANT_GUARDED] = "guarded load",
	[INVARIANT_STORE] = "store",
};

static void print_code(struct out *out, struct symbols *symbols, const struct invariant_code *code)
{
	const struct symbols_frame *frames;
	const char *slash = code->module ? strrchr(code->module->path, '/') : NULL;
	char text[1024];

	if (symbols && code->module) {
		symbols_lookup(symbols, code->module, code->offset, code->caller, &frames);
		symbols_frame_text(&frames[0], text, sizeof(text));
		out_text(out, text);
		return;
	}
	out_word(out, slash ? slash + 1 : code->module ? code->module->path : "[no file]");
	out_char(out, '+');
	out_hex(out, code->offset);
}

static void print_distances(struct out *out, const struct invariant *invariant)
{
	char text[32];

	if (invariant->anywhere) {
		out_text(out, "  anywhere");
		return;
	}
	out_text(out, "  at");
	for (size_t i = 0; i < invariant->distance_count; i++) {
		snprintf(text, sizeof(text), "%s%+lld", i ? "," : " ", (long long)invariant->distances[i]);
		out_text(out, text);
	}
}

static void print_invariant(struct out *out, struct symbols *symbols, const struct invariant *invariant)
{
	out_text(out, invariant_rule_name(invariant->rule));
	out_grouped(out, invariant->seen, SEEN_WIDTH);
	out_text(out, "  ");
	print_code(out, symbols, &invariant->first);
	if (invariant->rule != INVARIANT_RA1) {
		out_text(out, " -> ");
		print_code(out, symbols, &invariant->second);
		print_distances(out, invariant);
	}
	out_char(out, '\n');
	for (size_t i = 0; i < invariant->because_count; i++) {
		out_pad(out, REASON_COLUMN);
		out_text(out, roles[invariant->because[i].role]);
		out_char(out, ' ');
		print_code(out, symbols, &invariant->because[i].code);
		out_char(out, '\n');
	}
}

/* By rule; those seen most often first. */
static int invariant_compare(const void *left, const void *right)
{
	const struct invariant *a = *(const struct invariant *const *)left,
			       *b = *(const struct invariant *const *)right;

	if (a->rule != b->rule)
		return a->rule < b->rule ? -1 : 1;
	if (a->seen != b->seen)
		return a->seen > b->seen ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static void print_all(struct out *out, struct symbols *symbols, const struct invariants *inv)
{
	size_t count = invariants_count(inv);
	const struct invariant **all = mem_alloc((count + 1) * sizeof(*all));

	for (size_t i = 0; i < count; i++)
		all[i] = invariants_at(inv, i);
	qsort(all, count, sizeof(*all), invariant_compare);
	for (size_t i = 0; i < count && !out_failed(out); i++)
		print_invariant(out, symbols, all[i]);
	free(all);
}

static void print_figures(struct out *out, const struct invariants *inv)
{
	struct invariants_figures figures = invariants_figures(inv);
	const struct {
		uint64_t number;
		const char *text;
	} parts[] = {
		{figures.ordering, " between two store sites, "},
		{figures.atomicity, " of guardians; reads: "},
		{figures.reads, ", labels: "},
		{figures.labels, ", incomplete: "},
		{figures.many, "\n"},
	};

	out_text(out, "invariants: ");
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		out_grouped(out, parts[i].number, 0);
		out_text(out, parts[i].text);
	}
}

int dump_invariants(struct out *out, struct trace *trace, struct symbols *symbols, struct err *err)
{
	struct invariants *inv = invariants_new();
	struct event ev;
	int more;

	invariants_begin(inv, trace);
	while ((more = trace_next(trace, &ev, err)) > 0)
		invariants_event(inv, &ev);
	print_all(out, symbols, inv);
	print_figures(out, inv);
	invariants_free(inv);
	return more;
}
