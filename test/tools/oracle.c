/* SPDX-License-Identifier: GPL-2.0-or-later */
/* oracle.c - an independent, slow computation of the crash states that `inject` must try, from the text of a
 * recording.
 *
 *     blackout dump --no-source DIR | oracle OUT
 *
 * There are two contents before each flush, fence and msync, before the first of a sequence of non-temporal stores, and
 * at the end: all stores so far, and only the guaranteed ones.  Before an msync there are two more for each page: all
 * stores except those of the page that are not guaranteed; and the guaranteed stores plus those of the page.  Each
 * content that differs from all earlier ones is written, as OUT/N/NAME for every PM file NAME.  The number of contents
 * is printed.
 *
 * It shares no code with Blackout.  The stores of a line persist in sequence, so the guaranteed part of a line is a
 * number of stores.  A flush notes that number, and the next fence of its thread makes it certain.  A CLFLUSH
 * without a fence guarantees nothing at a crash right after it, so it is treated like the other flushes here.
 * Stores must be of 8 aligned bytes, and files of SIZE bytes that change in no other way; other programs are not
 * supported. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SIZE 0x4000
#define LINE 64
#define PAGE 4096
#define FILES_MAX 2
#define THREADS_MAX 4
#define STORES_MAX 4096
#define SEEN_MAX 4096

struct store {
	int file, streamed; /* past the cache: certain at its own thread's next fence, in any sequence */
	uint64_t offset, value;
	unsigned thread;
	int certain;
	int flushed[THREADS_MAX]; /* by thread: flushed, not fenced yet */
};

struct content {
	uint8_t bytes[FILES_MAX][SIZE];
};

static char names[FILES_MAX][256];
static int files;
static struct store stores[STORES_MAX];
static int store_count;
static struct content *seen[SEEN_MAX];
static int seen_count;
static int streaming[THREADS_MAX];
static const char *out;

static int file_of(const char *name)
{
	for (int i = 0; i < files; i++)
		if (!strcmp(names[i], name))
			return i;
	if (files == FILES_MAX || snprintf(names[files], sizeof(names[0]), "%s", name) >= (int)sizeof(names[0]))
		exit(3);
	return files++;
}

static void content_save(const struct content *content)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%d", out, seen_count);
	mkdir(path, 0755);
	for (int i = 0; i < files; i++) {
		FILE *f;

		snprintf(path, sizeof(path), "%s/%d/%s", out, seen_count, names[i]);
		f = fopen(path, "w");
		if (!f || fwrite(content->bytes[i], SIZE, 1, f) != 1 || fclose(f)) {
			perror(path);
			exit(3);
		}
	}
}

/* With `all`, the content of all stores except the uncertain ones of the page.  Without `all`, the content of the
 * certain stores plus all stores of the page.  file -1: no page. */
static void content_try(int all, int file, uint64_t page)
{
	struct content *content = calloc(1, sizeof(*content));

	for (int i = 0; i < store_count; i++)
		if (stores[i].certain || all != (stores[i].file == file && stores[i].offset / PAGE == page))
			memcpy(&content->bytes[stores[i].file][stores[i].offset], &stores[i].value, 8);
	for (int i = 0; i < seen_count; i++)
		if (!memcmp(seen[i], content, sizeof(*content))) {
			free(content);
			return;
		}
	if (seen_count == SEEN_MAX)
		exit(3);
	content_save(content);
	seen[seen_count++] = content;
}

static void crash(void)
{
	content_try(1, -1, 0);
	content_try(0, -1, 0);
}

static void crash_pages(void)
{
	for (int file = 0; file < files; file++)
		for (uint64_t page = 0; page < SIZE / PAGE; page++) {
			content_try(1, file, page);
			content_try(0, file, page);
		}
}

static void flush(unsigned thread, int file, uint64_t offset)
{
	for (int i = 0; i < store_count; i++)
		if (stores[i].file == file && stores[i].offset / LINE == offset / LINE && !stores[i].streamed)
			stores[i].flushed[thread] = 1;
}

static void fence(unsigned thread)
{
	for (int i = 0; i < store_count; i++)
		if (stores[i].flushed[thread] || (stores[i].streamed && stores[i].thread == thread))
			stores[i].certain = 1;
}

static void range_sync(int file, uint64_t offset, uint64_t bytes)
{
	for (int i = 0; i < store_count; i++)
		if (stores[i].file == file && stores[i].offset >= offset && stores[i].offset < offset + bytes)
			stores[i].certain = 1;
}

static void event(unsigned thread, const char *op, char *where, const char *rest)
{
	char *plus = strrchr(where, '+');
	uint64_t offset = plus ? strtoul(plus + 1, NULL, 16) : 0, bytes = 0, value = 0;
	int file;

	if (!strcmp(op, "ntstore") && !streaming[thread]++)
		crash();
	if (strstr(op, "flush") || !strcmp(op, "clwb") || strstr(op, "fence") || !strcmp(op, "locked") ||
	    !strcmp(op, "msync"))
		crash(), streaming[thread] = 0;
	if (!strcmp(op, "msync"))
		crash_pages();
	if (strstr(op, "fence") || !strcmp(op, "locked"))
		fence(thread);
	if (!plus)
		return;
	*plus = '\0';
	file = file_of(where);
	if (!strcmp(op, "store") || !strcmp(op, "ntstore")) {
		if (sscanf(rest, "%" SCNu64 " 0x%" SCNx64, &bytes, &value) != 2 || bytes != 8 || offset % 8 ||
		    store_count == STORES_MAX)
			exit(3);
		stores[store_count++] = (struct store){
			.file = file, .streamed = op[0] == 'n', .offset = offset, .value = value, .thread = thread};
	} else if (strstr(op, "flush") || !strcmp(op, "clwb"))
		flush(thread, file, offset);
	else if (!strcmp(op, "msync"))
		range_sync(file, offset, strtoul(rest, NULL, 10));
}

int main(int argc, char **argv)
{
	char line[65536], op[64], where[4096], rest[4096];
	unsigned thread;

	if (argc != 2)
		return 2;
	out = argv[1];
	while (fgets(line, sizeof(line), stdin)) {
		where[0] = rest[0] = '\0';
		if (sscanf(line, "#%*u t%u %63s %4095s %4095[^\n]", &thread, op, where, rest) < 2)
			continue;
		if (thread >= THREADS_MAX)
			exit(3);
		event(thread, op, where, rest);
	}
	crash();
	printf("%d\n", seen_count);
	return 0;
}
