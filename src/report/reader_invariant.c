/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reader_invariant.c - read the invariant of a finding from findings.json.  Its places have no stacks there. */
#include <string.h>

#include "finding/crash_finding.h"
#include "report/reader_parts.h"

static int read_place(struct reader *r, const json_t *from, struct finding_stack *stack)
{
	if (!json_is_object(from))
		return reader_fail(r, "invariant", "contains something that is not a location");
	stack->frames = findings_block(r->findings, 1, sizeof(*stack->frames));
	stack->count = 1;
	return read_frame(r, from, &stack->frames[0]);
}

static int read_because(struct reader *r, const json_t *from, struct finding_invariant *invariant)
{
	const json_t *array;

	if (take_inner(r, from, "because", '[', &array) < 0)
		return -1;
	if (json_array_size(array) > CRASH_REASONS_MAX)
		return reader_fail(r, "invariant.because", "contains too many places");
	invariant->because_count = json_array_size(array);
	invariant->because = findings_block(r->findings, invariant->because_count, sizeof(*invariant->because));
	for (size_t i = 0; i < invariant->because_count; i++) {
		const json_t *place = json_array_get(array, i);
		const char *role = NULL;

		if (read_place(r, place, &invariant->because[i].stack) < 0 ||
		    take_text(r, place, "role", false, &role) < 0)
			return -1;
		invariant->because[i].role = ROLE_LOAD;
		if (role && !role_find(role, &invariant->because[i].role))
			return reader_fail(r, "invariant.because", "has an unknown role");
	}
	return 0;
}

static bool rule_is_known(const char *rule)
{
	static const char *const rules[] = {"RO1", "RO2", "RO3", "RA1"};

	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (!strcmp(rules[i], rule))
			return true;
	return false;
}

int read_invariant(struct reader *r, const json_t *object, struct finding *finding)
{
	struct finding_invariant *invariant = findings_block(r->findings, 1, sizeof(*invariant));
	struct findings_figure seen = {0};
	const json_t *from;

	if (take_inner(r, object, "invariant", '{', &from) < 0 ||
	    take_text(r, from, "rule", true, &invariant->rule) < 0 ||
	    read_place(r, json_object_get(from, "first"), &invariant->first) < 0 ||
	    read_place(r, json_object_get(from, "second"), &invariant->second) < 0 ||
	    read_because(r, from, invariant) < 0 || take_number(r, from, "seen", false, INT64_MAX, &seen) < 0)
		return -1;
	if (!rule_is_known(invariant->rule))
		return reader_fail(r, "invariant.rule", "is not known to this version");
	invariant->seen = seen.value;
	finding->invariant = invariant;
	return 0;
}
