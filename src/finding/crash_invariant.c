/* SPDX-License-Identifier: GPL-2.0-or-later */
/* crash_invariant.c - the likely invariant that is the reason of a crash finding, and what it says in words. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "finding/crash_parts.h"

enum finding_kind invariant_kind(const char *rule)
{
	return !strcmp(rule, "RA1") ? KIND_ATOMICITY_VIOLATION : KIND_ORDERING_VIOLATION;
}

static struct finding_stack reason_stack(struct stacks *stacks, const struct crash_reason *from)
{
	if (from->context)
		return stacks_make(stacks, from->context);
	return stacks_place(stacks, from->module, from->offset, from->caller);
}

/* A load and the branch on it are mostly in one line. */
static void because_add(struct finding_invariant *invariant, enum related_role role, struct finding_stack stack)
{
	for (size_t i = 0; i < invariant->because_count; i++)
		if (invariant->because[i].role == role &&
		    frame_same_place(stack_location(&invariant->because[i].stack), stack_location(&stack)))
			return;
	invariant->because[invariant->because_count++] = (struct finding_related){.role = role, .stack = stack};
}

struct finding_invariant *invariant_make(struct stacks *stacks, const struct crash_invariant *from)
{
	struct finding_invariant *invariant = findings_block(stacks->findings, 1, sizeof(*invariant));

	*invariant = (struct finding_invariant){
		.rule = findings_text(stacks->findings, from->rule),
		.first = stacks_make(stacks, from->first),
		.second = stacks_make(stacks, from->second),
		.because = findings_block(stacks->findings, from->because_count, sizeof(*invariant->because)),
		.seen = from->seen,
	};
	for (size_t i = 0; i < from->because_count; i++)
		because_add(invariant, from->because[i].role, reason_stack(stacks, &from->because[i]));
	return invariant;
}

void invariant_adopt(struct findings *findings, struct finding *finding, const struct finding *from)
{
	finding->kind = from->kind;
	finding->invariant = from->invariant;
	finding->related = from->related;
	finding->related_count = from->related_count;
	crash_say(findings, finding);
}

void crash_invariant_text(const struct finding *finding, char *text, size_t size)
{
	const struct finding_invariant *invariant = finding->invariant;
	char place[600];
	size_t used;

	*text = 0;
	if (!invariant)
		return;
	used = (size_t)snprintf(text, size, "%s, seen %" PRIu64 " time%s", invariant->rule, invariant->seen,
				invariant->seen == 1 ? "" : "s");
	for (size_t i = 0; i < invariant->because_count && used < size; i++) {
		frame_place(stack_location(&invariant->because[i].stack), place, sizeof(place));
		used += (size_t)snprintf(text + used, size - used, "%s %s at %s", i ? "," : ":",
					 role_name(invariant->because[i].role), place);
	}
}

#define BUT_NOW "; but it can be, and recovery then {fails}"

/* The first sentence of a rule whose places are known. */
static const struct {
	const char *rule;
	bool load, guard; /* {load} and {guard} are named */
	const char *sentence;
} sentences[] = {
	{"RO1", true, false,
	 "what {store} stores is computed from what is stored here (read at {load}), so it should not be on media before this "
	 "store" BUT_NOW},
	{"RO1", false, false,
	 "what {store} stores is computed from what is stored here, so it should not be on media before this store" BUT_NOW},
	{"RO2", true, false,
	 "the store at {store} depends on a decision about what is stored here (read at {load}), so it should not be on media "
	 "before this store" BUT_NOW},
	{"RO2", false, false,
	 "the store at {store} depends on a decision about what is stored here, so it should not be on media before this "
	 "store" BUT_NOW},
	{"RO3", true, true,
	 "{load} reads what is stored here only after {guard} has looked at what {store} stores, so the latter should not be on "
	 "media before this store" BUT_NOW},
	{"RO3", false, false,
	 "what is stored here is read only after a look at what {store} stores, so the latter should not be on media before this "
	 "store" BUT_NOW},
	{"RA1", false, true,
	 "what is stored here decides which other data is read (at {guard}), and so does what {store} stores, so both should be on "
	 "media, or neither; but {store} can be there without this store, and recovery then {fails}"},
	{"RA1", false, false,
	 "what is stored here and at {store} decides which other data is read, so both should be on media, or neither; but "
	 "{store} can be there without this store, and recovery then {fails}"},
};

static bool is_related(const struct finding *finding, enum related_role role)
{
	for (size_t i = 0; i < finding->related_count; i++)
		if (finding->related[i].role == role && finding->related[i].stack.count)
			return true;
	return false;
}

const char *invariant_sentence(const struct finding *finding)
{
	bool load = is_related(finding, ROLE_LOAD), guard = is_related(finding, ROLE_GUARD);

	if (!is_related(finding, ROLE_STORE))
		return NULL;
	for (size_t i = 0; i < sizeof(sentences) / sizeof(*sentences); i++)
		if (!strcmp(sentences[i].rule, finding->invariant->rule) && (load || !sentences[i].load) &&
		    (guard || !sentences[i].guard))
			return sentences[i].sentence;
	return NULL;
}
