/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "programs.h"

#include <linux/falloc.h>
#include <string.h>
#include <sys/mman.h>

#include "base/random.h"
#include "trace/op.h"

/* The lines in use: two neighbors, and two more neighbors on both sides of a page boundary. */
static const uint64_t line_offset[] = {0, 64, 4032, 4096};
#define FILE_SIZE 4160u

struct maker {
	struct program *p;
	uint64_t random;
	unsigned lines, threads, files, words; /* words: how many may still be stored, so that there are few sets */
	uint32_t thread[2];
	uint64_t size[3];
};

static uint64_t roll(struct maker *m, uint64_t sides)
{
	return random_next(&m->random) % sides;
}

#define one_of(m, ...) \
	(((const uint64_t[]){__VA_ARGS__})[roll(m, sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))])

static struct event *add(struct maker *m, enum event_type type)
{
	struct event *ev = &m->p->events[m->p->count++];

	*ev = (struct event){.type = type, .thread = m->thread[roll(m, m->threads)], .process = 0};
	ev->context = 1 + (uint32_t)roll(m, 3);
	return ev;
}

/* Few values, so that many stores are silent. */
static void fill(struct maker *m, struct event *ev)
{
	uint8_t *data = m->p->data[ev - m->p->events];
	uint8_t value = (uint8_t)roll(m, 3);

	memset(data, value, ev->size);
	if (roll(m, 4) == 0)
		data[roll(m, ev->size)] = (uint8_t)roll(m, 3);
	ev->data = data;
}

static uint64_t place(struct maker *m)
{
	return line_offset[roll(m, m->lines)] + one_of(m, 0, 0, 0, 0, 8, 8, 8, 4, 6, 1, 48, 56, 60);
}

static void pick_file(struct maker *m, struct event *ev)
{
	ev->file = 1 + (uint32_t)roll(m, m->files);
}

/* Pick a range that does not store to more words than are left. */
static bool pick_range(struct maker *m, struct event *ev, uint64_t size)
{
	unsigned words;

	ev->offset = place(m);
	ev->size = size;
	words = (unsigned)((ev->offset + ev->size - 1) / 8 - ev->offset / 8 + 1);
	if (words > m->words) {
		m->p->count--;
		return false;
	}
	m->words -= words;
	fill(m, ev);
	return true;
}

static void add_store(struct maker *m)
{
	struct event *ev = add(m, EVENT_STORE);

	ev->kind = (enum bo_store_kind)one_of(m, BO_STORE_PLAIN, BO_STORE_PLAIN, BO_STORE_PLAIN, BO_STORE_PLAIN,
					      BO_STORE_NONTEMPORAL, BO_STORE_NONTEMPORAL, BO_STORE_LOCKED,
					      BO_STORE_STRING, BO_STORE_KERNEL);
	if (roll(m, 40) == 0)
		return; /* memory that is no longer mapped to a file */
	pick_file(m, ev);
	ev->unit = ev->kind == BO_STORE_STRING ? (uint32_t)one_of(m, 1, 2, 4, 8) : 0;
	if (ev->kind == BO_STORE_LOCKED)
		pick_range(m, ev, one_of(m, 8, 8, 4));
	else
		pick_range(m, ev, one_of(m, 8, 8, 8, 8, 8, 4, 4, 2, 1, 16, 16, 24, 32, 64));
}

static void add_flush(struct maker *m)
{
	struct event *ev = add(m, (enum event_type)one_of(m, EVENT_CLWB, EVENT_CLFLUSHOPT, EVENT_CLFLUSH));

	if (roll(m, 16) == 0)
		return; /* volatile memory */
	pick_file(m, ev);
	ev->offset = place(m);
}

static void add_fence(struct maker *m)
{
	add(m, (enum event_type)one_of(m, EVENT_SFENCE, EVENT_SFENCE, EVENT_MFENCE, EVENT_LOCKED));
}

static void add_write(struct maker *m)
{
	struct event *ev = add(m, EVENT_FILE_WRITE);

	pick_file(m, ev);
	if (pick_range(m, ev, one_of(m, 8, 8, 4, 16)) && m->size[ev->file] < ev->offset + ev->size)
		m->size[ev->file] = ev->offset + ev->size;
}

static void add_sync(struct maker *m)
{
	struct event *ev = add(m, roll(m, 2) ? EVENT_MSYNC : EVENT_FILE_SYNC);

	if (roll(m, 8))
		pick_file(m, ev);
	if (ev->type == EVENT_FILE_SYNC) {
		ev->flags = (uint32_t)roll(m, BO_SYNC_COUNT);
		return;
	}
	ev->flags = (uint32_t)one_of(m, MS_SYNC, MS_SYNC, MS_ASYNC, MS_SYNC | MS_INVALIDATE, 0);
	ev->offset = one_of(m, 0, 4096);
	ev->size = one_of(m, 1, 64, 4096, 4097, 8192);
}

static void add_truncate(struct maker *m)
{
	struct event *ev = add(m, EVENT_FILE_TRUNCATE);

	pick_file(m, ev);
	ev->size = one_of(m, 0, 3, 8, 12, 64, 66, 4030, 4040, 4096, 4100, FILE_SIZE, FILE_SIZE + 64);
	m->size[ev->file] = ev->size;
}

/* Move bytes: in whole lines, as file systems do it in whole blocks, and only if the kernel would allow it. */
static void add_shift(struct maker *m, struct event *ev)
{
	bool collapse = roll(m, 2);

	ev->flags = collapse ? FALLOC_FL_COLLAPSE_RANGE : FALLOC_FL_INSERT_RANGE;
	ev->offset = one_of(m, 0, 64, 128, 4032);
	ev->size = one_of(m, 64, 128);
	if (ev->offset + (collapse ? ev->size : 0) >= m->size[ev->file])
		m->p->count--;
	else
		m->size[ev->file] += collapse ? -ev->size : ev->size;
}

