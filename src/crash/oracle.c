/* SPDX-License-Identifier: GPL-2.0-or-later */
/* oracle.c - see oracle.h. */
#include "crash/oracle.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const struct oracle *const table[] = {
#define X(row) &row,
	ORACLES(X)
#undef X
};

/* An oracle of a campaign. */
struct member {
	const struct oracle *oracle;
	void *state;
	bool judges; /* it needs no preparing, or is prepared */
};

struct oracles {
	size_t count;
	struct member at[];
};

struct oracles *oracles_new(const struct oracle *const *list, size_t count)
{
	struct oracles *o;

	if (!list) {
		list = table;
		count = sizeof(table) / sizeof(*table);
	}
	BUG_ON(count >= UINT8_MAX);
	for (size_t i = 0, starters = 0; i < count; i++) {
		starters += list[i]->command != NULL;
		BUG_ON(starters > 1);
	}
	o = mem_alloc(sizeof(*o) + count * sizeof(*o->at));
	o->count = count;
	for (size_t i = 0; i < count; i++)
		o->at[i] = (struct member){.oracle = list[i], .state = list[i]->state, .judges = !list[i]->begin};
	return o;
}

void oracles_free(struct oracles *o)
{
	for (size_t i = 0; o && i < o->count; i++)
		if (o->at[i].oracle->end)
			o->at[i].oracle->end(o->at[i].state);
	free(o);
}

int oracles_begin(struct oracles *o, const struct oracle_scene *scene, struct err *err)
{
	for (size_t i = 0; i < o->count; i++) {
		struct member *m = &o->at[i];
		int r = m->judges ? 0 : m->oracle->begin(&m->state, m->oracle->options, scene, err);

		if (r < 0)
			return r;
		m->judges = true;
	}
	return 0;
}

/* Combine the keys of several oracles.  0 if all are 0. */
static uint64_t keys_mix(uint64_t mixed, uint64_t key, size_t position)
{
	const uint64_t parts[] = {mixed, key, position};

	return key ? XXH3_64bits(parts, sizeof(parts)) | 1 : mixed;
}

/* The oracle that says how recovery is started; NULL: none does. */
static const struct member *starter(const struct oracles *o)
{
	for (size_t i = 0; i < o->count; i++)
		if (o->at[i].oracle->command)
			return &o->at[i];
	return NULL;
}

struct crash_context oracles_place(const struct oracles *o, struct crash_context crash)
{
	const struct member *starts = starter(o);
	uint64_t key = 0;

	for (size_t i = 0; i < o->count; i++) {
		const struct member *m = &o->at[i];

		key = keys_mix(key, m->oracle->key ? m->oracle->key(m->state, &crash) : 0, i);
	}
	crash.key = key;
	crash.command = starts ? starts->oracle->command(starts->state, &crash) : 0;
	return crash;
}

struct crash_context oracles_place_idle(const struct oracles *o, struct crash_context crash)
{
	const struct member *starts = starter(o);

	if (starts && starts->oracle->idle)
		crash.command = starts->oracle->idle(starts->state, &crash);
	return crash;
}

void oracles_meet(const struct oracles *o, const struct crash_context *crash)
{
	for (size_t i = 0; i < o->count; i++)
		if (o->at[i].oracle->meets)
			o->at[i].oracle->meets(o->at[i].state, crash);
}

int oracles_prepare(const struct oracles *o, struct tester *tester, const struct crash_context *crash, bool alone,
		    struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < o->count && r == 0; i++) {
		const struct member *m = &o->at[i];

		if (m->judges && m->oracle->prepare)
			r = m->oracle->prepare(m->state, tester, crash, alone, err);
	}
	return r;
}

uint64_t oracles_orderly(const struct oracles *o, uint64_t from)
{
	uint64_t first = ORDERLY_NEVER;

	for (size_t i = 0; i < o->count; i++) {
		const struct member *m = &o->at[i];
		uint64_t event = m->judges && m->oracle->orderly ? m->oracle->orderly(m->state, from) : first;

		first = event < first ? event : first;
	}
	return first;
}

