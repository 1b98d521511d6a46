/* SPDX-License-Identifier: GPL-2.0-or-later */
/* program.c - see program.h. */
#include "run/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"

enum { INTERPRETERS_MAX = 4 /* scripts that run scripts; the kernel's limit */ };

static int usage_set(struct err *err)
{
	return err_status(err, ERR_USAGE);
}

/* 0 if `path` is a regular file that may be executed; otherwise an errno that says why not. */
static int path_refused(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return errno;
	if (S_ISDIR(st.st_mode))
		return EISDIR;
	if (!S_ISREG(st.st_mode) || access(path, X_OK) < 0)
		return EACCES;
	return 0;
}

/* Try each directory of PATH.  Returns 0 if found; otherwise the errno of the most informative failure. */
static int path_search(struct program *program, const char *name)
{
	const char *dirs = getenv("PATH");
	int refused = ENOENT;

	if (!dirs)
		dirs = "/bin:/usr/bin";
	for (const char *dir = dirs, *end; dir; dir = *end ? end + 1 : NULL) {
		end = strchrnul(dir, ':');
		int length = (int)(end - dir);
		/* An empty entry is the current directory. */
		if (!path_format(program->path, sizeof(program->path), "%.*s%s%s", length, dir, length ? "/" : "",
				 name))
			continue;
		int why = path_refused(program->path);
		if (!why)
			return 0;
		if (why == EACCES && access(program->path, F_OK) == 0) /* not just an unreadable directory */
			refused = EACCES;
	}
	return refused;
}

int program_find(struct program *program, const char *name, struct err *err)
{
	int refused;

	program->is_script = false;
	if (!*name) {
		refused = ENOENT;
	} else if (!strchr(name, '/')) {
		refused = path_search(program, name);
	} else if (strlen(name) >= sizeof(program->path)) {
		refused = ENAMETOOLONG;
	} else {
		memcpy(program->path, name, strlen(name) + 1);
		refused = path_refused(name);
	}
	if (!refused)
		return 0;
	if (refused == ENOENT)
		err_set(err, "there is no program '%s'%s", name, strchr(name, '/') ? "" : " in PATH");
	else if (refused == EACCES)
		err_set(err, "%s is not executable", name);
	else
		err_set(err, "cannot run %s: %s", name, strerror(refused));
	if (refused == ENOENT && !strchr(name, '/') && access(name, X_OK) == 0)
		err_hint(err, "there is one in this directory: ./%s", name);
	return usage_set(err);
}

/* The dynamic linker of an ELF program must exist.  `name` becomes "" for a program without one. */
static void elf_interpreter(int fd, const Elf64_Ehdr *header, char *name, size_t size)
{
	Elf64_Phdr part;

	*name = 0;
	for (unsigned i = 0; i < header->e_phnum; i++) {
		off_t at = (off_t)(header->e_phoff + (uint64_t)i * sizeof(part));
		if (pread(fd, &part, sizeof(part), at) != sizeof(part))
			return;
		if (part.p_type != PT_INTERP)
			continue;
		ssize_t n = pread(fd, name, part.p_filesz < size ? part.p_filesz : size - 1, (off_t)part.p_offset);
		name[n > 0 ? n : 0] = 0;
		return;
	}
}

static int elf_interpreter_check(const char *path, const Elf64_Ehdr *header, struct err *err)
{
	char name[PATH_MAX];
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return err_sys(err, "cannot read %s", path);
	elf_interpreter(fd, header, name, sizeof(name));
	close(fd);
	if (*name && path_refused(name))
		return err_set(err, "the dynamic linker of %s, %.200s, does not exist on this machine", path, name);
	return 0;
}

static int elf_check(const char *path, const Elf64_Ehdr *header, size_t size, struct err *err)
{
	if (header->e_ident[EI_CLASS] == ELFCLASS32)
		return err_set(err, "%s is a 32-bit program; only x86-64 programs can be recorded", path);
	if (size < sizeof(*header) || header->e_ident[EI_CLASS] != ELFCLASS64)
		return err_set(err, "%s is a damaged ELF file", path);
	if (header->e_machine != EM_X86_64)
		return err_set(err, "%s is not for x86-64 (ELF machine %u)", path, header->e_machine);
	if (header->e_type != ET_EXEC && header->e_type != ET_DYN)
		return err_set(err, "%s is an ELF file, but not a program", path);
	return elf_interpreter_check(path, header, err);
}

/* "#! /path argument": cut `text` down to the path, moved to the front. */
static void script_interpreter(char *text)
{
	char *start = text + 2 + strspn(text + 2, " \t");
	start[strcspn(start, " \t\n")] = 0;
	memmove(text, start, strlen(start) + 1);
}

/* Valgrind cannot give a program the identity that these bits request. */
static int privilege_check(int fd, const char *path, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_sys(err, "cannot examine %s", path);
	if (st.st_mode & (S_ISUID | S_ISGID))
		return err_set(err, "%s is a setuid or setgid program, which cannot be recorded", path);
	return 0;
}

static ssize_t head_read(const char *path, void *head, size_t size, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(err, "cannot read %s", path);
	ssize_t n = read(fd, head, size);
	if (n < 0)
		err_sys(err, "cannot read %s", path);
	else if (privilege_check(fd, path, err) < 0)
		n = -1;
	close(fd);
	return n;
}

int program_check(struct program *program, struct err *err)
{
	union {
		Elf64_Ehdr elf;
		char text[512];
	} head;
	char path[PATH_MAX];

	memcpy(path, program->path, sizeof(path));
	for (int depth = 0; depth <= INTERPRETERS_MAX; depth++) {
		memset(&head, 0, sizeof(head));
		ssize_t n = head_read(path, &head, sizeof(head) - 1, err);
		if (n < 0)
			return usage_set(err);
		if (n >= SELFMAG + 1 && !memcmp(head.elf.e_ident, ELFMAG, SELFMAG))
			return elf_check(path, &head.elf, (size_t)n, err) < 0 ? usage_set(err) : 0;
		if (n < 3 || head.text[0] != '#' || head.text[1] != '!') {
			err_set(err, "%s is neither an ELF program nor a script that starts with #!", path);
			return usage_set(err);
		}
		program->is_script = true;
		script_interpreter(head.text);
		if (path_refused(head.text)) {
			err_set(err, "the interpreter of %s, '%s', cannot be executed", path, head.text);
			return usage_set(err);
		}
		if (path_make(path, sizeof(path), err, "%s", head.text) < 0)
			return usage_set(err);
	}
	err_set(err, "%s: too many interpreters", program->path);
	return usage_set(err);
}
