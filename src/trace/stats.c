/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stats.c - see stats.h. */
#include "trace/stats.h"

#include <string.h>
#include <xxhash.h>

#include "base/map.h"
#include "base/vec.h"

/* All counters by place, in one table. */
struct site {
	uint32_t context;
	enum op op;
	uint32_t width; /* of stores and loads */
	uint64_t count, bytes;
};

struct thread_counts {
	uint64_t counts[OP_COUNT];
};

struct stats {
	VEC_OF(struct site) sites;
	struct map site_of;                   /* from (context and op, width) to 1 + index of sites */
	size_t last_site;                     /* loops hit the same site repeatedly */
	VEC_OF(struct thread_counts) threads; /* by thread id */
	VEC_OF(struct stats_file) files;      /* by file id; [0]: not PM */
	uint64_t events;
	uint64_t counts[OP_COUNT];
	uint64_t bytes[OP_COUNT];
	struct stats_dependent dependent[OP_GROUP_COUNT];
	uint32_t processes; /* 1 + the highest number seen */
};

struct stats *stats_open(void)
{
	return mem_alloc(sizeof(struct stats));
}

void stats_close(struct stats *stats)
{
	if (!stats)
		return;
	vec_free(&stats->sites);
	map_free(&stats->site_of);
	vec_free(&stats->threads);
	vec_free(&stats->files);
	free(stats);
}

/* ---- counting ---- */

static struct site *stats_site(struct stats *stats, uint32_t context, enum op op, uint32_t width)
{
	if (stats->last_site < stats->sites.count) {
		struct site *last = &stats->sites.at[stats->last_site];

		if (last->context == context && last->op == op && last->width == width)
			return last;
	}
	uint64_t *found = map_put(&stats->site_of, (uint64_t)context << 8 | op, width);
	if (!*found) {
		vec_push(&stats->sites, ((struct site){.context = context, .op = op, .width = width}));
		*found = stats->sites.count;
	}
	stats->last_site = *found - 1;
	return &stats->sites.at[*found - 1];
}

static struct thread_counts *stats_thread(struct stats *stats, uint32_t thread)
{
	while (stats->threads.count <= thread)
		vec_push(&stats->threads, ((struct thread_counts){{0}}));
	return &stats->threads.at[thread];
}

static struct stats_file *stats_file_of(struct stats *stats, uint32_t file)
{
	while (stats->files.count <= file)
		vec_push(&stats->files, ((struct stats_file){0}));
	return &stats->files.at[file];
}

static void stats_add_file(struct stats *stats, const struct event *ev, enum op_group group)
{
	struct stats_file *file = stats_file_of(stats, ev->file);

	if (group == OP_STORES) {
		file->stores++;
		file->store_bytes += ev->size;
	} else if (group == OP_FLUSHES) {
		file->flushes++;
	} else if (ev->type == EVENT_FILE_WRITE) {
		file->writes++;
	}
}

/* Bytes that an event moves.  The size of a mapping or sync does not count. */
static uint64_t event_bytes(const struct event *ev)
{
	switch (ev->type) {
	case EVENT_STORE:
	case EVENT_LOAD:
	case EVENT_CONTENT:
	case EVENT_FILE_READ:
	case EVENT_FILE_WRITE: return ev->size;
	default: return 0;
	}
}

static uint32_t event_width(const struct event *ev)
{
	if (ev->type != EVENT_STORE)
		return 0;
	uint64_t width = ev->unit ? ev->unit : ev->size;
	return width > UINT32_MAX ? UINT32_MAX : (uint32_t)width;
}

/* Calls that nobody asked for are not counted. */
void stats_add(struct stats *stats, const struct event *ev)
{
	if (event_is_watched(ev))
		return;
	enum op op = op_of(ev);
	enum op_group group = op_group(op);
	uint64_t bytes = event_bytes(ev);
	struct site *site = stats_site(stats, ev->context, op, event_width(ev));

	site->count++;
	site->bytes += bytes;
	stats->events++;
	stats->counts[op]++;
	stats->bytes[op] += bytes;
	stats_thread(stats, ev->thread)->counts[op]++;
	stats_add_file(stats, ev, group);
	stats->dependent[group].data += ev->data_label != 0;
	stats->dependent[group].control += ev->control_label != 0;
	if (ev->process >= stats->processes)
		stats->processes = ev->process + 1;
}

int stats_read(struct stats *stats, struct trace *trace, struct err *err)
{
	struct event ev;
	int more;

	while ((more = trace_next(trace, &ev, err)) > 0)
		stats_add(stats, &ev);
	return more;
}

/* ---- totals ---- */

uint64_t stats_count(const struct stats *stats, enum op op)
{
	return stats->counts[op];
}

uint64_t stats_bytes(const struct stats *stats, enum op op)
{
	return stats->bytes[op];
}

uint64_t stats_thread_count(const struct stats *stats, uint32_t thread, enum op op)
{
	return thread < stats->threads.count ? stats->threads.at[thread].counts[op] : 0;
}

struct stats_dependent stats_dependent(const struct stats *stats, enum op_group group)
{
	return stats->dependent[group];
}

struct stats_file stats_file(const struct stats *stats, uint32_t file)
{
	return file < stats->files.count ? stats->files.at[file] : (struct stats_file){0};
}

static uint64_t group_total(const uint64_t *by_op, enum op_group group)
{
	uint64_t total = 0;

	for (unsigned op = 0; op < OP_COUNT; op++)
		if (op_group((enum op)op) == group)
			total += by_op[op];
	return total;
}

