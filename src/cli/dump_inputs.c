/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dump_inputs.c - print how the program depends on its input.  Scripts rely on the format, which blackout-dump(1)
 * describes. */
#include <string.h>

#include "cli/dump.h"
#include "expression/expressions.h"

#define EXPRESSION_BYTES_MAX 1024

static void print_expression(struct out *out, const struct trace *trace, uint32_t id)
{
	char text[EXPRESSION_BYTES_MAX];

	expression_print(trace_expressions(trace), id, text, sizeof(text));
	out_text(out, text);
}

static void print_other_side(struct out *out, const struct trace *trace, const struct event *ev)
{
	const struct trace_module *module = trace_module(trace, ev->module);
	const char *slash = module ? strrchr(module->path, '/') : NULL;

	if (!module)
		return;
	out_text(out, " other=");
	out_word(out, slash ? slash + 1 : module->path);
	out_char(out, '+');
	out_hex(out, ev->offset);
}

static void print_branch(struct out *out, const struct trace *trace, const struct event *ev)
{
	static const char *const kinds[] = {
#define X(name, text) text,
		BO_BRANCHES(X)
#undef X
	};

	out_text(out, kinds[ev->flags]);
	out_char(out, ' ');
	print_expression(out, trace, ev->expression);
	out_text(out, ev->value ? " = 1" : " = 0");
	print_other_side(out, trace, ev);
}

static void print_source(struct out *out, const struct trace *trace, uint32_t id)
{
	static const char *const kinds[] = {
#define X(name, text) text,
		BO_SOURCES(X)
#undef X
	};
	const struct expression_source *source = expressions_source(trace_expressions(trace), id);

	out_text(out, kinds[source->kind]);
	if (*source->name) {
		out_char(out, ':');
		out_word(out, source->name);
	}
}

static void print_input(struct out *out, const struct trace *trace, const struct event *ev)
{
	print_source(out, trace, ev->source);
	out_char(out, '+');
	out_hex(out, ev->offset);
	out_char(out, ' ');
	out_number(out, ev->size);
	out_text(out, " of ");
	out_number(out, ev->value);
}

static void print_conversation(struct out *out, const struct trace *trace, const struct event *ev)
{
	static const char *const kinds[] = {
#define X(name, text) text,
		BO_CONVERSATIONS(X)
#undef X
	};

	print_source(out, trace, ev->source);
	out_char(out, ' ');
	out_text(out, kinds[ev->flags]);
	if (ev->flags == BO_CONVERSATION_RECEIVED) {
		out_char(out, ' ');
		out_number(out, ev->size);
	}
}

void dump_inputs(struct out *out, const struct trace *trace, const struct event *ev)
{
	if (ev->type == EVENT_BRANCH) {
		print_branch(out, trace, ev);
	} else if (ev->type == EVENT_INPUT) {
		print_input(out, trace, ev);
	} else if (ev->type == EVENT_CONVERSATION) {
		print_conversation(out, trace, ev);
	} else {
		print_expression(out, trace, ev->expression);
		out_text(out, " = ");
		out_hex(out, ev->value);
	}
}
