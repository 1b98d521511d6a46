/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_symbols.c - symbols.h compared with addr2line, on programs that are compiled here.
 *
 *   1  every byte of two functions with inlining, linked in all ways: function, file and line of each frame
 *   2  the same answers from separate debug info, by debug link and by build id
 *   3  stripped: the exported function without a line; then module and offset
 *   4  a changed, a missing, and a foreign file, and no file at all
 *   5  a return address after the last call of a function
 *   6  scopes of C++
 *   7  what a function can be given, and which copies of it are the same function
 *   8  names of templates without their arguments
 *   9  no server is contacted, and the environment stays unchanged */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <elf.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/symbols.h"

static char dir[] = "/tmp/blackout-symbols.XXXXXX";

static const char program_c[] = "#include <stdlib.h>\n"
				"struct node { long key, value; struct node *next; };\n"
				"struct node *table[64];\n"
				"static inline unsigned slot(long key) { return (unsigned)(key * 2654435761u) % 64; }\n"
				"static inline void node_link(struct node *n)\n"
				"{\n"
				"	unsigned s = slot(n->key);\n"
				"	n->next = table[s];\n"
				"	table[s] = n;\n"
				"}\n"
				"static inline __attribute__((always_inline)) void node_make(long key, long value)\n"
				"{\n"
				"	struct node *n = malloc(sizeof(*n));\n"
				"	n->key = key;\n"
				"	n->value = value;\n"
				"	node_link(n);\n"
				"}\n"
				"__attribute__((noinline)) void insert(long key, long value)\n"
				"{\n"
				"	for (struct node *n = table[slot(key)]; n; n = n->next)\n"
				"		if (n->key == key)\n"
				"			n->value = value;\n"
				"	node_make(key, value);\n"
				"}\n"
				"__attribute__((noinline, noreturn)) void give_up(void)\n"
				"{\n"
				"	abort();\n"
				"}\n"
				"int main(int argc, char **argv)\n"
				"{\n"
				"	for (long i = 0; i < argc; i++)\n"
				"		insert(i, argv[i][0]);\n"
				"	node_make(argc, 7);\n"
				"	if (argc > 5)\n"
				"		give_up();\n"
				"	return 0;\n"
				"}\n";

/* Line numbers in the source above that the tests use. */
enum { LINE_GIVE_UP = 27 };

static const char scopes_cc[] =
	"namespace store { namespace {\n"
	"template <class T> struct tree { T sum; __attribute__((noinline)) void insert(T value); };\n"
	"template <class T> void tree<T>::insert(T value) { sum += value; }\n"
	"} }\n"
	"int main(int argc, char **) { store::tree<int> t = {0}; t.insert(argc); return t.sum; }\n";

/* Each function stores to `sink`, so that it has code. */
static const char signatures_c[] = "#include <stddef.h>\n"
				   "#include <stdint.h>\n"
				   "struct pool { long a; };\n"
				   "typedef const volatile void *address;\n"
				   "volatile long sink;\n"
				   "#define DO { sink++; }\n"
				   "void f_void_pointer(struct pool *p, address a, size_t n) DO\n"
				   "void f_word_pointer(uint64_t *a) DO\n"
				   "void f_bytes(char *a, int n) DO\n"
				   "void f_text(const char *a) DO\n"
				   "void f_object(struct pool *p) DO\n"
				   "void f_object_and_word(struct pool *p, uint64_t *a) DO\n"
				   "void f_number(uintptr_t a) DO\n"
				   "void f_small(int a) DO\n"
				   "void f_callback(void (*a)(void)) DO\n"
				   "void f_nothing(void) DO\n"
				   "int f_result(void *a) { sink++; return 0; }\n"
				   "static inline __attribute__((always_inline)) void f_inlined(void *a) DO\n"
				   "void caller(void) { f_inlined(0); }\n"
				   "void caller2(void) { f_inlined(0); }\n"
				   "int main(void) { return 0; }\n";

