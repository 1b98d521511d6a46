/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recovery_stack.c - where recovery crashed, asked of gdb; see recovery.h. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "run/program.h"
#include "run/recovery_in.h"

enum { FRAMES_ASKED = 64, PATIENCE = 10 /* times the limit: gdb reads symbols first */ };

static void text_copy(char *to, size_t size, const char *from, size_t length)
{
	snprintf(to, size, "%.*s", (int)(length < size ? length : size - 1), from);
}

/* "FILE:LINE" at the end of a line. */
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

static void debugger_command(struct words *argv, const struct recovery *r, const char *gdb, const char *list)
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
	words_add(argv, "-ex");
	words_add(argv, "run");
	words_add(argv, "-ex");
	words_add(argv, "pipe bt %d | cat >'%s'", FRAMES_ASKED, list);
	words_add(argv, "--args");
	for (size_t i = 0; i < r->argv.count; i++)
		words_add(argv, "%s", r->argv.items[i]);
}

static size_t frames_read(const char *list, struct recovery_frame *frames, size_t room)
{
	FILE *file = fopen(list, "re");
	char line[4096];
	size_t count = 0;

	while (file && count < room && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = 0;
		if (recovery_frame_parse(&frames[count], line))
			count++;
	}
	if (file)
		fclose(file);
	return count;
}

int recovery_stack(struct recovery *r, unsigned worker, struct recovery_frame *frames, size_t room, struct err *err)
{
	struct program gdb;
	struct words argv = {0};
	struct outcome outcome = {0};
	char list[PATH_MAX];

	/* The keeper of a server would have to be a debugger's; its clients' crashes are not asked for. */
	if (program_find(&gdb, "gdb", err) < 0 || r->options.client)
		return 0;
	if (path_make(list, sizeof(list), err, "%s.stack", r->slots[worker].root) < 0)
		return -1;
	debugger_command(&argv, r, gdb.path, list);
	int result = recovery_other(r, worker, argv.items, r->environment.items, PATIENCE, &outcome, err);
	if (result == 0)
		result = (int)frames_read(list, frames, room);
	remove(list);
	outcome_free(&outcome);
	words_free(&argv);
	return result;
}
