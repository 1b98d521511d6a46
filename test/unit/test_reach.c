/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_reach.c - which PM-modifying instructions can be reached, in programs of known shape that are compiled here.
 *
 *   1  branches, loops, calls, recursion, calls that do not return, tables of functions, callbacks, switch statements,
 *      linked in all ways
 *   2  what is done in a library counts at the call; calls through other modules
 *   3  an indirect call in a library is known when it was seen
 *   4  figures: known and reached
 *   5  graphs that are kept in a folder: damaged files are replaced, any damage is noticed
 *   6  files that are no module
 *   7  stores that may modify PM, as long as they were never executed
 *   8  how near an execution came to what was never executed
 *   9  what is decided right after a place */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reach/module_file.h"
#include "reach/reach.h"
#include "scratch.h"

static const char program_c[] =
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"#define FLUSH(n) __asm__ volatile(\"clflush %0\" : \"+m\"(pool[n * 64]))\n"
	"#define AT(name) __asm__ volatile(#name \":\")\n"
	"char pool[4096];\n"
	"volatile int choice;\n"
	"void put(void) { FLUSH(0); FLUSH(1); }\n"
	"void del(void) { FLUSH(2); }\n"
	"void get(void) { AT(in_get); choice++; }\n"
	"void die(void) { exit(choice); }\n"
	"void nest(int n) { if (n) { AT(in_nest); nest(n - 1); } else put(); }\n"
	"static void (*const table[])(void) = {get, del, put};\n"
	"void dispatch(void) { table[choice](); }\n"
	"void stop(void) { if (choice == 1) { AT(at_exit); exit(1); } AT(after_exit); FLUSH(11); }\n"
	"static int compare(const void *a, const void *b) { FLUSH(3); return a < b; }\n"
	"void sort(void) { qsort(pool, 2, 8, compare); }\n"
	"void select_one(void)\n"
	"{\n"
	"	switch (choice) {\n"
	"	case 10: AT(case_a); FLUSH(4); break;\n"
	"	case 11: AT(case_b); break;\n"
	"	case 12: AT(case_c); FLUSH(5); FLUSH(6); break;\n"
	"	case 13: AT(case_d); FLUSH(7); break;\n"
	"	case 14: AT(case_e); FLUSH(8); break;\n"
	"	case 15: AT(case_f); FLUSH(9); break;\n"
	"	case 16: AT(case_g); FLUSH(10); break;\n"
	"	}\n"
	"	AT(after_cases);\n"
	"}\n"
	"int main(void)\n"
	"{\n"
	"	for (;;) {\n"
	"		int c = getchar();\n"
	"		AT(before_put);\n"
	"		if (c == 'p') { AT(at_put); put(); }\n"
	"		else if (c == 'd') { AT(at_del); del(); }\n"
	"		else if (c == 'x') { AT(at_die); die(); }\n"
	"		else if (c == 'e') break;\n"
	"		else { AT(at_get); get(); AT(after_get); }\n"
	"	}\n"
	"	AT(at_end);\n"
	"	return 0;\n"
	"}\n";

/* ---- programs ---- */

/* Compile a text in the directory; `options` has the name of the result. */
static void compile(const char *dir, const char *text, const char *options)
{
	char command[4096], path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/source.c", dir);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
	snprintf(command, sizeof(command), "cd %s && gcc -g0 -O0 source.c %s", dir, options);
	assert_int_equal(system(command), 0);
}

struct shape {
	struct reach *reach;
	char path[512];
	uint32_t module;
	uint64_t bias; /* addresses minus offsets, of its code */
};

/* The code of all these programs is in one segment. */
static uint64_t code_bias(const char *path)
{
	char command[1024];
	unsigned long offset, address;
	FILE *out;

	snprintf(command, sizeof(command), "readelf -lW %s | awk '/LOAD.*R E/ {print $2, $3}'", path);
	out = popen(command, "r");
	assert_non_null(out);
	assert_int_equal(fscanf(out, "%lx %lx", &offset, &address), 2);
	pclose(out);
	return address - offset;
}

