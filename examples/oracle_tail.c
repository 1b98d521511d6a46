// SPDX-License-Identifier: 0BSD
// oracle_tail.c - a plug-in: the tail of a log is on media only after the entries that it covers.
//
//     build: cc -O2 -Wall -fPIC -shared -Iinclude examples/oracle_tail.c -o oracle_tail.so
//     use:   TAIL_AT=8 TAIL_ZERO=0 TAIL_LOG=0x1080 blackout run --oracle ./oracle_tail.so -- ./kv fill pool 9
//
// Variables of the environment, with numbers in decimal or as 0x...:
//
//     TAIL_AT     offset of the tail in the pool: 8 bytes, which grow with each entry (default: 0)
//     TAIL_LOG    offset in the pool of the first entry (default: 64)
//     TAIL_ZERO   offset in the pool that a tail of 0 stands for (default: TAIL_LOG)
//     TAIL_UNIT   bytes for each 1 that the tail grows; the size of an entry if it counts entries (default: 1)
//     TAIL_POOL   only pools whose path ends with this (default: all pools)
//
// Two mistakes are reported: a tail that grows, and that a crash may leave on media without an entry that it covers; and an
// entry that is stored although a tail that covers it was stored before.  A tail that shrinks empties the log.

#include <blackout/oracle.h>
#include <stdlib.h>
#include <string.h>

enum { EARLY, LATE, FILES_MAX = 64 };

static uint64_t at, first, zero, unit;
static const char *pool;
static uint32_t stored[FILES_MAX]; // by file: the place of the last store to its tail; 0: not in this run

static uint64_t number(const char *name, uint64_t fallback)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : fallback;
}

static void on_begin(struct blackout *b)
{
	(void)b;
	at = number("TAIL_AT", 0);
	first = number("TAIL_LOG", 64);
	zero = number("TAIL_ZERO", first);
	unit = number("TAIL_UNIT", 1);
	pool = getenv("TAIL_POOL") ? getenv("TAIL_POOL") : "";
}

static int is_watched(const char *path)
{
	return strlen(path) >= strlen(pool) && !strcmp(path + strlen(path) - strlen(pool), pool);
}

// The offset of the byte after the last entry.
static uint64_t end_of_log(uint64_t tail)
{
	return zero + tail * unit < first ? first : zero + tail * unit;
}

static void report_with(struct blackout *b, struct blackout_report report, uint32_t role, uint32_t place)
{
	report.related_count = 1;
	report.related[0].role = role;
	report.related[0].place = place;
	b->report(b, &report);
}

static void tail_check(struct blackout *b, const struct blackout_event *ev, uint64_t tail)
{
	struct blackout_range place = {ev->file, at, sizeof(tail)}, entries = {ev->file, 0, 0};
	struct blackout_report report = {.kind = EARLY, .place = ev->place, .file = ev->file};
	struct blackout_store lost;
	uint64_t old = tail;

	for (uint64_t i = 0; i < ev->size; i++) // `old` is `tail` with the bytes that the store changed
		if (ev->offset + i - at < sizeof(old))
			((uint8_t *)&old)[ev->offset + i - at] = ev->before[i];
	stored[ev->file] = ev->place;
	entries.offset = end_of_log(old);
	entries.size = tail > old ? end_of_log(tail) - entries.offset : 0;
	if (b->ordered(b, &entries, &place) || !b->pending(b, ev->file, entries.offset, entries.size, &lost, 1))
		return;
	report.message = "a crash may leave this tail on media without the entry that is stored at {store}";
	report.fix = "persist what is stored at {store} before {here}";
	report.offset = lost.offset;
	report.size = lost.size;
	report_with(b, report, BLACKOUT_ROLE_STORE, lost.place);
}

static void on_store(struct blackout *b, const struct blackout_event *ev)
{
	struct blackout_report late = {
		.kind = LATE, .place = ev->place, .file = ev->file, .offset = ev->offset, .size = ev->size};
	uint64_t tail = 0;

	if (!ev->changes || ev->file >= FILES_MAX || !is_watched(b->file_path(b, ev->file)) ||
	    b->read(b, ev->file, at, &tail, sizeof(tail)) < sizeof(tail))
		return;
	if (ev->offset < at + sizeof(tail) && at < ev->offset + ev->size) {
		tail_check(b, ev, tail);
	} else if (stored[ev->file] && ev->offset >= first && ev->offset < end_of_log(tail)) {
		late.message = "this entry is stored after the tail that covers it, which is stored at {guard}";
		late.fix = "store the tail at {guard} after what is stored at {here} is persisted";
		report_with(b, late, BLACKOUT_ROLE_GUARD, stored[ev->file]);
	}
}

static const struct blackout_kind kinds[] = {{"tail-early", "the tail of a log may be on media before its entries",
					      "ordering", BLACKOUT_ERROR, NULL},
					     {"entry-late", "an entry of a log is stored after the tail that covers it",
					      "ordering", BLACKOUT_ERROR, NULL}};

static const struct blackout_oracle oracle = {.version = BLACKOUT_ORACLE_VERSION,
					      .name = "tail",
					      .kinds = kinds,
					      .kind_count = 2,
					      .begin = on_begin,
					      .store = on_store};

const struct blackout_oracle *blackout_oracle(void)
{
	return &oracle;
}