static void add_allocate(struct maker *m)
{
	struct event *ev = add(m, EVENT_FILE_ALLOCATE);

	pick_file(m, ev);
	if (roll(m, 2)) {
		add_shift(m, ev);
		return;
	}
	ev->flags = (uint32_t)one_of(m, 0, FALLOC_FL_KEEP_SIZE, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				     FALLOC_FL_ZERO_RANGE, FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE);
	ev->offset = place(m);
	ev->size = one_of(m, 1, 3, 8, 64, 4096);
	if (!(ev->flags & FALLOC_FL_KEEP_SIZE) && m->size[ev->file] < ev->offset + ev->size)
		m->size[ev->file] = ev->offset + ev->size;
}

static void add_file(struct maker *m, uint32_t file)
{
	struct event *ev = add(m, EVENT_FILE);

	ev->file = file;
	ev->size = m->size[file] = one_of(m, FILE_SIZE, FILE_SIZE, FILE_SIZE, FILE_SIZE - 3, 100);
	ev->path = "/pm/file";
	if (roll(m, 2))
		return;
	ev = add(m, EVENT_CONTENT);
	ev->file = file;
	ev->offset = place(m);
	ev->size = 16;
	fill(m, ev);
}

static void add_map(struct maker *m)
{
	struct event *ev = add(m, (enum event_type)one_of(m, EVENT_MAP, EVENT_UNMAP, EVENT_REMAP, EVENT_PROTECT));

	pick_file(m, ev);
	ev->addr = one_of(m, 0x10000, 0x20000);
	ev->size = 8192;
	ev->old_addr = one_of(m, 0x10000, 0x20000);
	ev->old_size = 8192;
	ev->prot = PROT_READ | PROT_WRITE;
	ev->flags = ev->type == EVENT_MAP ? (uint32_t)one_of(m, MAP_SHARED, MAP_SHARED, MAP_PRIVATE) : 0;
}

/* A thread that has ended does nothing more; a new one takes its place. */
static void add_thread(struct maker *m)
{
	size_t which = roll(m, m->threads);
	struct event *ev = add(m, EVENT_THREAD_EXIT);

	ev->thread = m->thread[which];
	m->thread[which] += 2;
	ev = add(m, EVENT_THREAD_START);
	ev->thread = m->thread[which];
}

static void add_other(struct maker *m)
{
	unsigned type = one_of(m, EVENT_LOAD, EVENT_FILE_READ, EVENT_CODE_HASH, EVENT_FILE_RENAME, EVENT_FILE_UNLINK,
			       EVENT_FORK, EVENT_EXEC, EVENT_EXIT, EVENT_SIGNAL);
	struct event *ev;

	if (type == EVENT_SIGNAL) /* or calls and operations, which come after it */
		type += (unsigned)roll(m, EVENT_TYPE_COUNT - EVENT_SIGNAL);
	ev = add(m, (enum event_type)type);
	pick_file(m, ev);
	ev->size = ev->type == EVENT_LOAD || ev->type == EVENT_FILE_READ ? 8 : 0;
	ev->flags = (uint32_t)roll(m, 2);
	ev->path = "/pm/other";
}

static void add_any(struct maker *m)
{
	uint64_t dice = roll(m, 100);

	if (dice < 38)
		add_store(m);
	else if (dice < 62)
		add_flush(m);
	else if (dice < 76)
		add_fence(m);
	else if (dice < 80)
		add_write(m);
	else if (dice < 85)
		add_sync(m);
	else if (dice < 88)
		add_truncate(m);
	else if (dice < 91)
		add_allocate(m);
	else if (dice < 92)
		add_file(m, 1 + (uint32_t)roll(m, m->files));
	else if (dice < 95)
		add_map(m);
	else if (dice < 97)
		add_thread(m);
	else
		add_other(m);
}

void program_make(struct program *program, uint64_t seed, uint64_t number)
{
	struct maker m = {.p = program, .random = seed * 0x2545f4914f6cdd1du ^ number << 20, .thread = {1, 2}};
	size_t start;

	program->count = 0;
	m.lines = 1 + (unsigned)roll(&m, 4);
	m.threads = 1 + (unsigned)roll(&m, 2);
	m.files = 1 + (roll(&m, 4) == 0);
	m.words = 10;
	for (uint32_t file = 1; file <= m.files; file++)
		add_file(&m, file);
	start = program->count;
	for (uint64_t tries = 1 + roll(&m, 10); tries && program->count < start + 10; tries--)
		add_any(&m);
}

void program_cut(struct program *program, size_t event)
{
	program->count--;
	for (size_t i = event; i < program->count; i++) {
		program->events[i] = program->events[i + 1];
		memcpy(program->data[i], program->data[i + 1], sizeof(program->data[i]));
		if (program->events[i].data)
			program->events[i].data = program->data[i];
	}
}

void program_print(const struct program *program, FILE *out)
{
	for (size_t i = 0; i < program->count; i++) {
		const struct event *ev = &program->events[i];

		fprintf(out, "  #%zu  t%u  %s", i + 1, ev->thread, op_name(op_of(ev)));
		if (ev->file)
			fprintf(out, "  %u+%llu size %llu", ev->file, (unsigned long long)ev->offset,
				(unsigned long long)ev->size);
		if (ev->flags)
			fprintf(out, "  flags %u", ev->flags);
		for (size_t j = 0; ev->data && j < ev->size; j++)
			fprintf(out, "%s%02x", j ? "" : "  ", ev->data[j]);
		fprintf(out, "\n");
	}
}
