/* SPDX-License-Identifier: GPL-2.0-or-later */
/* blackout-cc: which words of clang's plan make an object of its intermediate code. */
#include <stdlib.h>
#include <string.h>

#include "../../compiler/wrapper/codegen.h"
#include "scratch.h"

static void expect(const char *plan, const char *expected)
{
	char *text = strdup(plan), *words;

	assert_non_null(text);
	words = codegen_words(text);
	if (expected)
		assert_string_equal(words, expected);
	else
		assert_null(words);
	free(words);
	free(text);
}

#define TAIL " \"-o\" \"a.o\" \"-x\" \"c\" \"a.c\"\n"

static void plans(void **state)
{
	(void)state;
	expect("clang version 14\n (in-process)\n \"/bin/clang\" \"-cc1\" \"-O2\" \"-mcmodel=large\"" TAIL,
	       "/bin/clang\n-cc1\n-O2\n-mcmodel=large\n");
	/* Only the first source, and only the compiler proper. */
	expect(" \"/bin/as\" \"-O1\"\n \"clang\" \"-cc1\" \"-O2\"" TAIL " \"clang\" \"-cc1\" \"-O3\"" TAIL,
	       "clang\n-cc1\n-O2\n");
	expect(" \"clang\" \"-cc1\" \"-D\" \"A=\\\"x \\$ \\\\\n\\\"\" \"-fx=a \\\"b\\\"\" \"-include\" \"h.h\"" TAIL,
	       "clang\n-cc1\n-fx=a \"b\"\n");
	expect(" \"clang\" \"-cc1\" \"-dependency-file\" \"a.d\" \"-MT\" \"a.o\" \"-sys-header-deps\" \"-O1\"" TAIL,
	       "clang\n-cc1\n-O1\n");
}

static void no_plans(void **state)
{
	(void)state;
	expect("", NULL);
	expect("clang: error: no such file or directory: 'a.c'\n", NULL);
	expect(" \"ld\" \"-o\" \"a.out\"\n", NULL);
	expect(" \"clang\" \"-cc1as\" \"-o\" \"a.o\"\n", NULL);
	/* A word of two lines cannot be passed on. */
	expect(" \"clang\" \"-cc1\" \"-fx=a\nb\"" TAIL, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plans),
		cmocka_unit_test(no_plans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