static void write_file(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

__attribute__((format(printf, 1, 2))) static void shell(const char *format, ...)
{
	char command[1000];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	if (system(command) != 0)
		fail_msg("failed: %s", command);
}

/* A module as the recorder would define it. */
static struct trace_module module_of(const char *name)
{
	static char path[200];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	assert_int_equal(stat(path, &st), 0);
	return (struct trace_module){.path = path, .file_size = (uint64_t)st.st_size, .mtime = (uint64_t)st.st_mtime};
}

/* Address and size of a function. */
static void function_find(const char *program, const char *function, uint64_t *start, uint64_t *size)
{
	char command[300];

	snprintf(command, sizeof(command), "nm -S %s | awk '$4 == \"%s\" { print $1, $2 }'", program, function);
	FILE *pipe = popen(command, "r");
	assert_non_null(pipe);
	assert_int_equal(fscanf(pipe, "%" SCNx64 " %" SCNx64, start, size), 2);
	assert_int_equal(pclose(pipe), 0);
}

static uint64_t offset_of(const char *program, uint64_t address)
{
	FILE *file = fopen(program, "r");
	Elf64_Ehdr elf;
	Elf64_Phdr segment;

	assert_non_null(file);
	assert_int_equal(fread(&elf, sizeof(elf), 1, file), 1);
	assert_int_equal(fseek(file, (long)elf.e_phoff, SEEK_SET), 0);
	do
		assert_int_equal(fread(&segment, sizeof(segment), 1, file), 1);
	while (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X) || address - segment.p_vaddr >= segment.p_filesz);
	fclose(file);
	return address - segment.p_vaddr + segment.p_offset;
}

/* "function file:line", for each frame. */
static void frames_print(const struct symbols_frame *frames, size_t count, char *text, size_t size)
{
	size_t used = 0;

	*text = 0;
	for (size_t i = 0; i < count && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s %s:%" PRIu32, i ? ", " : "",
					 frames[i].function ? frames[i].function : "??",
					 frames[i].file ? frames[i].file : "??", frames[i].line);
}

/* The same from addr2line's output for one address: pairs of lines, up to the next address. */
static bool answer_read(FILE *pipe, char *text, size_t size)
{
	char function[200], place[500];
	size_t used = 0;

	*text = 0;
	for (;;) {
		if (!fgets(function, sizeof(function), pipe))
			return used > 0;
		if (!strncmp(function, "0x", 2)) {
			if (used)
				return true;
			continue;
		}
		assert_non_null(fgets(place, sizeof(place), pipe));
		function[strcspn(function, "\n")] = 0;
		place[strcspn(place, " \n")] = 0;
		const char *slash = strrchr(place, '/');
		used += (size_t)snprintf(text + used, size - used, "%s%s %s", used ? ", " : "", function,
					 slash ? slash + 1 : place);
	}
}

/* Compare `program` with the output of addr2line for `reference`, the same code with debug info, at every byte of a
 * function. */
static void function_compare(struct symbols *symbols, const char *program, const char *reference, const char *function)
{
	struct trace_module module = module_of(program);
	uint64_t start, size;
	char command[400], expected[1000], got[1000];
	unsigned with_inlined = 0;

	function_find(reference, function, &start, &size);
	snprintf(command, sizeof(command),
		 "for i in $(seq 0 %" PRIu64 "); do printf '%%x\\n' $((0x%" PRIx64
		 " + i)); done | addr2line -a -i -f -e %s",
		 size - 1, start, reference);
	FILE *pipe = popen(command, "r");
	assert_non_null(pipe);
	for (uint64_t i = 0; i < size; i++) {
		const struct symbols_frame *frames;
		size_t count = symbols_lookup(symbols, &module, offset_of(program, start + i), false, &frames);

		frames_print(frames, count, got, sizeof(got));
		assert_true(answer_read(pipe, expected, sizeof(expected)));
		if (strcmp(expected, got))
			fail_msg("%s, %s+0x%" PRIx64 ": got \"%s\" instead of \"%s\"", program, function, i, got,
				 expected);
		assert_int_equal(frames[count - 1].into, i);
		assert_false(frames[count - 1].inlined);
		with_inlined += count > 1 && frames[0].inlined;
	}
	pclose(pipe);
	assert_true(with_inlined > 0); /* otherwise the compiler left nothing to test */
}

static void test_links(void **state)
{
	static const char *const variants[][2] = {{"pie", "-fPIE -pie"},
						  {"nopie", "-fno-pie -no-pie"},
						  {"static", "-static"},
						  {"dwarf4", "-gdwarf-4"}};
	struct symbols *symbols = symbols_open(NULL);

	(void)state;
	for (size_t i = 0; i < sizeof(variants) / sizeof(*variants); i++) {
		shell("cc -g -O2 %s program.c -o %s", variants[i][1], variants[i][0]);
		function_compare(symbols, variants[i][0], variants[i][0], "insert");
		function_compare(symbols, variants[i][0], variants[i][0], "main");
		struct trace_module module = module_of(variants[i][0]);
		assert_int_equal(symbols_module_state(symbols, &module), SYMBOLS_LINES);
	}
	symbols_close(symbols);
}

