/* SPDX-License-Identifier: GPL-2.0-or-later */
/* depend_random.c - random programs whose dependencies are known.
 *
 *     depend_random SEED CASES
 *
 * prints a program of test/dependencies (depend.h) with random cases.  Each case is a tree of statements that is printed
 * as C, and then interpreted by the definition (doc/TRACE_FORMAT.md, "Dependencies"): every value has the set of reads
 * that it was computed from and the set of those that decided about it.  The accesses of the interpreter are the comments
 * of the case.  Nothing of the recorder is used, and no graph of code: where a branch ends follows from the statements.
 *
 * The comments hold without optimization.  All variables are volatile, also constants, so that the compiler evaluates all
 * operands.  What a branch decides about has a mark of its own: code that is the same on both ways of a branch is not
 * decided by it (src/flow/tails.c). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

#define LOCALS 4
#define LOOPS 2 /* at most this many inside each other */
#define NODES 256
#define SITES 128       /* loads of a case in its text */
#define READS_KEPT 16   /* a label with more is incomplete (tool/bo_label_set.h) */
#define STEPS_MAX 20000 /* of the interpreter */
#define LINES_MAX 512

/* ---- PM words, as in depend.h ---- */

enum { X, Z, FLAG, OFF, INDEX, COUNT, Y, W, V, ARRAY, OUTPUT = ARRAY + 4, WORDS = OUTPUT + 4 };

static const char *const word_names[WORDS] = {
	"x",        "z",        "flag",     "off",      "index",     "count",     "y",         "w",         "v",
	"array[0]", "array[1]", "array[2]", "array[3]", "output[0]", "output[1]", "output[2]", "output[3]",
};
static const uint64_t word_values[WORDS] = {5, 7, 1, 0, 2, 3, 0, 0, 0, 10, 11, 12, 13};

/* ---- the tree ---- */

enum kind {
	/* expressions */
	CONSTANT, /* value */
	WORD,     /* pm->value */
	ELEMENT,  /* pm->array[a & 3] */
	LOCAL,    /* lVALUE */
	VOLATILE, /* list[a & 3] */
	BYTE,     /* bytes.at[a & 7] */
	WHOLE,    /* flat(bytes.all), which uses all bytes */
	PICK,     /* pick(a, b) */
	NOT,
	NARROW,
	ADD,
	TIMES,
	XOR,
	EQUAL,
	LESS,
	AND,
	OR,
	CHOICE, /* a ? b : c */
	/* statements; `next` is the one after it */
	SET_WORD,
	SET_ELEMENT, /* pm->output[b & 3] = a */
	SET_LOCAL,
	SET_VOLATILE,
	SET_BYTE,
	SET_WHOLE, /* copy.all = bytes.all; bytes.all = copy.all */
	IF,        /* a, b, c */
	LOOP,      /* for (iVALUE = 0; iVALUE < (a & 3); iVALUE++) b */
	BREAK,
	CONTINUE,
	RETURN,
};

struct node {
	enum kind kind;
	uint64_t value;
	struct node *a, *b, *c, *next;
	int site; /* of a load from PM, and the first of those in pick() */
};

static struct node nodes[NODES];
static int node_count, site_count;
static uint64_t state;

static uint64_t below(uint64_t limit)
{
	return random_below(&state, limit);
}

static struct node *node_new(enum kind kind, uint64_t value)
{
	struct node *n = &nodes[node_count++];

	if (node_count == NODES)
		abort();
	*n = (struct node){.kind = kind, .value = value, .site = site_count};
	site_count += kind == WORD || kind == ELEMENT;
	return n;
}

static struct node *expression(int depth)
{
	static const enum kind leaves[] = {CONSTANT, WORD, WORD, WORD, LOCAL, LOCAL, WHOLE};
	static const enum kind inner[] = {ELEMENT, VOLATILE, BYTE,  PICK, NOT, NARROW, ADD,    ADD,
					  TIMES,   XOR,      EQUAL, LESS, AND, OR,     CHOICE, CHOICE};
	enum kind kind;
	struct node *n;

	if (depth == 0 || below(3) == 0 || node_count > NODES / 2) {
		kind = leaves[below(sizeof(leaves) / sizeof(leaves[0]))];
		return node_new(kind, kind == CONSTANT ? 1 + below(5) : kind == WORD ? below(ARRAY) : below(LOCALS));
	}
	n = node_new(inner[below(sizeof(inner) / sizeof(inner[0]))], 0);
	n->a = expression(depth - 1);
	if (n->kind >= ADD || n->kind == PICK)
		n->b = expression(depth - 1);
	if (n->kind == CHOICE)
		n->c = expression(depth - 1);
	return n;
}

