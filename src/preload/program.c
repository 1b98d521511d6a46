/* SPDX-License-Identifier: GPL-2.0-or-later */
/* program.c - other processes and other programs.
 *
 * A child of the fork server has private memory that another process would not see, so it may not start other
 * processes.  In the other modes, a program may be started if it gets the stub too.  A static or privileged program, or
 * one without our variables, would access the user's own files.  If a program is started with another LD_PRELOAD, the
 * stub is put in front of it. */
#include "preload/stub.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SEPARATORS " :"

enum { ARGUMENTS_MAX = 4096, INTERPRETERS_MAX = 4, HEADERS_MAX = 64 };

static void child_refuse(const char *what)
{
	if (stub_is_child)
		stub_refuse("recovery %s", what);
}

/* Does this ELF file have a dynamic linker? */
static bool elf_is_dynamic(int fd, const Elf64_Ehdr *header)
{
	Elf64_Phdr programs[HEADERS_MAX];
	size_t count = header->e_phnum < HEADERS_MAX ? header->e_phnum : HEADERS_MAX;
	long n = syscall(SYS_pread64, fd, programs, count * sizeof(*programs), header->e_phoff);

	for (size_t i = 0; n > 0 && i < (size_t)n / sizeof(*programs); i++)
		if (programs[i].p_type == PT_INTERP)
			return true;
	return false;
}

/* Examine a program.  If it is a script, its interpreter replaces it in `path`.  True: examine that, too. */
static bool program_look(char *path)
{
	union {
		Elf64_Ehdr elf;
		char text[256];
	} head = {.text = ""};
	struct stat st;

	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		/* the call itself will report the error; or it is executable but not readable, and we let it run */
		return false;
	long n = syscall(SYS_pread64, fd, &head, sizeof(head) - 1, 0);
	bool privileged = fstat(fd, &st) == 0 && (st.st_mode & (S_ISUID | S_ISGID)) && geteuid() != st.st_uid;
	bool elf = n >= (long)sizeof(head.elf) && !memcmp(head.elf.e_ident, ELFMAG, SELFMAG);
	bool dynamic = elf && head.elf.e_ident[EI_CLASS] == ELFCLASS64 && elf_is_dynamic(fd, &head.elf);
	syscall(SYS_close, fd);
	if (privileged)
		stub_refuse("recovery starts %.100s, which is privileged", path);
	if (elf && !dynamic)
		stub_refuse("recovery starts %.100s, which is statically linked", path);
	if (n < 3 || memcmp(head.text, "#!", 2) != 0)
		return false;
	char *start = head.text + 2 + strspn(head.text + 2, " \t");
	start[strcspn(start, " \t\n")] = 0;
	strcpy(path, start);
	return true;
}

/* The value of a variable, or NULL. */
static const char *environment_get(char *const *environment, const char *name)
{
	for (; environment && *environment; environment++)
		if (!strncmp(*environment, name, strlen(name)) && (*environment)[strlen(name)] == '=')
			return *environment + strlen(name) + 1;
	return NULL;
}

/* Was the stub removed from LD_PRELOAD?  `LD_PRELOAD=x ./check pool` in a shell does that. */
static bool environment_lacks_stub(char *const *environment)
{
	const char *value = environment_get(environment, STUB_PRELOAD_VARIABLE);
	size_t length = strlen(stub_library);

	if (!stub_page || !length || !environment_get(environment, STUB_VARIABLE))
		return false;
	for (; value && *value; value += strspn(value, SEPARATORS)) {
		size_t word = strcspn(value, SEPARATORS);

		if (word == length && !strncmp(value, stub_library, length))
			return false;
		value += word;
	}
	return true;
}

/* The space that environment_mend needs, in pointers.  It is in the caller's stack frame, because malloc must not be
 * called here. */
static size_t environment_room(char *const *environment)
{
	const char *value = environment_get(environment, STUB_PRELOAD_VARIABLE);
	size_t count = 2;

	if (!environment_lacks_stub(environment))
		return 1;
	for (char *const *each = environment; *each; each++)
		count++;
	size_t bytes = sizeof(STUB_PRELOAD_VARIABLE "=:") + strlen(stub_library) + (value ? strlen(value) : 0);
	return count + bytes / sizeof(char *) + 1;
}

/* The same environment with the stub in front of other preloaded libraries, built in `room` if necessary. */
static char *const *environment_mend(char *const *environment, char **room)
{
	const char *value = environment_get(environment, STUB_PRELOAD_VARIABLE);
	char *text;
	size_t count = 1;

	if (!environment_lacks_stub(environment))
		return environment;
	for (char *const *each = environment; *each; each++)
		if (strncmp(*each, STUB_PRELOAD_VARIABLE "=", sizeof(STUB_PRELOAD_VARIABLE)) != 0)
			room[count++] = *each;
	room[count] = NULL;
	text = (char *)(room + count + 1);
	room[0] = text;
	text = stpcpy(stpcpy(text, STUB_PRELOAD_VARIABLE "="), stub_library);
	if (value && *value)
		stpcpy(stpcpy(text, ":"), value);
	return room;
}

