/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_variable_statement.c - what statements store to, from their text.  ^ is where the compiler says the operator is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "variable/statement.h"

struct sample {
	const char *line;   /* ^ stands before the column; maybe after another line */
	const char *target; /* NULL: none */
};

static const struct sample samples[] = {
	/* assignments */
	{"\tnode->count ^= n;", "node->count"},
	{"\tnode->count ^+= n;", "node->count"},
	{"\tnode->bits ^<<= 3;", "node->bits"},
	{"\t*p ^= 1;", "*p"},
	{"\t(*p).x ^= 1;", "(*p).x"},
	{"\t(*p)->x ^= 1;", "(*p)->x"},
	{"\tD_RW(node)->n ^= 1;", "D_RW(node)->n"},
	{"\tD_RW(D_RW(map)->root)->n ^= 1;", "D_RW(D_RW(map)->root)->n"},
	{"\tcount ^= 1;", "count"},
	{"\tstd::x.y ^= 1;", "std::x.y"},
	{"\ta.b[i].c[3] ^= 1;", "a.b[].c[3]"},
	{"\ta.b[f(i, j)].c ^= 1;", "a.b[].c"},
	{"\ta[b[i]] ^= 1;", "a[]"},
	{"\ta->x = 1; a->y ^= 2;", NULL},
	{"\ta->x ^= a->y = 2;", NULL},
	{"\ta->x = a->y ^= 2;", NULL},
	{"\tif ((a->x ^= f()))", "a->x"},
	{"\tif (ok) a->x ^= 1;", "a->x"},
	{"\telse a->x ^= 1;", "a->x"},
	{"\tfor (a->x ^= 0; a->x < 3;)", "a->x"},
	{"\tcase 3: a->x ^= 0; break;", "a->x"},
	{"\tok ? a->x ^= 1 : 0;", "a->x"},
	{"\t{ a->x ^= 1; }", "a->x"},
	/* not all of the target is on the line, or there is more than one way to read it */
	{"\t->x ^= 1;", NULL},
	{"\tnode->\n\tx ^= 1;", NULL},
	{"\tf();\n\tx ^= 1;", "x"},
	{"\tstruct node *n ^= f();", NULL},
	{"\tuint64_t n ^= f();", NULL},
	{"\t*(uint64_t *)p ^= 1;", NULL},
	{"\ta) ^= 1;", NULL},
	{"\ta->x ^== 1;", NULL},
	{"\ta->x ^!= 1;", NULL},
	{"\t^a->x = 1;", NULL},
	{"\tf(\"a\")->x ^= 1;", NULL},
	{"\t__p->x ^= 1;", NULL},
	{"\t_M_impl.x ^= 1;", NULL},
	/* increments */
	{"\tnode->count^++;", "node->count"},
	{"\t^++node->count;", "node->count"},
	{"\t^--node->count;", "node->count"},
	{"\ta[node->count^++] = 3;", NULL},
	{"\t*p^++ = 3;", NULL},
	{"\t(*p)^++;", "(*p)"},
	{"\tf(^++a->x, b);", "a->x"},
	{"\treturn y + a->n^++;", "a->n"},
	{"\treturn *p^++;", "p"},
	{"\tx = y + a->n^++;", NULL},
	/* calls */
	{"\t^memcpy(&node->pair, p, sizeof(p));", "node->pair"},
	{"\t^memcpy(node->name, p, 8);", "node->name[]"},
	{"\t^memmove(D_RW(n)->slots + 1, p, 8);", "D_RW(n)->slots[]"},
	{"\t^memset(&n->items[i], 0, 8);", "n->items[]"},
	{"\t^pmem_memcpy_persist(pool->data, p, 8);", "pool->data[]"},
	{"\t^pmemobj_memcpy_persist(pop, &root->x, p, 8);", "root->x"},
	{"\t^__atomic_store_n(&node->x, 1, 5);", "node->x"},
	{"\t^memcpy(&node->pair,", "node->pair"},
	{"\t^memcpy(f(", NULL},
	{"\t^memcpy(a ? b : c, d, 8);", NULL},
	{"\t^copy(&node->x, 1);", NULL},
	{"\t^TX_SET(n, color, RED);", "D_RW(n)->color"},
	{"\t^TX_SET(D_RW(n)->slots[c], parent, p);", "D_RW(D_RW(n)->slots[])->parent"},
	{"\t^TX_SET_DIRECT(n, color, RED);", "n->color"},
	/* copies of structs, where clang names the right side */
	{"\tnode->pair = ^pair;", "node->pair"},
	{"\tnode->pair = ^*pair;", "node->pair"},
	{"\tnode->items[i] = ^D_RO(n)->items[j];", "node->items[]"},
	{"\tnode->pair = ^make();", NULL},
	{"\tresult = ^other;", NULL},
	{"\tnode->x == ^other;", NULL},
	{"\tnode->x <= ^other;", NULL},
	{"\tnode->x = ^other + node->y;", NULL},
};

static void sample_check(const struct sample *sample)
{
	char line[200], text[200] = "";
	const char *end = strchr(sample->line, '\n'), *begin = end ? end + 1 : sample->line;
	size_t column = (size_t)(strchr(begin, '^') - begin);

	snprintf(line, sizeof(line), "%.*s%s", (int)column, begin, begin + column + 1);
	struct statement s = {line, strlen(line), end ? sample->line : NULL, end ? (size_t)(end - sample->line) : 0,
			      column + 1};
	bool found = statement_target(&s, text, sizeof(text));
	if (found != (sample->target != NULL) || (found && strcmp(text, sample->target) != 0))
		fail_msg("%s: %s, not %s", sample->line, found ? text : "no target",
			 sample->target ? sample->target : "none");
}

static void test_targets(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++)
		sample_check(&samples[i]);
}

/* Any text, any column, and any room for the answer. */
static void test_bounds(void **state)
{
	static const char chars[] = "ab_M-> .=+*&()[],;\"'<!\t19:TX_SET(memcpy(";
	char line[40], text[40];
	uint64_t random = 1;

	(void)state;
	for (unsigned run = 0; run < 300000; run++) {
		size_t length = run % sizeof(line);

		for (size_t i = 0; i < length; i++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			line[i] = chars[(random >> 33) % (sizeof(chars) - 1)];
		}
		char *exact = test_malloc(length + 1);
		memcpy(exact, line, length);
		struct statement s = {exact, length, exact, length / 2, random % (length + 3)};
		size_t room = 1 + random % sizeof(text);
		if (statement_target(&s, text, room))
			assert_true(strlen(text) < room);
		test_free(exact);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_targets),
		cmocka_unit_test(test_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