static void shape_open(struct shape *s, struct reach *reach, const char *dir, const char *name)
{
	s->reach = reach;
	snprintf(s->path, sizeof(s->path), "%s/%s", dir, name);
	s->module = reach_module(reach, s->path);
	assert_int_not_equal(s->module, 0);
	s->bias = code_bias(s->path);
}

static struct reach_place at(const struct shape *s, const char *label)
{
	char command[1024];
	unsigned long address;
	FILE *out;

	snprintf(command, sizeof(command), "nm %s | awk '$3 == \"%s\" {print $1}'", s->path, label);
	out = popen(command, "r");
	assert_non_null(out);
	if (fscanf(out, "%lx", &address) != 1)
		fail_msg("%s has no %s", s->path, label);
	pclose(out);
	return (struct reach_place){s->module, address - s->bias};
}

/* The weight at a label, in sixtieths of an instruction. */
static uint64_t sixtieths(const struct shape *s, const char *label)
{
	struct reach_place place = at(s, label);

	return (reach_weight(s->reach, NULL, &place, 1).all * 60 + REACH_ONE / 2) / REACH_ONE;
}

static void expect(const struct shape *s, const char *label, uint64_t wanted)
{
	uint64_t weight = sixtieths(s, label);

	if (weight != wanted)
		fail_msg("%s: from %s %lu sixtieths can be reached, not %lu", s->path, label, weight, wanted);
}

/* ---- 1: shapes ---- */

/* The C library knows that exit does not return. */
static void libc_add(const struct shape *s)
{
	char command[1024], path[512];
	FILE *out;

	snprintf(command, sizeof(command), "ldd %s 2>&1 | awk '/libc.so/ {print $3}'", s->path);
	out = popen(command, "r");
	assert_non_null(out);
	if (fscanf(out, "%511s", path) == 1)
		assert_int_not_equal(reach_module(s->reach, path), 0);
	pclose(out);
}

static void expect_cases(const struct shape *s)
{
	expect(s, "select_one", 7 * 20); /* whether there is a case, and which one */
	expect(s, "case_a", 60);
	expect(s, "case_b", 0);
	expect(s, "case_c", 120);
	expect(s, "case_g", 60);
	expect(s, "after_cases", 0);
}

/* What both sides reach as soon counts a sixteenth. */
static void expect_sides(const struct shape *s)
{
	struct reach_place branch = at(s, "before_put"), put = at(s, "at_put"), nest = at(s, "in_nest");
	struct reach_place before_nest = at(s, "nest");

	/* put: the other side comes to it by the loop only.  del: the other side comes to it sooner. */
	assert_int_equal(reach_weight(s->reach, &branch, &put, 1).all, 2 * REACH_ONE + REACH_ONE / 2 / 16);
	assert_int_equal(reach_weight(s->reach, &before_nest, &nest, 1).all, 2 * REACH_ONE / 2 / 16);
	/* It does not lead there. */
	assert_int_equal(reach_weight(s->reach, &before_nest, &put, 1).all, 2 * REACH_ONE + REACH_ONE / 2);
}

static void check_shapes(const char *dir, const char *options, const char *name)
{
	struct shape s;

	compile(dir, program_c, options);
	shape_open(&s, reach_new(NULL), dir, name);
	libc_add(&s);
	/* two at once, one in another round of the loop after one decision, which counts half */
	expect(&s, "at_put", 120 + 30);
	expect(&s, "at_del", 60 + 60);
	expect(&s, "at_get", 90);
	expect(&s, "after_get", 90);
	expect(&s, "at_die", 0);
	expect(&s, "at_exit", 0);
	expect(&s, "after_exit", 60);
	expect(&s, "stop", 60); /* the other way never comes back: no decision */
	expect(&s, "at_end", 0);
	expect(&s, "main", 90);
	expect(&s, "in_nest", 60);
	expect(&s, "dispatch", 120); /* compare is a function whose address is taken, too */
	expect(&s, "sort", 30);
	expect_cases(&s);

	expect_sides(&s);

	/* In a function that is left for the loop: one return, one decision. */
	struct reach_place stack[] = {at(&s, "in_get"), at(&s, "after_get")};
	assert_int_equal(reach_weight(s.reach, NULL, stack, 1).all, 0);
	assert_int_equal(reach_weight(s.reach, NULL, stack, 2).all, 3 * (REACH_ONE / 3));
	reach_free(s.reach);
}