const struct recovery_setting *oracles_setting(void *oracles, uint64_t command)
{
	const struct member *starts = starter(oracles);

	return starts && starts->oracle->setting ? starts->oracle->setting(starts->state, command) : NULL;
}

const struct output_rules *oracles_output(const struct oracles *o)
{
	for (size_t i = 0; i < o->count; i++)
		if (o->at[i].oracle->output)
			return o->at[i].oracle->output;
	return NULL;
}

static bool is_ready(const struct member *m, const struct crash_context *crash)
{
	return !m->judges || !m->oracle->ready || m->oracle->ready(m->state, crash);
}

/* Does an oracle know that recovery fails in this way without a crash, too? */
static bool fails_orderly(const struct oracles *o, const struct outcome *outcome, const struct crash_context *crash)
{
	for (size_t i = 0; i < o->count; i++) {
		const struct member *m = &o->at[i];

		if (m->judges && m->oracle->fails_orderly && m->oracle->fails_orderly(m->state, outcome, crash))
			return true;
	}
	return false;
}

struct verdict oracles_judge(const struct oracles *o, const struct outcome *outcome, const struct crash_context *crash)
{
	struct verdict verdict = {.known = true, .ending = outcome->ending};

	for (size_t i = 0; i < o->count; i++)
		if (!is_ready(&o->at[i], crash))
			return (struct verdict){0};
	for (size_t i = 0; i < o->count && !verdict.rejected_by; i++) {
		const struct member *m = &o->at[i];
		struct ending how = outcome->ending;

		if (!m->judges || m->oracle->accepts(m->state, outcome, crash, &how))
			continue;
		verdict.rejected_by = (uint8_t)(i + 1);
		verdict.ending = how;
	}
	verdict.orderly = verdict.rejected_by && fails_orderly(o, outcome, crash);
	return verdict;
}

static const struct member *rejecter(const struct oracles *o, struct verdict failed)
{
	BUG_ON(!verdict_failed(failed) || failed.rejected_by > o->count);
	return &o->at[failed.rejected_by - 1];
}

bool oracles_may_excuse(const struct oracles *o, struct verdict failed)
{
	return rejecter(o, failed)->oracle->excuses;
}

bool oracles_likely_excuse(const struct oracles *o, struct verdict failed)
{
	return oracles_may_excuse(o, failed) && failed.ending.value;
}

bool oracles_excuse(const struct oracles *o, struct verdict failed, const struct outcome *outcome,
		    const struct outcome *idle, const struct crash_context *crash)
{
	const struct member *m = rejecter(o, failed);

	return m->oracle->excuses && m->oracle->excuses(m->state, outcome, idle, crash);
}

void oracles_tell(const struct oracles *o, const struct crash_context *crash, struct verdict verdict,
		  const struct outcome *outcome, const struct outcome *idle, struct crash_sighting *sighting)
{
	for (size_t i = 0; i < o->count; i++) {
		const struct member *m = &o->at[i];

		if (m->judges && m->oracle->tell)
			m->oracle->tell(m->state, crash, verdict.rejected_by == i + 1 ? outcome : NULL, idle, sighting);
	}
}

enum finding_kind oracles_finding(const struct oracles *o, struct verdict failed)
{
	return rejecter(o, failed)->oracle->finding(failed.ending);
}

uint64_t oracles_hash(const struct oracles *o)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < o->count; i++)
		hash = XXH3_64bits_withSeed(o->at[i].oracle->name, strlen(o->at[i].oracle->name), hash);
	return hash;
}

#define PASSED "passed"

const char *oracles_name(const struct oracles *o, struct verdict verdict)
{
	return verdict.rejected_by ? o->at[verdict.rejected_by - 1].oracle->name : PASSED;
}

static bool is_name(const char *name, const char *text, size_t size)
{
	return strlen(name) == size && !memcmp(name, text, size);
}

bool oracles_find(const struct oracles *o, const char *name, size_t size, uint8_t *rejected_by)
{
	*rejected_by = 0;
	if (is_name(PASSED, name, size))
		return true;
	for (size_t i = 0; i < o->count && !*rejected_by; i++)
		if (is_name(o->at[i].oracle->name, name, size))
			*rejected_by = (uint8_t)(i + 1);
	return *rejected_by;
}
