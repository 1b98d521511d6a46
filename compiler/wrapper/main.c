/* SPDX-License-Identifier: GPL-2.0-or-later */
/* blackout-cc and blackout-c++: run gcc or clang so that the result tells the recorder which accesses are plain,
 * volatile or atomic in the source.
 *
 * Both compilers have hooks for a thread sanitizer that say so.  Only the compiler proper is told to use them: the
 * driver, which would link the sanitizer's library, does not know.  When it links, our runtime takes that library's
 * place.  All words of the user are passed on unchanged and in their order.
 *
 * The hooks also announce loads, which nobody needs, and which would make programs that only look up data several times
 * slower.  gcc is told by a header that these announcements have no effect, and leaves them out.  What it writes is filtered
 * before it is assembled, so that the announcements of stores and the atomic loads lose their calls (compiler/assembler).
 * clang is told to write its intermediate code there, which is filtered in the same way, before clang chooses registers. */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "codegen.h"
#include "command.h"
#include "compiler.h"

#define ADDED_MAX 32         /* words that are added to the user's */
#define PLAN_MOST (1 << 20)  /* bytes of what clang says that it will do */
#define DIRECTORY "compiler" /* has our assembler, and our header for gcc, and nothing else */

static const char *program; /* how we are called, for messages */

__attribute__((noreturn, format(printf, 2, 3))) static void die(const char *hint, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", program);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fprintf(stderr, "\nhint: %s\n", hint);
	exit(1);
}

/* Our files are beside the program in the build directory, and in ../libexec/blackout when installed. */
static void find_file(char path[PATH_MAX], const char *name)
{
	static const char *const places[] = {"", "/../libexec/blackout"};
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (length < 0)
		die("mount /proc", "cannot find the place of this program: %s", strerror(errno));
	self[length] = 0;
	dirname(self);
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (path_format(path, PATH_MAX, "%s%s/%s", self, places[i], name) && !access(path, R_OK))
			return;
	die("build or install Blackout again", "%s is not there", name);
}

static void check_command(const struct command *command)
{
	if (*command->refused)
		die("build this program without it: Blackout uses the hooks of the thread sanitizer itself",
		    "-fsanitize=%s cannot be combined with the hooks for Blackout", command->refused);
	if (command->foreign && command->has_input)
		die("build for x86-64", "-m32 and -mx32 are not supported: Blackout records 64-bit programs");
	if (command->fully_static && command_links(command))
		die("link dynamically; single libraries may be static (-Wl,-Bstatic)",
		    "-static is not supported: Blackout must be able to load its own library into the program");
}

struct words {
	const char **list;
	int count;
};

static void add(struct words *words, const char *word)
{
	words->list[words->count++] = word;
}

static void add_gcc_flags(struct words *words)
{
	static char option[PATH_MAX + 16], headers[PATH_MAX];
	char specs[PATH_MAX];

	find_file(specs, "blackout-cc.specs");
	snprintf(option, sizeof(option), "-specs=%s", specs);
	add(words, option);
	add(words, "--param=tsan-distinguish-volatile=1");
	add(words, "--param=tsan-instrument-func-entry-exit=0");
	find_file(headers, DIRECTORY);
	add(words, "-isystem"); /* so that it is no dependency of the program */
	add(words, headers);
}

static void add_clang_flags(struct words *words)
{
	static const char *const flags[] = {"-fsanitize=thread", "-mllvm", "-tsan-distinguish-volatile=1", "-mllvm",
					    "-tsan-instrument-func-entry-exit=0"};

	add(words, "--start-no-unused-arguments");
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		add(words, "-Xclang");
		add(words, flags[i]);
	}
	add(words, "--end-no-unused-arguments");
}

/* After the user's own words, because a precompiled header must be the first one. */
static void add_gcc_end(struct words *words, const struct command *command)
{
	add(words, "-include");
	add(words, "blackout-cc-reads.h");
	/* With optimization at link time gcc would insert the calls there, where it is not told to. */
	if (command->link_time)
		add(words, "-fno-lto");
}

/* The words that run clang, in one. */
static char *joined(const struct compiler *compiler)
{
	size_t size = 1;
	char *text;

	for (int i = 0; i < compiler->count; i++)
		size += strlen(compiler->words[i]) + 1;
	text = calloc(1, size);
	if (!text)
		die("free some memory", "out of memory");
	for (int i = 0; i < compiler->count; i++)
		strcat(strcat(text, compiler->words[i]), " ");
	return text;
}

/* Tell our assembler which one it is to run: for gcc, the one that gcc would run without us. */
static void name_assembler(const struct compiler *compiler, int count, char *const *user)
{
	char real[PATH_MAX];

	if (compiler->clang) {
		char *words = joined(compiler);

		setenv("BLACKOUT_CLANG", words, 1);
		free(words);
		return;
	}
	unsetenv("BLACKOUT_CLANG");
	if (!compiler_ask(compiler, count, user, "-print-prog-name=as", real, sizeof(real)))
		return;
	real[strcspn(real, "\n")] = 0;
	setenv("BLACKOUT_ASSEMBLER", real, 1);
}

