/* SPDX-License-Identifier: GPL-2.0-or-later */
/* print.c - expressions as text, see expression_print. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "expression/expressions.h"

struct text {
	char *at;
	size_t size, used; /* used > size - 1: it is too long */
};

/* An expression whose operands are being printed. */
struct frame {
	uint32_t id;
	unsigned operand; /* the next one */
};

static const char *const kind_names[] = {
#define X(name, text, operands, own) text,
	BO_EXPRESSIONS(X)
#undef X
};

static const char *const source_names[] = {
#define X(name, text) text,
	BO_SOURCES(X)
#undef X
};

__attribute__((format(printf, 2, 3))) static void text_add(struct text *text, const char *fmt, ...)
{
	va_list args;

	if (text->used >= text->size)
		return;
	va_start(args, fmt);
	text->used += (size_t)vsnprintf(text->at + text->used, text->size - text->used, fmt, args);
	va_end(args);
}

static void print_source(struct text *text, const struct expressions *x, uint32_t id)
{
	const struct expression_source *source = expressions_source(x, id);

	text_add(text, "%s%s%s", source_names[source->kind], *source->name ? ":" : "", source->name);
}

static void print_leaf(struct text *text, const struct expressions *x, const struct expression *e)
{
	if (e->kind == BO_EXPR_CONST) {
		text_add(text, "%#" PRIx64, e->own);
	} else if (e->kind == BO_EXPR_INPUT) {
		print_source(text, x, expression_input_source(e));
		text_add(text, "[%" PRIu64 "]", expression_input_offset(e));
	} else {
		text_add(text, "length(");
		print_source(text, x, (uint32_t)e->own);
		text_add(text, ")");
	}
}

/* What follows the operands: what cannot be told from them. */
static void print_end(struct text *text, const struct expression *e)
{
	if (e->kind == BO_EXPR_EXTRACT)
		text_add(text, ", %" PRIu64 "..%" PRIu64, e->own, e->own + e->width - 1);
	else if (e->kind == BO_EXPR_TABLE)
		text_add(text, ", %" PRIu64 ", %u", e->own, e->width);
	else if (e->kind == BO_EXPR_ZEXT || e->kind == BO_EXPR_SEXT)
		text_add(text, ", %u", e->width);
	text_add(text, ")");
}

void expression_print(const struct expressions *x, uint32_t id, char *at, size_t size)
{
	struct text text = {.at = at, .size = size};
	VEC_OF(struct frame) frames = {0};

	vec_push(&frames, ((struct frame){.id = id}));
	/* Each frame prints something, so the text's size bounds their number. */
	while (frames.count && text.used < text.size) {
		struct frame *frame = &frames.at[frames.count - 1];
		const struct expression *e = expressions_at(x, frame->id);
		unsigned operands = bo_expression_operands(e->kind);

		if (!operands) {
			print_leaf(&text, x, e);
			frames.count--;
		} else if (frame->operand < operands) {
			struct frame next = {.id = e->operand[frame->operand]};

			text_add(&text, "%s%s", frame->operand ? "" : kind_names[e->kind], frame->operand ? ", " : "(");
			frame->operand++;
			vec_push(&frames, next);
		} else {
			print_end(&text, e);
			frames.count--;
		}
	}
	vec_free(&frames);
	if (text.used >= text.size)
		memcpy(at + size - 4, "...", 4);
}
