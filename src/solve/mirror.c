/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mirror.c - see mirror.h. */
#include "solve/mirror.h"

#include <string.h>

void mirror_forget(struct mirror *mirror)
{
	map_free(&mirror->numbers);
	map_free(&mirror->tables);
	mirror->trail = 0;
}

void mirror_free(struct mirror *mirror)
{
	mirror_forget(mirror);
	vec_free(&mirror->waiting);
}

static uint32_t number_of(const struct mirror *mirror, uint32_t id)
{
	const uint64_t *number = map_get(&mirror->numbers, id, 0);

	return number ? (uint32_t)*number : 0;
}

static uint64_t table_tell(struct mirror *mirror, const struct expressions *x, uint32_t id,
			   struct message_bytes *message)
{
	const struct expression_table *table = expressions_table(x, id);
	uint64_t *number = map_put(&mirror->tables, id, 0);

	if (!*number) {
		message_add_table(message, table->address, table->bytes, table->size);
		*number = mirror->tables.count;
	}
	return *number;
}

/* Its operands have been told. */
static void expression_tell_one(struct mirror *mirror, const struct expressions *x, uint32_t id,
				struct message_bytes *message)
{
	const struct expression *e = expressions_at(x, id);
	struct message_expression sent = {.kind = e->kind, .width = e->width, .own = e->own};

	for (unsigned i = 0; i < bo_expression_operands(e->kind); i++)
		sent.operand[i] = number_of(mirror, e->operand[i]);
	if (e->kind == BO_EXPR_TABLE)
		sent.own = table_tell(mirror, x, (uint32_t)e->own, message);
	message_add(message, MESSAGE_EXPRESSION, &sent, sizeof(sent));
	uint64_t *number = map_put(&mirror->numbers, id, 0);
	*number = mirror->numbers.count;
}

static bool operands_wait(struct mirror *mirror, const struct expression *e)
{
	size_t before = mirror->waiting.count;

	for (unsigned i = 0; i < bo_expression_operands(e->kind); i++) {
		if (!number_of(mirror, e->operand[i]))
			vec_push(&mirror->waiting, e->operand[i]);
	}
	return mirror->waiting.count > before;
}

static uint32_t expression_tell(struct mirror *mirror, const struct expressions *x, uint32_t id,
				struct message_bytes *message)
{
	vec_push(&mirror->waiting, id);
	while (mirror->waiting.count) {
		uint32_t next = mirror->waiting.at[mirror->waiting.count - 1];

		if (!number_of(mirror, next)) {
			if (operands_wait(mirror, expressions_at(x, next)))
				continue;
			expression_tell_one(mirror, x, next, message);
		}
		mirror->waiting.count--;
	}
	return number_of(mirror, id);
}

static void begin(struct mirror *mirror, const struct trail *trail, struct message_bytes *message)
{
	struct message_fresh fresh = {.sources = expressions_source_count(trail->x)};

	if (mirror->trail == trail->serial)
		return;
	mirror_forget(mirror);
	mirror->trail = trail->serial;
	message_add(message, MESSAGE_FRESH, &fresh, sizeof(fresh));
}

void mirror_tell(struct mirror *mirror, const struct trail *trail, const struct slice *slice,
		 const struct message_ask *ask, struct message_bytes *message)
{
	begin(mirror, trail, message);
	for (size_t i = 0; i < slice->conditions.count; i++) {
		struct message_condition condition = {.value = slice->conditions.at[i].value,
						      .wished = slice->conditions.at[i].wished};

		condition.expression = expression_tell(mirror, trail->x, slice->conditions.at[i].expression, message);
		message_add(message, MESSAGE_CONDITION, &condition, sizeof(condition));
	}
	for (size_t i = 0; i < slice->variables.count; i++) {
		struct message_variable variable = {
			.expression = expression_tell(mirror, trail->x, slice->variables.at[i], message)};

		message_add(message, MESSAGE_VARIABLE, &variable, sizeof(variable));
	}
	message_add(message, MESSAGE_ASK, ask, sizeof(*ask));
}