/* The words by which clang makes objects of its intermediate code; NULL: it writes assembly. */
static char *find_codegen(const struct compiler *compiler, const struct command *command, int count, char *const *user)
{
	char *plan, *words = NULL;

	if (!compiler->clang || !command->has_linkable || command->has_header || command->own_steps ||
	    command->link_time)
		return NULL;
	plan = malloc(PLAN_MOST);
	if (plan && compiler_plan(compiler, count, user, plan, PLAN_MOST))
		words = codegen_words(plan);
	free(plan);
	return words;
}

/* Have clang write its intermediate code in place of assembly, if it can be.  An operand that is in a segment could not
 * have the prefix of an announcement, so variables of threads have addresses of the usual kind. */
static void add_codegen(struct words *words, const struct compiler *compiler, const struct command *command, int count,
			char *const *user)
{
	static const char *const flags[] = {"-Xclang", "-emit-llvm", "-Xclang", "-mno-tls-direct-seg-refs"};
	char *codegen = find_codegen(compiler, command, count, user);

	unsetenv("BLACKOUT_CODEGEN");
	if (!codegen)
		return;
	setenv("BLACKOUT_CODEGEN", codegen, 1);
	free(codegen);
	add(words, "--start-no-unused-arguments");
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		add(words, flags[i]);
	add(words, "--end-no-unused-arguments");
}

static void add_assembler(struct words *words, const struct compiler *compiler)
{
	static char directory[PATH_MAX];

	find_file(directory, DIRECTORY);
	if (compiler->clang) {
		add(words, "--start-no-unused-arguments");
		add(words, "-fno-integrated-as");
	}
	add(words, "-B");
	add(words, directory);
	if (compiler->clang)
		add(words, "--end-no-unused-arguments");
}

/* At the end, after everything that may need it, and before the C library, which it needs. */
static void add_runtime(struct words *words, const struct compiler *compiler, bool only_files)
{
	static char runtime[PATH_MAX];

	find_file(runtime, "libblackout-cc.a");
	if (only_files) {
		add(words, runtime);
		return;
	}
	if (compiler->clang)
		add(words, "--start-no-unused-arguments");
	/* A plain file name would be source code after -x c. */
	add(words, "-Xlinker");
	add(words, runtime);
	if (compiler->clang)
		add(words, "--end-no-unused-arguments");
}

static void add_end(struct words *words, const struct compiler *compiler, const struct command *command)
{
	if (!compiler->clang)
		add_gcc_end(words, command);
	if (command_links(command))
		add_runtime(words, compiler, command->only_files);
}

/* Start the compiler; return only if that fails. */
static void start(const struct compiler *compiler, int count, char **user)
{
	struct words words = {0};
	struct command command;

	if (compiler->only_self) {
		errno = ENOENT;
		return;
	}
	words.list = calloc((size_t)(COMPILER_WORDS_MAX + count + ADDED_MAX), sizeof(*words.list));
	if (!words.list)
		die("free some memory", "out of memory");
	command_read(&command, count, user);
	check_command(&command);
	for (int i = 0; i < compiler->count; i++)
		add(&words, compiler->words[i]);
	/* A driver that is asked nothing, or only about itself, gets no more. */
	if (command.has_input && compiler->clang)
		add_clang_flags(&words);
	else if (command.has_input)
		add_gcc_flags(&words);
	if (command.has_input && !command.stops_early && !command.has_assembly) {
		name_assembler(compiler, count, user);
		add_assembler(&words, compiler);
		add_codegen(&words, compiler, &command, count, user);
	}
	for (int i = 0; i < count; i++)
		add(&words, user[i]);
	if (command.has_input && command.next == NEXT_ANY)
		add_end(&words, compiler, &command);
	execvp(compiler->words[0], (char *const *)words.list);
	free(words.list);
}

static void start_named(const char *variable, char *name, int count, char **user)
{
	struct compiler compiler;

	if (!compiler_read(&compiler, name))
		die("for example gcc-12 or clang", "%s does not name a compiler", variable);
	if (compiler_is_ours(&compiler))
		die("name the compiler that it should run, for example gcc or clang", "%s names %s itself", variable,
		    compiler_is_ours(&compiler));
	start(&compiler, count, user);
	die("it names the compiler", "cannot start '%s' of %s: %s", compiler.words[0], variable, strerror(errno));
}

int main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	struct compiler compiler;
	bool cxx;

	program = slash ? slash + 1 : argv[0];
	cxx = strstr(program, "++");

	const char *variable = cxx ? "BLACKOUT_CXX" : "BLACKOUT_CC";
	char *name = getenv(variable), gcc[] = "gcc", gxx[] = "g++", clang[] = "clang", clangxx[] = "clang++";

	if (name && *name)
		start_named(variable, name, argc - 1, argv + 1);
	compiler_read(&compiler, cxx ? gxx : gcc);
	start(&compiler, argc - 1, argv + 1);
	if (errno == ENOENT) {
		compiler_read(&compiler, cxx ? clangxx : clang);
		start(&compiler, argc - 1, argv + 1);
	}
	die("install gcc or clang, or name a compiler", "cannot start %s: %s; %s names another", compiler.words[0],
	    strerror(errno), variable);
}
