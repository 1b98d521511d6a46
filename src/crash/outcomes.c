/* SPDX-License-Identifier: GPL-2.0-or-later */
/* outcomes.c - see outcomes.h. */
#include "crash/outcomes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"

#define CLAIMED UINT64_MAX
#define HEADER "blackout-journal 2 "

enum { PRINTED_MAX = 4 << 20 /* bytes of output to keep */ };

struct outcomes {
	struct map endings; /* digest -> encoded verdict, or CLAIMED */
	FILE *journal;      /* NULL: none */
	struct map failing; /* digest -> 1 + index of the outcome */
	VEC_OF(struct outcome) outcomes;
	size_t printed; /* bytes of output in `outcomes` */
};

static struct verdict verdict_decode(uint64_t code)
{
	if (!code || code == CLAIMED)
		return (struct verdict){0};
	return (struct verdict){.known = true, .ending = {(enum ending_kind)((code >> 32) - 1), (int)(uint32_t)code}};
}

/* Read a hexadecimal number and the character `after`; false if they are not there. */
static bool hex_read(const char **text, uint64_t *value, char after)
{
	char *end;

	*value = strtoull(*text, &end, 16);
	if (end == *text || *end != after)
		return false;
	*text = end + 1;
	return true;
}

static bool line_read(const char *line, uint64_t *high, uint64_t *low, struct verdict *verdict)
{
	char *end;

	*verdict = (struct verdict){.known = true};
	if (!hex_read(&line, high, ' ') || !hex_read(&line, low, ' ') ||
	    !ending_find_letter(*line, &verdict->ending.kind) || line[1] != ' ')
		return false;
	verdict->ending.value = (int)strtol(line + 2, &end, 10);
	return end != line + 2 && *end == '\n';
}

static uint64_t depends_hash(const struct outcomes_options *o)
{
	return XXH3_64bits(o->depends, strlen(o->depends));
}

/* Read the first line.  True if the journal depends on the same options; then *timeout is its time limit. */
static bool header_read(FILE *file, const struct outcomes_options *o, double *timeout)
{
	char line[128], *end;
	const char *text = line + strlen(HEADER);
	uint64_t hash;

	if (!fgets(line, sizeof(line), file) || strncmp(line, HEADER, strlen(HEADER)) || !hex_read(&text, &hash, ' '))
		return false;
	*timeout = strtod(text, &end);
	return hash == depends_hash(o) && end != text && *end == '\n';
}

/* Read lines up to the first damaged one: the last line may have been cut off. */
static void journal_read(struct outcomes *k, FILE *file, const struct outcomes_options *o)
{
	struct verdict verdict;
	uint64_t high, low;
	double timeout;
	char line[128];

	if (!header_read(file, o, &timeout))
		return;
	while (fgets(line, sizeof(line), file) && line_read(line, &high, &low, &verdict))
		if (verdict.ending.kind != ENDING_TIMEOUT || timeout >= o->timeout)
			*map_put(&k->endings, low, high) = verdict_code(verdict);
}

static void journal_line(struct outcomes *k, uint64_t low, uint64_t high, struct verdict verdict)
{
	if (k->journal)
		fprintf(k->journal, "%016llx %016llx %c %d\n", (unsigned long long)high, (unsigned long long)low,
			ending_letter(verdict.ending.kind), verdict.ending.value);
}

/* Rewrite the journal, which drops a line that was cut off. */
static int journal_write(struct outcomes *k, const char *path, const struct outcomes_options *o, struct err *err)
{
	k->journal = fopen(path, "we");
	if (!k->journal)
		return err_sys(err, "cannot write %s", path);
	fprintf(k->journal, HEADER "%016llx %.17g\n", (unsigned long long)depends_hash(o), o->timeout);
	for (size_t i = 0; i < k->endings.room; i++) {
		const struct map_entry *entry = &k->endings.entries[i];

		if (entry->used)
			journal_line(k, entry->key[0], entry->key[1], verdict_decode(entry->value));
	}
	fflush(k->journal);
	return 0;
}

int outcomes_open(struct outcomes **outcomes, const char *path, const struct outcomes_options *options, struct err *err)
{
	struct outcomes *k = mem_alloc(sizeof(*k));
	FILE *old;

	if (path && options->resume && (old = fopen(path, "re"))) {
		journal_read(k, old, options);
		fclose(old);
	}
	if (path && journal_write(k, path, options, err) < 0) {
		outcomes_close(k);
		return -1;
	}
	*outcomes = k;
	return 0;
}

void outcomes_close(struct outcomes *k)
{
	if (!k)
		return;
	if (k->journal)
		fclose(k->journal);
	map_free(&k->endings);
	for (size_t i = 0; i < k->outcomes.count; i++)
		outcome_free(&k->outcomes.at[i]);
	vec_free(&k->outcomes);
	map_free(&k->failing);
	free(k);
}

bool outcomes_claim(struct outcomes *k, struct digest digest)
{
	uint64_t *code = map_put(&k->endings, digest.low, digest.high);

	if (*code)
		return true;
	*code = CLAIMED;
	return false;
}

struct verdict outcomes_get(const struct outcomes *k, struct digest digest)
{
	const uint64_t *code = map_get(&k->endings, digest.low, digest.high);

	return verdict_decode(code ? *code : 0);
}

void outcomes_set(struct outcomes *k, struct digest digest, struct verdict verdict)
{
	*map_put(&k->endings, digest.low, digest.high) = verdict_code(verdict);
	journal_line(k, digest.low, digest.high, verdict);
}

void outcomes_learn(struct outcomes *k, struct digest digest, const struct outcome *outcome)
{
	struct outcome copy;
	uint64_t *index;

	outcomes_set(k, digest, (struct verdict){.known = true, .ending = outcome->ending});
	if (outcome_passed(outcome) || k->printed >= PRINTED_MAX)
		return;
	index = map_put(&k->failing, digest.low, digest.high);
	/* With more time the outcome may differ from the one that was kept. */
	if (*index && ending_same(k->outcomes.at[*index - 1].ending, outcome->ending))
		return;
	outcome_copy(&copy, outcome);
	vec_push(&k->outcomes, copy);
	*index = k->outcomes.count;
	k->printed += sizeof(copy) + copy.out.size + copy.err.size;
}

const struct outcome *outcomes_kept(const struct outcomes *k, struct digest digest)
{
	const uint64_t *index = map_get(&k->failing, digest.low, digest.high);

	return index && *index ? &k->outcomes.at[*index - 1] : NULL;
}

void outcomes_drop(struct outcomes *k, struct digest digest)
{
	*map_put(&k->endings, digest.low, digest.high) = CLAIMED;
}
