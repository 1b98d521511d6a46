/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/path.h"
#include "compiler.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Run the words, and read what they print there; return false if that is nothing. */
static bool read_answer(const char **words, int from, char *answer, size_t size)
{
	size_t length = 0;
	ssize_t got;
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return false;
	child = fork();
	if (child == 0) {
		dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), from == STDOUT_FILENO ? STDERR_FILENO : STDOUT_FILENO);
		dup2(ends[1], from);
		execvp(words[0], (char *const *)words);
		_exit(127);
	}
	close(ends[1]);
	while (child > 0 && length < size - 1 && (got = read(ends[0], answer + length, size - 1 - length)) > 0)
		length += (size_t)got;
	close(ends[0]);
	if (child > 0)
		waitpid(child, NULL, 0);
	answer[length] = 0;
	return length > 0;
}

/* The compiler's words, a question at the beginning or at the end, and more words between them. */
static bool ask(const struct compiler *compiler, const char *first, int count, char *const *more, const char *last,
		int from, char *answer, size_t size)
{
	const char **words = calloc((size_t)compiler->count + (size_t)count + 2, sizeof(*words));
	int own = compiler->count;
	bool answered;

	if (!words)
		return false;
	memcpy(words, compiler->words, (size_t)compiler->count * sizeof(*words));
	if (first)
		words[own++] = first;
	if (count)
		memcpy(words + own, more, (size_t)count * sizeof(*words));
	if (last)
		words[own + count] = last;
	answered = read_answer(words, from, answer, size);
	free(words);
	return answered;
}

bool compiler_ask(const struct compiler *compiler, int count, char *const *more, const char *question, char *answer,
		  size_t size)
{
	return ask(compiler, NULL, count, more, question, STDOUT_FILENO, answer, size);
}

bool compiler_plan(const struct compiler *compiler, int count, char *const *more, char *plan, size_t size)
{
	return ask(compiler, "-###", count, more, NULL, STDERR_FILENO, plan, size) && strlen(plan) < size - 1;
}

static bool version_has(const struct compiler *compiler, const char *text)
{
	char answer[4096];

	return compiler_ask(compiler, 0, NULL, "--version", answer, sizeof(answer)) && strstr(answer, text);
}

/* Usually the name tells; cc, c++ and others must be asked. */
static bool is_clang(const struct compiler *compiler)
{
	bool gcc = false;

	for (int i = 0; i < compiler->count; i++) {
		const char *name = base_name(compiler->words[i]);

		if (strstr(name, "clang"))
			return true;
		gcc |= strstr(name, "gcc") || strstr(name, "g++");
	}
	return !gcc && version_has(compiler, "clang");
}

static bool is_self(const char *path)
{
	struct stat self, other;

	return !stat("/proc/self/exe", &self) && !stat(path, &other) && self.st_dev == other.st_dev &&
	       self.st_ino == other.st_ino;
}

/* Makefiles that name gcc are often given a link of that name to us, first in PATH.  The compiler is then the next one
 * of that name. */
static void skip_self(struct compiler *compiler)
{
	static char path[PATH_MAX];
	const char *directories = getenv("PATH");

	compiler->only_self = false;
	if (strchr(compiler->words[0], '/'))
		return;
	for (const char *at = directories; at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
		if (!path_format(path, sizeof(path), "%.*s/%s", (int)strcspn(at, ":"), at, compiler->words[0]) ||
		    access(path, X_OK))
			continue;
		if (is_self(path)) {
			compiler->only_self = true;
			continue;
		}
		if (compiler->only_self)
			compiler->words[0] = path;
		compiler->only_self = false;
		return;
	}
}

bool compiler_read(struct compiler *compiler, char *text)
{
	compiler->count = 0;
	for (char *word = strtok(text, " \t\n"); word; word = strtok(NULL, " \t\n")) {
		if (compiler->count == COMPILER_WORDS_MAX)
			return false;
		compiler->words[compiler->count++] = word;
	}
	compiler->words[compiler->count] = NULL;
	if (compiler->count == 0)
		return false;
	skip_self(compiler);
	compiler->clang = is_clang(compiler);
	return true;
}

const char *compiler_is_ours(const struct compiler *compiler)
{
	for (int i = 0; i < compiler->count; i++) {
		const char *name = base_name(compiler->words[i]);

		if (!strcmp(name, "blackout-cc") || !strcmp(name, "blackout-c++"))
			return compiler->words[i];
	}
	return NULL;
}