static struct node *statements(int depth, int loops);

static struct node *assignment(void)
{
	struct node *n = node_new(SET_WORD + (enum kind)below(IF - SET_WORD), 0);

	n->value = n->kind == SET_WORD ? below(2) ? Y + below(3) : below(ARRAY) : below(LOCALS);
	if (n->kind != SET_WHOLE)
		n->a = expression(3);
	if (n->kind == SET_ELEMENT || n->kind == SET_VOLATILE || n->kind == SET_BYTE)
		n->b = expression(1);
	return n;
}

static struct node *statement(int depth, int loops)
{
	struct node *n;

	if (depth == 0 || below(2) == 0 || node_count > NODES / 2)
		return assignment();
	if (loops < LOOPS && below(3) == 0) {
		n = node_new(LOOP, (uint64_t)loops);
		n->a = expression(2);
		n->b = statements(depth - 1, loops + 1);
		return n;
	}
	n = node_new(IF, 0);
	n->a = expression(2);
	if (below(6) == 0)
		n->b = node_new(loops ? BREAK + (enum kind)below(3) : RETURN, 0);
	else
		n->b = statements(depth - 1, loops);
	if (below(2))
		n->c = statements(depth - 1, loops);
	return n;
}

static struct node *statements(int depth, int loops)
{
	struct node *first = statement(depth, loops), *last = first;

	for (uint64_t more = below(3); more; more--) {
		last->next = statement(depth, loops);
		last = last->next;
	}
	return first;
}

/* ---- as C ---- */

static void print(const struct node *n);

/* %a, %b, %c: a part of the node; %d: its value. */
static void print_format(const char *format, const struct node *n)
{
	for (; *format; format++) {
		if (*format != '%') {
			putchar(*format);
			continue;
		}
		switch (*++format) {
		case 'a': print(n->a); break;
		case 'b': print(n->b); break;
		case 'c': print(n->c); break;
		case 'w': printf("%s", word_names[n->value]); break;
		case 'd': printf("%" PRIu64, n->value); break;
		}
	}
}

static const char *const formats[] = {
	[CONSTANT] = "k%d",
	[WORD] = "pm->%w",
	[ELEMENT] = "pm->array[%a & 3]",
	[LOCAL] = "l%d",
	[VOLATILE] = "list[%a & 3]",
	[BYTE] = "bytes.at[%a & 7]",
	[WHOLE] = "flat(bytes.all)",
	[PICK] = "pick(%a, %b)",
	[NOT] = "(uint64_t)!%a",
	[NARROW] = "(uint8_t)%a",
	[ADD] = "(%a + %b)",
	[TIMES] = "(%a * %b)",
	[XOR] = "(%a ^ %b)",
	[EQUAL] = "(uint64_t)(%a == %b)",
	[LESS] = "(uint64_t)(%a < %b)",
	[AND] = "(uint64_t)(%a && %b)",
	[OR] = "(uint64_t)(%a || %b)",
	[CHOICE] = "(%a ? APART_OF(%b) : APART_OF(%c))",
	[SET_WORD] = "pm->%w = %a;\n",
	[SET_ELEMENT] = "pm->output[%b & 3] = %a;\n",
	[SET_LOCAL] = "l%d = %a;\n",
	[SET_VOLATILE] = "list[%b & 3] = %a;\n",
	[SET_BYTE] = "bytes.at[%b & 7] = (uint8_t)%a;\n",
	[SET_WHOLE] = "copy.all = bytes.all;\nbytes.all = copy.all;\n",
	[IF] = "if (%a) {\n%bMARK();\n}",
	[LOOP] = "for (i%d = 0; i%d < (%a & 3); i%d++) {\n%b}\n",
	[BREAK] = "MARK();\nbreak;\n",
	[CONTINUE] = "MARK();\ncontinue;\n",
	[RETURN] = "MARK();\nreturn;\n",
};

static void print(const struct node *n)
{
	for (; n; n = n->next) {
		print_format(formats[n->kind], n);
		if (n->kind == IF)
			print_format(n->c ? " else {\n%cMARK();\n}\n" : "\n", n);
	}
}

/* ---- reads and labels ---- */

/* A read is a load in the text and the word that it reads. */
struct set {
	uint64_t reads[SITES * WORDS / 64];
};

struct label {
	struct set data, control;
};

struct value {
	uint64_t number;
	struct label label;
};

