/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ops-prints-fixed.c - a name of three words is replaced by another; operations end when their result is printed. */
// arguments: {ops}
// run: --detect inject,explore --op-marks prints
// ops: --count 24 --seed 4
// kind: 2 name {int:0-2} {value}
// kind: 1 show {int:0-2}
#include "ops.h"

struct name {
	_Alignas(LINE) uint64_t words[3];
};

struct person {
	_Alignas(LINE) uint64_t current;
	struct name names[2];
};

static void name(struct person *person, uint64_t value)
{
	struct name *name = &person->names[!person->current];

	for (int i = 0; i < 3; i++)
		ST8(&name->words[i], value + i);
	PERSIST(name);
	ST8(&person->current, !person->current);
	PERSIST(&person->current);
}

int main(int argc, char **argv)
{
	struct person *people = pool_attach(argv[1], POOL_ADDR, POOL_BYTES);
	char *list = NULL, *line;
	size_t room = 0;
	FILE *file = list_open(argv[argc - 1]);

	/* All operations are read before the first is performed. */
	if (getdelim(&list, &room, '\0', file) < 0)
		return 0;
	for (line = strtok(list, "\n"); line; line = strtok(NULL, "\n")) {
		struct operation op = operation_of(line);
		struct person *person = &people[op.a];
		const uint64_t *words = person->names[person->current].words;

		if (is(&op, "name")) {
			name(person, op.b);
			printf("%lu has a name\n", op.a);
		} else {
			printf("%lu is %lu.%lu.%lu\n", op.a, words[0], words[1], words[2]);
		}
	}
	return 0;
}
