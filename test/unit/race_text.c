/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "race_text.h"

#include <linux/falloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define OBJECTS 26u
#define COPYING 1000u /* contexts from here on are in a function that copies */

struct text {
	struct race_history *history;
	struct race_reader *reader;
	uint64_t offset[OBJECTS];     /* of A, B, ... */
	uint64_t last_event[OBJECTS]; /* that stored to it */
	uint64_t last_offset[OBJECTS], last_size[OBJECTS];
	uint64_t end;
	uint64_t number; /* of the latest event */
	uint64_t access;
	uint64_t base; /* address of the mapping */
	uint32_t thread, process[8];
	uint32_t load;          /* number of the latest load */
	uint8_t value[OBJECTS]; /* last stored, another one by each event */
	uint8_t data[16];
	bool same; /* the next store stores the value of the last one */
	char races[512];
};

static void text_layout(struct text *t, const char *layout)
{
	uint64_t line = 0, place = 0;

	for (unsigned i = 0; i < OBJECTS; i++)
		t->offset[i] = UINT64_MAX;
	for (; *layout; layout++) {
		if (*layout == '|') {
			line += 64;
			place = 0;
			continue;
		}
		if (*layout != '.')
			t->offset[*layout - 'A'] = line + place;
		place += 8;
	}
	t->end = line + 64;
}

static unsigned object_of(const struct text *t, const char *name)
{
	unsigned i = (unsigned)(*name - 'A');

	if (i >= OBJECTS || t->offset[i] == UINT64_MAX)
		fail_msg("no object %s", name);
	return i;
}

static struct event event_of(const struct text *t, enum event_type type)
{
	return (struct event){.type = type,
			      .thread = t->thread,
			      .process = t->process[t->thread],
			      .context = (uint32_t)t->number + 1};
}

static void apply(struct text *t, const struct event *ev)
{
	race_history_event(t->history, ev, ++t->number);
}

/* ---- stores ---- */

static struct event store_of(const struct text *t, unsigned object, int64_t from, uint64_t size)
{
	struct event ev = event_of(t, EVENT_STORE);

	ev.file = 1;
	ev.offset = t->offset[object] + (uint64_t)from;
	ev.size = size;
	ev.addr = t->base + ev.offset;
	ev.data = t->data;
	return ev;
}

static void store_apply(struct text *t, const struct event *ev, unsigned object)
{
	if (!t->same)
		t->value[object] = (uint8_t)(t->number + 1);
	t->same = false;
	memset(t->data, t->value[object], sizeof(t->data));
	apply(t, ev);
	t->last_event[object] = t->number;
	t->last_offset[object] = ev->offset;
	t->last_size[object] = ev->size;
}

static void announce(struct text *t, struct event *ev, enum bo_atomicity atomicity)
{
	ev->atomicity = atomicity;
	ev->access = ++t->access;
	ev->access_addr = ev->addr;
	ev->access_size = ev->size;
}

/* One access of the source, by two stores. */
static void two_parts(struct text *t, unsigned object, uint64_t size)
{
	struct event ev = store_of(t, object, 0, size);

	announce(t, &ev, BO_ATOMICITY_PLAIN);
	ev.access_size = 2 * size;
	store_apply(t, &ev, object);
	ev.context++;
	ev.offset += size;
	ev.addr += size;
	store_apply(t, &ev, object);
}

static void copy(struct text *t, unsigned object, uint64_t size, uint64_t second)
{
	struct event ev = store_of(t, object, (int64_t)second, size);

	ev.context = COPYING;
	store_apply(t, &ev, object);
	ev = store_of(t, object, 0, size);
	ev.context = COPYING + 1;
	t->same = second < size;
	store_apply(t, &ev, object);
}

/* Bytes of the last 4 of the line of the object and the first 4 of the next. */
static struct event cross_of(const struct text *t, unsigned object)
{
	return store_of(t, object, (int64_t)(60 - t->offset[object] % 64), 8);
}

