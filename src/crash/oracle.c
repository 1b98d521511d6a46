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
	o = mem_alloc(sizeof(*o) + count * sizeof(*o->at));
	o->count = count;
	for (size_t i = 0; i < count; i++)
		o->at[i] = (struct member){.oracle = list[i], .judges = !list[i]->begin};
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

struct crash_context oracles_place(const struct oracles *o, struct crash_context crash)
{
	uint64_t key = 0, command = 0;

	for (size_t i = 0; i < o->count; i++) {
		const struct member *m = &o->at[i];

		key = keys_mix(key, m->oracle->key ? m->oracle->key(m->state, &crash) : 0, i);
		command = keys_mix(command, m->oracle->command ? m->oracle->command(m->state, &crash) : 0, i);
	}
	crash.key = key;
	crash.command = command;
	return crash;
}

struct verdict oracles_judge(const struct oracles *o, const struct outcome *outcome, const struct crash_context *crash)
{
	struct verdict verdict = {.known = true, .ending = outcome->ending};

	for (size_t i = 0; i < o->count && !verdict.rejected_by; i++) {
		const struct member *m = &o->at[i];
		struct ending how = outcome->ending;

		if (!m->judges || m->oracle->accepts(m->state, outcome, crash, &how))
			continue;
		verdict.rejected_by = (uint8_t)(i + 1);
		verdict.ending = how;
	}
	return verdict;
}

enum finding_kind oracles_finding(const struct oracles *o, struct verdict failed)
{
	BUG_ON(!verdict_failed(failed) || failed.rejected_by > o->count);
	return o->at[failed.rejected_by - 1].oracle->finding(failed.ending);
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
