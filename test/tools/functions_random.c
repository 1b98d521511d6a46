/* SPDX-License-Identifier: GPL-2.0-or-later */
/* functions_random.c - random C functions of input.
 *
 *     functions_random SEED FUNCTIONS
 *
 * prints a program that reads its input from stdin and computes something from it in each function: arithmetic of all
 * types, conditions, loops, tables, arrays.  It is to be compiled with -fwrapv and -w.  Nothing in it is undefined: numbers
 * of bits and indices are in range, and divisors are odd. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"

#define VARIABLES 6
#define DEPTH 4
#define STATEMENTS 8
#define WINDOW 64 /* bytes of input that a function uses */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const types[] = {"uint8_t",  "int8_t",  "uint16_t", "int16_t",
				    "uint32_t", "int32_t", "uint64_t", "int64_t"};
static const char *const operators[] = {"+", "-", "*", "&", "|", "^", "==", "!=", "<", "<=", ">", ">=", "&&", "||"};
static const char *const comparisons[] = {"==", "!=", "<", "<=", ">", ">="};

static uint64_t random_state;

static unsigned below(unsigned limit)
{
	return (unsigned)random_below(&random_state, limit);
}

static const char *any_type(void)
{
	return types[below(COUNT(types))];
}

static void print_expression(unsigned depth);

static void print_leaf(void)
{
	switch (below(5)) {
	case 0: printf("%u", below(2) ? below(10) : (unsigned)random_next(&random_state)); break;
	case 1: printf("in[%u]", below(WINDOW)); break;
	default: printf("v%u", below(VARIABLES)); break;
	}
}

/* A call-like form with one operand. */
static void print_around(const char *before, unsigned depth, const char *after)
{
	fputs(before, stdout);
	print_expression(depth - 1);
	fputs(after, stdout);
}

static void print_binary(const char *operator, unsigned depth)
{
	putchar('(');
	print_expression(depth - 1);
	printf(" %s ", operator);
	print_expression(depth - 1);
	putchar(')');
}

static void print_shift(unsigned depth)
{
	print_around(below(2) ? "((uint64_t)(" : "((int32_t)(", depth, ")");
	print_around(below(2) ? " << (" : " >> (", depth, " & 31))");
}

static void print_division(unsigned depth)
{
	printf("((%s)(", any_type());
	print_around("", depth, below(2) ? ") / (" : ") % (");
	printf("(%s)", any_type());
	print_around("((", depth, ") & 0x7f) | 1))");
}

static void print_choice(unsigned depth)
{
	print_around("(", depth, " ? ");
	print_around("", depth, " : ");
	print_around("", depth, ")");
}

static void print_expression(unsigned depth)
{
	if (!depth || !below(6)) {
		print_leaf();
		return;
	}
	switch (below(12)) {
	case 0: print_shift(depth); break;
	case 1: print_division(depth); break;
	case 2: print_choice(depth); break;
	case 3:
		printf("(%s)", any_type());
		print_around("(", depth, ")");
		break;
	case 4: print_around("~(", depth, ")"); break;
	case 5: print_around("table[(", depth, ") & 255]"); break;
	case 6: print_around("array[(", depth, ") & 15]"); break;
	default: print_binary(operators[below(COUNT(operators))], depth); break;
	}
}

static void print_condition(void)
{
	for (unsigned i = 0, count = 1 + below(3); i < count; i++) {
		if (i)
			fputs(below(2) ? " && " : " || ", stdout);
		print_binary(comparisons[below(COUNT(comparisons))], 2);
	}
}

static void print_assignment(void)
{
	if (below(5))
		printf("v%u = ", below(VARIABLES));
	else
		print_around("array[(", 2, ") & 15] = ");
	print_expression(1 + below(DEPTH));
	printf(";\n");
}

static void print_statement(void)
{
	switch (below(6)) {
	case 0:
		printf("\tif (");
		print_condition();
		printf(")\n\t\t");
		print_assignment();
		break;
	case 1:
		printf("\tfor (int i = 0; i < (int)(in[%u] & 3) + 1; i++)\n\t\t", below(WINDOW));
		print_assignment();
		break;
	case 2:
		print_around("\tswitch ((", 2, ") & 3) {\n");
		for (unsigned i = 0; i < 4; i++) {
			printf("\tcase %u: ", i);
			print_assignment();
			printf("\t\tbreak;\n");
		}
		printf("\t}\n");
		break;
	default:
		putchar('\t');
		print_assignment();
		break;
	}
}

static void print_function(unsigned number)
{
	printf("__attribute__((noinline)) static uint64_t f%u(const uint8_t *in)\n{\n\tuint16_t array[16];\n", number);
	for (unsigned i = 0; i < VARIABLES; i++)
		printf("\t%s v%u;\n", any_type(), i);
	printf("\tmemcpy(array, in, sizeof(array));\n");
	for (unsigned i = 0; i < VARIABLES; i++)
		printf("\tmemcpy(&v%u, in + %u, sizeof(v%u));\n", i, below(WINDOW - 8), i);
	for (unsigned i = 0; i < STATEMENTS; i++)
		print_statement();
	printf("\treturn (uint64_t)v0 + v1 + v2 + v3 + v4 + v5 + array[3];\n}\n\n");
}

int main(int argc, char **argv)
{
	unsigned functions;

	if (argc != 3) {
		fprintf(stderr, "usage: functions_random SEED FUNCTIONS\n");
		return 2;
	}
	random_state = random_seed(strtoull(argv[1], NULL, 10), 1);
	functions = (unsigned)strtoul(argv[2], NULL, 10);
	printf("#include <stdint.h>\n#include <string.h>\n#include <unistd.h>\n\n"
	       "static uint8_t input[4096];\n\nstatic const uint32_t table[256] = {");
	for (unsigned i = 0; i < 256; i++)
		printf("%#x, ", (unsigned)random_next(&random_state));
	printf("};\n\n");
	for (unsigned i = 0; i < functions; i++)
		print_function(i);
	printf("int main(void)\n{\n\tsize_t size = 0;\n\tssize_t n;\n\tuint64_t sum = 0;\n\n"
	       "\twhile ((n = read(0, input + size, sizeof(input) - size)) > 0)\n\t\tsize += (size_t)n;\n");
	for (unsigned i = 0; i < functions; i++)
		printf("\tsum += f%u(input + %u);\n", i, below(4096 - WINDOW));
	printf("\treturn sum == 42;\n}\n");
	return 0;
}