void stats_summarize(const struct stats *stats, const struct trace *trace, struct stats_summary *summary)
{
	*summary = (struct stats_summary){
		.events = stats->events,
		.stores = group_total(stats->counts, OP_STORES),
		.store_bytes = group_total(stats->bytes, OP_STORES),
		.loads = group_total(stats->counts, OP_LOADS),
		.flushes = group_total(stats->counts, OP_FLUSHES),
		.flushes_volatile = stats_file(stats, 0).flushes,
		.fences = group_total(stats->counts, OP_FENCES),
		.locked = group_total(stats->counts, OP_LOCKEDS),
		.content_bytes = stats->bytes[OP_CONTENT],
		.threads = trace_thread_count(trace),
		.processes = stats->processes,
		.files = trace_file_count(trace),
		.modules = trace_module_count(trace),
		.contexts = trace_context_count(trace),
	};
}

/* ---- lines ---- */

static const struct symbols_frame *line_frame(const struct trace *trace, struct symbols *symbols, uint32_t context)
{
	const struct symbols_frame *const *frames;
	size_t count = symbols_stack(symbols, trace, context, &frames);

	for (size_t i = 0; i < count; i++)
		if (frames[i]->line)
			return frames[i];
	return count ? frames[0] : NULL;
}

static uint64_t text_hash(const char *text)
{
	return text ? XXH3_64bits(text, strlen(text)) : 0;
}

/* Key of a frame's place: its line, or its function, or its module. */
static uint64_t *line_key(struct map *map, const struct symbols_frame *frame)
{
	if (frame->line)
		return map_put(map, text_hash(frame->path), frame->line);
	return map_put(map, text_hash(frame->module), text_hash(frame->function) | 1ull << 63);
}

/* Ties are broken by place, so that the output is the same in every run. */
static int frame_compare(const struct symbols_frame *a, const struct symbols_frame *b)
{
	int order = strcmp(a->file ? a->file : a->module, b->file ? b->file : b->module);

	if (!order)
		order = a->line < b->line ? -1 : a->line > b->line;
	return order ? order : strcmp(a->function ? a->function : "", b->function ? b->function : "");
}

static uint64_t line_weight(const struct stats_line *line)
{
	return line->counts[OP_STORES] + line->counts[OP_FLUSHES] + line->counts[OP_FENCES];
}

static int line_compare(const void *left, const void *right)
{
	const struct stats_line *a = left, *b = right;
	uint64_t x = line_weight(a), y = line_weight(b);

	return x != y ? (x > y ? -1 : 1) : frame_compare(a->frame, b->frame);
}

struct stats_line *stats_lines(const struct stats *stats, const struct trace *trace, struct symbols *symbols,
			       size_t *count)
{
	VEC_OF(struct stats_line) lines = {0};
	struct map index = {0};

	for (size_t i = 0; i < stats->sites.count; i++) {
		const struct site *site = &stats->sites.at[i];
		const struct symbols_frame *frame = line_frame(trace, symbols, site->context);

		if (!frame)
			continue;
		uint64_t *at = line_key(&index, frame);
		if (!*at) {
			vec_push(&lines, ((struct stats_line){.frame = frame}));
			*at = lines.count;
		}
		struct stats_line *line = &lines.at[*at - 1];
		line->counts[op_group(site->op)] += site->count;
		if (op_group(site->op) == OP_STORES)
			line->store_bytes += site->bytes;
	}
	map_free(&index);
	if (lines.count)
		qsort(lines.at, lines.count, sizeof(*lines.at), line_compare);
	*count = lines.count;
	return lines.at;
}

/* ---- copy routines ---- */

static bool site_is_copy(const struct site *site)
{
	return op_group(site->op) == OP_STORES &&
	       (site->op == OP_NTSTORE || site->op == OP_REPSTORE || (site->op == OP_STORE && site->width > 8));
}

/* The function that the machine executes: the one that the instruction's code was inlined into. */
static const struct symbols_frame *routine_frame(const struct trace *trace, struct symbols *symbols, uint32_t context)
{
	const struct symbols_frame *const *frames;
	size_t count = symbols_stack(symbols, trace, context, &frames);

	for (size_t i = 0; i < count; i++)
		if (!frames[i]->inlined)
			return frames[i];
	return NULL;
}

static int routine_compare(const void *left, const void *right)
{
	const struct stats_routine *a = left, *b = right;

	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	int order = frame_compare(a->frame, b->frame);
	if (order)
		return order;
	return a->op != b->op ? (a->op < b->op ? -1 : 1) : a->width < b->width ? -1 : a->width > b->width;
}

struct stats_routine *stats_routines(const struct stats *stats, const struct trace *trace, struct symbols *symbols,
				     size_t *count)
{
	VEC_OF(struct stats_routine) routines = {0};
	struct map index = {0};

	for (size_t i = 0; i < stats->sites.count; i++) {
		const struct site *site = &stats->sites.at[i];
		const struct symbols_frame *frame =
			site_is_copy(site) ? routine_frame(trace, symbols, site->context) : NULL;

		if (!frame)
			continue;
		uint64_t place = text_hash(frame->module) * 3 + text_hash(frame->function);
		uint64_t *at = map_put(&index, place, (uint64_t)site->op << 32 | site->width);
		if (!*at) {
			vec_push(&routines,
				 ((struct stats_routine){.frame = frame, .op = site->op, .width = site->width}));
			*at = routines.count;
		}
		routines.at[*at - 1].stores += site->count;
		routines.at[*at - 1].bytes += site->bytes;
	}
	map_free(&index);
	if (routines.count)
		qsort(routines.at, routines.count, sizeof(*routines.at), routine_compare);
	*count = routines.count;
	return routines.at;
}
