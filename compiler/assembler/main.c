/* SPDX-License-Identifier: GPL-2.0-or-later */
/* as - the assembler that blackout-cc has compilers run: it filters what they wrote (filter.h), and runs the real
 * assembler on that, in memory, on its standard input.
 *
 * Compilers call it with options of GNU as, and one file or none.  For gcc the real assembler is the one that the variable
 * BLACKOUT_ASSEMBLER of the environment names.  For clang it is that of clang itself, because GNU as does not know all that
 * clang writes; BLACKOUT_CLANG has the words that run clang.
 *
 * If BLACKOUT_CODEGEN is set, clang was told to write its intermediate code where it would write assembly.  That is
 * filtered instead (ir.h), and the words of that variable, one a line, make an object of it. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "filter.h"
#include "ir.h"

__attribute__((noreturn)) static void die(const char *what, const char *subject)
{
	fprintf(stderr, "blackout-cc: %s %s: %s\n", what, subject, strerror(errno));
	exit(1);
}

__attribute__((noreturn)) static void refuse(void)
{
	fprintf(stderr, "blackout-cc: the options for the assembler (-Wa, -Xassembler) name files\n");
	exit(1);
}

/* Options whose value is the next word. */
static bool takes_value(const char *word)
{
	static const char *const valued[] = {"-o", "-I", "-defsym", "--defsym", "--MD", "--debug-prefix-map"};

	for (size_t i = 0; i < sizeof(valued) / sizeof(*valued); i++)
		if (!strcmp(word, valued[i]))
			return true;
	return false;
}

enum { STANDARD_INPUT = 0, UNCLEAR = -1 };

/* The place of the only file among the words; STANDARD_INPUT: there is none. */
static int find_file(int count, char *const *words)
{
	int file = STANDARD_INPUT;

	for (int i = 1; i < count; i++) {
		if (takes_value(words[i])) {
			i++;
			continue;
		}
		if (!strcmp(words[i], "-") || !strcmp(words[i], "--") || *words[i] == '@')
			return UNCLEAR; /* they stand for files, too */
		if (*words[i] == '-')
			continue;
		if (file)
			return UNCLEAR;
		file = i;
	}
	return file;
}

static char *read_all(int fd, size_t *size)
{
	size_t room = 0;
	char *text = NULL;
	ssize_t got;

	*size = 0;
	do {
		if (*size == room) {
			room = room ? 2 * room : 1 << 16;
			char *larger = realloc(text, room);
			if (!larger)
				die("cannot keep", "the assembly");
			text = larger;
		}
		got = read(fd, text + *size, room - *size);
		*size += got > 0 ? (size_t)got : 0;
	} while (got > 0 || (got < 0 && errno == EINTR));
	if (got < 0)
		die("cannot read", "the assembly");
	return text;
}

/* Put the filtered text where the real assembler finds it: on standard input. */
static void filter_input(int from, void (*filter)(const char *text, size_t size, FILE *out))
{
	size_t size;
	char *text = read_all(from, &size);
	int memory = memfd_create("assembly", 0);
	FILE *out = memory < 0 ? NULL : fdopen(memory, "w");

	if (!out)
		die("cannot make", "a file in memory");
	filter(text, size, out);
	if (fflush(out) || lseek(memory, 0, SEEK_SET) < 0 || dup2(memory, STDIN_FILENO) < 0)
		die("cannot write", "the assembly");
	fclose(out);
	free(text);
}

static void filter_file(const char *path, void (*filter)(const char *text, size_t size, FILE *out))
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		die("cannot read", path);
	filter_input(fd, filter);
	close(fd);
}

/* ---- the real assembler ---- */

struct words {
	char **list;
	int count;
};

static void add(struct words *words, char *word)
{
	words->list[words->count++] = word;
}

