/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race_finding.c - see race_finding.h. */
#include "finding/race_finding.h"

#include <stdio.h>
#include <string.h>

#include "finding/fingerprint.h"
#include "finding/message.h"
#include "finding/own.h"
#include "finding/stacks.h"

/* What a store of a place stores to. */
struct named {
	uint64_t event; /* the first that is known */
	struct variable variable;
};

/* A place that stores. */
struct place {
	struct finding finding;
	enum finding_form form;
	uint32_t flush; /* context; 0: none */
	VEC_OF(struct finding_stack) loads;
	VEC_OF(struct named) named; /* by event: a line may store to several variables */
};

struct race_findings {
	struct findings *findings;
	const struct trace *trace;
	struct stacks stacks;
	VEC_OF(struct place) all;
	VEC_OF(struct finding_stack) left_out; /* stores that are a library's affair */
};

struct race_findings *race_findings_begin(struct findings *findings, const struct trace *trace, struct symbols *symbols,
					  const struct findings_options *options)
{
	struct race_findings *r = mem_alloc(sizeof(*r));

	r->findings = findings;
	r->trace = trace;
	r->stacks = (struct stacks){.findings = findings, .trace = trace, .symbols = symbols, .options = options};
	return r;
}

/* ---- collecting ---- */

static struct finding_stack store_stack(struct race_findings *r, uint32_t context)
{
	struct finding_stack stack = stacks_make(&r->stacks, context);
	size_t library = own_library(&stack);

	if (library < stack.count)
		stack.location = library;
	return stack;
}

/* A library is creating a pool: the data is not the program's, and recovery need not accept what it left. */
static bool stack_creates(const struct finding_stack *stack)
{
	for (size_t i = 0; i < stack->count; i++)
		if (own_creates(stack->frames[i].function))
			return true;
	return false;
}

static enum severity sighting_severity(const struct race_sighting *s, const struct finding_stack *stack)
{
	return stack_creates(stack) ? SEVERITY_WARNING : form_get(s->form)->severity;
}

/* One instruction may store only a part of what the source stores. */
static struct variable store_variable(struct race_findings *r, const struct race_sighting *s)
{
	struct variable whole;

	if (variable_find(r->stacks.symbols, r->trace, s->context, 0, s->first.size, &r->findings->texts, &whole))
		return whole;
	return stacks_variable(&r->stacks, s->context);
}

static struct place *place_at(struct race_findings *r, const struct finding_stack *stack)
{
	for (size_t i = 0; i < r->all.count; i++)
		if (frame_same_place(stack_location(&r->all.at[i].finding.stack), stack_location(stack)))
			return &r->all.at[i];
	vec_push(&r->all, ((struct place){.form = FORM_COUNT}));
	return &r->all.at[r->all.count - 1];
}

/* The sighting describes the place from now on. */
static void place_describe(struct race_findings *r, struct place *place, const struct race_sighting *s,
			   const struct finding_stack *stack)
{
	const struct trace_file *file = trace_file(r->trace, s->first.file);
	struct finding *finding = &place->finding;

	place->form = s->form;
	place->flush = s->flush;
	finding->kind = form_get(s->form)->kind;
	finding->severity = sighting_severity(s, stack);
	finding->stack = *stack;
	finding->variable = store_variable(r, s);
	finding->first = finding->largest = s->first;
	finding->pool = file ? findings_text(r->findings, file->path) : NULL;
	finding->pool_name = findings_pool_name(r->findings, finding->pool);
}

static void place_add_load(struct place *place, const struct finding_stack *load)
{
	for (size_t i = 0; i < place->loads.count; i++)
		if (frame_same_place(stack_location(&place->loads.at[i]), stack_location(load)))
			return;
	if (place->loads.count < RACE_LOADS_MAX)
		vec_push(&place->loads, *load);
}

static void place_add_variable(struct place *place, struct named named)
{
	size_t at = place->named.count;

	for (size_t i = 0; i < place->named.count; i++)
		if (!strcmp(place->named.at[i].variable.text, named.variable.text))
			return;
	vec_push(&place->named, named);
	for (; at > 0 && place->named.at[at - 1].event > named.event; at--)
		place->named.at[at] = place->named.at[at - 1];
	place->named.at[at] = named;
}

/* The count is that of the first platform. */
static void place_count(struct race_findings *r, struct place *place, const struct race_sighting *s)
{
	struct finding *finding = &place->finding;

	finding_add_detector(r->findings, finding, s->detector);
	finding_add_platform(r->findings, finding, s->platform);
	if (!strcmp(finding->platforms[0], s->platform))
		finding->count += s->count;
}

static bool is_in_library(const struct finding_stack *stack)
{
	return own_library(stack) < stack->count;
}

