/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parse_words.c - commands whose words are read by sscanf.  One that lacks a word ends the program, as an assertion does. */
// symbolic: stdin
// stdin: get a\n
// trigger stdin: insert a b\n
#include "search.h"

static char *pool;

static void need(bool is_there)
{
	if (!is_there)
		abort();
}

/* What a key changes besides. */
static void mark_key(const char *key)
{
	for (size_t i = 0; i < 8 && key[i]; i++) {
		if (key[i] == 'A' + (char)i)
			SAVE(pool + LINE, i);
		if (key[i] == 'a' + (char)i)
			SAVE(pool + 2 * LINE, i);
	}
}

static void get(const char *line)
{
	char key[8];

	need(sscanf(line, "get %7s", key) == 1);
	mark_key(key);
}

static void put(const char *line)
{
	char key[8];

	need(sscanf(line, "put %7s", key) == 1);
	SAVE(pool + 3 * LINE, 1);
	mark_key(key);
}

static void insert(const char *line)
{
	char key[64], value[64];

	if (sscanf(line, "insert %63s %63s", key, value) != 2)
		abort();
	ST8(pool, 3); //! missing-flush error
}

static const struct {
	const char *name;
	void (*run)(const char *line);
} commands[] = {{"insert", insert}, {"put", put}, {"get", get}};

int main(int argc, char **argv)
{
	char line[64];

	pool = pool_create(argv[argc - 1]);
	SAVE(pool, 1);
	while (fgets(line, sizeof(line), stdin)) {
		for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
			if (strncmp(commands[i].name, line, strlen(commands[i].name)) == 0) {
				commands[i].run(line);
				break;
			}
		}
	}
	return 0;
}