/* All words but the file, if it was filtered. */
static void add_gnu_words(struct words *words, int count, char **own, int file)
{
	for (int i = 1; i < count; i++)
		if (file <= 0 || i != file)
			add(words, own[i]);
	if (file != UNCLEAR)
		add(words, "-mindex-reg");
}

/* An option for clang's assembler, with its value or "". */
static char *option_of_clang(const char *option, const char *value)
{
	char *word;

	if (asprintf(&word, "-Wa,%s%s%s", option, *value ? "," : "", value) < 0)
		die("cannot pass on", option);
	return word;
}

/* The text is for 64 bits and has its debug information already; clang does not take these options for its assembler. */
static bool is_needless(const char *option)
{
	return !strcmp(option, "--64") || !strncmp(option, "-g", 2) || !strncmp(option, "--gdwarf", 8) ||
	       !strcmp(option, "--debug-prefix-map");
}

static void add_clang_value(struct words *words, char *option, char *value)
{
	if (!strcmp(option, "-o") || !strcmp(option, "-I")) {
		add(words, option);
		add(words, value);
	} else if (!is_needless(option)) {
		add(words, option_of_clang(option, value));
	}
}

/* The same in words of clang's driver.  It has warned of what the user wrote; its own directives are not his concern. */
static void add_clang_words(struct words *words, int count, char **own, int file)
{
	static char *const first[] = {"-c", "-x", "assembler", "-Wa,--no-warn", "-"};

	for (size_t i = 0; i < sizeof(first) / sizeof(*first); i++)
		add(words, first[i]);
	for (int i = 1; i < count; i++) {
		if (takes_value(own[i]) && i + 1 < count) {
			add_clang_value(words, own[i], own[i + 1]);
			i++;
		} else if (i != file && !is_needless(own[i])) {
			add(words, option_of_clang(own[i], ""));
		}
	}
}

/* The object is the only thing that the caller tells: its other words are of an assembler. */
static void add_codegen_words(struct words *words, char *codegen, int count, char **own)
{
	static char *const last[] = {"-disable-llvm-passes", "-x", "ir", "-"};

	for (char *word = strtok(codegen, "\n"); word; word = strtok(NULL, "\n"))
		add(words, word);
	for (int i = 1; i + 1 < count; i++) {
		if (!strcmp(own[i], "-o")) {
			add(words, own[i]);
			add(words, own[i + 1]);
		}
		i += takes_value(own[i]);
	}
	for (size_t i = 0; i < sizeof(last) / sizeof(*last); i++)
		add(words, last[i]);
}

/* The real assembler's words; 'file' as find_file says. */
static void add_assembler_words(struct words *words, int count, char **own, int file)
{
	char *clang = getenv("BLACKOUT_CLANG"), *gnu = getenv("BLACKOUT_ASSEMBLER");

	if (clang) {
		for (char *word = strtok(clang, " "); word; word = strtok(NULL, " "))
			add(words, word);
		add_clang_words(words, count, own, file);
	} else {
		add(words, gnu ? gnu : "as");
		add_gnu_words(words, count, own, file);
	}
}

static size_t text_length(const char *text)
{
	return text ? strlen(text) : 0;
}

int main(int count, char **own)
{
	char *codegen = getenv("BLACKOUT_CODEGEN");
	const char *clang = getenv("BLACKOUT_CLANG");
	size_t most = (size_t)count + text_length(clang) + text_length(codegen) + 8;
	struct words words = {calloc(most, sizeof(*words.list)), 0};
	int file = find_file(count, own);

	if (!words.list)
		die("cannot start", "the assembler");
	if (file == STANDARD_INPUT)
		filter_input(STDIN_FILENO, codegen ? ir_filter : filter_text);
	else if (file != UNCLEAR)
		filter_file(own[file], codegen ? ir_filter : filter_text);
	else if (clang)
		refuse();
	if (codegen)
		add_codegen_words(&words, codegen, count, own);
	else
		add_assembler_words(&words, count, own, file);
	execvp(words.list[0], words.list);
	die("cannot start", words.list[0]);
}
