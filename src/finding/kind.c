/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kind.c - see kind.h. */
#include "finding/kind.h"

#include <string.h>

#include "base/err.h"

static const struct kind kinds[KIND_COUNT] = {
#define X(name, text, class, severity, line) {text, CLASS_##class, SEVERITY_##severity, line},
	KINDS(X)
#undef X
};

static const struct variant variants[VARIANT_COUNT] = {
#define X(kind, name, severity, message, fix) {KIND_##kind, SEVERITY_##severity, message, fix},
	VARIANTS(X)
#undef X
};

static const char *const severities[SEVERITY_COUNT] = {
#define X(name, text) text,
	SEVERITIES(X)
#undef X
};
static const char *const classes[CLASS_COUNT] = {"durability", "performance", "ordering", "crash consistency"};
static const char *const roles[ROLE_COUNT] = {"store", "flush", "fence", "load", "guard"};

const struct kind *kind_get(enum finding_kind kind)
{
	BUG_ON((unsigned)kind >= KIND_COUNT);
	return &kinds[kind];
}

const struct variant *variant_get(enum finding_variant variant)
{
	BUG_ON((unsigned)variant >= VARIANT_COUNT);
	return &variants[variant];
}

enum finding_kind kind_find(const char *name, size_t length)
{
	for (unsigned kind = 0; kind < KIND_COUNT; kind++)
		if (strlen(kinds[kind].name) == length && !memcmp(kinds[kind].name, name, length))
			return (enum finding_kind)kind;
	return KIND_COUNT;
}

const char *severity_name(enum severity severity)
{
	BUG_ON((unsigned)severity >= SEVERITY_COUNT);
	return severities[severity];
}

const char *class_name(enum finding_class class)
{
	BUG_ON((unsigned)class >= CLASS_COUNT);
	return classes[class];
}

const char *role_name(enum related_role role)
{
	BUG_ON((unsigned)role >= ROLE_COUNT);
	return roles[role];
}

/* The index of `name` in an array of names, or `count`. */
static unsigned name_index(const char *const *names, unsigned count, const char *name)
{
	unsigned i = 0;

	while (i < count && strcmp(names[i], name))
		i++;
	return i;
}

bool severity_find(const char *name, enum severity *severity)
{
	unsigned i = name_index(severities, SEVERITY_COUNT, name);

	*severity = (enum severity)i;
	return i < SEVERITY_COUNT;
}

bool role_find(const char *name, enum related_role *role)
{
	unsigned i = name_index(roles, ROLE_COUNT, name);

	*role = (enum related_role)i;
	return i < ROLE_COUNT;
}