static void test_separate(void **state)
{
	char id[100], path[300];
	FILE *pipe;

	(void)state;
	shell("cc -g -O2 -Wl,--build-id program.c -o whole");
	shell("objcopy --only-keep-debug whole linked.debug && strip -o linked whole");
	shell("objcopy --remove-section=.note.gnu.build-id --add-gnu-debuglink=linked.debug linked");
	struct symbols *symbols = symbols_open(NULL);
	function_compare(symbols, "linked", "whole", "insert");
	symbols_close(symbols);

	pipe = popen("readelf -n whole | awk '/Build ID:/ { print $3 }'", "r");
	assert_non_null(pipe);
	assert_int_equal(fscanf(pipe, "%99s", id), 1);
	pclose(pipe);
	shell("mkdir -p debug/.build-id/%.2s && cp linked.debug debug/.build-id/%.2s/%s.debug", id, id, id + 2);
	shell("strip -o identified whole");
	snprintf(path, sizeof(path), "%s/debug", dir);
	symbols = symbols_open(path);
	function_compare(symbols, "identified", "whole", "insert");
	symbols_close(symbols);
}

static void test_stripped(void **state)
{
	struct symbols *symbols = symbols_open(NULL);
	const struct symbols_frame *frame;
	uint64_t start, size;
	char text[200], expected[200];

	(void)state;
	shell("cc -g -O2 -rdynamic -Wl,--build-id=none program.c -o exported && strip -o exported.stripped exported");
	struct trace_module module = module_of("exported.stripped");
	function_find("exported", "insert", &start, &size);
	assert_int_equal(symbols_lookup(symbols, &module, offset_of("exported", start + 5), false, &frame), 1);
	assert_null(frame->file);
	assert_int_equal(frame->line, 0);
	symbols_frame_text(frame, text, sizeof(text));
	assert_string_equal(text, "insert+0x5 exported.stripped");
	assert_int_equal(symbols_module_state(symbols, &module), SYMBOLS_NAMES);

	shell("cc -g -O2 -Wl,--build-id=none program.c -o hidden && strip -o hidden.stripped hidden");
	module = module_of("hidden.stripped");
	function_find("hidden", "insert", &start, &size);
	uint64_t offset = offset_of("hidden", start + 5);
	assert_int_equal(symbols_lookup(symbols, &module, offset, false, &frame), 1);
	symbols_frame_text(frame, text, sizeof(text));
	snprintf(expected, sizeof(expected), "hidden.stripped+0x%" PRIx64, offset);
	assert_string_equal(text, expected);
	symbols_close(symbols);
}

/* For a module that cannot be trusted, the answer is module and offset, no matter what the file contains. */
static void expect_unknown(struct symbols *symbols, const struct trace_module *module, enum symbols_state state,
			   const char *expected)
{
	const struct symbols_frame *frame;
	char text[200];

	assert_int_equal(symbols_lookup(symbols, module, 0x1234, false, &frame), 1);
	symbols_frame_text(frame, text, sizeof(text));
	assert_string_equal(text, expected);
	assert_int_equal(symbols_module_state(symbols, module), state);
}

static void test_changed(void **state)
{
	struct symbols *symbols = symbols_open(NULL);
	struct trace_module module;
	enum symbols_state problem;
	size_t at = 0;

	(void)state;
	shell("cc -g -O2 program.c -o later");
	module = module_of("later");
	module.mtime--;
	expect_unknown(symbols, &module, SYMBOLS_CHANGED, "later+0x1234");
	assert_string_equal(symbols_problem(symbols, &at, &problem), module.path);
	assert_int_equal(problem, SYMBOLS_CHANGED);
	assert_non_null(symbols_state_text(problem));
	assert_null(symbols_problem(symbols, &at, &problem));

	module = module_of("later");
	module.file_size++;
	expect_unknown(symbols, &module, SYMBOLS_CHANGED, "later+0x1234");
	module = module_of("later");
	assert_int_equal(unlink("later"), 0);
	expect_unknown(symbols, &module, SYMBOLS_MISSING, "later+0x1234");
	module = module_of("program.c");
	expect_unknown(symbols, &module, SYMBOLS_NOTHING, "program.c+0x1234");
	expect_unknown(symbols, &(struct trace_module){.path = ""}, SYMBOLS_NOTHING, "[no file]+0x1234");
	expect_unknown(symbols, NULL, SYMBOLS_NOTHING, "[no file]+0x1234");
	expect_unknown(symbols, &(struct trace_module){.path = "[vdso]"}, SYMBOLS_NOTHING, "[vdso]+0x1234");
	symbols_close(symbols);
}

