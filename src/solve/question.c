/* SPDX-License-Identifier: GPL-2.0-or-later */
/* question.c - see question.h. */
#include "solve/question.h"

#include <stdio.h>

#include "base/mem.h"

enum { SOURCES_MAX = 1 << 15 };

struct question *question_new(void)
{
	struct question *question = mem_alloc(sizeof(*question));

	question->x = expressions_new();
	return question;
}

void question_free(struct question *question)
{
	if (!question)
		return;
	expressions_free(question->x);
	vec_free(&question->conditions);
	vec_free(&question->variables);
	free(question);
}

void question_next(struct question *question)
{
	question->conditions.count = question->variables.count = 0;
}

/* Names of sources do not matter here, only that there are so many. */
static bool take_fresh(struct question *question, struct message_record *record)
{
	struct message_fresh fresh;
	char name[16];

	if (!message_fixed(record, &fresh, sizeof(fresh)) || fresh.sources > SOURCES_MAX)
		return false;
	expressions_free(question->x);
	question->x = expressions_new();
	question->tables = 0;
	question->round++;
	for (uint32_t i = 0; i < fresh.sources; i++) {
		snprintf(name, sizeof(name), "%u", i);
		expressions_add_source(question->x, BO_SOURCE_FILE, name);
	}
	question_next(question);
	return true;
}

static bool take_table(struct question *question, struct message_record *record)
{
	struct message_table table;

	return message_fixed(record, &table, sizeof(table)) && record->size &&
	       expressions_add_table(question->x, table.address, record->bytes, record->size) == ++question->tables;
}

static bool take_expression(struct question *question, struct message_record *record)
{
	struct message_expression sent;

	if (!message_fixed(record, &sent, sizeof(sent)) || sent.kind >= BO_EXPR_COUNT || sent.width > BO_EXPR_WIDTH_MAX)
		return false;
	struct expression e = {.kind = (uint8_t)sent.kind, .width = (uint8_t)sent.width, .own = sent.own};
	memcpy(e.operand, sent.operand, sizeof(e.operand));
	/* One that is there already would get no number of its own. */
	uint32_t expected = expressions_count(question->x) + 1;
	return expressions_add(question->x, &e) == expected;
}

static bool exists(const struct question *question, uint32_t expression)
{
	return expression && expression <= expressions_count(question->x);
}

static bool take_condition(struct question *question, struct message_record *record)
{
	struct message_condition condition;

	if (!message_fixed(record, &condition, sizeof(condition)) || !exists(question, condition.expression) ||
	    expressions_at(question->x, condition.expression)->width != 1 || condition.value > 1 ||
	    condition.wished > 1)
		return false;
	vec_push(&question->conditions, condition);
	return true;
}

static bool take_variable(struct question *question, struct message_record *record)
{
	struct message_variable variable;

	if (!message_fixed(record, &variable, sizeof(variable)) || !exists(question, variable.expression))
		return false;
	uint8_t kind = expressions_at(question->x, variable.expression)->kind;
	if (kind != BO_EXPR_INPUT && kind != BO_EXPR_LENGTH)
		return false;
	vec_push(&question->variables, variable.expression);
	return true;
}

enum question_state question_take(struct question *question, struct message_record *record)
{
	bool valid = false;

	switch (record->type) {
	case MESSAGE_FRESH: valid = take_fresh(question, record); break;
	case MESSAGE_TABLE: valid = take_table(question, record); break;
	case MESSAGE_EXPRESSION: valid = take_expression(question, record); break;
	case MESSAGE_CONDITION: valid = take_condition(question, record); break;
	case MESSAGE_VARIABLE: valid = take_variable(question, record); break;
	case MESSAGE_ASK:
		if (message_fixed(record, &question->ask, sizeof(question->ask)))
			return QUESTION_ASKED;
		break;
	default: break;
	}
	return valid ? QUESTION_MORE : QUESTION_DAMAGED;
}
