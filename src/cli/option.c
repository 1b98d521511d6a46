/* SPDX-License-Identifier: GPL-2.0-or-later */
/* option.c - parse a command line according to its table; see option.h. */
#include "cli/option.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "cli/command.h"
#include "cli/nearest.h"
#include "report/text_out.h"

enum { HELP_COLUMN = 28, HELP_WIDTH = 80 };

/* The options on the command line; there is only one command line per process. */
static VEC_OF(const struct option *) given;

static const struct option *option_find(const struct usage *usage, const char *name, size_t length)
{
	for (const struct option *o = usage->options; o->name; o++)
		if (option_kind(o) != OPTION_TITLE && strlen(o->name) == length && !memcmp(o->name, name, length))
			return o;
	return NULL;
}

const char *option_value_next(const struct option *o, const char *value, size_t *length)
{
	if (!o->argument || !strchr(o->argument, '|'))
		return NULL;
	if (value) {
		value += strcspn(value, "|,");
		if (*value != '|')
			return NULL;
		value++;
	} else {
		value = o->argument;
	}
	*length = strcspn(value, "|,");
	return value;
}

/* "text, json or sarif" */
static void values_list(const struct option *o, char *text, size_t size)
{
	size_t length, used = 0;

	for (const char *v = option_value_next(o, NULL, &length); v && used < size;) {
		const char *before = v == o->argument ? "" : v[length] ? ", " : " or ";

		used += (size_t)snprintf(text + used, size - used, "%s%.*s", before, (int)length, v);
		v = option_value_next(o, v, &length);
	}
}

/* If the option lists all its values, refuse any other value. */
static int value_check(const struct option *o, const char *argument, struct err *err)
{
	char known[200];
	size_t length;

	if (!strchr(o->argument, '|') || strchr(o->argument, ','))
		return 0;
	for (const char *v = NULL; (v = option_value_next(o, v, &length));)
		if (strlen(argument) == length && !memcmp(v, argument, length))
			return 0;
	values_list(o, known, sizeof(known));
	return err_set(err, "--%s cannot be '%s', only %s", o->name, argument, known);
}

static void list_add(struct option_list *list, const char *item)
{
	const char **items = mem_resize(list->items, list->count + 1, sizeof(*items));
	items[list->count++] = item;
	list->items = items;
}

static int number_parse(const char *text, uint64_t *value)
{
	char *end;
	errno = 0;
	*value = strtoull(text, &end, 10);
	return *text < '0' || *text > '9' || *end || errno ? -1 : 0;
}

int option_set(const struct option *o, const char *argument, struct err *err)
{
	switch (option_kind(o)) {
	case OPTION_FLAG: *(bool *)o->value = true; break;
	case OPTION_UNSET: *(bool *)o->value = false; break;
	case OPTION_TEXT:
		if (value_check(o, argument, err) < 0)
			return -1;
		*(const char **)o->value = argument;
		break;
	case OPTION_LIST: list_add(o->value, argument); break;
	case OPTION_TITLE: BUG_ON("a title has no value"); break;
	case OPTION_NUMBER:
		BUG_ON(!argument);
		if (number_parse(argument, o->value) < 0)
			return err_set(err, "--%s needs a number, not '%s'", o->name, argument);
		break;
	}
	return 0;
}

bool option_given(const struct option *o)
{
	for (size_t i = 0; i < given.count; i++)
		if (given.at[i] == o)
			return true;
	return false;
}

static void option_reset(const struct option *o)
{
	struct err err;

	switch (option_kind(o)) {
	case OPTION_FLAG: *(bool *)o->value = false; break;
	case OPTION_UNSET: *(bool *)o->value = true; break;
	case OPTION_TEXT: *(const char **)o->value = NULL; break;
	case OPTION_LIST: *(struct option_list *)o->value = (struct option_list){0}; break;
	case OPTION_NUMBER: *(uint64_t *)o->value = 0; break;
	case OPTION_TITLE: break;
	}
	if (o->fallback)
		BUG_ON(option_set(o, o->fallback, &err) < 0);
}

/* Print one option: its name and argument on the left, its help on the right. */
static void option_print(struct text *t, const struct option *o)
{
	char help[512];

	snprintf(help, sizeof(help), "%s%s%s%s%s", o->help, option_kind(o) == OPTION_LIST ? "; may be repeated" : "",
		 o->fallback ? " (default: " : "", o->fallback ? o->fallback : "", o->fallback ? ")" : "");
	text_print(t, "  --");
	text_print(t, o->name);
	if (o->argument) {
		text_print(t, " ");
		text_print(t, o->argument);
	}
	if (t->column + 1 > HELP_COLUMN)
		text_newline(t);
	text_pad(t, HELP_COLUMN);
	text_wrap(t, help, HELP_COLUMN);
	text_newline(t);
}

