/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gathering.c - see gathering.h. */
#include "search/gathering.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/path.h"
#include "report/reader.h"
#include "report/report.h"

/* An entry, and where its folder is if it is a crash finding. */
struct held {
	struct gathering_entry entry;
	char *dir;
};

struct gathering {
	VEC_OF(struct held) all;
	struct map by_fingerprint;          /* index + 1 */
	VEC_OF(struct findings *) readings; /* that have entries, or the first */
	struct findings_stats stats;
};

struct gathering *gathering_new(void)
{
	return mem_alloc(sizeof(struct gathering));
}

void gathering_free(struct gathering *gathering)
{
	if (!gathering)
		return;
	for (size_t i = 0; i < gathering->all.count; i++)
		free(gathering->all.at[i].dir);
	for (size_t i = 0; i < gathering->readings.count; i++)
		findings_free(gathering->readings.at[i]);
	vec_free(&gathering->all);
	vec_free(&gathering->readings);
	map_free(&gathering->by_fingerprint);
	free(gathering);
}

static struct held *held_find(const struct gathering *gathering, const char *fingerprint)
{
	XXH128_hash_t hash = XXH3_128bits(fingerprint, strlen(fingerprint));
	const uint64_t *index = map_get(&gathering->by_fingerprint, hash.high64, hash.low64);

	return index ? &gathering->all.at[*index - 1] : NULL;
}

static struct held *held_new(struct gathering *gathering, const char *fingerprint)
{
	XXH128_hash_t hash = XXH3_128bits(fingerprint, strlen(fingerprint));

	vec_push(&gathering->all, (struct held){0});
	*map_put(&gathering->by_fingerprint, hash.high64, hash.low64) = gathering->all.count;
	return &gathering->all.at[gathering->all.count - 1];
}

/* Is this sighting of a finding the better one to show? */
static bool is_better(const struct held *held, const struct finding *finding, const struct gathering_input *input)
{
	const struct finding *old = held->entry.finding;

	if (!old || old->severity != finding->severity)
		return !old || finding->severity < old->severity;
	return input->size < held->entry.input.size;
}

static bool finding_take(struct gathering *gathering, const struct finding *finding, const char *dir,
			 uint64_t execution, const struct gathering_input *input)
{
	struct held *held = held_find(gathering, finding->fingerprint);

	if (!held)
		held = held_new(gathering, finding->fingerprint);
	held->entry.inputs++;
	held->entry.count += finding->count;
	if (!is_better(held, finding, input))
		return false;
	held->entry.finding = finding;
	held->entry.input = *input;
	held->entry.execution = execution;
	free(held->dir);
	held->dir = strdup(dir);
	BUG_ON(!held->dir);
	return true;
}

static void figure_add(struct findings_figure *sum, struct findings_figure figure)
{
	if (!figure.known || figure.large)
		return;
	sum->known = true;
	sum->value += figure.value;
}

static void stats_add(struct findings_stats *sum, const struct findings_stats *stats)
{
	uint64_t threads = sum->threads.value;

	figure_add(&sum->stores, stats->stores);
	figure_add(&sum->flushes, stats->flushes);
	figure_add(&sum->fences, stats->fences);
	figure_add(&sum->loads, stats->loads);
	if (stats->threads.known)
		sum->threads = figure_known(stats->threads.value > threads ? stats->threads.value : threads);
	figure_add(&sum->crash_states.tested, stats->crash_states.tested);
	figure_add(&sum->crash_states.failed, stats->crash_states.failed);
	figure_add(&sum->crash_states.accepted, stats->crash_states.accepted);
#define X(name)                       \
	if (stats->seconds.name >= 0) \
		sum->seconds.name += stats->seconds.name;
	FINDINGS_SECONDS(X)
#undef X
}

int gathering_add(struct gathering *gathering, const char *dir, uint64_t execution, const struct gathering_input *input,
		  struct err *err)
{
	struct findings *findings;
	char path[PATH_MAX];
	int taken = 0;

	if (path_make(path, sizeof(path), err, "%s/%s", dir, report_file(REPORT_JSON)) < 0 ||
	    findings_read(&findings, path, err) < 0)
		return -1;
	stats_add(&gathering->stats, &findings->stats);
	for (size_t i = 0; i < findings->count; i++)
		taken += finding_take(gathering, &findings->at[i], dir, execution, input);
	/* The first reading also says what was run. */
	if (taken || !gathering->readings.count)
		vec_push(&gathering->readings, findings);
	else
		findings_free(findings);
	return taken;
}

size_t gathering_count(const struct gathering *gathering)
{
	return gathering->all.count;
}

const struct gathering_entry *gathering_at(const struct gathering *gathering, size_t index)
{
	return &gathering->all.at[index].entry;
}

const struct gathering_entry *gathering_find(const struct gathering *gathering, const char *fingerprint)
{
	const struct held *held = held_find(gathering, fingerprint);

	return held ? &held->entry : NULL;
}

void gathering_number_input(struct gathering *gathering, uint64_t execution, uint64_t number)
{
	for (size_t i = 0; i < gathering->all.count; i++)
		if (gathering->all.at[i].entry.execution == execution)
			gathering->all.at[i].entry.input.number = number;
}

/* ---- the union ---- */

static bool pm_is_listed(const struct findings *findings, const char *path)
{
	for (size_t i = 0; i < findings->target.pm.count; i++)
		if (!strcmp(findings->target.pm.at[i], path))
			return true;
	return false;
}

