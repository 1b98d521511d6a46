/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input_source.c - see input_source.h. */
#include "search/input_source.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define FILE_WORD "file:"
#define ARG_WORD "arg:"

static int spec_refuse(const char *what, struct err *err)
{
	err_set(err, "--symbolic cannot be '%s', only stdin, file:PATH, arg:N, ops or socket", what);
	return err_status(err, ERR_USAGE);
}

static int twice_refuse(const char *what, struct err *err)
{
	err_set(err, "--symbolic %s is given twice", what);
	return err_status(err, ERR_USAGE);
}

static bool name_is_taken(const struct input_sources *sources, const char *name)
{
	for (size_t i = 0; i < sources->count; i++)
		if (!strcmp(sources->at[i].name, name))
			return true;
	return false;
}

/* The base name; two files may have the same. */
static char *file_name(const struct input_sources *sources, const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	char *name;

	BUG_ON(asprintf(&name, "file-%s", base) < 0);
	for (unsigned n = 2; name_is_taken(sources, name); n++) {
		free(name);
		BUG_ON(asprintf(&name, "file-%s-%u", base, n) < 0);
	}
	return name;
}

static int file_fill(const struct input_sources *sources, struct input_source *source, const char *path,
		     struct err *err)
{
	source->kind = BO_SOURCE_FILE;
	source->path = realpath(path, NULL);
	if (!source->path) {
		err_sys(err, "cannot find the input file %s", path);
		return err_status(err, ERR_USAGE);
	}
	source->name = file_name(sources, source->path);
	return 0;
}

static int argument_fill(struct input_source *source, const char *number, struct err *err)
{
	char *end;
	unsigned long value = strtoul(number, &end, 10);

	if (*end || !*number || strspn(number, "0123456789") != strlen(number) || !value || value > INT_MAX) {
		err_set(err, "--symbolic arg:%s does not name an argument; the first after PROGRAM is arg:1", number);
		return err_status(err, ERR_USAGE);
	}
	source->kind = BO_SOURCE_ARG;
	source->number = (unsigned)value;
	BUG_ON(asprintf(&source->name, "arg%lu", value) < 0);
	return 0;
}

static int source_fill(const struct input_sources *sources, struct input_source *source, const char *what,
		       struct err *err)
{
	if (!strncmp(what, FILE_WORD, strlen(FILE_WORD)) && what[strlen(FILE_WORD)])
		return file_fill(sources, source, what + strlen(FILE_WORD), err);
	if (!strncmp(what, ARG_WORD, strlen(ARG_WORD)))
		return argument_fill(source, what + strlen(ARG_WORD), err);
	source->ops = !strcmp(what, "ops");
	if (!source->ops && strcmp(what, "stdin") != 0)
		return spec_refuse(what, err);
	source->kind = BO_SOURCE_STDIN;
	source->name = strdup(what);
	BUG_ON(!source->name);
	return 0;
}

int input_sources_add(struct input_sources *sources, const char *what, struct err *err)
{
	struct input_source source = {0};

	if (sources->count == SOURCES_GIVEN_MAX) {
		err_set(err, "--symbolic can be given at most %d times", SOURCES_GIVEN_MAX);
		return err_status(err, ERR_USAGE);
	}
	if (!strcmp(what, SOCKET_WORD)) {
		if (sources->sockets)
			return twice_refuse(what, err);
		sources->sockets = true;
		return 0;
	}
	if (source_fill(sources, &source, what, err) < 0)
		return -1;
	BUG_ON(!source.name);
	if (!source.path && name_is_taken(sources, source.name)) {
		free(source.name);
		return twice_refuse(what, err);
	}
	sources->at[sources->count++] = source;
	return 0;
}

void input_sources_free(struct input_sources *sources)
{
	for (size_t i = 0; i < sources->count; i++) {
		free(sources->at[i].name);
		free(sources->at[i].path);
	}
	sources->count = 0;
}