void usage_print(const struct usage *usage)
{
	static const struct option help = {"help", NULL, NULL, "print this", OPTION_FLAG, NULL};
	struct text t = {.out = stdout, .width = HELP_WIDTH};

	printf("usage: blackout %s [options]%s%s\n\n%s\n", usage->command, *usage->operands ? " " : "", usage->operands,
	       usage->about);
	if (option_kind(usage->options) != OPTION_TITLE)
		printf("\nOptions:\n");
	for (const struct option *o = usage->options; o->name; o++)
		if (option_kind(o) == OPTION_TITLE)
			printf("\n%s:\n", o->help);
		else
			option_print(&t, o);
	option_print(&t, &help);
}

static int option_refuse(const struct usage *usage, const char *word, size_t length, struct err *err)
{
	char name[64];
	struct nearest nearest = {.word = name};

	snprintf(name, sizeof(name), "%.*s", (int)length, word + 2);
	for (const struct option *o = usage->options; o->name; o++)
		nearest_offer(&nearest, o->name);
	err_set(err, "unknown option %.*s", (int)length + 2, word);
	return nearest.best ? err_hint(err, "did you mean --%s?", nearest.best) : -1;
}

/* Parse the option argv[i], which starts with two dashes.  Returns the number of words that it took, or -1. */
static int option_read(const struct usage *usage, int argc, char **argv, int i, struct err *err)
{
	const char *name = argv[i] + 2;
	const char *equals = strchr(name, '=');
	size_t length = equals ? (size_t)(equals - name) : strlen(name);
	const struct option *o = option_find(usage, name, length);

	if (!o)
		return option_refuse(usage, argv[i], length, err);
	vec_push(&given, o);
	if (!o->argument && equals)
		return err_set(err, "--%s takes no argument", o->name);
	if (!o->argument)
		return option_set(o, NULL, err) < 0 ? -1 : 1;
	if (equals)
		return option_set(o, equals + 1, err) < 0 ? -1 : 1;
	if (i + 1 == argc)
		return err_set(err, "--%s needs an argument: %s", o->name, o->argument);
	return option_set(o, argv[i + 1], err) < 0 ? -1 : 2;
}

static bool is_help(const char *word)
{
	return !strcmp(word, "--help") || !strcmp(word, "-h");
}

/* Parse argv; operands are moved to its end and keep their sequence.  Returns the index of the first one, 0 for --help,
 * -1 on error. */
static int words_read(const struct usage *usage, int argc, char **argv, struct err *err)
{
	char **operands = mem_alloc(((size_t)argc + 1) * sizeof(*operands));
	int count = 0, result = -1, i = 1;

	while (i < argc) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		if (argv[i][0] != '-' || !argv[i][1]) {
			if (usage->operand == OPERAND_PROGRAM)
				break;
			operands[count++] = argv[i++];
			continue;
		}
		if (is_help(argv[i])) {
			result = 0;
			goto out;
		}
		if (argv[i][1] != '-') {
			err_set(err, "unknown option %s", argv[i]);
			goto out;
		}
		int taken = option_read(usage, argc, argv, i, err);
		if (taken < 0)
			goto out;
		i += taken;
	}
	while (i < argc)
		operands[count++] = argv[i++];
	memcpy(argv + argc - count, operands, (size_t)count * sizeof(*operands));
	result = argc - count;
out:
	free(operands);
	return result;
}

static int operands_check(const struct usage *usage, int argc, char **argv, int first, struct err *err)
{
	size_t count = (size_t)(argc - first);

	if (count < usage->operands_min)
		return err_set(err, "%s needs %s", usage->command, usage->operands);
	if (usage->operand != OPERAND_PROGRAM && count > usage->operands_max)
		return err_set(err, "%s: one argument too many: '%s'", usage->command,
			       argv[first + (int)usage->operands_max]);
	return 0;
}

void options_reset(const struct option *table)
{
	for (const struct option *o = table; o->name; o++)
		option_reset(o);
}

int option_parse(const struct usage *usage, int argc, char **argv, int *status)
{
	struct err err;

	options_reset(usage->options);
	int first = words_read(usage, argc, argv, &err);
	if (!first) {
		usage_print(usage);
		*status = command_finish(STATUS_DONE);
		return 0;
	}
	if (first < 0 || operands_check(usage, argc, argv, first, &err) < 0) {
		err_status(&err, ERR_USAGE);
		if (!*err.hint)
			err_hint(&err, "blackout %s --help", usage->command);
		*status = command_fail(&err);
		return 0;
	}
	return first;
}