static void texts_take(struct findings *findings, const struct findings *from)
{
	for (size_t i = 0; i < from->target.pm.count; i++)
		if (!pm_is_listed(findings, from->target.pm.at[i]))
			vec_push(&findings->target.pm, findings_text(findings, from->target.pm.at[i]));
	if (!findings->target.mode && from->target.mode)
		findings->target.mode = findings_text(findings, from->target.mode);
}

#define VEC_TAKE(findings, to, from)               \
	for (size_t n = 0; n < (from)->count; n++) \
	vec_push(to, findings_text(findings, (from)->at[n]))

static void target_take(struct findings *findings, const struct findings_target *from)
{
	VEC_TAKE(findings, &findings->target.command, &from->command);
	VEC_TAKE(findings, &findings->target.platforms, &from->platforms);
	VEC_TAKE(findings, &findings->target.own, &from->own);
	VEC_TAKE(findings, &findings->target.fold, &from->fold);
	VEC_TAKE(findings, &findings->target.no_fold, &from->no_fold);
}

/* The parts of a finding belong to the reading that it comes from; only what the union changes is copied. */
static void entry_take(struct findings *findings, const struct gathering_entry *entry)
{
	struct finding finding = *entry->finding;
	char path[64];

	if (finding.crash) {
		struct finding_crash *crash = findings_block(findings, 1, sizeof(*crash));

		*crash = *finding.crash;
		finding.crash = crash;
	}
	finding.count = entry->count;
	if (entry->input.number) {
		snprintf(path, sizeof(path), "inputs/%" PRIu64, entry->input.number);
		finding.input.path = findings_text(findings, path);
	}
	findings_add(findings, &finding);
}

static bool has_part(const struct finding *whole, enum finding_kind kind)
{
	for (size_t i = 0; i < whole->also_count; i++)
		if (whole->also[i].kind == kind)
			return true;
	return false;
}

/* Crash states are not tested in each execution.  Where they were, a crash finding has other findings of its place as its
 * parts (finding/merge.h); elsewhere these stand alone. */
static bool is_part(const struct gathering *gathering, const struct finding *finding)
{
	for (size_t i = 0; i < gathering->all.count; i++) {
		const struct finding *whole = gathering->all.at[i].entry.finding;

		if (has_part(whole, finding->kind) &&
		    frame_same_place(stack_location(&whole->stack), stack_location(&finding->stack)))
			return true;
	}
	return false;
}

struct findings *gathering_findings(const struct gathering *gathering)
{
	struct findings *findings = findings_new();

	findings->stats = gathering->stats;
	for (size_t i = 0; i < gathering->readings.count; i++)
		texts_take(findings, gathering->readings.at[i]);
	if (gathering->readings.count)
		target_take(findings, &gathering->readings.at[0]->target);
	for (size_t i = 0; i < gathering->all.count; i++)
		if (!is_part(gathering, gathering->all.at[i].entry.finding))
			entry_take(findings, &gathering->all.at[i].entry);
	return findings;
}

/* ---- folders ---- */

static int file_link(const char *from, const char *to, const char *name, struct err *err)
{
	char old[PATH_MAX], new[PATH_MAX];

	if (path_make(old, sizeof(old), err, "%s/%s", from, name) < 0 ||
	    path_make(new, sizeof(new), err, "%s/%s", to, name) < 0)
		return -1;
	return link(old, new) < 0 && errno != ENOENT ? err_sys(err, "cannot make %s", new) : 0;
}

/* Make a hidden folder with the state, and remember how recovery performs operations, which findings.json does not
 * have. *facts are those of the folder. */
static int folder_take(struct finding *finding, const struct held *held, size_t number, const char *dir,
		       struct folder **old, struct err *err)
{
	char from[PATH_MAX], to[PATH_MAX], name[32];

	snprintf(name, sizeof(name), "search-%zu", number);
	if (path_make(from, sizeof(from), err, "%s/crash/%s", held->dir, held->entry.finding->crash->folder) < 0 ||
	    folder_read(old, from, err) < 0)
		return -1;
	finding->crash->operation.performs = (*old)->operation.performs;
	finding->crash->operation.first = (*old)->operation.first;
	if (folder_new(to, dir, name, err) < 0 || file_link(from, to, FOLDER_STATE, err) < 0 ||
	    file_link(from, to, FOLDER_OPERATIONS, err) < 0)
		return -1;
	return 0;
}

int gathering_folders(const struct gathering *gathering, struct findings *findings, const char *dir, struct err *err)
{
	struct folder *facts = NULL;
	char name[32];
	int result = folders_clear(dir, err);

	for (size_t i = 0; result == 0 && i < findings->count; i++) {
		struct finding *finding = &findings->at[i];
		const struct held *held = held_find(gathering, finding->fingerprint);
		struct folder *old = NULL;

		if (!finding->crash || !finding->crash->folder)
			continue;
		result = folder_take(finding, held, i, dir, &old, err);
		snprintf(name, sizeof(name), ".search-%zu", i);
		finding->crash->folder = result == 0 ? findings_text(findings, name) : NULL;
		if (facts)
			folder_free(old);
		else
			facts = old;
	}
	if (result == 0 && facts)
		result = folders_finish(findings, dir, &facts->facts, err);
	folder_free(facts);
	return result;
}
