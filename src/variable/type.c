/* SPDX-License-Identifier: GPL-2.0-or-later */
/* type.c - see type.h. */
#include "variable/type.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#define HOPS_MAX 24 /* damaged debug info may go round in circles */

bool type_of_die(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, type);
}

bool type_strip(const Dwarf_Die *type, Dwarf_Die *stripped)
{
	*stripped = *type;
	for (int hops = 0; hops < HOPS_MAX; hops++) {
		Dwarf_Die next;

		switch (dwarf_tag(stripped)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			if (!type_of_die(stripped, &next))
				return false;
			*stripped = next;
			continue;
		case DW_TAG_unspecified_type:
		case DW_TAG_invalid: return false;
		default: return true;
		}
	}
	return false;
}

uint64_t type_size(Dwarf_Die *type)
{
	Dwarf_Word size;

	return dwarf_aggregate_size(type, &size) == 0 && size < INT64_MAX / 4 ? size : 0;
}

bool name_is_reserved(const char *name)
{
	return !strncmp(name, "_M_", 3) || !strncmp(name, "__", 2);
}

bool number_of(Dwarf_Die *die, unsigned int name, uint64_t *number)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (!dwarf_attr_integrate(die, name, &attribute) || dwarf_formudata(&attribute, &value) != 0)
		return false;
	*number = value;
	return true;
}

/* ---- names ---- */

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

/* ---- members ---- */

/* Where a bit field is, for all versions of DWARF; little-endian. */
static bool member_bits(Dwarf_Die *die, struct member *m)
{
	uint64_t bits, first, storage, from_top;

	if (!number_of(die, DW_AT_bit_size, &bits))
		return false;
	if (!number_of(die, DW_AT_data_bit_offset, &first)) {
		if (!number_of(die, DW_AT_byte_size, &storage))
			storage = m->size;
		if (!number_of(die, DW_AT_bit_offset, &from_top))
			return false;
		first = m->offset * 8 + storage * 8 - from_top - bits;
	}
	m->offset = first / 8;
	m->size = (first + bits + 7) / 8 - m->offset;
	m->bits = true;
	return true;
}

/* A class without data has a size, but shares its place with what follows. */
static bool type_is_empty(const Dwarf_Die *type)
{
	Dwarf_Die stripped, die;

	if (!type_strip(type, &stripped) || dwarf_child(&stripped, &die) != 0)
		return true;
	do
		if ((dwarf_tag(&die) == DW_TAG_member && !dwarf_hasattr(&die, DW_AT_external) &&
		     !dwarf_hasattr(&die, DW_AT_declaration)) ||
		    dwarf_tag(&die) == DW_TAG_inheritance)
			return false;
	while (dwarf_siblingof(&die, &die) == 0);
	return true;
}

/* False: no data of the object, or at a place that is computed. */
bool member_read(Dwarf_Die *die, struct member *m)
{
	int tag = dwarf_tag(die);
	Dwarf_Attribute attribute;

	if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
		return false;
	*m = (struct member){.name = tag == DW_TAG_member ? dwarf_diename(die) : NULL};
	if (m->name && !*m->name)
		m->name = NULL;
	if (!type_of_die(die, &m->type) || (tag == DW_TAG_inheritance && type_is_empty(&m->type)))
		return false;
	m->size = type_size(&m->type);
	if (dwarf_hasattr(die, DW_AT_external) || dwarf_hasattr(die, DW_AT_declaration) ||
	    dwarf_hasattr(die, DW_AT_virtuality))
		return false;
	if (dwarf_attr_integrate(die, DW_AT_data_member_location, &attribute) &&
	    !number_of(die, DW_AT_data_member_location, &m->offset))
		return false;
	if (dwarf_hasattr(die, DW_AT_bit_size))
		return member_bits(die, m);
	return true;
}

static bool hidden_within(const Dwarf_Die *type, int depth)
{
	Dwarf_Die stripped, die;
	struct member m;

	if (depth > HOPS_MAX || !type_strip(type, &stripped) || dwarf_child(&stripped, &die) != 0)
		return false;
	do
		if (member_read(&die, &m))
			return m.name ? name_is_reserved(m.name) : hidden_within(&m.type, depth + 1);
	while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

bool type_is_hidden(const Dwarf_Die *type)
{
	return hidden_within(type, 0);
}

bool member_first(Dwarf_Die *type, Dwarf_Die *die)
{
	return dwarf_child(type, die) == 0;
}

bool member_next(Dwarf_Die *die)
{
	return dwarf_siblingof(die, die) == 0;
}