static void stack_leave_out(struct race_findings *r, const struct finding_stack *stack)
{
	for (size_t i = 0; i < r->left_out.count; i++)
		if (frame_same_place(stack_location(&r->left_out.at[i]), stack_location(stack)))
			return;
	vec_push(&r->left_out, *stack);
}

static void sighting_place(struct race_findings *r, const struct race_sighting *s, const struct finding_stack *stack,
			   const struct finding_stack *loads, size_t load_count)
{
	struct place *place = place_at(r, stack);
	struct variable variable = store_variable(r, s);

	if (place->form == FORM_COUNT || sighting_severity(s, stack) < place->finding.severity)
		place_describe(r, place, s, stack);
	place_count(r, place, s);
	if (variable.text)
		place_add_variable(place, (struct named){s->first.event, variable});
	for (size_t i = 0; i < load_count; i++)
		place_add_load(place, &loads[i]);
}

void race_findings_add(struct race_findings *r, const struct race_sighting *s)
{
	struct finding_stack stack = store_stack(r, s->context), load;
	bool own_affair = !s->known && is_in_library(&stack);
	VEC_OF(struct finding_stack) loads = {0};

	for (size_t i = 0; i < s->load_count; i++) {
		load = stacks_code(&r->stacks, s->loads[i]);
		if (!own_affair || !is_in_library(&load))
			vec_push(&loads, load);
	}
	if (loads.count || !s->load_count)
		sighting_place(r, s, &stack, loads.at, loads.count);
	else
		stack_leave_out(r, &stack);
	vec_free(&loads);
}

/* ---- findings ---- */

static void place_relate(struct race_findings *r, struct place *place)
{
	struct finding *finding = &place->finding;
	struct finding_related *related = findings_block(r->findings, place->loads.count + 1, sizeof(*related));

	finding->related = related;
	for (size_t i = 0; i < place->loads.count; i++)
		*related++ = (struct finding_related){.role = ROLE_LOAD, .stack = place->loads.at[i]};
	if (place->flush)
		*related++ =
			(struct finding_related){.role = ROLE_FLUSH, .stack = stacks_make(&r->stacks, place->flush)};
	finding->related_count = (size_t)(related - finding->related);
}

static const char *race_text(struct race_findings *r, const struct finding *finding, const char *template,
			     const char *more)
{
	char text[8192 + 100];

	message_fill(finding, template, text, sizeof(text) - 100);
	strcat(text, more);
	return findings_text(r->findings, text);
}

/* Name all variables that race here.  The sentence is about one of them. */
static void place_name_all(struct race_findings *r, struct place *place)
{
	struct variable *all = &place->finding.variable;
	char text[1024];
	size_t used = 0;

	if (place->named.count < 2)
		return;
	for (size_t i = 0; i < place->named.count; i++) {
		const struct variable *v = &place->named.at[i].variable;
		int n = snprintf(text + used, sizeof(text) - used, "%s%s", i ? ", " : "", v->text);

		if (n < 0 || (size_t)n >= sizeof(text) - used)
			break;
		used += (size_t)n;
		if (!all->type || !v->type || strcmp(all->type, v->type))
			all->type = NULL;
	}
	text[used] = 0;
	all->text = findings_text(r->findings, text);
	all->offset = all->size = 0;
}

static void place_say(struct race_findings *r, struct place *place)
{
	const struct form *form = form_get(place->form);
	struct finding *finding = &place->finding;

	finding->message = race_text(r, finding, form->message,
				     stack_creates(&finding->stack) ? "; a library was creating the pool" : "");
	if (own_request(&finding->stack))
		finding->fix = race_text(r, finding, form->fix, "");
}

void race_findings_end(struct race_findings *r)
{
	struct sources *sources = sources_new();

	for (size_t i = 0; i < r->all.count; i++) {
		place_relate(r, &r->all.at[i]);
		place_say(r, &r->all.at[i]);
		place_name_all(r, &r->all.at[i]);
		findings_add(r->findings, &r->all.at[i].finding);
		vec_free(&r->all.at[i].loads);
		vec_free(&r->all.at[i].named);
	}
	fingerprint_all(r->findings, sources);
	sources_free(sources);
	findings_number(r->findings);
	if (r->left_out.count)
		findings_note(
			r->findings,
			"%zu place%s in libraries where data of their own is stored in pieces, and read by them alone, "
			"%s left out; --own judges them",
			r->left_out.count, r->left_out.count == 1 ? "" : "s", r->left_out.count == 1 ? "was" : "were");
	vec_free(&r->left_out);
	vec_free(&r->all);
	stacks_free(&r->stacks);
	free(r);
}