static void set_add(struct set *s, const struct set *other)
{
	for (size_t i = 0; i < sizeof(s->reads) / sizeof(s->reads[0]); i++)
		s->reads[i] |= other->reads[i];
}

static int set_count(const struct set *s)
{
	int count = 0;

	for (size_t i = 0; i < sizeof(s->reads) / sizeof(s->reads[0]); i++)
		count += __builtin_popcountll(s->reads[i]);
	return count;
}

static void label_add(struct label *l, const struct label *other)
{
	set_add(&l->data, &other->data);
	set_add(&l->control, &other->control);
}

/* What is decided by a value with this label. */
static void set_add_decision(struct set *s, const struct label *l)
{
	set_add(s, &l->data);
	set_add(s, &l->control);
}

/* ---- the interpreter ---- */

/* Decisions under way.  Each scope has those that end with it. */
struct scope {
	struct set decided;
	struct scope *outside;
};

enum leaving { NOTHING, BREAKS, CONTINUES, RETURNS };

static struct scope function_scope, *scope, *loop_scope, *iteration_scope;
static uint64_t words[WORDS];
static struct value locals[LOCALS], list[4], bytes[8], counters[LOOPS];
static char lines[LINES_MAX][256];
static int line_count, steps;
static int is_too_large; /* the case has a label that would be incomplete, or takes too long */

static struct set control_now(void)
{
	struct set all = {0};

	for (const struct scope *s = scope; s; s = s->outside)
		set_add(&all, &s->decided);
	return all;
}

static void scope_enter(struct scope *s)
{
	*s = (struct scope){.outside = scope};
	scope = s;
}

static void scope_leave(void)
{
	scope = scope->outside;
}

static int append_words(char *text, const char *title, const struct set *s)
{
	int length = 0, has[WORDS] = {0};

	for (int i = 0; i < SITES * WORDS; i++)
		if (s->reads[i / 64] >> i % 64 & 1)
			has[i % WORDS] = 1;
	/* In the order of their names, as the test prints them. */
	for (int done = 0;; done++) {
		int next = -1;
		for (int i = 0; i < WORDS; i++)
			if (has[i] && (next < 0 || strcmp(word_names[i], word_names[next]) < 0))
				next = i;
		if (next < 0)
			return length;
		if (!done)
			length += sprintf(text + length, "%s", title);
		has[next] = 0;
		length += sprintf(text + length, " %s", word_names[next]);
	}
}

static void line_add(const char *access, int word, const struct label *l)
{
	char *line = lines[line_count];
	int length = sprintf(line, "%s %s:", access, word_names[word]), start = length;

	is_too_large |= set_count(&l->data) > READS_KEPT || set_count(&l->control) > READS_KEPT;
	length += append_words(line + length, " data", &l->data);
	length += append_words(line + length, length > start ? "; control" : " control", &l->control);
	if (length == start)
		strcpy(line + length, " nothing");
	for (int i = 0; i < line_count; i++)
		if (!strcmp(lines[i], line))
			return;
	if (line_count < LINES_MAX - 1)
		line_count++;
	else
		is_too_large = 1;
}

/* What a value or variable that is written now has besides its own label. */
static void label_decide(struct label *l)
{
	struct set now = control_now();

	set_add(&l->control, &now);
	is_too_large |= set_count(&l->control) > READS_KEPT || set_count(&l->data) > READS_KEPT;
}

static struct value load(const struct node *n, int word, const struct label *address)
{
	struct value v = {.number = words[word]};
	struct label own = *address;
	int read = n->site * WORDS + word;

	label_decide(&own);
	line_add("load", word, &own);
	v.label.data.reads[read / 64] |= 1ull << read % 64;
	return v;
}

static void store(int word, const struct value *v, const struct label *address)
{
	struct label own = v->label;

	label_add(&own, address);
	label_decide(&own);
	line_add("store", word, &own);
	words[word] = v->number;
}

static struct value whole(void)
{
	struct value all = {.number = 1};

	for (int i = 0; i < 8; i++) {
		all.number ^= bytes[i].number << 8 * i;
		label_add(&all.label, &bytes[i].label);
	}
	return all;
}

static struct value evaluate(const struct node *n);

static struct value evaluate_choice(const struct value *condition, const struct node *yes, const struct node *no)
{
	const struct node *chosen = condition->number ? yes : no;
	struct scope s;
	struct value v = {.number = condition->number != 0};

	scope_enter(&s);
	set_add_decision(&s.decided, &condition->label);
	if (chosen)
		v = evaluate(chosen);
	label_decide(&v.label);
	scope_leave();
	return v;
}

