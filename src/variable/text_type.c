/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text_type.c - see text_type.h.  A small parser of postfix expressions, which computes types instead of values. */
#include "variable/text_type.h"

#include <dwarf.h>
#include <string.h>

#include "variable/line_words.h"
#include "variable/type.h"

#define DEPTH_MAX 16
#define NAME_MAX_CHARS 100

struct parser {
	const struct scope *scope;
	const char *at;
	int depth;
};

static bool parse_unary(struct parser *p, struct text_type *r);

/* ---- types ---- */

static bool type_pointee(const Dwarf_Die *type, Dwarf_Die *to)
{
	Dwarf_Die stripped;

	if (!type_strip(type, &stripped))
		return false;
	switch (dwarf_tag(&stripped)) {
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
	case DW_TAG_array_type: return type_of_die(&stripped, to);
	}
	return false;
}

/* The member called `name`, also of bases and anonymous members. */
static bool member_find(const Dwarf_Die *type, const char *name, int depth, struct member *found)
{
	Dwarf_Die stripped, at;
	struct member m;

	if (depth > DEPTH_MAX || !type_strip(type, &stripped) || !member_first(&stripped, &at))
		return false;
	do {
		if (!member_read(&at, &m))
			continue;
		if (m.name ? !strcmp(m.name, name) : member_find(&m.type, name, depth + 1, found)) {
			*found = m.name ? m
					: (struct member){found->name, found->type, found->offset + m.offset,
							  found->size, found->bits};
			return true;
		}
	} while (member_next(&at));
	return false;
}

/* References are used like what they refer to. */
static void result_refer(struct text_type *r)
{
	Dwarf_Die stripped, to;

	if (type_strip(&r->type, &stripped) &&
	    (dwarf_tag(&stripped) == DW_TAG_reference_type || dwarf_tag(&stripped) == DW_TAG_rvalue_reference_type) &&
	    type_of_die(&stripped, &to))
		r->type = to;
}

static bool result_member(struct text_type *r, const char *name)
{
	struct member m;

	if (!member_find(&r->type, name, 0, &m))
		return false;
	*r = (struct text_type){.type = m.type, .member = true, .holder = r->type, .offset = m.offset};
	result_refer(r);
	return true;
}

static bool result_follow(struct text_type *r)
{
	Dwarf_Die to;

	if (!type_pointee(&r->type, &to))
		return false;
	*r = (struct text_type){.type = to};
	return true;
}

/* ---- parsing ---- */

static void skip_space(struct parser *p)
{
	while (*p->at == ' ' || *p->at == '\t')
		p->at++;
}

static bool take(struct parser *p, const char *token)
{
	skip_space(p);
	if (strncmp(p->at, token, strlen(token)) != 0)
		return false;
	p->at += strlen(token);
	return true;
}

static bool take_name(struct parser *p, char name[NAME_MAX_CHARS])
{
	size_t length = 0;

	skip_space(p);
	while (word_char(p->at[length]))
		length++;
	if (!length || length >= NAME_MAX_CHARS)
		return false;
	memcpy(name, p->at, length);
	name[length] = 0;
	p->at += length;
	return true;
}

/* Up to the bracket that closes; what is between does not matter for the type. */
static bool take_index(struct parser *p)
{
	int depth = 1;

	for (; *p->at && depth; p->at++) {
		depth += *p->at == '[';
		depth -= *p->at == ']';
	}
	return !depth;
}

static bool result_of_variable(const struct parser *p, const char *name, struct text_type *r)
{
	for (size_t i = 0; i < p->scope->variables.count; i++)
		if (!strcmp(p->scope->variables.at[i].name, name)) {
			*r = (struct text_type){.type = p->scope->variables.at[i].type};
			result_refer(r);
			return true;
		}
	/* Without another variable of this name, it may be a member of this object. */
	return strcmp(name, "this") != 0 && result_of_variable(p, "this", r) && result_follow(r) &&
	       result_member(r, name);
}

static bool parse_primary(struct parser *p, struct text_type *r)
{
	char name[NAME_MAX_CHARS];

	if (take(p, "("))
		return parse_unary(p, r) && take(p, ")");
	if (!take_name(p, name))
		return false;
	if (!take(p, "("))
		return result_of_variable(p, name, r);
	/* The object id is a union with a pointer of the right type. */
	if (strcmp(name, "D_RW") != 0 && strcmp(name, "D_RO") != 0)
		return false;
	return parse_unary(p, r) && take(p, ")") && result_member(r, "_type");
}

static bool parse_postfix(struct parser *p, struct text_type *r)
{
	char name[NAME_MAX_CHARS];

	if (!parse_primary(p, r))
		return false;
	for (;;) {
		if (take(p, "->")) {
			if (!result_follow(r) || !take_name(p, name) || !result_member(r, name))
				return false;
		} else if (take(p, ".")) {
			if (!take_name(p, name) || !result_member(r, name))
				return false;
		} else if (take(p, "[")) {
			if (!take_index(p) || !result_follow(r))
				return false;
		} else {
			return true;
		}
	}
}

static bool parse_unary(struct parser *p, struct text_type *r)
{
	if (++p->depth > DEPTH_MAX)
		return false;
	if (take(p, "*"))
		return parse_unary(p, r) && result_follow(r);
	return parse_postfix(p, r);
}

bool text_type(const struct scope *scope, const char *text, struct text_type *r)
{
	struct parser p = {.scope = scope, .at = text};

	return parse_unary(&p, r) && !*p.at;
}
