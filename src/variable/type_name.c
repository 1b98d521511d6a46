/* SPDX-License-Identifier: GPL-2.0-or-later */
/* type_name.c - see type_name.h. */
#include "variable/type_name.h"

#include <dwarf.h>
#include <stdio.h>

#include "variable/path.h"

static bool language_has_tags(Dwarf_Die *type)
{
	Dwarf_Die unit;

	if (!dwarf_diecu(type, &unit, NULL, NULL))
		return false;
	switch (dwarf_srclang(&unit)) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11: return true;
	default: return false;
	}
}

static const char *tag_word(Dwarf_Die *type)
{
	if (!language_has_tags(type))
		return "";
	return dwarf_tag(type) == DW_TAG_union_type ? "union " : "struct ";
}

/* The innermost typedef around a type without a name is its name. */
static const char *typedef_name(const Dwarf_Die *type)
{
	Dwarf_Die at = *type, next;
	const char *name = NULL;

	for (int hops = 0; hops < 32; hops++) {
		if (dwarf_tag(&at) == DW_TAG_typedef)
			name = dwarf_diename(&at);
		if (!type_of_die(&at, &next))
			break;
		at = next;
	}
	return name;
}

bool type_name(const Dwarf_Die *type, char *text, size_t size)
{
	Dwarf_Die stripped;

	if (!type_strip(type, &stripped))
		return false;
	const char *name = dwarf_diename(&stripped), *word = tag_word(&stripped);
	if (!name) {
		name = typedef_name(type);
		word = "";
	}
	if (!name)
		return false;
	int n = snprintf(text, size, "%s%s", word, name);
	return n > 0 && (size_t)n < size;
}
