/* SPDX-License-Identifier: GPL-2.0-or-later */
/* names.c - names of functions; see names.h. */
#include "trace/names.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"

/* Names are cached, because finding the scopes of a DIE means walking its unit. */
struct names {
	struct map texts; /* from the location of the DIE or symbol in the mapped file to a const char * */
	VEC_OF(char *) owned;
};

struct names *names_open(void)
{
	return mem_alloc(sizeof(struct names));
}

void names_close(struct names *names)
{
	for (size_t i = 0; i < names->owned.count; i++)
		free(names->owned.at[i]);
	vec_free(&names->owned);
	map_free(&names->texts);
	free(names);
}

/* Cache `made` for the key; it is freed with the names.  If `made` is NULL, cache `plain`. */
static const char *names_keep(struct names *names, const void *key, char *made, const char *plain)
{
	const char *text = made ? made : plain;

	if (made)
		vec_push(&names->owned, made);
	*map_put(&names->texts, (uintptr_t)key, 0) = (uintptr_t)text;
	return text;
}

static const char *names_known(const struct names *names, const void *key)
{
	const uint64_t *text = map_get(&names->texts, (uintptr_t)key, 0);

	return text ? (const char *)(uintptr_t)*text : NULL;
}

/* ---- from DWARF ---- */

static bool unit_has_scopes(Dwarf_Die *die)
{
	Dwarf_Die unit;

	if (!dwarf_diecu(die, &unit, NULL, NULL))
		return false;
	switch (dwarf_srclang(&unit)) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_Mips_Assembler: return false;
	default: return true;
	}
}

/* Go from a concrete or inlined copy to the declaration, which stands inside the scopes that qualify it. */
static void die_to_declaration(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;

	for (int hops = 0; hops < 8; hops++) {
		if (!dwarf_attr(die, DW_AT_abstract_origin, &attribute) &&
		    !dwarf_attr(die, DW_AT_specification, &attribute))
			return;
		Dwarf_Die next;
		if (!dwarf_formref_die(&attribute, &next))
			return;
		*die = next;
	}
}

static const char *scope_text(Dwarf_Die *scope)
{
	const char *name = dwarf_diename(scope);

	switch (dwarf_tag(scope)) {
	case DW_TAG_namespace: return name ? name : "(anonymous namespace)";
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type: return name ? name : "(anonymous)";
	case DW_TAG_subprogram: /* a local class or lambda */ return name;
	default: return NULL;
	}
}

/* Return `name` with the scopes of its declaration in front, or NULL if it has none. */
static char *name_qualify(Dwarf_Die *die, const char *name)
{
	Dwarf_Die declaration = *die, *scopes = NULL;
	char *text = NULL;

	die_to_declaration(&declaration);
	int count = dwarf_getscopes_die(&declaration, &scopes);
	for (int i = 1; i < count; i++) { /* scopes[0] is the function itself; then outwards */
		const char *scope = scope_text(&scopes[i]);
		char *longer;

		if (!scope)
			continue;
		if (asprintf(&longer, "%s::%s", scope, text ? text : name) < 0)
			break;
		free(text);
		text = longer;
	}
	free(scopes);
	return text;
}

const char *names_of_die(struct names *names, Dwarf_Die *die)
{
	const char *plain = dwarf_diename(die);

	if (!plain || !unit_has_scopes(die))
		return plain;
	const char *known = names_known(names, die->addr);
	return known ? known : names_keep(names, die->addr, name_qualify(die, plain), plain);
}

/* ---- from ELF symbols ---- */

typedef char *demangle_function(const char *mangled, char *buffer, size_t *size, int *status);

static demangle_function *demangle; /* NULL: there is none */

static void demangle_find(void)
{
	void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);

	if (library)
		*(void **)&demangle = dlsym(library, "__cxa_demangle");
}

static demangle_function *demangler(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, demangle_find);
	return demangle;
}

/* Cut the parameters off a demangled name, with the qualifiers and clone suffixes after them: DWARF's names have none
 * of these either. */
static void name_cut_parameters(char *name)
{
	char *close = strrchr(name, ')');
	int depth = 0;

	for (char *p = close; p && p > name; p--) {
		depth += (*p == ')') - (*p == '(');
		if (!depth) {
			*p = 0;
			return;
		}
	}
}

static char *symbol_demangle(const char *symbol)
{
	int status;

	if (strncmp(symbol, "_Z", 2) != 0 || !demangler())
		return NULL;
	char *name = demangler()(symbol, NULL, NULL, &status);
	if (name)
		name_cut_parameters(name);
	return name;
}

/* The symbol tables that linkers write into executables contain versions: memcpy@GLIBC_2.14. */
static char *symbol_unversion(const char *symbol)
{
	const char *version = strchr(symbol, '@');

	return version && version != symbol ? strndup(symbol, (size_t)(version - symbol)) : NULL;
}

const char *names_of_symbol(struct names *names, const char *symbol)
{
	if (strncmp(symbol, "_Z", 2) != 0 && !strchr(symbol, '@'))
		return symbol;
	const char *known = names_known(names, symbol);
	if (known)
		return known;
	char *base = symbol_unversion(symbol);
	char *readable = symbol_demangle(base ? base : symbol);
	if (!readable)
		return names_keep(names, symbol, base, symbol);
	free(base);
	return names_keep(names, symbol, readable, symbol);
}
