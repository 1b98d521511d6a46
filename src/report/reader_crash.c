/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reader_crash.c - read the crash state of a finding from findings.json. */
#include <limits.h>
#include <string.h>

#include "finding/crash_finding.h"
#include "report/reader_parts.h"

/* Store a required number in a field. */
static int number_into(struct reader *r, const json_t *object, const char *key, uint64_t limit, uint64_t *number)
{
	struct findings_figure figure = {0};

	if (take_number(r, object, key, true, limit, &figure) < 0)
		return -1;
	*number = figure.value;
	return 0;
}

/* Absent if there is only one thread. */
static int read_thread(struct reader *r, const json_t *object, uint32_t *thread)
{
	struct findings_figure figure = {0};

	if (take_number(r, object, "thread", false, UINT32_MAX, &figure) < 0)
		return -1;
	*thread = (uint32_t)figure.value;
	return 0;
}

static int read_store(struct reader *r, const json_t *object, struct finding_store *store)
{
	const json_t *flush = json_object_get(object, "flush");
	uint64_t size;

	if (!json_is_object(object) || (flush && !json_is_object(flush)))
		return reader_fail(r, "crash", "contains something that is not a store");
	if (take_text(r, object, "pool", false, &store->pool) < 0 ||
	    take_text(r, object, "value", false, &store->value) < 0 ||
	    number_into(r, object, "offset", INT64_MAX, &store->offset) < 0 ||
	    number_into(r, object, "size", UINT32_MAX, &size) < 0 ||
	    number_into(r, object, "event", INT64_MAX, &store->event) < 0 ||
	    read_thread(r, object, &store->thread) < 0 || read_variable(r, object, &store->variable) < 0 ||
	    read_stack(r, object, &store->stack) < 0)
		return -1;
	store->pool_name = findings_pool_name(r->findings, store->pool);
	store->size = (uint32_t)size;
	store->certain = json_is_true(json_object_get(object, "guaranteed"));
	return flush ? read_stack(r, flush, &store->flush) : 0;
}

static int read_stores(struct reader *r, const json_t *crash, const char *key, struct finding_store **stores,
		       size_t *count)
{
	const json_t *array;

	if (take_inner(r, crash, key, '[', &array) < 0)
		return -1;
	if (json_array_size(array) > CRASH_STORES_MAX)
		return reader_fail(r, key, "contains too many stores");
	*count = json_array_size(array);
	*stores = findings_block(r->findings, *count, sizeof(**stores));
	for (size_t i = 0; i < *count; i++)
		if (read_store(r, json_array_get(array, i), &(*stores)[i]) < 0)
			return -1;
	return 0;
}

/* Totals may be absent: then the arrays are complete. */
static int read_total(struct reader *r, const json_t *crash, const char *key, size_t count, uint64_t *total)
{
	struct findings_figure figure = {.value = count};

	if (take_number(r, crash, key, false, INT64_MAX, &figure) < 0)
		return -1;
	if (figure.value < count)
		return reader_fail(r, key, "is less than the number of stores");
	*total = figure.value;
	return 0;
}

/* Absent: all of them. */
static int read_telling(struct reader *r, const json_t *object, struct finding_crash *crash)
{
	struct findings_figure telling = {.value = crash->persisted_count};

	if (take_number(r, object, "persisted_telling", false, crash->persisted_count, &telling) < 0)
		return -1;
	crash->telling_count = (size_t)telling.value;
	return 0;
}

/* Both may be absent: another oracle rejected the output. */
static int read_expected(struct reader *r, const json_t *recovery, struct finding_mismatch *mismatch)
{
	const json_t *lines = json_object_get(recovery, "expected"),
		     *histories = json_object_get(recovery, "histories");
	size_t count = json_array_size(lines);
	struct finding_expected *expected;

	if (!lines)
		return 0;
	if (!json_is_array(lines) || !count || (histories && json_array_size(histories) != count))
		return reader_fail(r, "crash.recovery.expected", "is not what an output mismatch needs");
	expected = findings_block(r->findings, count, sizeof(*expected));
	mismatch->expected = expected;
	mismatch->expected_count = count;
	for (size_t i = 0; i < count; i++) {
		const json_t *line = json_array_get(lines, i), *history = json_array_get(histories, i);

		if (!json_is_string(line) || (history && !json_is_string(history)))
			return reader_fail(r, "crash.recovery.expected", "contains something that is not a string");
		if (strlen(json_string_value(line)) != json_string_length(line))
			return reader_fail(r, "crash.recovery.expected", "contains a zero byte");
		expected[i].line = findings_text(r->findings, json_string_value(line));
		if (history && json_string_length(history))
			expected[i].history = findings_text(r->findings, json_string_value(history));
	}
	return 0;
}