static void test_shapes(void **state)
{
	check_shapes(*state, "-o pie", "pie");
	check_shapes(*state, "-no-pie -o fixed", "fixed");
	check_shapes(*state, "-no-pie -fcf-protection -o protected", "protected");
	check_shapes(*state, "-fno-plt -Wl,-z,now -o direct", "direct");

	/* The C library is a part of this program: what its functions do is not known to be for their callers. */
	struct shape s;
	compile(*state, program_c, "-static -o static");
	shape_open(&s, reach_new(NULL), *state, "static");
	expect_cases(&s);
	assert_true(sixtieths(&s, "dispatch") >= 120);
	reach_free(s.reach);
}

/* ---- 2: libraries ---- */

static const char library_c[] = "char pool[4096];\n"
				"#define FLUSH(n) __asm__ volatile(\"clflush %0\" : \"+m\"(pool[n * 64]))\n"
				"void pmem_persist(const void *p, unsigned long n)\n"
				"{\n"
				"	__asm__ volatile(\"in_persist:\");\n"
				"	for (; n; n--)\n"
				"		FLUSH(1);\n"
				"	(void)p;\n"
				"}\n"
				"void call_back(void (*f)(void)) { f(); __asm__ volatile(\"after_call_back:\"); }\n";

static const char own_c[] = "void pmem_persist(const void *p, unsigned long n);\n"
			    "void own_store(char *p)\n"
			    "{\n"
			    "	*p = 1;\n"
			    "	pmem_persist(p, 1);\n"
			    "	__asm__ volatile(\"after_persist:\");\n"
			    "}\n";

static const char user_c[] =
	"void own_store(char *p);\n"
	"void call_back(void (*f)(void));\n"
	"char pool[64];\n"
	"static void stores(void) { __asm__ volatile(\"in_stores:\"); own_store(pool); }\n"
	"void (*pointers[])(void) = {0, stores};\n"
	"volatile int one = 1;\n"
	"void registers(void) { call_back(pointers[one]); __asm__ volatile(\"after_registers:\"); }\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	if (argc > 1)\n"
	"		own_store(argv[0]);\n"
	"	__asm__ volatile(\"at_end:\");\n"
	"	return 0;\n"
	"}\n";

/* A program, a library of its own, and one that everybody knows. */
struct three {
	struct reach *reach;
	struct shape user, own, pmem;
};

static void three_open(struct three *t, const char *dir)
{
	compile(dir, library_c, "-fPIC -shared -Wl,-soname,libpmem.so.1 -o libpmem.so.1");
	compile(dir, own_c, "-fPIC -shared -o libown.so ./libpmem.so.1");
	compile(dir, user_c, "-o user ./libown.so ./libpmem.so.1");
	t->reach = reach_new(NULL);
	shape_open(&t->user, t->reach, dir, "user");
	shape_open(&t->own, t->reach, dir, "libown.so");
	shape_open(&t->pmem, t->reach, dir, "libpmem.so.1");
}

static void test_libraries(void **state)
{
	struct three t;

	three_open(&t, *state);
	assert_int_equal(reach_count(t.reach), 1); /* the call of pmem_persist */
	assert_int_equal(reach_instruction(t.reach, 0).place.module, t.own.module);
	expect(&t.user, "main", 30);
	expect(&t.user, "at_end", 0);
	expect(&t.own, "own_store", 60);
	expect(&t.own, "after_persist", 0);
	/* A branch in a library: nothing there, but its caller goes on. */
	struct reach_place stack[] = {at(&t.pmem, "in_persist"), at(&t.user, "main")};
	assert_int_equal(reach_weight(t.reach, NULL, stack, 2).all, REACH_ONE / 2);
	reach_free(t.reach);
}