static const struct store_word {
	const char *word;
	int64_t from;
	uint64_t size;
	enum bo_atomicity atomicity;
	enum bo_store_kind kind;
} store_words[] = {
	{"plain", 0, 8, BO_ATOMICITY_PLAIN, BO_STORE_PLAIN},
	{"vol", 0, 8, BO_ATOMICITY_VOLATILE, BO_STORE_PLAIN},
	{"unk", 0, 8, BO_ATOMICITY_UNKNOWN, BO_STORE_PLAIN},
	{"nt", 0, 8, BO_ATOMICITY_PLAIN, BO_STORE_NONTEMPORAL},
	{"ntwide", 0, 16, BO_ATOMICITY_UNKNOWN, BO_STORE_NONTEMPORAL},
	{"sys", 0, 8, BO_ATOMICITY_UNKNOWN, BO_STORE_KERNEL},
	{"lock", 0, 8, BO_ATOMICITY_UNKNOWN, BO_STORE_LOCKED},
	{"rep", 0, 16, BO_ATOMICITY_UNKNOWN, BO_STORE_STRING},
	{"byte", 0, 1, BO_ATOMICITY_PLAIN, BO_STORE_PLAIN},
	{"odd", 2, 4, BO_ATOMICITY_PLAIN, BO_STORE_PLAIN},
	{"volodd", 2, 4, BO_ATOMICITY_VOLATILE, BO_STORE_PLAIN},
	{"wide", 0, 16, BO_ATOMICITY_PLAIN, BO_STORE_PLAIN},
	{"volwide", 0, 16, BO_ATOMICITY_VOLATILE, BO_STORE_PLAIN},
	{"unkwide", 0, 16, BO_ATOMICITY_UNKNOWN, BO_STORE_PLAIN},
};

static bool store_simple(struct text *t, const char *word, unsigned object)
{
	for (size_t i = 0; i < sizeof(store_words) / sizeof(*store_words); i++) {
		const struct store_word *w = &store_words[i];
		struct event ev;

		if (strcmp(word, w->word) != 0)
			continue;
		ev = store_of(t, object, w->from, w->size);
		ev.kind = w->kind;
		if (w->atomicity != BO_ATOMICITY_UNKNOWN)
			announce(t, &ev, w->atomicity);
		store_apply(t, &ev, object);
		return true;
	}
	return false;
}

static void store_atomic(struct text *t, unsigned object, enum bo_order order, bool update)
{
	struct event sync = event_of(t, EVENT_SYNC), ev = store_of(t, object, 0, 8);

	sync.flags = update ? BO_ACT_ATOMIC_UPDATE : BO_ACT_ATOMIC_STORE;
	sync.order = order;
	sync.file = 1;
	sync.offset = ev.offset;
	sync.value = ev.addr;
	apply(t, &sync);
	ev.context++;
	announce(t, &ev, BO_ATOMICITY_ATOMIC);
	ev.order = order;
	ev.kind = update ? BO_STORE_LOCKED : BO_STORE_PLAIN;
	store_apply(t, &ev, object);
}

static bool store_word(struct text *t, const char *word, unsigned object)
{
	struct event ev;

	if (store_simple(t, word, object))
		return true;
	if (!strcmp(word, "rlx"))
		store_atomic(t, object, BO_ORDER_RELAXED, false);
	else if (!strcmp(word, "rel"))
		store_atomic(t, object, BO_ORDER_RELEASE, false);
	else if (!strcmp(word, "sc"))
		store_atomic(t, object, BO_ORDER_SEQ_CST, false);
	else if (!strcmp(word, "add"))
		store_atomic(t, object, BO_ORDER_ACQ_REL, true);
	else if (!strcmp(word, "parts"))
		two_parts(t, object, 4);
	else if (!strcmp(word, "pair"))
		two_parts(t, object, 8);
	else if (!strcmp(word, "copy"))
		copy(t, object, 8, 8);
	else if (!strcmp(word, "copy8"))
		copy(t, object, 8, 0);
	else if (!strcmp(word, "copies"))
		copy(t, object, 8, 24);
	else if (!strcmp(word, "write")) {
		ev = store_of(t, object, 0, 8);
		ev.type = EVENT_FILE_WRITE;
		store_apply(t, &ev, object);
	} else if (!strcmp(word, "cross") || !strcmp(word, "unkcross")) {
		ev = cross_of(t, object);
		if (*word == 'c')
			announce(t, &ev, BO_ATOMICITY_PLAIN);
		store_apply(t, &ev, object);
	} else {
		return false;
	}
	return true;
}

/* ---- other events ---- */