/* A file that is truncated in the middle of its debug info, or contains garbage, may give poor answers but nothing
 * worse. */
static void test_damaged(void **state)
{
	struct symbols *symbols = symbols_open(NULL);
	uint64_t start, size;

	(void)state;
	shell("cc -g -O2 program.c -o sound");
	function_find("sound", "insert", &start, &size);
	uint64_t offset = offset_of("sound", start);
	struct trace_module sound = module_of("sound");
	for (unsigned i = 1; i < 40; i++) {
		char name[50];

		snprintf(name, sizeof(name), "damaged%u", i);
		if (i % 2)
			shell("head -c %" PRIu64 " sound >%s", sound.file_size * i / 40, name);
		else
			shell("cp sound %s && head -c 300 /dev/zero | tr '\\0' '\\%o' | dd of=%s bs=1 seek=%" PRIu64
			      " conv=notrunc status=none",
			      name, 0377 - i, name, sound.file_size * i / 40);
		struct trace_module module = module_of(name);
		const struct symbols_frame *frames;
		for (uint64_t k = 0; k < size; k++)
			assert_true(symbols_lookup(symbols, &module, offset + k, k % 2, &frames) >= 1);
	}
	symbols_close(symbols);
}

static void test_caller(void **state)
{
	struct symbols *symbols = symbols_open(NULL);
	const struct symbols_frame *frame;
	uint64_t start, size;

	(void)state;
	shell("cc -g -O2 program.c -o caller");
	struct trace_module module = module_of("caller");
	function_find("caller", "give_up", &start, &size);
	/* The last instruction is a call of abort, which does not return: the return address is outside the
	 * function. */
	assert_int_equal(symbols_lookup(symbols, &module, offset_of("caller", start + size), true, &frame), 1);
	assert_string_equal(frame->function, "give_up");
	assert_string_equal(frame->file, "program.c");
	assert_int_equal(frame->line, LINE_GIVE_UP);
	assert_int_equal(frame->into, size);
	symbols_lookup(symbols, &module, offset_of("caller", start + size), false, &frame);
	assert_true(!frame->function || strcmp(frame->function, "give_up"));
	symbols_close(symbols);
}

static void test_scopes(void **state)
{
	struct symbols *symbols = symbols_open(NULL);
	const struct symbols_frame *frame;
	uint64_t start, size;

	(void)state;
	if (system("c++ --version >/dev/null 2>&1") != 0)
		skip();
	write_file("scopes.cc", scopes_cc);
	shell("c++ -g -O1 scopes.cc -o scopes && strip --strip-debug -o scopes.names scopes");
	struct trace_module module = module_of("scopes");
	function_find("scopes", "_ZN5store12_GLOBAL__N_14treeIiE6insertEi", &start, &size);
	uint64_t offset = offset_of("scopes", start);
	symbols_lookup(symbols, &module, offset, false, &frame);
	assert_string_equal(frame->function, "store::(anonymous namespace)::tree<int>::insert");
	module = module_of("scopes.names");
	symbols_lookup(symbols, &module, offset, false, &frame);
	assert_string_equal(frame->function, "store::(anonymous namespace)::tree<int>::insert");
	symbols_close(symbols);
}

/* A server that closes the first connection and reports it by its exit status. */
static pid_t server_start(unsigned *port)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(address);
	int server = socket(AF_INET, SOCK_STREAM, 0);

	assert_true(server >= 0);
	assert_int_equal(bind(server, (struct sockaddr *)&address, length), 0);
	assert_int_equal(listen(server, 8), 0);
	assert_int_equal(getsockname(server, (struct sockaddr *)&address, &length), 0);
	*port = ntohs(address.sin_port);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		accept(server, NULL, NULL);
		_exit(1);
	}
	close(server);
	return child;
}

static const struct symbols_frame *frame_of(struct symbols *symbols, const char *program, const char *function)
{
	struct trace_module module = module_of(program);
	const struct symbols_frame *frame;
	uint64_t start, size;

	function_find(program, function, &start, &size);
	symbols_lookup(symbols, &module, offset_of(program, start), false, &frame);
	return frame;
}

