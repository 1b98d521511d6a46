/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pattern.c - see pattern.h. */
#include "plugin/pattern.h"

#include <stddef.h>
#include <string.h>

/* `*` is any text and `?` any character; nothing else is special, because names have brackets.  Going back to the last
 * star is enough. */
static bool glob(const char *pattern, const char *text, size_t length)
{
	const char *star = NULL, *end = text + length, *retry = text;

	while (text < end) {
		if (*pattern == '*') {
			star = ++pattern;
			retry = text;
		} else if (*pattern == '?' || (*pattern && *pattern == *text)) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star;
			text = ++retry;
		} else {
			return false;
		}
	}
	return !pattern[strspn(pattern, "*")];
}

/* The colon after MODULE, or NULL; "space::function" has none. */
static const char *module_end(const char *pattern)
{
	for (const char *c = pattern; *c; c++) {
		if (c[0] == ':' && c[1] == ':')
			c++;
		else if (c[0] == ':')
			return c;
	}
	return NULL;
}

/* "f@@VERSION" and the clones "f.constprop.0" and "f.isra.0" are f. */
static bool symbol_matches(const char *pattern, const char *symbol)
{
	size_t length = strcspn(symbol, "@");
	const char *dot = strchr(symbol, '.');
	bool clone = dot && (!strncmp(dot, ".constprop.", 11) || !strncmp(dot, ".isra.", 6));

	return glob(pattern, symbol, strlen(symbol)) || glob(pattern, symbol, length) ||
	       (clone && glob(pattern, symbol, (size_t)(dot - symbol)));
}

/* The length of a C++ name without its parameters: they begin at the last "(" that is not inside other brackets. */
static size_t name_length(const char *name)
{
	int depth = 0;

	for (size_t i = strlen(name); i-- > 0;) {
		depth += name[i] == ')' || (name[i] == '>' && !(i && name[i - 1] == '-'));
		depth -= name[i] == '(' || name[i] == '<';
		if (name[i] == '(' && depth == 0)
			return i;
	}
	return strlen(name);
}

static bool module_matches(const char *pattern, size_t length, const char *module)
{
	char copy[4096];
	const char *base = module ? strrchr(module, '/') : NULL;

	if (!module || length >= sizeof(copy))
		return false;
	memcpy(copy, pattern, length);
	copy[length] = 0;
	base = base && !strchr(copy, '/') ? base + 1 : module;
	/* The recorder also compares the soname: libx.so.1 for libx.so.1.2. */
	return glob(copy, base, strlen(base)) || (!strncmp(copy, base, length) && base[length] == '.');
}

bool pattern_matches(const char *pattern, const char *symbol, const char *name, const char *module)
{
	const char *end = module_end(pattern), *function = end ? end + 1 : pattern;

	if (end && !module_matches(pattern, (size_t)(end - pattern), module))
		return false;
	return symbol_matches(function, symbol) || glob(function, name, strlen(name)) ||
	       glob(function, name, name_length(name));
}

bool pattern_covers(const char *wide, const char *narrow)
{
	const char *end = module_end(wide), *narrow_end = module_end(narrow);

	if (!strcmp(wide, narrow))
		return true;
	/* Without a module, or with the same one, a pattern that matches the other one's text matches what that does. */
	if (end &&
	    (!narrow_end || end - wide != narrow_end - narrow || strncmp(wide, narrow, (size_t)(end - wide)) != 0))
		return false;
	wide = end ? end + 1 : wide;
	narrow = narrow_end ? narrow_end + 1 : narrow;
	return glob(wide, narrow, strlen(narrow));
}