static bool find(const char *word, const char *const *words, size_t *index)
{
	for (*index = 0; words[*index]; (*index)++)
		if (!strcmp(word, words[*index]))
			return true;
	return false;
}

static bool flush_word(struct text *t, const char *word, const char *name)
{
	static const char *const words[] = {"clwb",   "clflushopt", "clflush", "sfence", "mfence",
					    "locked", "exit",       "unmap",   NULL};
	static const enum event_type types[] = {EVENT_CLWB,   EVENT_CLFLUSHOPT, EVENT_CLFLUSH,     EVENT_SFENCE,
						EVENT_MFENCE, EVENT_LOCKED,     EVENT_THREAD_EXIT, EVENT_UNMAP};
	struct event ev;
	size_t i;

	if (!find(word, words, &i))
		return false;
	ev = event_of(t, types[i]);
	if (name) {
		ev.file = 1;
		ev.offset = t->offset[object_of(t, name)] + 7; /* any byte of the line */
		ev.addr = t->base + ev.offset;
	}
	apply(t, &ev);
	return true;
}

static bool file_word(struct text *t, const char *word, const char *name)
{
	static const char *const words[] = {"fsync", "fdatasync", "sync_file_range", "syncfs",
					    "sync",  "msync",     "async",           "truncate",
					    "grow",  "punch",     "collapse",        "unlink",
					    NULL};
	static const enum event_type types[] = {EVENT_FILE_SYNC,     EVENT_FILE_SYNC,     EVENT_FILE_SYNC,
						EVENT_FILE_SYNC,     EVENT_FILE_SYNC,     EVENT_MSYNC,
						EVENT_MSYNC,         EVENT_FILE_TRUNCATE, EVENT_FILE_TRUNCATE,
						EVENT_FILE_ALLOCATE, EVENT_FILE_ALLOCATE, EVENT_FILE_UNLINK};
	uint64_t offset;
	struct event ev;
	size_t i;

	if (!find(word, words, &i))
		return false;
	offset = name ? t->offset[object_of(t, name)] : 0;
	ev = event_of(t, types[i]);
	ev.file = strcmp(word, "sync") != 0;
	if (ev.type == EVENT_FILE_SYNC) {
		ev.flags = (uint32_t)i; /* enum bo_sync */
	} else if (ev.type == EVENT_MSYNC) {
		ev.flags = !strcmp(word, "async") ? MS_ASYNC : MS_SYNC;
		ev.offset = offset;
		ev.size = name ? 8 : t->end;
	} else if (ev.type == EVENT_FILE_TRUNCATE) {
		ev.size = name ? offset : t->end;
	} else if (ev.type == EVENT_FILE_ALLOCATE) {
		ev.flags = *word == 'p' ? FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE : FALLOC_FL_COLLAPSE_RANGE;
		ev.offset = offset;
		ev.size = 8;
	}
	apply(t, &ev);
	return true;
}

/* The order that follows the full stop. */
static enum bo_order order_of(const char *stop)
{
	if (!stop)
		return BO_ORDER_RELAXED;
	if (!strcmp(stop, ".acq"))
		return BO_ORDER_ACQUIRE;
	return !strcmp(stop, ".rel") ? BO_ORDER_RELEASE : BO_ORDER_SEQ_CST;
}

static bool sync_word(struct text *t, const char *word, const char *name)
{
	static const char *const words[] = {"get", "put", "add", "fence", "acquire", "release", NULL};
	const char *stop = strchr(word, '.');
	struct event ev = event_of(t, EVENT_SYNC);
	char act[16];
	size_t i;

	snprintf(act, sizeof(act), "%.*s", stop ? (int)(stop - word) : 15, word);
	if (!find(act, words, &i))
		return false;
	ev.flags = (uint32_t)i; /* enum bo_sync_act */
	ev.order = order_of(stop);
	if (name && *name >= 'A' && *name <= 'Z') {
		ev.file = 1;
		ev.offset = t->offset[object_of(t, name)];
		ev.value = t->base + ev.offset;
	} else if (name) {
		ev.value = 0x1000 + (uint64_t)*name;
	}
	apply(t, &ev);
	return true;
}

