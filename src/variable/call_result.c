/* SPDX-License-Identifier: GPL-2.0-or-later */
/* call_result.c - see call_result.h. */
#include "variable/call_result.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "flow/insn.h"
#include "variable/type.h"

/* The name of the object that a member function is called for. */
static bool receiver_name(struct evaluation *e, uint32_t index, Dwarf_Die *function, struct path *path)
{
	struct value v = value_before(e, REG_RDI, index);
	Dwarf_Die parameter, pointer, type;
	Dwarf_Word size;

	if (!value_to_object(e, ways_at(e->ways, index)->at, &v) || dwarf_child(function, &parameter) != 0 ||
	    dwarf_tag(&parameter) != DW_TAG_formal_parameter || !type_of_die(&parameter, &pointer) ||
	    !type_strip(&pointer, &pointer) || !type_of_die(&pointer, &type) || dwarf_aggregate_size(&type, &size) != 0)
		return false;
	struct extent extent = value_extent(&v, size);
	return path_find(&v.object, &extent, e->words, path);
}

/* `operator->` of a smart pointer, `operator*`, `operator[]` of a container. */
static bool operator_text(struct evaluation *e, uint32_t index, Dwarf_Die *function, const char *operator, char * text,
			  size_t size)
{
	struct path path;
	int n = -1;

	if (!receiver_name(e, index, function, &path))
		return false;
	if (!strcmp(operator, "->"))
		n = snprintf(text, size, "%s", path.text);
	else if (!strcmp(operator, "*"))
		n = snprintf(text, size, "(*%s)", path.text);
	else if (!strcmp(operator, "[]"))
		n = snprintf(text, size, "%s[]", path.text);
	return n > 0 && (size_t)n < size;
}

bool call_result(struct evaluation *e, uint32_t index, struct value *v)
{
	static const char word[] = "operator";
	const struct ways_insn *insn = ways_at(e->ways, index);
	Dwarf_Die function, type, to;
	char text[PATH_TEXT_MAX];

	if (insn->kind != FLOW_CALL || !debuginfo_begins(e->info, insn->target, &function) ||
	    !type_of_die(&function, &type) || !type_strip(&type, &type) || !type_of_die(&type, &to))
		return false;
	int tag = dwarf_tag(&type);
	const char *name = dwarf_diename(&function);
	if (!name || name_is_reserved(name) || (tag != DW_TAG_pointer_type && tag != DW_TAG_reference_type))
		return false;
	if (!strncmp(name, word, sizeof(word) - 1)) {
		if (!operator_text(e, index, &function, name + sizeof(word) - 1, text, sizeof(text)))
			return false;
	} else if (snprintf(text, sizeof(text), "%s()", name) >= (int)sizeof(text)) {
		return false;
	}
	*v = (struct value){.base = VALUE_OBJECT,
			    .object = {arena_copy(e->arena, text, strlen(text)), to, tag == DW_TAG_pointer_type}};
	return true;
}
