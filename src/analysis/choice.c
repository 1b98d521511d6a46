/* SPDX-License-Identifier: GPL-2.0-or-later */
/* choice.c - see choice.h. */
#include "analysis/choice.h"

#include <stdio.h>
#include <string.h>

#include "crash/strategy.h"

static int name_refuse(struct err *err, const char *what, const char *name, size_t length, const char *known)
{
	err_set(err, "unknown %s '%.*s'; choose from: %s", what, (int)length, name, known);
	return err_status(err, ERR_USAGE);
}

static bool name_is(const char *own, const char *name, size_t length)
{
	return strlen(own) == length && !memcmp(own, name, length);
}

static void name_list(char *known, size_t size, const char *name)
{
	size_t used = strlen(known);

	snprintf(known + used, size - used, "%s%s", used ? ", " : "", name);
}

/* Adds `item` to an array of pointers, unless it is there. */
#define CHOOSE(items, count, item)                                  \
	do {                                                        \
		size_t place = 0;                                   \
		while (place < (count) && (items)[place] != (item)) \
			place++;                                    \
		(items)[place] = (item);                            \
		(count) += place == (count);                        \
	} while (0)

static int detector_add(struct choice *c, const char *name, size_t length, struct err *err)
{
	char known[256] = "";

	for (const struct detector *const *d = detector_all(); *d; d++) {
		if (name_is((*d)->name, name, length)) {
			CHOOSE(c->detectors, c->detector_count, *d);
			return 0;
		}
		name_list(known, sizeof(known), (*d)->name);
	}
	for (const struct strategy *const *s = strategies_all(); *s; s++) {
		if (name_is((*s)->name, name, length)) {
			CHOOSE(c->strategies, c->strategy_count, *s);
			return 0;
		}
		name_list(known, sizeof(known), (*s)->name);
	}
	return name_refuse(err, "detector", name, length, known);
}

static int platform_add(struct choice *c, const char *name, size_t length, struct err *err)
{
	const struct platform *platform;
	char known[256] = "";

	for (size_t i = 0; (platform = platform_at(i)); i++) {
		if (name_is(platform_name(platform), name, length)) {
			CHOOSE(c->platforms, c->platform_count, platform);
			return 0;
		}
		name_list(known, sizeof(known), platform_name(platform));
	}
	return name_refuse(err, "platform", name, length, known);
}

static int list_parse(struct choice *c, const char *list,
		      int (*add)(struct choice *, const char *, size_t, struct err *), struct err *err)
{
	for (const char *end; list; list = *end ? end + 1 : NULL) {
		end = strchrnul(list, ',');
		if (add(c, list, (size_t)(end - list), err) < 0)
			return -1;
	}
	return 0;
}

/* They work in the order of the table, whatever the user's order. */
static void strategies_sort(struct choice *c)
{
	size_t sorted = 0;

	for (const struct strategy *const *s = strategies_all(); *s; s++)
		for (size_t i = sorted; i < c->strategy_count; i++)
			if (c->strategies[i] == *s) {
				c->strategies[i] = c->strategies[sorted];
				c->strategies[sorted++] = *s;
			}
}

int choice_parse(struct choice *choice, const char *detect, const char *platform, struct err *err)
{
	*choice = (struct choice){0};
	if (list_parse(choice, detect, detector_add, err) < 0)
		return -1;
	strategies_sort(choice);
	return list_parse(choice, platform, platform_add, err);
}

void choice_without_recovery(struct choice *choice)
{
	size_t kept = 0;

	for (size_t i = 0; i < choice->strategy_count; i++)
		if (choice->strategies[i]->all_sets || choice->strategies[i]->untested)
			choice->strategies[kept++] = choice->strategies[i];
	choice->strategy_count = kept;
}

uint32_t choice_layers(const struct choice *choice)
{
	return strategies_layers(choice->strategies, choice->strategy_count);
}

const char *choice_lacks(const struct choice *choice, uint32_t layers, uint32_t *lacks)
{
	for (size_t i = 0; i < choice->strategy_count; i++) {
		*lacks = choice->strategies[i]->needs & ~layers;
		if (*lacks)
			return choice->strategies[i]->name;
	}
	return NULL;
}

bool choice_all_sets(const struct choice *choice)
{
	return strategies_all_sets(choice->strategies, choice->strategy_count);
}