static struct value evaluate_variable(const struct node *n)
{
	struct value at = evaluate(n->a), v;

	if (n->kind == ELEMENT)
		return load(n, ARRAY + (int)(at.number & 3), &at.label);
	v = n->kind == BYTE ? bytes[at.number & 7] : list[at.number & 3];
	label_add(&v.label, &at.label);
	return v;
}

static uint64_t operate(enum kind kind, uint64_t a, uint64_t b)
{
	switch (kind) {
	case ADD: return a + b;
	case TIMES: return a * b;
	case XOR: return a ^ b;
	case EQUAL: return a == b;
	default: return a < b;
	}
}

/* pick(): if (b & 1) return a + 1; return a; */
static struct value evaluate_pick(const struct node *n)
{
	struct value v = evaluate(n->a), condition = evaluate(n->b);

	v.number += condition.number & 1;
	set_add_decision(&v.label.control, &condition.label);
	return v;
}

static struct value evaluate_operation(const struct node *n)
{
	struct value v = evaluate(n->a), other;

	if (n->kind == NOT)
		v.number = !v.number;
	else if (n->kind == NARROW)
		v.number &= 0xff;
	else {
		other = evaluate(n->b);
		v.number = operate(n->kind, v.number, other.number);
		label_add(&v.label, &other.label);
	}
	return v;
}

static struct value evaluate_shortcut(const struct node *n)
{
	struct value v = evaluate(n->a);

	v = n->kind == AND ? evaluate_choice(&v, n->b, NULL) : evaluate_choice(&v, NULL, n->b);
	set_add_decision(&v.label.control, &v.label);
	v.label.data = (struct set){0};
	v.number = v.number != 0;
	return v;
}

static struct value evaluate(const struct node *n)
{
	struct value v = {.number = n->value};
	static const struct label none;

	steps++;
	switch (n->kind) {
	case CONSTANT: break;
	case WORD: v = load(n, (int)n->value, &none); break;
	case LOCAL: v = locals[n->value]; break;
	case WHOLE: v = whole(); break;
	case ELEMENT:
	case VOLATILE:
	case BYTE: v = evaluate_variable(n); break;
	case PICK: v = evaluate_pick(n); break;
	case AND:
	case OR: v = evaluate_shortcut(n); break;
	case CHOICE: {
		struct value condition = evaluate(n->a);
		v = evaluate_choice(&condition, n->b, n->c);
		break;
	}
	default: v = evaluate_operation(n);
	}
	label_decide(&v.label);
	return v;
}

/* Does the statement, or one inside or after it, leave what is around it?  A loop inside has its own. */
static int has(const struct node *n, enum kind leaving)
{
	for (; n; n = n->next)
		if (n->kind == leaving || (n->kind == IF && (has(n->b, leaving) || has(n->c, leaving))) ||
		    (n->kind == LOOP && leaving == RETURN && has(n->b, leaving)))
			return 1;
	return 0;
}

/* Where the ways from a decision about these statements meet again. */
static struct scope *scope_of(const struct node *yes, const struct node *no, struct scope *own)
{
	if (has(yes, RETURN) || has(no, RETURN))
		return &function_scope;
	if (has(yes, BREAK) || has(no, BREAK))
		return loop_scope;
	return has(yes, CONTINUE) || has(no, CONTINUE) ? iteration_scope : own;
}

static enum leaving execute(const struct node *n);

static enum leaving execute_if(const struct node *n)
{
	struct value condition = evaluate(n->a);
	enum leaving leaving;
	struct scope s;

	scope_enter(&s);
	set_add_decision(&scope_of(n->b, n->c, &s)->decided, &condition.label);
	leaving = execute(condition.number ? n->b : n->c);
	scope_leave();
	return leaving;
}

static int loop_goes_on(const struct node *n)
{
	struct value limit = evaluate(n->a);
	struct scope *end = has(n->b, RETURN) ? &function_scope : loop_scope;

	label_add(&limit.label, &counters[n->value].label);
	set_add_decision(&end->decided, &limit.label);
	return counters[n->value].number < (limit.number & 3);
}

static enum leaving execute_loop(const struct node *n)
{
	struct scope *saved_loop = loop_scope, *saved_iteration = iteration_scope, s, iteration;
	struct value *counter = &counters[n->value];
	enum leaving leaving = NOTHING;