/* ---- 3, 4: what was seen ---- */

static void test_seen(void **state)
{
	struct three t;

	three_open(&t, *state);
	/* The address of stores is in a table: only a recording tells that call_back calls it. */
	expect(&t.user, "registers", 0);
	struct reach_place stack[] = {at(&t.user, "in_stores"), at(&t.pmem, "after_call_back"),
				      at(&t.user, "after_registers")};
	reach_see(t.reach, stack, 3);
	expect(&t.user, "registers", 60);
	reach_free(t.reach);
}

static void test_figures(void **state)
{
	struct three t;

	three_open(&t, *state);
	struct reach_place flush[] = {at(&t.pmem, "in_persist"), at(&t.own, "after_persist"), at(&t.user, "at_end")};
	struct reach_place main_place = at(&t.user, "main");
	assert_int_equal(reach_reached(t.reach), 0);
	/* One decision.  The store before the call may modify PM, too. */
	assert_int_equal(reach_weight(t.reach, NULL, &main_place, 1).unreached, REACH_ONE / 2 + REACH_ONE / 4);
	reach_mark(t.reach, flush, 3);
	reach_mark(t.reach, flush, 3);
	assert_int_equal(reach_count(t.reach), 1); /* the call was known */
	assert_int_equal(reach_reached(t.reach), 1);
	assert_true(reach_instruction(t.reach, 0).reached);
	assert_int_equal(reach_weight(t.reach, NULL, &main_place, 1).unreached, REACH_ONE / 4);
	assert_int_equal(reach_weight(t.reach, NULL, &main_place, 1).all, REACH_ONE / 2);
	/* A store that does not look like one to PM. */
	struct reach_place store = at(&t.own, "own_store");
	reach_mark(t.reach, &store, 1);
	assert_int_equal(reach_count(t.reach), 2);
	assert_int_equal(reach_reached(t.reach), 2);
	assert_int_equal(reach_instruction(t.reach, 1).place.offset, store.offset);
	assert_int_equal(reach_weight(t.reach, NULL, &main_place, 1).all, REACH_ONE);
	/* In no module: nothing happens. */
	struct reach_place nowhere = {0, 7}, outside = {t.user.module, UINT64_C(1) << 60};
	reach_mark(t.reach, &nowhere, 1);
	reach_mark(t.reach, &outside, 1);
	reach_mark(t.reach, NULL, 0);
	assert_int_equal(reach_count(t.reach), 2);
	assert_int_equal(reach_weight(t.reach, NULL, &outside, 1).all, 0);
	reach_free(t.reach);
}

/* ---- 5: graphs in files ---- */

static void expect_same_module(const struct module *a, const struct module *b)
{
#define X(array)                                          \
	assert_int_equal(a->array.count, b->array.count); \
	if (a->array.count)                               \
		assert_memory_equal(a->array.at, b->array.at, a->array.count * sizeof(*a->array.at));
	MODULE_ARRAYS(X)
#undef X
}

static void test_file(void **state)
{
	char path[512];
	struct module read, parsed;
	size_t size;

	compile(*state, own_c, "-nostdlib -fPIC -shared -o own");
	snprintf(path, sizeof(path), "%s/own", (char *)*state);
	assert_true(module_read(&read, path));
	uint8_t *bytes = module_file_format(&read, &size);
	assert_true(module_file_parse(&parsed, bytes, size));
	expect_same_module(&read, &parsed);
	module_free(&parsed);
	for (size_t i = 0; i < size; i++) {
		assert_false(module_file_parse(&parsed, bytes, i));
		bytes[i] ^= 0x10;
		assert_false(module_file_parse(&parsed, bytes, size));
		bytes[i] ^= 0x10;
	}
	free(bytes);
	module_free(&read);
}

static long folder_bytes(const char *folder, char *file, size_t room)
{
	char command[1024];
	struct stat st;
	FILE *out;

	snprintf(command, sizeof(command), "find %s -type f", folder);
	out = popen(command, "r");
	assert_non_null(out);
	assert_non_null(fgets(file, (int)room, out));
	file[strcspn(file, "\n")] = 0;
	assert_int_equal(fgetc(out), EOF); /* one file, and no temporary ones */
	pclose(out);
	assert_int_equal(stat(file, &st), 0);
	return st.st_size;
}

