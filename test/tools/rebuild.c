/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rebuild.c - writes the PM files of a recording as they were at its end and at the marked points.
 *
 *     rebuild DIR OUT
 *
 * OUT/ID is the file ID at the end.  OUT/ID.mark.N is the file just after the N-th mark() of test/targets/target.h.
 * For each it prints a line "NAME<tab>PATH"; the two must be equal.  PATH is "-" for a file that no longer has a
 * name. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image/content.h"
#include "trace/trace.h"

#define MARK_VALUE 0x6d61726b00ul

static const char *out;

static void die(const struct err *err)
{
	fprintf(stderr, "rebuild: %s\n", err->sentence);
	exit(3);
}

static void save(const struct content *content, uint32_t file, const char *suffix)
{
	char name[64], path[4096];
	const char *original = content_path(content, file);
	struct err err;
	int fd;

	snprintf(name, sizeof(name), "%" PRIu32 "%s", file, suffix);
	snprintf(path, sizeof(path), "%s/%s", out, name);
	fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0644);
	if (fd < 0) {
		perror(path);
		exit(3);
	}
	if (content_write(content, file, fd, &err) < 0)
		die(&err);
	close(fd);
	if (original)
		printf("%s\t%s%s\n", name, original, suffix);
	else
		printf("%s\t-\n", name);
}

/* The number of the mark if this store is one, or -1. */
static int mark_number(const struct event *ev)
{
	uint64_t value;

	if (ev->type != EVENT_STORE || ev->size != sizeof(value))
		return -1;
	memcpy(&value, ev->data, sizeof(value));
	return value > MARK_VALUE && value <= MARK_VALUE + 0xff ? (int)(value - MARK_VALUE) : -1;
}

int main(int argc, char **argv)
{
	struct content *content = content_new();
	struct trace *trace;
	struct event ev;
	struct err err;
	char suffix[32];
	int r;

	if (argc != 3) {
		fprintf(stderr, "usage: rebuild DIR OUT\n");
		return 2;
	}
	out = argv[2];
	if (trace_open(&trace, argv[1], &err) < 0)
		die(&err);
	while ((r = trace_next(trace, &ev, &err)) > 0) {
		content_apply(content, &ev);
		if (mark_number(&ev) < 0)
			continue;
		snprintf(suffix, sizeof(suffix), ".mark.%d", mark_number(&ev));
		save(content, ev.file, suffix);
	}
	if (r < 0)
		die(&err);
	for (uint32_t file = 1; file <= trace_file_count(trace); file++)
		save(content, file, "");
	content_free(content);
	trace_close(trace);
	return 0;
}
