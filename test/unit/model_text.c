/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model_text.h"

#include "model_sets.h"

#include <linux/falloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FILE_SIZE 65536u

/* "AB|C": A and B at 0 and 8 of line 0, C at 0 of line 1.  "AB||C": C is one page further.  Objects that are not named
 * have lines of their own. */
static void layout_apply(struct run *r)
{
	uint64_t line = 0, within = 0;

	memset(r->offset, 0xff, sizeof(r->offset));
	for (const char *p = r->layout; *p; p++) {
		if (p[0] == '|') {
			line += p[1] == '|' ? 64 : 1;
			p += p[1] == '|';
			within = 0;
		} else {
			r->offset[*p - 'A'] = line * 64 + within;
			within += 8;
		}
	}
	for (unsigned i = 0; i < OBJECTS; i++) {
		if (r->offset[i] == UINT64_MAX)
			r->offset[i] = (200 + i) * 64;
	}
}

static uint32_t unit_bit(struct run *r, const struct unit *unit)
{
	unsigned i = 0;

	while (i < r->unit_count && (r->units[i].event != unit->event || r->units[i].word != unit->offset / 8))
		i++;
	if (i == r->unit_count) {
		assert_true(i < UNITS);
		r->units[i].event = unit->event;
		r->units[i].word = unit->offset / 8;
		r->unit_count++;
	}
	return UINT32_C(1) << i;
}

static bool visit(void *arg, const bool *persisted, size_t count)
{
	struct run *r = arg;
	uint32_t set = r->certain;
	size_t pending;
	const struct unit *const *units = model_pending(r->model, &pending);

	assert_int_equal(count, pending);
	for (size_t i = 0; i < count; i++)
		set |= persisted[i] ? unit_bit(r, units[i]) : 0;
	r->point_count++;
	if (!(r->ever[set / 8] >> set % 8 & 1))
		r->union_count++;
	r->ever[set / 8] |= (uint8_t)(1u << set % 8);
	return true;
}

static void crash(struct run *r)
{
	mpz_t count;

	r->point_count = 0;
	assert_true(model_enumerate(r->model, visit, r));
	mpz_init(count);
	model_count(r->model, count);
	assert_int_equal(mpz_get_ui(count), r->point_count);
	mpz_clear(count);
}

static void apply(struct run *r, struct event *ev)
{
	ev->thread = ev->thread ? ev->thread : r->thread;
	model_apply(r->model, ev);
}

static struct event store_event(struct run *r, const char *object, unsigned into, unsigned size,
				enum bo_store_kind kind)
{
	unsigned which = (unsigned)(*object - 'A');

	r->value[which] = object[1] == '=' ? (uint8_t)atoi(object + 2) : (uint8_t)(r->value[which] + 1);
	memset(r->data, r->value[which], sizeof(r->data));
	return (struct event){.type = EVENT_STORE,
			      .kind = kind,
			      .file = 1,
			      .offset = r->offset[which] + into,
			      .size = size,
			      .data = r->data,
			      .unit = kind == BO_STORE_STRING ? 1 : 0,
			      .context = which + 1};
}

static bool run_store(struct run *r, const char *verb, const char *object)
{
	static const struct {
		const char *verb;
		unsigned into, size;
		enum bo_store_kind kind;
	} verbs[] = {
		{"", 0, 8, BO_STORE_PLAIN},      {"nt", 0, 8, BO_STORE_NONTEMPORAL},
		{"lock", 0, 8, BO_STORE_LOCKED}, {"rep", 0, 16, BO_STORE_STRING},
		{"sys", 0, 8, BO_STORE_KERNEL},  {"wide", 0, 16, BO_STORE_PLAIN},
		{"half", 4, 8, BO_STORE_PLAIN},  {"cross", 60, 8, BO_STORE_PLAIN},
		{"byte", 0, 1, BO_STORE_PLAIN},  {"ntwide", 0, 16, BO_STORE_NONTEMPORAL},
	};

	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++) {
		struct event ev;

		if (strcmp(verbs[i].verb, verb))
			continue;
		ev = store_event(r, object, verbs[i].into, verbs[i].size, verbs[i].kind);
		apply(r, &ev);
		return true;
	}
	return false;
}

static bool run_flush(struct run *r, const char *verb, const char *object)
{
	struct event ev = {.context = 100};

	if (!strcmp(verb, "clwb"))
		ev.type = EVENT_CLWB;
	else if (!strcmp(verb, "clflushopt"))
		ev.type = EVENT_CLFLUSHOPT;
	else if (!strcmp(verb, "clflush"))
		ev.type = EVENT_CLFLUSH;
	else
		return false;
	if (*object != '-') {
		ev.file = 1;
		ev.offset = r->offset[*object - 'A'] + 3; /* any byte of the line */
		ev.context = 100 + (uint32_t)(*object - 'A') + 1;
	}
	apply(r, &ev);
	return true;
}

