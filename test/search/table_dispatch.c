/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table_dispatch.c - a table of objects, each with a table of functions for its verbs. */
// symbolic: stdin
// stdin: help me\n
// trigger stdin: cache drop\n
#include "search.h"

struct verb {
	const char *name;
	void (*run)(char *pool);
};

struct object {
	const char *name;
	const struct verb *verbs;
};

static void show(char *pool)
{
	printf("%d\n", *pool);
}

static void add(char *pool)
{
	SAVE(pool + LINE, 3);
}

static void drop(char *pool)
{
	ST8(pool, 2); //! missing-flush error
}

static const struct verb disk[] = {{"show", show}, {"add", add}, {NULL, NULL}};
static const struct verb cache[] = {{"show", show}, {"fill", add}, {"drop", drop}, {NULL, NULL}};
static const struct object objects[] = {{"disk", disk}, {"cache", cache}, {NULL, NULL}};

static const struct verb *verbs_of(const char *name)
{
	for (const struct object *o = objects; o->name; o++)
		if (!strcmp(o->name, name))
			return o->verbs;
	return NULL;
}

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]), name[16], word[16];
	const struct verb *verb;

	SAVE(pool, 1);
	if (scanf("%15s %15s", name, word) != 2)
		return 1;
	for (verb = verbs_of(name); verb && verb->name; verb++)
		if (!strcmp(verb->name, word))
			verb->run(pool);
	return 0;
}