static bool thread_word(struct text *t, const char *word, const char *name)
{
	struct event ev;
	uint32_t thread = name ? (uint32_t)(*name - '0') : 0;

	if (!strcmp(word, "start")) {
		ev = event_of(t, EVENT_THREAD_START);
		ev.thread = thread;
		ev.value = t->thread;
	} else if (!strcmp(word, "join")) {
		ev = event_of(t, EVENT_SYNC);
		ev.flags = BO_ACT_JOIN;
		ev.value = thread;
	} else if (!strcmp(word, "fork")) {
		ev = event_of(t, EVENT_FORK);
		ev.flags = 1;
		ev.value = 100;
		t->process[thread] = thread;
	} else {
		return false;
	}
	apply(t, &ev);
	return true;
}

static void program_word(struct text *t, const char *text)
{
	char word[32];
	const char *name;

	snprintf(word, sizeof(word), "%s", text);
	name = strchr(text, ':');
	if (name)
		word[name++ - text] = 0;
	if (*word == '@')
		t->thread = (uint32_t)(word[1] - '0');
	else if (!strcmp(word, "again"))
		t->base += 0x100000;
	else if (!strcmp(word, "same"))
		t->same = true;
	else if (!name && word[1] == 0)
		store_word(t, "plain", object_of(t, word));
	else if (!(name && *name >= 'A' && *name <= 'Z' && store_word(t, word, object_of(t, name))) &&
		 !flush_word(t, word, name) && !file_word(t, word, name) && !sync_word(t, word, name) &&
		 !thread_word(t, word, name))
		fail_msg("no word %s", text);
}

/* ---- recovery ---- */

static void recovery_word(struct text *t, const char *word)
{
	const char *name = strchr(word, ':') ? strchr(word, ':') + 1 : word + strlen(word) - 1;
	unsigned object = object_of(t, name);
	struct race_load load = {
		.file = 1, .offset = t->offset[object], .size = 8, .context = ++t->load, .silent = *word == '?'};

	if (*word == '-') {
		race_reader_lose(t->reader, t->last_event[object], 1, t->last_offset[object], t->last_size[object]);
		return;
	}
	if (*word == '=') {
		race_reader_store(t->reader, 1, t->offset[object], 8);
		return;
	}
	load.size = !strncmp(word, "wide", 4) ? 16 : !strncmp(word, "byte", 4) ? 1 : 8;
	race_reader_load(t->reader, &load);
}

static void on_race(void *arg, const struct race *race)
{
	static const char *const reasons[] = {[RACE_UNPROVED] = "unproved",
					      [RACE_UNFENCED] = "unfenced",
					      [RACE_UNORDERED] = "unordered",
					      [RACE_UNFLUSHED] = "unflushed"};
	struct text *t = arg;
	size_t length = strlen(t->races);
	unsigned object = 0;

	while (object < OBJECTS && (t->offset[object] == UINT64_MAX || t->offset[object] + 8 <= race->offset))
		object++;
	assert_true(race->from >= race->offset && race->to <= race->offset + race->size && race->from < race->to);
	assert_int_equal(race->load->context, t->load);
	snprintf(t->races + length, sizeof(t->races) - length, "%s%c:%s%s", length ? " " : "", 'A' + (int)object,
		 reasons[race->reason], race->units > 1 ? "#" : "");
}

static uint32_t caller_of(void *arg, uint32_t context)
{
	(void)arg;
	return context >= COPYING ? 7 : 0;
}

static void each_word(struct text *t, const char *text, void (*visit)(struct text *, const char *))
{
	char words[512], *save, *word;

	assert_true(strlen(text) < sizeof(words));
	snprintf(words, sizeof(words), "%s", text);
	for (word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save))
		visit(t, word);
}

void expect_races(const char *platform, const char *layout, const char *program, const char *recovery,
		  const char *races)
{
	struct text t = {.thread = 1, .base = 0x10000};
	struct event ev;

	text_layout(&t, layout);
	t.history = race_history_new(platform_find(platform), caller_of, NULL);
	ev = event_of(&t, EVENT_FILE);
	ev.file = 1;
	ev.size = t.end;
	apply(&t, &ev);
	each_word(&t, program, program_word);
	t.reader = race_reader_new(t.history, on_race, &t);
	each_word(&t, recovery, recovery_word);
	if (strcmp(t.races, races) != 0)
		fail_msg("%s, %s, recovery %s: races \"%s\", not \"%s\"", platform, program, recovery, t.races, races);
	race_reader_free(t.reader);
	race_history_free(t.history);
}
