/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kind.c - see kind.h. */
#include "finding/kind.h"

#include <string.h>
#include <xxhash.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"

static const struct kind kinds[KIND_COUNT] = {
#define X(name, text, class, severity, line) {text, CLASS_##class, SEVERITY_##severity, line, NULL, NULL},
	KINDS(X)
#undef X
};

/* Live as long as the process, so that findings may keep pointers to them. */
static VEC_OF(struct kind *) registered;
static VEC_OF(struct form *) registered_forms;
static struct map form_of; /* from the hash of a registered form to 1 + its index */
static struct arena texts;

static const struct form forms[FORM_COUNT] = {
#define X(kind, name, severity, message, fix) {KIND_##kind, SEVERITY_##severity, message, fix},
	FORMS(X)
#undef X
};

static const char *const severities[SEVERITY_COUNT] = {
#define X(name, text) text,
	SEVERITIES(X)
#undef X
};
static const char *const classes[CLASS_COUNT] = {"durability",        "performance", "ordering",
						 "crash consistency", "race",        "transaction"};
static const char *const roles[ROLE_COUNT] = {"store", "flush", "fence", "load", "guard", "begin", "add", "allocation"};

const struct kind *kind_get(enum finding_kind kind)
{
	BUG_ON((unsigned)kind >= kind_count());
	return kind < KIND_COUNT ? &kinds[kind] : registered.at[kind - KIND_COUNT];
}

unsigned kind_count(void)
{
	return KIND_COUNT + (unsigned)registered.count;
}

const char *kind_class(const struct kind *kind)
{
	return kind->class_text ? kind->class_text : class_name(kind->class);
}

bool kind_name_is_valid(const char *name)
{
	return *name && !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:")];
}

static const char *text_keep(const char *text)
{
	return text ? arena_copy(&texts, text, strlen(text)) : NULL;
}

enum finding_kind kind_register(const struct kind *kind)
{
	enum finding_kind known = kind_find(kind->name, strlen(kind->name));
	struct kind *copy;

	BUG_ON(!kind_name_is_valid(kind->name));
	if (known != KIND_NONE)
		return known;
	copy = mem_alloc(sizeof(*copy));
	*copy = (struct kind){
		.name = text_keep(kind->name),
		.class = kind->class,
		.severity = kind->severity,
		.line = text_keep(kind->line),
		.help = text_keep(kind->help ? kind->help : kind->line),
		.class_text = text_keep(kind->class_text),
	};
	vec_push(&registered, copy);
	return (enum finding_kind)(kind_count() - 1);
}

const struct form *form_get(enum finding_form form)
{
	BUG_ON((unsigned)form >= FORM_COUNT + registered_forms.count);
	return form < FORM_COUNT ? &forms[form] : registered_forms.at[form - FORM_COUNT];
}

enum finding_form form_register(const struct form *form)
{
	XXH128_hash_t message = XXH3_128bits(form->message, strlen(form->message));
	XXH128_hash_t fix = XXH3_128bits_withSeed(form->fix, strlen(form->fix),
						  (uint64_t)form->kind << 8 | (uint64_t)form->severity);
	uint64_t *found = map_put(&form_of, message.low64 ^ fix.high64, message.high64 ^ fix.low64);

	if (!*found) {
		struct form *copy = mem_alloc(sizeof(*copy));

		*copy = *form;
		copy->message = text_keep(form->message);
		copy->fix = text_keep(form->fix);
		vec_push(&registered_forms, copy);
		*found = registered_forms.count;
	}
	return (enum finding_form)(FORM_COUNT + *found - 1);
}

enum finding_kind kind_find(const char *name, size_t length)
{
	for (unsigned i = 0; i < kind_count(); i++) {
		const char *own = kind_get((enum finding_kind)i)->name;

		if (strlen(own) == length && !memcmp(own, name, length))
			return (enum finding_kind)i;
	}
	return KIND_NONE;
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
