/* SPDX-License-Identifier: GPL-2.0-or-later */
/* seeds.h - the inputs that a search begins with.
 *
 *     struct seeds seeds = {0};
 *     const struct seeds_from from = {.sources = &sources, .argv = argv, .argc = argc, .ops = list};
 *     if (seeds_default(&seeds, &from, &err) < 0 ||        // what the command itself gets
 *         seeds_read(&seeds, &from, "seeds", &err) < 0) ...  // then those of a directory take its place
 *     ... seeds.at[0 .. count - 1] ...
 *     seeds_free(&seeds); */
#ifndef BLACKOUT_SEARCH_SEEDS_H
#define BLACKOUT_SEARCH_SEEDS_H

#include "base/vec.h"
#include "ops/oplist.h"
#include "search/input.h"

struct seeds {
	struct input *at;
	size_t count, room;
};

struct seeds_from {
	const struct input_sources *sources;
	char *const *argv; /* the program and its arguments */
	size_t argc;
	const struct oplist *ops; /* NULL: none */
};

/* One seed: standard input if it is not a terminal, the present files and arguments, the list of operations.  -1,
 * ERR_USAGE: there is no such argument, or no list. */
int seeds_default(struct seeds *seeds, const struct seeds_from *from, struct err *err);

/* Replace the default seed by the entries of a directory, in the order of their names: files, for a search with one
 * source, or with messages only; or folders with a file for each source, named as in DIR/inputs/N.  What they lack is as in the default. */
int seeds_read(struct seeds *seeds, const struct seeds_from *from, const char *dir, struct err *err);

void seeds_free(struct seeds *seeds);

#endif