static void test_folder(void **state)
{
	char folder[512], file[1024];
	struct shape s;
	long size;

	compile(*state, own_c, "-nostdlib -fPIC -shared -o own");
	snprintf(folder, sizeof(folder), "%s/reach", (char *)*state);
	for (int round = 0; round < 3; round++) { /* new, from the folder, and damaged */
		shape_open(&s, reach_new(folder), *state, "own");
		expect(&s, "own_store", 60);
		reach_free(s.reach);
		if (round)
			assert_int_equal(folder_bytes(folder, file, sizeof(file)), size);
		size = folder_bytes(folder, file, sizeof(file));
		if (round == 1)
			assert_int_equal(truncate(file, 100), 0);
	}
	/* A folder that cannot be made costs only time. */
	shape_open(&s, reach_new("/dev/null/reach"), *state, "own");
	expect(&s, "own_store", 60);
	reach_free(s.reach);
}

/* ---- 6: no modules ---- */

static void test_no_module(void **state)
{
	struct reach *reach = reach_new(NULL);

	assert_int_equal(reach_module(reach, "/etc/passwd"), 0);
	assert_int_equal(reach_module(reach, "/nonexistent"), 0);
	assert_int_equal(reach_module(reach, "/nonexistent"), 0);
	assert_int_equal(reach_module(reach, *state), 0);
	assert_int_equal(reach_module(reach, "/dev/null"), 0);
	assert_int_equal(reach_count(reach), 0);
	reach_free(reach);
}

/* ---- 7: other stores ---- */

static const char stores_c[] =
	"int variable;\n"
	"#define AT(name) __asm__ volatile(#name \":\")\n"
	"void by_pointer(long *p) { p[1] = 1; }\n"
	"void by_vector(float *p) { AT(in_vector); p[0] = p[2] + 1; }\n"
	"int no_pointer(int n) { int a[4]; a[n & 3] = 1; variable = a[2]; return variable; }\n"
	"long loads(long *p) { return p[1] == 1; }\n"
	"int main(void) { long p[2]; AT(before); by_pointer(p); return no_pointer(0) + loads(p) > 1; }\n";

static uint64_t unreached(const struct shape *s, const char *label)
{
	struct reach_place place = at(s, label);

	return reach_weight(s->reach, NULL, &place, 1).unreached;
}

static void check_stores(const char *dir, const char *options, const char *name)
{
	struct shape s;

	compile(dir, stores_c, options);
	shape_open(&s, reach_new(NULL), dir, name);
	assert_int_equal(unreached(&s, "by_pointer"), REACH_ONE / 2);
	assert_int_equal(unreached(&s, "by_vector"), REACH_ONE / 2);
	assert_int_equal(unreached(&s, "no_pointer"), 0);
	assert_int_equal(unreached(&s, "loads"), 0);
	assert_int_equal(unreached(&s, "before"), REACH_ONE / 2);
	assert_int_equal(reach_count(s.reach), 0);
	reach_execute(s.reach, &(struct reach_code){at(&s, "by_pointer"), 4});
	assert_int_equal(unreached(&s, "by_pointer"), 0);
	assert_int_equal(unreached(&s, "by_vector"), REACH_ONE / 2);
	reach_execute(s.reach, &(struct reach_code){{0, 4}, 4});
	reach_execute(s.reach, &(struct reach_code){{s.module, UINT64_C(1) << 60}, 4});
	/* It does modify PM. */
	struct reach_place vector = at(&s, "in_vector");
	reach_mark(s.reach, &vector, 1);
	assert_int_equal(reach_count(s.reach), 1);
	assert_int_equal(reach_weight(s.reach, NULL, &vector, 1).all, REACH_ONE);
	reach_free(s.reach);
}