void program_refuse(const char *path, char *const *environment)
{
	char look[PATH_MAX];

	if (!stub_page)
		return;
	child_refuse("starts another program");
	if (!path_format(look, sizeof(look), "%s", path))
		return; /* the call itself will fail */
	for (int i = 0; i < INTERPRETERS_MAX && program_look(look); i++)
		;
	if (!stub_page->covered && !environment_get(environment, STUB_VARIABLE))
		stub_refuse("recovery starts a program without its environment");
}

/* Search for a program as execvp does. */
static void program_refuse_named(const char *name, char *const *environment)
{
	const char *path = getenv("PATH");
	char candidate[PATH_MAX];

	if (!stub_page || strchr(name, '/') || !path) {
		program_refuse(name, environment);
		return;
	}
	for (size_t length; *path; path += length + (path[length] == ':')) {
		length = strcspn(path, ":");
		if (path_format(candidate, sizeof(candidate), "%.*s/%s", length ? (int)length : 1, length ? path : ".",
				name) &&
		    syscall(SYS_faccessat, AT_FDCWD, candidate, X_OK) == 0) {
			program_refuse(candidate, environment);
			return;
		}
	}
}

PUBLIC int execve(const char *path, char *const argv[], char *const environment[])
{
	char *room[environment_room(environment)];

	program_refuse(path, environment);
	return NEXT(execve)(path, argv, environment_mend(environment, room));
}

PUBLIC int execv(const char *path, char *const argv[])
{
	char *room[environment_room(environ)];

	program_refuse(path, environ);
	return NEXT(execve)(path, argv, environment_mend(environ, room));
}

PUBLIC int execvp(const char *name, char *const argv[])
{
	char *room[environment_room(environ)];

	program_refuse_named(name, environ);
	return NEXT(execvpe)(name, argv, environment_mend(environ, room));
}

PUBLIC int execvpe(const char *name, char *const argv[], char *const environment[])
{
	char *room[environment_room(environment)];

	program_refuse_named(name, environment);
	return NEXT(execvpe)(name, argv, environment_mend(environment, room));
}

PUBLIC int fexecve(int fd, char *const argv[], char *const environment[])
{
	char *room[environment_room(environment)];
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	program_refuse(path, environment);
	return NEXT(fexecve)(fd, argv, environment_mend(environment, room));
}

/* Collect the arguments of execl, up to NULL. */
#define COLLECT(argv, first, last)                                    \
	char *argv[ARGUMENTS_MAX] = {(char *)(first)};                \
	va_list args;                                                 \
	va_start(args, last);                                         \
	for (size_t i = 1; argv[i - 1] && i < ARGUMENTS_MAX - 1; i++) \
	argv[i] = va_arg(args, char *)

PUBLIC int execl(const char *path, const char *first, ...)
{
	COLLECT(argv, first, first);
	va_end(args);
	return execve(path, argv, environ);
}

PUBLIC int execlp(const char *name, const char *first, ...)
{
	COLLECT(argv, first, first);
	va_end(args);
	return execvp(name, argv);
}

PUBLIC int execle(const char *path, const char *first, ...)
{
	COLLECT(argv, first, first);
	char *const *environment = va_arg(args, char *const *);
	va_end(args);
	return execve(path, argv, environment);
}

PUBLIC int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		       const posix_spawnattr_t *attributes, char *const argv[], char *const environment[])
{
	char *room[environment_room(environment)];

	program_refuse(path, environment);
	return NEXT(posix_spawn)(pid, path, actions, attributes, argv, environment_mend(environment, room));
}

PUBLIC int posix_spawnp(pid_t *pid, const char *name, const posix_spawn_file_actions_t *actions,
			const posix_spawnattr_t *attributes, char *const argv[], char *const environment[])
{
	char *room[environment_room(environment)];

	program_refuse_named(name, environment);
	return NEXT(posix_spawnp)(pid, name, actions, attributes, argv, environment_mend(environment, room));
}

#define FORKS "has several processes"

PUBLIC pid_t fork(void)
{
	child_refuse(FORKS);
	return NEXT(fork)();
}

PUBLIC pid_t _Fork(void)
{
	child_refuse(FORKS);
	return NEXT(_Fork)();
}

/* A real vfork must not be called from a function that returns while the child still runs. */
PUBLIC pid_t vfork(void)
{
	child_refuse(FORKS);
	return NEXT(fork)();
}

PUBLIC int daemon(int nochdir, int noclose)
{
	child_refuse(FORKS);
	return NEXT(daemon)(nochdir, noclose);
}

PUBLIC int system(const char *command)
{
	child_refuse(FORKS);
	return NEXT(system)(command);
}

PUBLIC FILE *popen(const char *command, const char *mode)
{
	child_refuse(FORKS);
	return NEXT(popen)(command, mode);
}
