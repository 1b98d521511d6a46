/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dump_invariants.c - `blackout dump --invariants`: print every likely invariant, with its reasons.  Scripts rely on
 * the format, which blackout-dump(1) describes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "cli/dump.h"
#include "invariants/invariants.h"

#define SEEN_WIDTH 12
#define REASON_COLUMN 18

struct printer {
	struct out *out;
	struct symbols *symbols; /* NULL: no source */
	struct map sites;        /* code of stores -> its site; UINT64_MAX: several */
};

static const char *const roles[] = {
	[INVARIANT_LOAD] = "load",
	[INVARIANT_BRANCH] = "branch",
	[INVARIANT_GUARDED] = "guarded load",
	[INVARIANT_STORE] = "store",
};

static void print_place(struct out *out, struct symbols *symbols, const struct trace_module *module, uint64_t offset,
			bool caller)
{
	const struct symbols_frame *frames;
	const char *slash = module ? strrchr(module->path, '/') : NULL;
	char text[1024];

	if (symbols && module) {
		symbols_lookup(symbols, module, offset, caller, &frames);
		symbols_frame_text(&frames[0], text, sizeof(text));
		out_text(out, text);
		return;
	}
	out_word(out, slash ? slash + 1 : module ? module->path : "[no file]");
	out_char(out, '+');
	out_hex(out, offset);
}

/* `from`: also say who calls it. */
static void print_code(const struct printer *p, const struct invariant_code *code, bool from)
{
	print_place(p->out, p->symbols, code->module, code->offset, code->caller);
	if (!from || !code->from)
		return;
	out_text(p->out, " from ");
	print_place(p->out, p->symbols, code->from, code->from_offset, true);
}

/* Does the same code have several sites, that is callers? */
static void site_note(struct printer *p, const struct invariant_code *code, uint32_t site)
{
	uint64_t *known = map_put(&p->sites, (uintptr_t)code->module, code->offset);

	*known = !*known || *known == site ? site : UINT64_MAX;
}

static void print_site(const struct printer *p, const struct invariant_code *code)
{
	print_code(p, code, *map_get(&p->sites, (uintptr_t)code->module, code->offset) == UINT64_MAX);
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

static void print_invariant(const struct printer *p, const struct invariant *invariant)
{
	struct out *out = p->out;

	out_text(out, invariant_rule_name(invariant->rule));
	out_grouped(out, invariant->seen, SEEN_WIDTH);
	out_text(out, "  ");
	print_site(p, &invariant->first);
	if (invariant->rule != INVARIANT_RA1) {
		out_text(out, " -> ");
		print_site(p, &invariant->second);
		print_distances(out, invariant);
	}
	out_char(out, '\n');
	for (size_t i = 0; i < invariant->because_count; i++) {
		out_pad(out, REASON_COLUMN);
		out_text(out, roles[invariant->because[i].role]);
		out_char(out, ' ');
		print_code(p, &invariant->because[i].code, false);
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

static void print_all(struct printer *p, const struct invariants *inv)
{
	size_t count = invariants_count(inv);
	const struct invariant **all = mem_alloc((count + 1) * sizeof(*all));

	for (size_t i = 0; i < count; i++) {
		all[i] = invariants_at(inv, i);
		site_note(p, &all[i]->first, all[i]->first_site);
		site_note(p, &all[i]->second, all[i]->second_site);
	}
	qsort(all, count, sizeof(*all), invariant_compare);
	for (size_t i = 0; i < count && !out_failed(p->out); i++)
		print_invariant(p, all[i]);
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
	struct printer printer = {.out = out, .symbols = symbols};
	struct invariants *inv = invariants_new();
	struct event ev;
	int more;

	invariants_begin(inv, trace);
	while ((more = trace_next(trace, &ev, err)) > 0)
		invariants_event(inv, &ev);
	print_all(&printer, inv);
	map_free(&printer.sites);
	print_figures(out, inv);
	invariants_free(inv);
	return more;
}
