/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fingerprint.c - see fingerprint.h, which lists the texts that are hashed. */
#include "finding/fingerprint.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "finding/crash_finding.h"

/* A finding whose fingerprint is being computed. */
struct print {
	struct finding *finding;
	XXH128_hash_t base; /* of texts 1 to 5 */
};

static void hash_text(XXH3_state_t *hash, const char *text, size_t length)
{
	XXH3_128bits_update(hash, text, length);
	XXH3_128bits_update(hash, "", 1); /* a zero byte, so that "ab" "c" differs from "a" "bc" */
}

static void hash_string(XXH3_state_t *hash, const char *text)
{
	hash_text(hash, text ? text : "", text ? strlen(text) : 0);
}

static void hash_module(XXH3_state_t *hash, const char *module)
{
	const char *suffix = module ? strstr(module, ".so.") : NULL;

	if (suffix)
		hash_text(hash, module, (size_t)(suffix - module) + 3);
	else
		hash_string(hash, module);
}

static void hash_source(XXH3_state_t *hash, struct sources *sources, const struct finding_frame *frame)
{
	size_t length;
	const char *line = source_line(sources, frame->path, frame->line, &length);

	for (size_t i = 0; line && i < length; i++)
		if (line[i] != ' ' && line[i] != '\t')
			XXH3_128bits_update(hash, line + i, 1);
}

/* How recovery ended.  The place is left out, because not every machine can tell it. */
static void hash_failure(XXH3_state_t *hash, const struct finding_crash *crash)
{
	char text[80];

	snprintf(text, sizeof(text), "%s %d", ending_name(crash->recovery.ending.kind), crash->recovery.ending.value);
	hash_string(hash, text);
}

static XXH128_hash_t base_hash(XXH3_state_t *hash, const struct finding *finding, struct sources *sources)
{
	const struct finding_frame *frame = stack_location(&finding->stack);
	char offset[32];

	XXH3_128bits_reset(hash);
	hash_string(hash, kind_get(finding->kind)->name);
	if (frame) {
		hash_module(hash, frame->module);
		hash_string(hash, frame->file);
		hash_string(hash, frame->function);
		hash_source(hash, sources, frame);
	}
	if (frame && !frame->function && !frame->line) {
		snprintf(offset, sizeof(offset), "+0x%" PRIx64, frame->offset);
		hash_string(hash, offset);
	}
	if (finding->crash)
		hash_failure(hash, finding->crash);
	return XXH3_128bits_digest(hash);
}

/* Sorts by base hash, then by line and instruction, then by first event. */
static int print_compare(const void *left, const void *right)
{
	const struct print *a = left, *b = right;
	const struct finding_frame *fa = stack_location(&a->finding->stack), *fb = stack_location(&b->finding->stack);
	int order = XXH128_cmp(&a->base, &b->base);

	if (order || !fa || !fb)
		return order;
	if (fa->line != fb->line)
		return fa->line < fb->line ? -1 : 1;
	if (fa->offset != fb->offset)
		return fa->offset < fb->offset ? -1 : 1;
	return (a->finding->first.event > b->finding->first.event) -
	       (a->finding->first.event < b->finding->first.event);
}

void fingerprint_all(struct findings *findings, struct sources *sources)
{
	struct print *prints = mem_alloc((findings->count + 1) * sizeof(*prints));
	XXH3_state_t *hash = XXH3_createState();
	uint32_t ordinal = 0;

	BUG_ON(!hash);
	for (size_t i = 0; i < findings->count; i++) {
		prints[i].finding = &findings->at[i];
		prints[i].base = base_hash(hash, &findings->at[i], sources);
	}
	qsort(prints, findings->count, sizeof(*prints), print_compare);
	for (size_t i = 0; i < findings->count; i++) {
		ordinal = i && XXH128_isEqual(prints[i].base, prints[i - 1].base) ? ordinal + 1 : 0;
		XXH128_hash_t sum = XXH3_128bits_withSeed(&prints[i].base, sizeof(prints[i].base), ordinal);

		snprintf(prints[i].finding->fingerprint, sizeof(prints[i].finding->fingerprint),
			 "%016" PRIx64 "%016" PRIx64, sum.high64, sum.low64);
	}
	XXH3_freeState(hash);
	free(prints);
}