	*counter = (struct value){0};
	label_decide(&counter->label);
	scope_enter(&s);
	for (;;) {
		loop_scope = &s;
		if (!loop_goes_on(n))
			break;
		scope_enter(&iteration);
		iteration_scope = &iteration;
		leaving = execute(n->b);
		scope_leave();
		if (leaving == CONTINUES)
			leaving = NOTHING;
		if (leaving != NOTHING)
			break;
		counter->number++;
		label_decide(&counter->label);
	}
	scope_leave();
	loop_scope = saved_loop;
	iteration_scope = saved_iteration;
	return leaving == RETURNS ? RETURNS : NOTHING;
}

static void execute_assignment(const struct node *n)
{
	static const struct label none;
	struct value v = {0}, at = {0};

	if (n->kind == SET_WHOLE) {
		for (int i = 0; i < 8; i++)
			label_decide(&bytes[i].label);
		return;
	}
	v = evaluate(n->a);
	if (n->b)
		at = evaluate(n->b);
	if (n->kind == SET_WORD)
		store((int)n->value, &v, &none);
	else if (n->kind == SET_ELEMENT)
		store(OUTPUT + (int)(at.number & 3), &v, &at.label);
	label_add(&v.label, &at.label);
	label_decide(&v.label);
	if (n->kind == SET_LOCAL)
		locals[n->value] = v;
	else if (n->kind == SET_VOLATILE)
		list[at.number & 3] = v;
	else if (n->kind == SET_BYTE) {
		v.number &= 0xff;
		bytes[at.number & 7] = v;
	}
}

static enum leaving execute(const struct node *n)
{
	for (; n && !is_too_large; n = n->next) {
		enum leaving leaving = NOTHING;
		if (++steps > STEPS_MAX)
			is_too_large = 1;
		switch (n->kind) {
		case IF: leaving = execute_if(n); break;
		case LOOP: leaving = execute_loop(n); break;
		case BREAK: return BREAKS;
		case CONTINUE: return CONTINUES;
		case RETURN: return RETURNS;
		default: execute_assignment(n);
		}
		if (leaving != NOTHING)
			return leaving;
	}
	return NOTHING;
}

static void interpret(const struct node *program)
{
	memcpy(words, word_values, sizeof(words));
	memset(locals, 0, sizeof(locals));
	memset(list, 0, sizeof(list));
	memset(bytes, 0, sizeof(bytes));
	memset(counters, 0, sizeof(counters));
	for (uint64_t i = 0; i < LOCALS; i++)
		locals[i].number = i;
	for (uint64_t i = 0; i < 4; i++)
		list[i].number = i + 2;
	function_scope = (struct scope){0};
	scope = &function_scope;
	line_count = steps = is_too_large = 0;
	execute(program);
}

/* ---- the program ---- */

static void print_case(int number, const struct node *program)
{
	printf("CASE(random_%d)\n{\n", number);
	printf("word l0 = 0, l1 = 1, l2 = 2, l3 = 3, i0 = 0, i1 = 0, list[4] = {2, 3, 4, 5};\n"
	       "union eight bytes = {0}, copy = {0};\n");
	print(program);
	printf("(void)l0, (void)l1, (void)l2, (void)l3, (void)i0, (void)i1, (void)list, (void)copy, (void)bytes;\n}\n");
	for (int i = 0; i < line_count; i++)
		printf("//! %s\n", lines[i]);
	printf("\n");
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: depend_random SEED CASES\n");
		return 2;
	}
	state = random_mix(strtoull(argv[1], NULL, 0) + 1);
	printf("#include \"depend.h\"\n\n"
	       "static void words_prepare(struct words *words) { (void)words; }\n\n"
	       "#define MARK() __asm__ volatile(\"nopl %%c0(%%%%rax)\" ::\"i\"(__COUNTER__))\n"
	       "#define APART_OF(e) ({ uint64_t result = e; MARK(); result; })\n\n"
	       "union eight { volatile uint8_t at[8]; word all; };\n\n"
	       "static word k1 = 1, k2 = 2, k3 = 3, k4 = 4, k5 = 5;\n\n"
	       "APART static uint64_t flat(uint64_t value) { return value ^ 1; }\n\n"
	       "APART static uint64_t pick(uint64_t value, uint64_t condition)\n"
	       "{\nif (condition & 1)\nreturn value + 1;\nreturn value;\n}\n\n");
	for (int done = 0; done < atoi(argv[2]);) {
		struct node *program;

		node_count = site_count = 0;
		program = statements(3, 0);
		if (site_count > SITES)
			continue;
		interpret(program);
		if (!is_too_large && line_count)
			print_case(++done, program);
	}
	return 0;
}