static void test_signatures(void **state)
{
	static const struct {
		const char *function;
		enum symbols_given given;
		bool returns;
	} cases[] = {
		{"f_void_pointer", GIVEN_ADDRESS, false}, {"f_word_pointer", GIVEN_ADDRESS, false},
		{"f_bytes", GIVEN_ADDRESS, false},        {"f_text", GIVEN_MAYBE, false},
		{"f_object", GIVEN_MAYBE, false},         {"f_object_and_word", GIVEN_MAYBE, false},
		{"f_number", GIVEN_MAYBE, false},         {"f_small", GIVEN_NOTHING, false},
		{"f_callback", GIVEN_NOTHING, false},     {"f_nothing", GIVEN_NOTHING, false},
		{"f_result", GIVEN_ADDRESS, true},        {"main", GIVEN_NOTHING, true},
	};
	struct symbols *symbols = symbols_open(NULL);

	(void)state;
	write_file("signatures.c", signatures_c);
	shell("cc -g -O1 signatures.c -o signatures && strip --strip-debug -o signatures.names signatures");
	shell("cc -gdwarf-4 -gsplit-dwarf -O1 signatures.c -o signatures.split && cc -g1 -O1 signatures.c -o signatures.lines");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct symbols_frame *frame = frame_of(symbols, "signatures", cases[i].function);

		assert_string_equal(frame->function, cases[i].function);
		assert_int_equal(frame->given, cases[i].given);
		assert_int_equal(frame->returns, cases[i].returns);
		assert_true(frame->identity != 0);
	}

	/* Two inlined copies are one function, and not the function that contains them. */
	const struct symbols_frame *copy = frame_of(symbols, "signatures", "caller");
	const struct symbols_frame *other = frame_of(symbols, "signatures", "caller2");
	assert_string_equal(copy->function, "f_inlined");
	assert_int_equal(copy->given, GIVEN_ADDRESS);
	assert_true(copy->identity == other->identity);
	assert_true(copy[0].identity != copy[1].identity);
	assert_true(copy[1].identity != other[1].identity);

	/* Types in a separate file, and no types. */
	assert_int_equal(frame_of(symbols, "signatures.split", "f_bytes")->given, GIVEN_ADDRESS);
	assert_int_equal(frame_of(symbols, "signatures.lines", "f_bytes")->given, GIVEN_UNKNOWN);
	const struct symbols_frame *named = frame_of(symbols, "signatures.names", "f_bytes");
	assert_int_equal(named->given, GIVEN_UNKNOWN);
	assert_true(named->identity == 0);
	symbols_close(symbols);
}

static void test_stems(void **state)
{
	static const char *const cases[][2] = {
		{"persist", "persist"},
		{"pm::persist<Node>", "pm::persist"},
		{"pm::Tree<int, std::less<int> >::persist<Node<3>>", "pm::Tree::persist"},
		{"operator<", "operator<"},
		{"Log::operator<<", "Log::operator<<"},
		{"Ptr<T>::operator->", "Ptr::operator->"},
		{"", ""},
	};
	char text[8];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char stem[100];

		symbols_stem(stem, sizeof(stem), cases[i][0]);
		assert_string_equal(stem, cases[i][1]);
	}
	symbols_stem(text, sizeof(text), "clflush_range");
	assert_string_equal(text, "clflush");
}

static void test_network(void **state)
{
	struct symbols *symbols = symbols_open(NULL);
	const struct symbols_frame *frame;
	unsigned port;
	int status;
	char url[100];
	pid_t server = server_start(&port);

	(void)state;
	snprintf(url, sizeof(url), "http://127.0.0.1:%u", port);
	assert_int_equal(setenv("DEBUGINFOD_URLS", url, 1), 0);
	shell("cc -O2 -Wl,--build-id program.c -o remote && strip remote");
	struct trace_module module = module_of("remote");
	assert_int_equal(symbols_lookup(symbols, &module, 0x1100, false, &frame), 1);
	kill(server, SIGKILL);
	assert_int_equal(waitpid(server, &status, 0), server);
	assert_true(WIFSIGNALED(status)); /* it was still waiting */
	assert_string_equal(getenv("DEBUGINFOD_URLS"), url);
	unsetenv("DEBUGINFOD_URLS");
	symbols_close(symbols);
}

static int prepare(void **state)
{
	(void)state;
	if (!mkdtemp(dir) || chdir(dir) < 0)
		return -1;
	unsetenv("DEBUGINFOD_URLS");
	write_file("program.c", program_c);
	return 0;
}

static int tidy(void **state)
{
	(void)state;
	shell("rm -rf %s", dir);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_links),   cmocka_unit_test(test_separate),   cmocka_unit_test(test_stripped),
		cmocka_unit_test(test_changed), cmocka_unit_test(test_damaged),    cmocka_unit_test(test_caller),
		cmocka_unit_test(test_scopes),  cmocka_unit_test(test_signatures), cmocka_unit_test(test_stems),
		cmocka_unit_test(test_network),
	};

	return cmocka_run_group_tests(tests, prepare, tidy);
}
