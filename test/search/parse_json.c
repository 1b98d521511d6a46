/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parse_json.c - an object with two members, parsed by hand. */
// symbolic: stdin
// stdin: {}
// trigger stdin: {"op":"save","n":3}
#include "search.h"

struct text {
	char bytes[128];
	size_t at;
};

static bool take(struct text *t, const char *token)
{
	size_t length = strlen(token);

	while (t->bytes[t->at] == ' ')
		t->at++;
	if (strncmp(t->bytes + t->at, token, length) != 0)
		return false;
	t->at += length;
	return true;
}

static bool take_string(struct text *t, char *to, size_t size)
{
	size_t n = 0;

	if (!take(t, "\""))
		return false;
	while (t->bytes[t->at] && t->bytes[t->at] != '"' && n + 1 < size)
		to[n++] = t->bytes[t->at++];
	to[n] = 0;
	return take(t, "\"");
}

static bool member(struct text *t, bool *save, int *number)
{
	char name[8], value[8];

	if (!take_string(t, name, sizeof(name)) || !take(t, ":"))
		return false;
	if (!strcmp(name, "op") && take_string(t, value, sizeof(value))) {
		*save = !strcmp(value, "save");
		return true;
	}
	if (strcmp(name, "n") != 0 || !isdigit((unsigned char)t->bytes[t->at]))
		return false;
	*number = t->bytes[t->at++] - '0';
	return true;
}

int main(int argc, char **argv)
{
	char *pool = pool_create(argv[argc - 1]);
	struct text t = {0};
	bool save = false;
	int number = 0;

	SAVE(pool, 1);
	input_read(0, t.bytes, sizeof(t.bytes) - 1);
	if (!take(&t, "{"))
		return 0;
	if (!take(&t, "}")) {
		do
			if (!member(&t, &save, &number))
				return 0;
		while (take(&t, ","));
		if (!take(&t, "}"))
			return 0;
	}
	if (save && number == 3)
		ST8(pool, 2); //! missing-flush error
	return 0;
}
