/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tables.c - the inference as an object, and the things that it numbers; see invariants_in.h. */
#include <string.h>
#include <xxhash.h>

#include "invariants/invariants_in.h"

#define PUSH_UNUSED(vec)                                  \
	do {                                              \
		vec_reserve(vec);                         \
		memset((vec)->at, 0, sizeof(*(vec)->at)); \
		(vec)->count = 1;                         \
	} while (0)

const char *invariant_rule_name(enum invariant_rule rule)
{
	static const char *const names[] = {
#define X(name) #name,
		INVARIANT_RULES(X)
#undef X
	};

	return names[rule];
}

struct invariants *invariants_new(void)
{
	struct invariants *inv = mem_alloc(sizeof(*inv));

	sites_init(&inv->sites);
	bytes_init(&inv->bytes);
	inv->lifted.all = inv->general.all = SLAB_OF(struct lifted);
	PUSH_UNUSED(&inv->places);
	PUSH_UNUSED(&inv->reads);
	PUSH_UNUSED(&inv->labels);
	PUSH_UNUSED(&inv->writes);
	PUSH_UNUSED(&inv->facts);
	inv->answers = mem_alloc(sizeof(*inv->answers));
	return inv;
}

void invariants_free(struct invariants *inv)
{
	if (!inv)
		return;
	sites_free(&inv->sites);
	bytes_free(&inv->bytes);
	map_free(&inv->files);
	map_free(&inv->place_numbers);
	vec_free(&inv->places);
	vec_free(&inv->reads);
	vec_free(&inv->labels);
	vec_free(&inv->label_reads);
	map_free(&inv->write_numbers);
	vec_free(&inv->writes);
	map_free(&inv->fact_numbers);
	vec_free(&inv->facts);
	map_free(&inv->lifted.numbers);
	slab_free(&inv->lifted.all);
	map_free(&inv->general.numbers);
	slab_free(&inv->general.all);
	vec_free(&inv->observed);
	lessons_free(inv->lessons);
	answers_clear(inv->answers);
	free(inv->answers);
	vec_free(&inv->trace_files);
	vec_free(&inv->trace_reads);
	vec_free(&inv->trace_labels);
	free(inv);
}

void invariants_begin(struct invariants *inv, const struct trace *trace)
{
	inv->trace = trace;
	inv->fed = false;
	inv->trace_files.count = 0;
	inv->trace_reads.count = 0;
	inv->trace_labels.count = 0;
	sites_begin(&inv->sites, trace, inv->recordings);
	answers_clear(inv->answers);
}

/* Where our id is kept for one of the recording.  Valid until the next call. */
static uint32_t *ours(struct ids *ids, uint32_t id)
{
	while (ids->count <= id)
		vec_push(ids, 0);
	return &ids->at[id];
}

uint32_t tables_file(struct invariants *inv, uint32_t trace_id)
{
	uint32_t *known = ours(&inv->trace_files, trace_id);

	if (!*known) {
		const char *path = trace_file(inv->trace, trace_id)->path;
		XXH128_hash_t hash = XXH3_128bits(path, strlen(path));
		uint64_t *file = map_put(&inv->files, hash.low64, hash.high64);

		if (!*file)
			*file = inv->files.count;
		*known = (uint32_t)*file;
	}
	return *known;
}

uint32_t tables_place(struct invariants *inv, uint32_t file, uint64_t offset, uint64_t size)
{
	uint64_t *place = map_put(&inv->place_numbers, offset, (uint64_t)file << 32 | size);

	if (!*place) {
		*place = inv->places.count;
		vec_push(&inv->places, ((struct place){.offset = offset, .size = (uint32_t)size, .file = file}));
	}
	return (uint32_t)*place;
}

uint32_t tables_write(struct invariants *inv, uint32_t site, uint32_t place)
{
	uint64_t *write = map_put(&inv->write_numbers, site, place);

	if (!*write) {
		*write = inv->writes.count;
		vec_push(&inv->writes, ((struct write){site, place}));
	}
	return (uint32_t)*write;
}

void tables_link(struct invariants *inv, uint32_t id)
{
	struct place *place = &inv->places.at[id];

	if (place->linked)
		return;
	place->linked = true;
	bytes_link(&inv->bytes, place->file, place->offset, place->size, id);
}

static uint64_t clipped(uint64_t size)
{
	return size < PLACE_BYTES_MOST ? size : PLACE_BYTES_MOST;
}

/* 0 for a read that is not in a file. */
static uint32_t tables_read(struct invariants *inv, uint32_t trace_id)
{
	const struct trace_read *of = trace_read(inv->trace, trace_id);
	uint32_t *known = ours(&inv->trace_reads, trace_id);
	struct read read = {.number = trace_id};

	if (*known || !of->file)
		return *known;
	*known = (uint32_t)inv->reads.count;
	read.place = tables_place(inv, tables_file(inv, of->file), of->offset, clipped(of->size));
	read.load_site = sites_of(&inv->sites, of->context);
	tables_link(inv, read.place);
	struct place *place = &inv->places.at[read.place];
	place->read = true;
	for (unsigned i = 0, done = 0; i < 2 && done < place->size; i++) {
		uint64_t at = place->offset + done;

		read.words[i] = bytes_words(&inv->bytes, place->file, at, place->size - done, &read.word_count[i]);
		done += (unsigned)(BYTES_PAGE - at % BYTES_PAGE);
	}
	vec_push(&inv->reads, read);
	return inv->trace_reads.at[trace_id];
}

uint32_t tables_label(struct invariants *inv, uint32_t trace_id)
{
	struct trace_label of = trace_label(inv->trace, trace_id);
	struct label label = {.start = inv->label_reads.count, .many = of.many};
	uint32_t id = *ours(&inv->trace_labels, trace_id);

	if (id)
		return id;
	for (size_t i = 0; i < of.count; i++) {
		uint32_t read = tables_read(inv, of.reads[i]);

		if (read)
			vec_push(&inv->label_reads, read);
	}
	label.count = inv->label_reads.count - label.start;
	inv->many += of.many;
	id = (uint32_t)inv->labels.count;
	vec_push(&inv->labels, label);
	*ours(&inv->trace_labels, trace_id) = id;
	return id;
}
