/* SPDX-License-Identifier: GPL-2.0-or-later */
/* marks.c - see marks.h. */
#include "search/marks.h"

#include <string.h>

#include "base/path.h"
#include "expression/evaluation.h"
#include "expression/variables.h"

enum {
	/* So many conditions are evaluated.  Then each byte counts that a condition depends on. */
	EVALUATIONS_MOST = 1 << 20
};

struct way_condition {
	uint32_t expression;
	bool value;
};

/* The branches on the way to a finding. */
struct way {
	struct trace *trace;
	VEC_OF(struct way_condition) conditions;
	struct variables *variables;
	struct evaluation *evaluation;
	struct assignment input;
	size_t evaluations;
};

static bool texts_are_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* A finding has no addresses, so its instruction is one of the same function and line. */
static bool event_is_at(struct symbols *symbols, const struct trace *trace, const struct event *ev,
			const struct finding_frame *place)
{
	const struct symbols_frame *at = symbols_innermost(symbols, trace, ev->context);

	return at && at->line == place->line && texts_are_same(at->function, place->function) &&
	       texts_are_same(at->file, place->file) && (at->line || at->offset == place->offset);
}

/* If the place is not recognized, the way is all that the program does. */
static int way_read(struct way *way, const char *recording, const struct finding *finding, struct symbols *symbols)
{
	struct event ev;
	struct err ignored;
	bool there = false;
	int more = 1;

	if (trace_open(&way->trace, recording, &ignored) < 0)
		return -1;
	while (!there && (more = trace_next(way->trace, &ev, &ignored)) > 0) {
		if (ev.type == EVENT_BRANCH)
			vec_push(&way->conditions, ((struct way_condition){ev.expression, ev.value}));
		there = event_modifies_pm(&ev) && finding->stack.count &&
			event_is_at(symbols, way->trace, &ev, &finding->stack.frames[0]);
	}
	return more < 0 ? -1 : 0;
}

static void way_free(struct way *way)
{
	if (way->evaluation)
		evaluation_free(way->evaluation);
	if (way->variables)
		variables_free(way->variables);
	assignment_free(&way->input);
	vec_free(&way->conditions);
	trace_close(way->trace);
}

/* Does another branch follow from the input as it is now?  Only conditions that depend on the variable may have changed. */
static bool way_differs(struct way *way, uint64_t variable)
{
	for (size_t i = 0; i < way->conditions.count; i++) {
		const struct way_condition *condition = &way->conditions.at[i];

		if (!variable_set_has(variables_of(way->variables, condition->expression), variable))
			continue;
		if (++way->evaluations > EVALUATIONS_MOST ||
		    evaluation_value(way->evaluation, condition->expression, &way->input) != condition->value)
			return true;
	}
	return false;
}

static bool byte_decides(struct way *way, uint32_t source, uint64_t offset)
{
	uint8_t byte = assignment_byte(&way->input, source, offset);
	bool decides = false;

	for (unsigned bit = 0; bit < 8 && !decides; bit++) {
		assignment_set_byte(&way->input, source, offset, (uint8_t)(byte ^ 1u << bit));
		evaluation_forget(way->evaluation);
		decides = way_differs(way, variable_of_byte(source, offset));
	}
	assignment_set_byte(&way->input, source, offset, byte);
	return decides;
}

static void bytes_mark(struct way *way, const struct execution_plan *plan, const struct input *input,
		       struct input *marks)
{
	const struct expressions *x = trace_expressions(way->trace);

	way->variables = variables_new(x);
	way->evaluation = evaluation_new(x);
	for (uint32_t id = 1; id <= expressions_source_count(x); id++) {
		int source = turner_source(plan, x, id);

		if (source >= 0)
			assignment_put(&way->input, id, input->of[source].at, input->of[source].size);
	}
	for (uint32_t id = 1; id <= expressions_source_count(x); id++) {
		int source = turner_source(plan, x, id);

		for (size_t i = 0; source >= 0 && i < marks->of[source].size; i++)
			marks->of[source].at[i] = byte_decides(way, id, i);
	}
}

void marks_make(struct input_search *s, const struct gathering_entry *entry, struct input *marks)
{
	const struct input *input = &s->attempts.at[entry->execution - 1].input;
	char dir[PATH_MAX], recording[PATH_MAX];
	struct way way = {0};
	struct err ignored;

	*marks = input_copy(input);
	for (size_t i = 0; i < SOURCES_MAX; i++)
		if (marks->of[i].at)
			memset(marks->of[i].at, 0, marks->of[i].size);
	if (execution_dir(dir, &s->plan, entry->execution, &ignored) == 0 &&
	    path_make(recording, sizeof(recording), &ignored, "%s/" EXECUTION_RECORDING, dir) == 0 &&
	    way_read(&way, recording, entry->finding, s->plan.symbols) == 0)
		bytes_mark(&way, &s->plan, input, marks);
	way_free(&way);
}
