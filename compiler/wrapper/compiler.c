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

/* Does the compiler's answer to --version contain `text`?  Not if it cannot be started. */
static bool version_has(const struct compiler *compiler, const char *text)
{
	const char *words[COMPILER_WORDS_MAX + 2];
	char answer[4096];
	size_t length = 0;
	ssize_t got;
	int ends[2];
	pid_t child;

	for (int i = 0; i < compiler->count; i++)
		words[i] = compiler->words[i];
	words[compiler->count] = "--version";
	words[compiler->count + 1] = NULL;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return false;
	child = fork();
	if (child == 0) {
		dup2(ends[1], STDOUT_FILENO);
		execvp(words[0], (char *const *)words);
		_exit(127);
	}
	close(ends[1]);
	while (child > 0 && length < sizeof(answer) - 1 &&
	       (got = read(ends[0], answer + length, sizeof(answer) - 1 - length)) > 0)
		length += (size_t)got;
	close(ends[0]);
	if (child > 0)
		waitpid(child, NULL, 0);
	answer[length] = 0;
	return strstr(answer, text);
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
