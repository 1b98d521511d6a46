/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

#define DEPTH_MAX 16 /* files of arguments that name each other */

/* Options whose value is the next word; it is not a file to compile. */
static const char *const valued[] = {
	"-o",

	"-I",
	"-D",
	"-U",
	"-L",
	"-B",
	"-T",
	"-u",
	"-z",
	"-e",
	"-A",
	"-G",
	"-h",
	"-MF",
	"-MT",
	"-MQ",
	"-MJ",
	"-include",
	"-imacros",
	"-isystem",
	"-iquote",
	"-idirafter",
	"-iprefix",
	"-isysroot",
	"-iwithprefix",
	"-iwithprefixbefore",
	"-imultilib",
	"-Xassembler",
	"-Xpreprocessor",
	"-Xclang",
	"-mllvm",
	"-target",
	"--target",
	"--param",
	"-aux-info",
	"-arch",
	"-dumpbase",
	"-dumpdir",
	"-dumpbase-ext",
	"-wrapper",
	"-specs",
	"--specs",
	"--sysroot",
	"--config",
	"-Xanalyzer",
	"-Xopenmp-target",
	"-ivfsoverlay",
};

/* Before linking, and before assembling. */
static const char *const compiling[] = {"-c", "--compile"};
static const char *const stopping[] = {
	"-S",         "-E",           "-M",           "-MM",       "-fsyntax-only",
	"--assemble", "--preprocess", "--precompile", "--analyze", "-emit-ast",
};

/* Here the user looks at what is between source and object, or says how it is made. */
static const char *const stepping[] = {"-emit-llvm", "-fintegrated-as", "-integrated-as"};

/* Sanitizers that take the same place in a program as that of threads. */
static const char *const exclusive[] = {
	"address",       "hwaddress", "kernel-address", "kernel-hwaddress", "leak", "memory",
	"kernel-memory", "thread",    "dataflow",       "realtime",         "type",
};

#define is_in(word, list) is_among(word, strlen(word), list, sizeof(list) / sizeof(*(list)))

static bool is_among(const char *word, size_t length, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(list[i]) == length && !memcmp(list[i], word, length))
			return true;
	return false;
}

static bool begins(const char *word, const char *prefix)
{
	return !strncmp(word, prefix, strlen(prefix));
}

static void read_sanitizers(struct command *command, const char *list)
{
	while (*list) {
		size_t length = strcspn(list, ",");

		if (is_among(list, length, exclusive, sizeof(exclusive) / sizeof(*exclusive)))
			snprintf(command->refused, sizeof(command->refused), "%.*s", (int)length, list);
		list += length + (list[length] == ',');
	}
}

/* Words for the linker, separated by commas. */
static void read_linker_words(struct command *command, const char *list)
{
	static const char *const relocatable[] = {"-r", "-i", "-Ur", "--relocatable", "-relocatable"};

	command->has_input = command->has_linkable = true;
	while (*list) {
		size_t length = strcspn(list, ",");

		if (is_among(list, length, relocatable, sizeof(relocatable) / sizeof(*relocatable)))
			command->relocatable = true;
		list += length + (list[length] == ',');
	}
}

static bool ends(const char *word, const char *suffix)
{
	size_t length = strlen(word), end = strlen(suffix);

	return length >= end && !strcmp(word + length - end, suffix);
}

static void read_language(struct command *command, const char *language)
{
	command->headers = ends(language, "-header");
	command->has_assembly |= begins(language, "assembler");
}

static void read_input(struct command *command, const char *word)
{
	static const char *const suffixes[] = {".h", ".hh", ".H", ".hp", ".hxx", ".hpp", ".HPP", ".h++", ".tcc"};
	bool header = command->headers;

	command->has_assembly |= ends(word, ".s") || ends(word, ".S") || ends(word, ".sx");
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++)
		header |= ends(word, suffixes[i]);
	command->has_input = true;
	command->has_linkable |= !header;
	command->has_header |= header;
}

static void read_option(struct command *command, const char *word)
{
	if (is_in(word, valued))
		command->next = NEXT_VALUE;
	else if (is_in(word, compiling))
		command->stops = true;
	else if (is_in(word, stopping))
		command->stops = command->stops_early = true;
	else if (!strcmp(word, "-Xlinker"))
		command->next = NEXT_LINKER;
	else if (begins(word, "-Wl,"))
		read_linker_words(command, word + 4);
	else if (!strcmp(word, "-x"))
		command->next = NEXT_LANGUAGE;
	else if (begins(word, "-x"))
		read_language(command, word + 2);
	else if (begins(word, "-l") || !strcmp(word, "-"))
		read_input(command, word);
	else if (!strcmp(word, "-r"))
		command->relocatable = true;
	else if (!strcmp(word, "-static") || !strcmp(word, "--static") || !strcmp(word, "-static-pie"))
		command->fully_static = true;
	else if (!strcmp(word, "-flto") || begins(word, "-flto="))
		command->link_time = true;
	else if (is_in(word, stepping) || begins(word, "-save-temps") || begins(word, "--save-temps") ||
		 begins(word, "-fembed-bitcode"))
		command->own_steps = true;
	else if (!strcmp(word, "-m32") || !strcmp(word, "-mx32"))
		command->foreign = true;
	else if (!strcmp(word, "-m64"))
		command->foreign = false;
	else if (!strcmp(word, "--"))
		command->only_files = true;
	else if (begins(word, "-fsanitize="))
		read_sanitizers(command, word + strlen("-fsanitize="));
}

static void read_word(struct command *command, const char *word, int depth);

/* Cut the next word off *text, with quotes and backslashes as in GCC's files of arguments.  NULL: there is none. */
static char *cut_word(char **text)
{
	char *from = *text, *to, *word, quote = 0;

	while (isspace((unsigned char)*from))
		from++;
	if (!*from)
		return NULL;
	for (word = to = from; *from && (quote || !isspace((unsigned char)*from)); from++) {
		if (*from == '\\' && from[1])
			*to++ = *++from;
		else if (quote && *from == quote)
			quote = 0;
		else if (!quote && (*from == '"' || *from == '\''))
			quote = *from;
		else
			*to++ = *from;
	}
	*text = *from ? from + 1 : from;
	*to = 0;
	return word;
}

static char *file_text(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t space = 0;

	if (!file)
		return NULL;
	/* Up to a byte that no text has: all of it.  An empty file gives none. */
	if (getdelim(&text, &space, 0, file) < 0) {
		free(text);
		text = strdup("");
	}
	fclose(file);
	return text;
}

/* Return false if there is no such file; then the driver takes the word for a file to compile. */
static bool read_file(struct command *command, const char *path, int depth)
{
	char *text = depth < DEPTH_MAX ? file_text(path) : NULL, *rest = text, *word;

	if (!text)
		return false;
	while ((word = cut_word(&rest)))
		read_word(command, word, depth + 1);
	free(text);
	return true;
}

static void read_word(struct command *command, const char *word, int depth)
{
	enum command_next next = command->next;

	if (*word == '@' && read_file(command, word + 1, depth))
		return;
	command->next = NEXT_ANY;
	switch (next) {
	case NEXT_VALUE: break;
	case NEXT_LANGUAGE: read_language(command, word); break;
	case NEXT_LINKER: read_linker_words(command, word); break;
	case NEXT_ANY:
		if (*word == '-' && !command->only_files)
			read_option(command, word);
		else
			read_input(command, word);
	}
}

void command_read(struct command *command, int count, char *const *words)
{
	memset(command, 0, sizeof(*command));
	for (int i = 0; i < count; i++)
		read_word(command, words[i], 0);
}