static void test_stores(void **state)
{
	check_stores(*state, "-o plain", "plain");
	check_stores(*state, "-O1 -fno-inline -fomit-frame-pointer -o optimized", "optimized");
}

/* ---- 8: nearness ---- */

static const char near_c[] = "#define AT(name) __asm__ volatile(#name \":\")\n"
			     "#define FLUSH(n) __asm__ volatile(\"clflush %0\" : \"+m\"(pool[n * 64]))\n"
			     "char pool[4096];\n"
			     "volatile int choice;\n"
			     "int main(void)\n"
			     "{\n"
			     "	AT(start);\n"
			     "	if (choice & 1) {\n"
			     "		AT(nearer);\n"
			     "		if (choice & 2) { AT(at_first); FLUSH(0); }\n"
			     "	}\n"
			     "	if (choice & 4) { AT(at_second); FLUSH(1); }\n"
			     "	return 0;\n"
			     "}\n";

static void test_nearness(void **state)
{
	struct shape s;

	compile(*state, near_c, "-o near");
	shape_open(&s, reach_new(NULL), *state, "near");
	const struct reach_code code[] = {{at(&s, "start"), 1}, {at(&s, "nearer"), 1}};
	assert_int_equal(reach_nearness(s.reach, NULL, 0), 0);
	assert_int_equal(reach_nearness(s.reach, code, 1), REACH_ONE / 3 + REACH_ONE / 2);
	assert_int_equal(reach_nearness(s.reach, code, 2), REACH_ONE / 2 + REACH_ONE / 2);
	/* What was reached does not count any more. */
	struct reach_place first = at(&s, "at_first");
	reach_mark(s.reach, &first, 1);
	assert_int_equal(reach_nearness(s.reach, code, 1), REACH_ONE / 2);
	assert_int_equal(reach_nearness(s.reach, code, 2), REACH_ONE / 2);
	reach_free(s.reach);
}

/* ---- 9: decisions ---- */

static const char decides_c[] = "#define AT(name) __asm__ volatile(#name \":\")\n"
				"#include <stdlib.h>\n"
				"volatile int choice;\n"
				"int look(void) { return choice; }\n"
				"int main(void)\n"
				"{\n"
				"	int got = look();\n"
				"	AT(after_look);\n"
				"	if (got != 2) { AT(at_bad); abort(); }\n"
				"	AT(at_good);\n"
				"	look();\n"
				"	return 0;\n"
				"}\n";

static bool same_place(struct reach_place a, struct reach_place b)
{
	return a.module == b.module && a.offset == b.offset;
}

static void test_decides(void **state)
{
	struct shape s;
	struct reach_fork fork;

	compile(*state, decides_c, "-o decides");
	shape_open(&s, reach_new(NULL), *state, "decides");
	struct reach_place after = at(&s, "after_look"), bad = at(&s, "at_bad"), good = at(&s, "at_good");
	assert_false(reach_decides(s.reach, &after, &fork)); /* nothing was executed */
	assert_false(reach_is_executed(s.reach, &after));
	reach_execute(s.reach, &(struct reach_code){after, 1});
	assert_true(reach_is_executed(s.reach, &after));
	assert_false(reach_decides(s.reach, &after, &fork)); /* how it went on is not known */
	reach_execute(s.reach, &(struct reach_code){bad, 1});
	assert_true(reach_decides(s.reach, &after, &fork));
	assert_true(same_place(fork.side, good));
	assert_true(fork.branch.offset >= after.offset && fork.branch.offset < bad.offset);
	assert_false(reach_decides(s.reach, &bad, &fork));
	reach_execute(s.reach, &(struct reach_code){good, 1});
	assert_false(reach_decides(s.reach, &after, &fork)); /* both sides */
	assert_false(reach_decides(s.reach, &(struct reach_place){0, 4}, &fork));
	reach_free(s.reach);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_shapes),    scratch_test(test_libraries), scratch_test(test_seen),
		scratch_test(test_figures),   scratch_test(test_file),      scratch_test(test_folder),
		scratch_test(test_no_module), scratch_test(test_stores),    scratch_test(test_nearness),
		scratch_test(test_decides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
