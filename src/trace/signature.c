/* SPDX-License-Identifier: GPL-2.0-or-later */
/* signature.c - see signature.h. */
#include "trace/signature.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

/* Kinds of parameters that a function has; bits. */
enum {
	TAKES_VOID = 1,     /* void * */
	TAKES_SCALAR = 2,   /* a pointer or reference to a number, or to another pointer */
	TAKES_TEXT = 4,     /* a pointer to bytes: an address, or a name */
	TAKES_OBJECT = 8,   /* a struct or class, or a pointer to one */
	TAKES_NUMBER = 16,  /* an integer of any size */
	TAKES_WORD = 32,    /* an integer large enough for an address */
	TAKES_TEMPLATE = 64 /* the caller chooses the types above */
};

static bool die_follow(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;
	Dwarf_Die next;

	if (!dwarf_attr_integrate(die, name, &attribute) || !dwarf_formref_die(&attribute, &next))
		return false;
	*die = next;
	return true;
}

/* Go from a concrete or inlined copy to its original: copies may lack unused parameters. */
static void die_to_origin(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Die next;

	for (int hops = 0; hops < 8; hops++) {
		if (!dwarf_attr(die, DW_AT_abstract_origin, &attribute) || !dwarf_formref_die(&attribute, &next))
			return;
		*die = next;
	}
}

/* The type of `die` without typedefs and qualifiers; false if it is void. */
static bool type_of(const Dwarf_Die *die, Dwarf_Die *type)
{
	*type = *die;
	for (int hops = 0; hops < 32 && die_follow(type, DW_AT_type); hops++)
		switch (dwarf_tag(type)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type: continue;
		default: return true;
		}
	return false;
}

static unsigned pointer_takes(const Dwarf_Die *pointer)
{
	Dwarf_Die to;

	if (!type_of(pointer, &to))
		return TAKES_VOID;
	switch (dwarf_tag(&to)) {
	case DW_TAG_base_type: return dwarf_bytesize(&to) == 1 ? TAKES_TEXT : TAKES_SCALAR;
	case DW_TAG_subroutine_type: return 0;
	case DW_TAG_pointer_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_array_type: return TAKES_SCALAR;
	default: return TAKES_OBJECT;
	}
}

static unsigned parameter_takes(const Dwarf_Die *parameter)
{
	Dwarf_Die type;

	if (!type_of(parameter, &type))
		return 0;
	switch (dwarf_tag(&type)) {
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type: return pointer_takes(&type);
	case DW_TAG_base_type: return TAKES_NUMBER | (dwarf_bytesize(&type) == 8 ? TAKES_WORD : 0);
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type: return TAKES_OBJECT;
	default: return 0;
	}
}

static unsigned function_takes(Dwarf_Die *function)
{
	unsigned takes = 0;
	Dwarf_Die child;

	if (dwarf_child(function, &child) != 0)
		return 0;
	do {
		if (dwarf_tag(&child) == DW_TAG_formal_parameter)
			takes |= parameter_takes(&child);
		else if (dwarf_tag(&child) == DW_TAG_template_type_parameter)
			takes |= TAKES_TEMPLATE;
	} while (dwarf_siblingof(&child, &child) == 0);
	return takes;
}

static enum symbols_given takes_given(unsigned takes)
{
	const unsigned pointers = TAKES_VOID | TAKES_SCALAR | TAKES_TEXT | TAKES_OBJECT;

	if (takes & TAKES_VOID || (takes & TAKES_TEMPLATE && takes & pointers))
		return GIVEN_ADDRESS;
	if (!(takes & TAKES_OBJECT) && (takes & TAKES_SCALAR || (takes & TAKES_TEXT && takes & TAKES_NUMBER)))
		return GIVEN_ADDRESS;
	return takes & (pointers | TAKES_WORD) ? GIVEN_MAYBE : GIVEN_NOTHING;
}

/* libdw's own dwarf_decl_file fails an assertion if the file table is elsewhere (-gsplit-dwarf). */
static const char *decl_file(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Files *files;
	Dwarf_Word index;
	Dwarf_Die unit;
	size_t count;

	if (!dwarf_attr_integrate(die, DW_AT_decl_file, &attribute) || dwarf_formudata(&attribute, &index) != 0 ||
	    !dwarf_cu_die(attribute.cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL) ||
	    dwarf_getsrcfiles(&unit, &files, &count) != 0 || index >= count)
		return NULL;
	return dwarf_filesrc(files, index, NULL, NULL);
}

/* Hash of the place of the declaration and the name there.  A function in a header is one function even if it is
 * compiled into many units; so are the instances of a template. */
static uint64_t function_identity(Dwarf_Die *function)
{
	const char *file = decl_file(function), *name = dwarf_diename(function);
	char text[1024];
	int line = 0;

	if (!file || !name || dwarf_decl_line(function, &line) != 0)
		return 0;
	symbols_stem(text, sizeof(text), name);
	return XXH3_64bits_withSeed(text, strlen(text), XXH3_64bits_withSeed(file, strlen(file), (uint64_t)line));
}

struct signature signature_of_die(const Dwarf_Die *die, bool typed)
{
	Dwarf_Die function = *die, type;

	die_to_origin(&function);
	return (struct signature){
		.identity = function_identity(&function),
		.given = typed ? takes_given(function_takes(&function)) : GIVEN_UNKNOWN,
		.returns = type_of(&function, &type),
	};
}
