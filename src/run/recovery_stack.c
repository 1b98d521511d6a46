/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recovery_stack.c - use gdb to find where recovery crashed or hangs; see recovery.h.
 *
 * A recovery that hangs is interrupted when its time is up.  The place where it stops then is random, so we look
 * several times, some instructions apart.  The frames that all stacks have in common are where it hangs. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"
#include "run/program.h"
#include "run/recovery_in.h"

/* Instructions between two looks at a recovery that hangs. */
static const unsigned strides[] = {101, 211, 401};

enum {
	FRAMES_ASKED = 64,
	LOOKS_MAX = 30,
	PATIENCE = 10, /* times the limit, because gdb reads symbols first */
	SLOWER = 4,    /* times as much time at the second try */
};

static void text_copy(char *to, size_t size, const char *from, size_t length)
{
	snprintf(to, size, "%.*s", (int)(length < size ? length : size - 1), from);
}

/* Parse "FILE:LINE" at the end of a line. */
static void place_parse(struct recovery_frame *frame, const char *place)
{
	const char *colon = strrchr(place, ':');

	if (!colon)
		return;
	text_copy(frame->file, sizeof(frame->file), place, (size_t)(colon - place));
	frame->line = (unsigned)strtoul(colon + 1, NULL, 10);
}

/* "#1  0x00005555 in main (argc=..., argv=...) at /src/kv.c:7", or "... from /lib/libpmemobj.so.1". */
bool recovery_frame_parse(struct recovery_frame *frame, const char *line)
{
	const char *at = line, *end;

	*frame = (struct recovery_frame){0};
	if (*at++ != '#' || !isdigit((unsigned char)*at))
		return false;
	while (isdigit((unsigned char)*at))
		at++;
	at += strspn(at, " ");
	if (!strncmp(at, "0x", 2) && strstr(at, " in "))
		at = strstr(at, " in ") + 4;
	end = strstr(at, " (");
	/* A name may begin with "(anonymous namespace)::", or be the whole line. */
	while (end && !strncmp(end, " (anonymous", 11))
		end = strstr(end + 2, " (");
	text_copy(frame->function, sizeof(frame->function), at, end ? (size_t)(end - at) : strlen(at));
	if (!end)
		return true;
	const char *place = strstr(end, ") at "), *module = strstr(end, ") from ");
	if (place)
		place_parse(frame, place + 5);
	else if (module)
		text_copy(frame->module, sizeof(frame->module), module + 7, strlen(module + 7));
	return true;
}

/* Runs "$@" (the debugger), and interrupts it when recovery has run for this many seconds.  Recovery has started once
 * the file $0 exists.  It interrupts again and again, because recovery may not have come far, and a step into a system
 * call does not end. */
static const char interrupter[] = "(while [ ! -e \"$0\" ]; do sleep 0.05; done; sleep %.3f;"
				  " while kill -INT $$; do sleep 1; done) 2>/dev/null & exec \"$@\"";

/* Write gdb's commands for a recovery that hangs.  On a busy machine recovery may still be starting. */
static int script_write(const char *script, const char *started, const char *list, struct err *err)
{
	FILE *file = fopen(script, "we");

	if (!file)
		return err_sys(err, "cannot create %s", script);
	fprintf(file, "shell : >'%s'\nrun\nset $looks = 0\nwhile $looks < %d\n", started, LOOKS_MAX);
	fprintf(file, "pipe bt %d | cat >'%s'\nshell grep -qE '_dl_start|dl_main|_dl_init' '%s'\n", FRAMES_ASKED, list,
		list);
	fprintf(file, "if $_shell_exitcode != 0\nloop_break\nend\ncontinue\nset $looks = $looks + 1\nend\n");
	for (size_t i = 0; i < sizeof(strides) / sizeof(*strides); i++)
		fprintf(file, "stepi %u\npipe bt %d | cat >>'%s'\n", strides[i], FRAMES_ASKED, list);
	fclose(file);
	return 0;
}

static void debugger_begin(struct words *argv, const char *gdb)
{
	static const char *const settings[] = {
		"set debuginfod enabled off",     "set pagination off",        "set width 0",
		"set print frame-arguments none", "set print entry-values no", "set filename-display absolute",
		"set follow-fork-mode child",
	};

	words_add(argv, "%s", gdb);
	words_add(argv, "-nx");
	words_add(argv, "-batch");
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		words_add(argv, "-iex");
		words_add(argv, "%s", settings[i]);
	}
}

static void debugger_end(struct words *argv, const struct words *command)
{
	words_add(argv, "--args");
	for (size_t i = 0; i < command->count; i++)
		words_add(argv, "%s", command->items[i]);
}

static void crash_command(struct words *argv, const struct words *command, const char *gdb, const char *list)
{
	debugger_begin(argv, gdb);
	words_add(argv, "-ex");
	words_add(argv, "run");
	words_add(argv, "-ex");
	words_add(argv, "pipe bt %d | cat >'%s'", FRAMES_ASKED, list);
	debugger_end(argv, command);
}

static void hang_command(struct words *argv, const struct words *command, double timeout, const char *gdb,
			 const char *script, const char *started)
{
	words_add(argv, "/bin/sh");
	words_add(argv, "-c");
	words_add(argv, interrupter, timeout);
	words_add(argv, "%s", started);
	debugger_begin(argv, gdb);
	words_add(argv, "-x");
	words_add(argv, "%s", script);
	debugger_end(argv, command);
}