static int read_mismatch(struct reader *r, const json_t *recovery, struct finding_crash *crash)
{
	struct finding_mismatch *mismatch = &crash->recovery.mismatch;
	struct findings_figure line = {0};

	if (crash->recovery.ending.kind != ENDING_OUTPUT)
		return 0;
	if (read_expected(r, recovery, mismatch) < 0 ||
	    take_text(r, recovery, "got", mismatch->expected_count, &mismatch->got) < 0 ||
	    take_number(r, recovery, "line", false, INT64_MAX, &line) < 0 ||
	    take_text(r, recovery, "query", false, &mismatch->query) < 0)
		return -1;
	mismatch->line = line.value;
	mismatch->recorded = json_is_true(json_object_get(recovery, "recorded"));
	mismatch->endless = json_is_true(json_object_get(recovery, "endless"));
	return 0;
}

static int read_operation(struct reader *r, const json_t *object, struct finding_operation *operation)
{
	const json_t *from = json_object_get(object, "operation"), *index = json_object_get(from, "index");
	const char *state;

	if (!from)
		return 0;
	if (!json_is_object(from) || !json_is_integer(index) || json_integer_value(index) < -1)
		return reader_fail(r, "crash.operation", "has no valid index");
	if (take_text(r, from, "text", true, &operation->text) < 0 || take_text(r, from, "state", true, &state) < 0)
		return -1;
	operation->inside = !strcmp(state, "inside");
	operation->index = json_integer_value(index);
	operation->known = true;
	if ((!operation->inside && strcmp(state, "between") != 0) || (operation->inside && operation->index < 0))
		return reader_fail(r, "crash.operation.state", "is not known to this version");
	return 0;
}

static int read_recovery(struct reader *r, const json_t *object, struct finding_crash *crash)
{
	struct findings_figure value = {0};
	const json_t *recovery;
	const char *outcome;

	if (take_inner(r, object, "recovery", '{', &recovery) < 0 ||
	    take_text(r, recovery, "outcome", true, &outcome) < 0 ||
	    take_number(r, recovery, "value", false, INT_MAX, &value) < 0 ||
	    take_text(r, recovery, "stdout", false, &crash->recovery.out) < 0 ||
	    take_text(r, recovery, "stderr", false, &crash->recovery.err) < 0 ||
	    take_text(r, recovery, "mode", false, &crash->mode) < 0 ||
	    read_stack(r, recovery, &crash->recovery.stack) < 0)
		return -1;
	if (!ending_find(outcome, &crash->recovery.ending.kind))
		return reader_fail(r, "crash.recovery.outcome", "is not known to this version");
	crash->recovery.ending.value = (int)value.value;
	crash->recovery.out = crash->recovery.out ? crash->recovery.out : "";
	crash->recovery.err = crash->recovery.err ? crash->recovery.err : "";
	return read_mismatch(r, recovery, crash);
}

static int read_point(struct reader *r, const json_t *object, struct finding_crash *crash)
{
	struct findings_figure event = {0};
	const json_t *point;

	if (take_inner(r, object, "point", '{', &point) < 0 || read_stack(r, point, &crash->point) < 0 ||
	    take_text(r, point, "op", false, &crash->point_op) < 0 ||
	    take_number(r, point, "event", false, INT64_MAX, &event) < 0 ||
	    read_thread(r, point, &crash->point_thread) < 0)
		return -1;
	crash->point_event = event.value;
	return 0;
}

static int read_names(struct reader *r, const json_t *object, struct finding_crash *crash)
{
	struct findings_figure seen_from = {0};
	const char *cause;

	if (take_text(r, object, "cause", true, &cause) < 0 ||
	    take_text(r, object, "folder", false, &crash->folder) < 0 ||
	    number_into(r, object, "states", INT64_MAX, &crash->states) < 0 ||
	    take_number(r, object, "seen_from", false, UINT32_MAX, &seen_from) < 0)
		return -1;
	if (!cause_find(cause, &crash->cause))
		return reader_fail(r, "crash.cause", "is not known to this version");
	crash->in_library = seen_from.value != 0;
	crash->seen_from = seen_from.value;
	crash->nested = json_is_true(json_object_get(object, "nested"));
	crash->unfinished = json_is_true(json_object_get(object, "unfinished"));
	return 0;
}

int read_crash(struct reader *r, const json_t *object, struct finding *finding)
{
	struct finding_crash *crash = findings_block(r->findings, 1, sizeof(*crash));
	const json_t *from;

	if (take_inner(r, object, "crash", '{', &from) < 0 || read_names(r, from, crash) < 0 ||
	    read_point(r, from, crash) < 0 || read_operation(r, from, &crash->operation) < 0 ||
	    read_stores(r, from, "persisted", &crash->persisted, &crash->persisted_count) < 0 ||
	    read_stores(r, from, "lost", &crash->lost, &crash->lost_count) < 0 ||
	    read_total(r, from, "persisted_total", crash->persisted_count, &crash->persisted_total) < 0 ||
	    read_total(r, from, "lost_total", crash->lost_count, &crash->lost_total) < 0 ||
	    read_telling(r, from, crash) < 0 || read_recovery(r, from, crash) < 0)
		return -1;
	finding->crash = crash;
	return 0;
}
