/* SPDX-License-Identifier: GPL-2.0-or-later */
/* option.c - read a command line by its table; see option.h. */
#include "cli/option.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "cli/command.h"

/* What the command line has; there is one for each process. */
static VEC_OF(const struct option *) given;

static const struct option *option_find(const struct usage *usage, const char *name, size_t length)
{
	for (const struct option *o = usage->options; o->name; o++)
		if (strlen(o->name) == length && !memcmp(o->name, name, length))
			return o;
	return NULL;
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
	case OPTION_TEXT: *(const char **)o->value = argument; break;
	case OPTION_LIST: list_add(o->value, argument); break;
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
	}
	if (o->fallback)
		BUG_ON(option_set(o, o->fallback, &err) < 0);
}

static void usage_print(const struct usage *usage)
{
	printf("usage: blackout %s [options]%s%s\n\n%s\n\noptions:\n", usage->command, *usage->operands ? " " : "",
	       usage->operands, usage->about);
	for (const struct option *o = usage->options; o->name; o++) {
		char left[64];
		snprintf(left, sizeof(left), "--%s%s%s", o->name, o->argument ? " " : "",
			 o->argument ? o->argument : "");
		printf("  %-25s %s", left, o->help);
		if (option_kind(o) == OPTION_LIST)
			printf("; may be repeated");
		if (o->fallback)
			printf(" (default: %s)", o->fallback);
		putchar('\n');
	}
	printf("  %-25s %s\n", "--help", "print this");
}

/* Read the option argv[i] (which starts with two dashes).  Returns how many words it took, or -1. */
static int option_read(const struct usage *usage, int argc, char **argv, int i, struct err *err)
{
	const char *name = argv[i] + 2;
	const char *equals = strchr(name, '=');
	size_t length = equals ? (size_t)(equals - name) : strlen(name);
	const struct option *o = option_find(usage, name, length);

	if (!o)
		return err_set(err, "unknown option %.*s", (int)length + 2, argv[i]);
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

/* Read all of argv; operands end up at its end, in order.  Returns the first one's index, 0 for --help, -1 on error. */
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
			if (usage->program)
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
	if (!usage->program && count > usage->operands_max)
		return err_set(err, "%s: one argument too many: '%s'", usage->command,
			       argv[first + (int)usage->operands_max]);
	return 0;
}

int option_parse(const struct usage *usage, int argc, char **argv, int *status)
{
	struct err err;

	for (const struct option *o = usage->options; o->name; o++)
		option_reset(o);
	int first = words_read(usage, argc, argv, &err);
	if (!first) {
		usage_print(usage);
		*status = command_finish(STATUS_DONE);
		return 0;
	}
	if (first < 0 || operands_check(usage, argc, argv, first, &err) < 0) {
		err_status(&err, ERR_USAGE);
		err_hint(&err, "blackout %s --help", usage->command);
		*status = command_fail(&err);
		return 0;
	}
	return first;
}