/* Is it the same function?  An inlined function may make it look as if it were in another file. */
static bool frames_are_of_one(const struct recovery_frame *a, const struct recovery_frame *b)
{
	return !strcmp(a->function, b->function) && !strcmp(a->module, b->module);
}

static int places_compare(const struct recovery_frame *a, const struct recovery_frame *b)
{
	int order = strcmp(a->file, b->file);

	return order ? order : (a->line > b->line) - (a->line < b->line);
}

size_t recovery_frames_common(struct recovery_frame *frames, size_t count, const struct recovery_frame *others,
			      size_t other_count)
{
	size_t common = 0;
	int order = 0;

	/* Compare from the outermost frame inwards.  If a function is at a different place, the call inside it is a
	 * different call. */
	while (order == 0 && common < count && common < other_count) {
		struct recovery_frame *ours = &frames[count - 1 - common];
		const struct recovery_frame *other = &others[other_count - 1 - common];

		if (!frames_are_of_one(ours, other))
			break;
		order = places_compare(ours, other);
		if (order > 0)
			*ours = *other;
		common++;
	}
	memmove(frames, frames + count - common, common * sizeof(*frames));
	return common;
}

/* Read one stack; the file may contain several. */
static size_t stack_read(FILE *file, struct recovery_frame *frames, size_t room)
{
	char line[4096];
	size_t count = 0;

	while (fgets(line, sizeof(line), file)) {
		if (count && !strncmp(line, "#0 ", 3)) {
			fseek(file, -(long)strlen(line), SEEK_CUR);
			break;
		}
		line[strcspn(line, "\n")] = 0;
		if (count < room && recovery_frame_parse(&frames[count], line))
			count++;
	}
	return count;
}

/* A debugger that was too slow has seen only how the program starts: the dynamic linker, before it knows the program. */
static bool stack_tells(const struct recovery_frame *frames, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (*frames[i].file ||
		    (strcmp(frames[i].function, "??") != 0 && strcmp(frames[i].function, "_start") != 0))
			return true;
	return false;
}

static size_t frames_read(const char *list, struct recovery_frame *frames, size_t room)
{
	struct recovery_frame *others = mem_alloc(room * sizeof(*others));
	FILE *file = fopen(list, "re");
	size_t count = file ? stack_read(file, frames, room) : 0, other_count;

	while (count && (other_count = stack_read(file, others, room)) > 0) {
		size_t common = recovery_frames_common(frames, count, others, other_count);

		if (!common) /* even the outermost frames are missing */
			break;
		count = common;
	}
	if (file)
		fclose(file);
	count = stack_tells(frames, count) ? count : 0;
	free(others);
	return count;
}

/* The paths of the files of one try. */
struct stack_files {
	char list[PATH_MAX], script[PATH_MAX], started[PATH_MAX];
};

static int files_name(struct stack_files *files, const char *stage, struct err *err)
{
	return path_make(files->list, PATH_MAX, err, "%s.stack", stage) < 0 ||
			       path_make(files->script, PATH_MAX, err, "%s.gdb", stage) < 0 ||
			       path_make(files->started, PATH_MAX, err, "%s.started", stage) < 0
		       ? -1
		       : 0;
}

struct stack_wish {
	const char *gdb;
	bool hangs;
	unsigned slower; /* times as much time as usual */
};

static int stack_try(struct recovery *r, unsigned worker, const struct stack_wish *wish, struct recovery_frame *frames,
		     size_t room, struct err *err)
{
	const struct words *command = &r->slots[worker].worker.command.argv;
	struct words argv = {0};
	struct outcome outcome = {0};
	struct stack_files files;

	if (files_name(&files, r->slots[worker].stage, err) < 0 || recovery_prepare(r, worker, err) < 0 ||
	    (wish->hangs && script_write(files.script, files.started, files.list, err) < 0))
		return -1;
	if (wish->hangs)
		hang_command(&argv, command, wish->slower * r->options.timeout, wish->gdb, files.script, files.started);
	else
		crash_command(&argv, command, wish->gdb, files.list);
	int result = recovery_other(r, worker, argv.items, r->environment.items,
				    PATIENCE * wish->slower * r->options.timeout, &outcome, err);
	if (result == 0)
		result = (int)frames_read(files.list, frames, room);
	remove(files.list);
	remove(files.script);
	remove(files.started);
	outcome_free(&outcome);
	words_free(&argv);
	return result;
}

int recovery_stack(struct recovery *r, unsigned worker, bool hangs, struct recovery_frame *frames, size_t room,
		   struct err *err)
{
	struct program gdb;

	/* A server would need a keeper that runs a debugger, which is not supported; crashes of clients are not
	 * examined. */
	if (program_find(&gdb, "gdb", err) < 0 || r->options.client)
		return 0;
	struct stack_wish wish = {.gdb = gdb.path, .hangs = hangs, .slower = 1};
	int count = stack_try(r, worker, &wish, frames, room, err);
	/* On a busy machine, recovery may not have come to its hang in time. */
	wish.slower = SLOWER;
	return count == 0 && hangs ? stack_try(r, worker, &wish, frames, room, err) : count;
}