static bool run_file(struct run *r, const char *verb, const char *object)
{
	uint64_t offset = *object ? r->offset[*object - 'A'] : 0;
	struct event ev = {.file = 1, .offset = offset};

	if (!strcmp(verb, "write")) {
		ev = store_event(r, object, 0, 8, BO_STORE_PLAIN);
		ev.type = EVENT_FILE_WRITE;
	} else if (!strcmp(verb, "truncate")) {
		ev.type = EVENT_FILE_TRUNCATE;
		ev.size = offset;
	} else if (!strcmp(verb, "punch")) {
		ev.type = EVENT_FILE_ALLOCATE;
		ev.flags = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
		ev.size = 8;
	} else if (!strcmp(verb, "msync") || !strcmp(verb, "async")) {
		ev.type = EVENT_MSYNC;
		ev.flags = *verb == 'm' ? MS_SYNC : MS_ASYNC;
		ev.offset = offset & ~(uint64_t)4095;
		ev.size = *object ? 4096 : FILE_SIZE;
	} else {
		return false;
	}
	apply(r, &ev);
	return true;
}

static bool run_plain(struct run *r, const char *verb)
{
	static const struct {
		const char *verb;
		struct event ev;
	} verbs[] = {
		{"sfence", {.type = EVENT_SFENCE, .context = 200}},
		{"mfence", {.type = EVENT_MFENCE, .context = 200}},
		{"locked", {.type = EVENT_LOCKED, .context = 200}},
		{"fsync", {.type = EVENT_FILE_SYNC, .file = 1, .flags = BO_SYNC_FSYNC}},
		{"fdatasync", {.type = EVENT_FILE_SYNC, .file = 1, .flags = BO_SYNC_FDATASYNC}},
		{"sync", {.type = EVENT_FILE_SYNC, .file = 0, .flags = BO_SYNC_SYNC}},
		{"syncfs", {.type = EVENT_FILE_SYNC, .file = 1, .flags = BO_SYNC_SYNCFS}},
		{"sync_file_range", {.type = EVENT_FILE_SYNC, .file = 1, .flags = BO_SYNC_SYNC_FILE_RANGE}},
		{"load", {.type = EVENT_LOAD, .file = 1, .size = 8}},
		{"map", {.type = EVENT_MAP, .file = 1, .addr = 0x100000, .size = FILE_SIZE, .flags = MAP_SHARED}},
		{"unmap", {.type = EVENT_UNMAP, .file = 1, .addr = 0x100000, .size = FILE_SIZE}},
		{"mapagain", {.type = EVENT_MAP, .file = 1, .addr = 0x900000, .size = FILE_SIZE, .flags = MAP_SHARED}},
		{"private", {.type = EVENT_MAP, .file = 1, .addr = 0x100000, .size = FILE_SIZE, .flags = MAP_PRIVATE}},
		{"collapse", {.type = EVENT_FILE_ALLOCATE, .file = 1, .size = 4096, .flags = FALLOC_FL_COLLAPSE_RANGE}},
		{"unlink", {.type = EVENT_FILE_UNLINK, .file = 1}},
		{"exit:2", {.type = EVENT_THREAD_EXIT, .thread = 2}},
	};

	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++) {
		struct event ev = verbs[i].ev;

		if (strcmp(verbs[i].verb, verb))
			continue;
		apply(r, &ev);
		return true;
	}
	return false;
}

static void run_word(struct run *r, char *word)
{
	char *colon = strchr(word, ':');
	bool done;

	if (*word == '@') {
		r->thread = (uint32_t)atoi(word + 1);
		return;
	}
	done = run_plain(r, word);
	if (!done && *word >= 'A' && *word <= 'Z')
		done = run_store(r, "", word);
	if (!done && colon)
		*colon++ = 0;
	done = done || (colon && (run_store(r, word, colon) || run_flush(r, word, colon))) ||
	       run_file(r, word, colon ? colon : "");
	if (!done)
		fail_msg("no such event: %s", word);
}

struct run *run_start(const char *platform, enum model_depth depth, const char *layout,
		      const struct model_observer *observer)
{
	struct run *r = calloc(1, sizeof(*r));
	struct event file = {.type = EVENT_FILE, .file = 1, .size = FILE_SIZE, .path = "/pm/file"};

	r->layout = layout;
	r->thread = 1;
	layout_apply(r);
	r->model = model_new(platform_find(platform), depth, observer, r);
	model_apply(r->model, &file);
	return r;
}

void run_text(struct run *r, const char *text, bool crashes)
{
	char *copy = strdup(text), *rest = copy, *word;

	if (crashes)
		crash(r);
	while ((word = strsep(&rest, " "))) {
		if (!*word)
			continue;
		run_word(r, word);
		if (crashes)
			crash(r);
	}
	free(copy);
}

void run_free(struct run *r)
{
	model_free(r->model);
	free(r);
}

void run_certain(struct run *r, const struct unit *unit)
{
	r->certain |= unit_bit(r, unit);
}
