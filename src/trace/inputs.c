/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inputs.c - see inputs.h.
 *
 * Ids count in each trace file; the graph is one for all, where equal expressions are the same. */
#include "trace/inputs.h"

#include "expression/expressions.h"

static enum apply_result apply_source(struct stream *s, const struct record *r)
{
	const char *name = arena_copy(&s->defs->strings, r->string[0].at, r->string[0].size);

	if (r->number[0] >= BO_SOURCE_COUNT)
		return apply_damage(s, "a source of input of an unknown kind");
	vec_push(&s->sources, expressions_add_source(s->defs->expressions, (enum bo_source)r->number[0], name));
	return APPLY_CONSUMED;
}

static enum apply_result apply_table(struct stream *s, const struct record *r)
{
	const struct record_bytes *content = &r->string[0];

	vec_push(&s->tables, expressions_add_table(s->defs->expressions, r->number[0], content->at, content->size));
	return APPLY_CONSUMED;
}

static enum apply_result apply_block(struct stream *s, const struct record *r)
{
	const uint64_t *n = r->number; /* module, offset, bytes */

	if (!n[0] || n[0] >= s->modules.count)
		return apply_damage_id(s, "module", n[0]);
	*(struct trace_block *)slab_push(&s->defs->blocks) = (struct trace_block){s->modules.at[n[0]], n[1], n[2]};
	return APPLY_CONSUMED;
}

/* The number that belongs to the expression itself, with the ids of the graph.  False: it names one that is unknown. */
static bool read_own(const struct stream *s, struct expression *e)
{
	uint64_t source = e->kind == BO_EXPR_INPUT ? e->own >> BO_EXPR_SOURCE_SHIFT : e->own;

	if (e->kind == BO_EXPR_TABLE) {
		if (!e->own || e->own >= s->tables.count)
			return false;
		e->own = s->tables.at[e->own];
		return true;
	}
	if (e->kind != BO_EXPR_INPUT && e->kind != BO_EXPR_LENGTH)
		return true;
	if (!source || source >= s->sources.count)
		return false;
	e->own = e->kind == BO_EXPR_LENGTH
			 ? s->sources.at[source]
			 : (uint64_t)s->sources.at[source] << BO_EXPR_SOURCE_SHIFT | expression_input_offset(e);
	return true;
}

/* False: an operand that is missing or unknown, or more than there should be. */
static bool read_operands(const struct stream *s, const struct record_bytes *bytes, struct expression *e)
{
	struct decoder list = decoder_at(bytes->at, bytes->size);
	uint64_t before;

	for (unsigned i = 0; i < bo_expression_operands(e->kind); i++) {
		if (!decode_number(&list, &before) || !before || before >= s->expressions.count)
			return false;
		e->operand[i] = s->expressions.at[s->expressions.count - before];
	}
	return list.next == list.end;
}

static enum apply_result apply_expression(struct stream *s, const struct record *r)
{
	struct expression e = {.own = r->number[2]};
	uint32_t id;

	if (r->number[0] >= BO_EXPR_COUNT || r->number[1] > BO_EXPR_WIDTH_MAX)
		return apply_damage(s, "an expression of an unknown kind or width");
	e.kind = (uint8_t)r->number[0];
	e.width = (uint8_t)r->number[1];
	if (!read_own(s, &e) || !read_operands(s, &r->string[0], &e))
		return apply_damage(s, "an expression of something that was not defined before");
	id = expressions_add(s->defs->expressions, &e);
	if (!id)
		return apply_damage(s, "an expression that cannot be");
	vec_push(&s->expressions, id);
	return APPLY_CONSUMED;
}

static bool event_expression(struct stream *s, struct event *ev, uint64_t id)
{
	if (!id || id >= s->expressions.count)
		return apply_damage_id(s, "expression", id), false;
	ev->expression = s->expressions.at[id];
	return true;
}

static enum apply_result apply_branch(struct stream *s, const struct record *r, struct event *ev)
{
	const uint64_t *n = r->number; /* kind, expression, value, module, offset */

	if (n[0] >= BO_BRANCH_COUNT)
		return apply_damage(s, "a branch of an unknown kind");
	if (!event_expression(s, ev, n[1]))
		return APPLY_DAMAGE;
	if (n[2] > 1 || expressions_at(s->defs->expressions, ev->expression)->width != 1)
		return apply_damage(s, "a branch on more than one bit");
	if (n[3] >= s->modules.count)
		return apply_damage_id(s, "module", n[3]);
	ev->type = EVENT_BRANCH;
	ev->flags = (uint32_t)n[0];
	ev->value = n[2];
	ev->module = s->modules.at[n[3]];
	ev->offset = n[4];
	return APPLY_EVENT;
}

static enum apply_result apply_input(struct stream *s, const struct record *r, struct event *ev)
{
	const uint64_t *n = r->number; /* source, offset, asked, got */

	if (!n[0] || n[0] >= s->sources.count)
		return apply_damage_id(s, "source", n[0]);
	ev->type = EVENT_INPUT;
	ev->source = s->sources.at[n[0]];
	ev->offset = n[1];
	ev->value = n[2];
	ev->size = n[3];
	return ev->offset >> BO_EXPR_SOURCE_SHIFT || ev->size > ev->value
		       ? apply_damage(s, "input of an impossible range")
		       : APPLY_EVENT;
}

static enum apply_result apply_value(struct stream *s, const struct record *r, struct event *ev)
{
	if (!event_expression(s, ev, r->number[0]))
		return APPLY_DAMAGE;
	ev->type = EVENT_VALUE;
	ev->value = r->number[1];
	return APPLY_EVENT;
}

static enum apply_result apply_conversation(struct stream *s, const struct record *r, struct event *ev)
{
	if (!r->number[0] || r->number[0] >= s->sources.count)
		return apply_damage_id(s, "source", r->number[0]);
	if (r->number[1] >= BO_CONVERSATION_COUNT)
		return apply_damage(s, "a conversation of an unknown kind");
	ev->type = EVENT_CONVERSATION;
	ev->source = s->sources.at[r->number[0]];
	ev->flags = (uint32_t)r->number[1];
	ev->data = r->string[0].at;
	ev->size = r->string[0].size;
	return APPLY_EVENT;
}

enum apply_result inputs_apply(struct stream *s, const struct record *r, struct event *ev)
{
	switch (r->op) {
	case BO_OP_DEF_SOURCE: return apply_source(s, r);
	case BO_OP_DEF_TABLE: return apply_table(s, r);
	case BO_OP_DEF_EXPRESSION: return apply_expression(s, r);
	case BO_OP_DEF_BLOCK: return apply_block(s, r);
	case BO_OP_BRANCH: return apply_branch(s, r, ev);
	case BO_OP_INPUT: return apply_input(s, r, ev);
	case BO_OP_CONVERSATION: return apply_conversation(s, r, ev);
	default: return apply_value(s, r, ev);
	}
}
