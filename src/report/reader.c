/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reader.c - see reader.h. jansson parses the file; this code checks it and uses it.
 *
 * Unknown members are skipped, because the schema may grow.  Required members must exist and have the right type.
 * `where` names the part of the file that is being read, for error messages. */
#include "report/reader.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "finding/own.h"
#include "report/formats.h"
#include "report/reader_parts.h"

#define STACK_MAX 4096
#define READER_BYTES_MAX (512u << 20)

int reader_fail(struct reader *r, const char *key, const char *problem)
{
	err_set(r->err, "%s is not a findings.json of this version: %s%s%s %s", r->name, r->where, *r->where ? "." : "",
		key, problem);
	return -1;
}

/* ---- members ---- */

int take_text(struct reader *r, const json_t *object, const char *key, bool needed, const char **text)
{
	const json_t *value = json_object_get(object, key);

	*text = NULL;
	if (!value)
		return needed ? reader_fail(r, key, "is missing") : 0;
	if (!json_is_string(value) || strlen(json_string_value(value)) != json_string_length(value))
		return reader_fail(r, key, "is not a string");
	*text = findings_text(r->findings, json_string_value(value));
	return 0;
}

int take_number(struct reader *r, const json_t *object, const char *key, bool needed, uint64_t limit,
		struct findings_figure *figure)
{
	const json_t *value = json_object_get(object, key);

	if (!value)
		return needed ? reader_fail(r, key, "is missing") : 0;
	if (!json_is_integer(value) || json_integer_value(value) < 0 || (uint64_t)json_integer_value(value) > limit)
		return reader_fail(r, key, "is not a number or is out of range");
	figure->value = (uint64_t)json_integer_value(value);
	figure->known = true;
	return 0;
}

int take_inner(struct reader *r, const json_t *object, const char *key, char bracket, const json_t **inner)
{
	*inner = json_object_get(object, key);
	if (!*inner)
		return reader_fail(r, key, "is missing");
	if (bracket == '{' ? !json_is_object(*inner) : !json_is_array(*inner))
		return reader_fail(r, key, bracket == '{' ? "is not an object" : "is not an array");
	return 0;
}

struct texts {
	VEC_OF(const char *) list;
};

static int take_texts(struct reader *r, const json_t *object, const char *key, struct texts *texts)
{
	const json_t *array;

	if (take_inner(r, object, key, '[', &array) < 0)
		return -1;
	for (size_t i = 0; i < json_array_size(array); i++) {
		const json_t *value = json_array_get(array, i);

		if (!json_is_string(value) || strlen(json_string_value(value)) != json_string_length(value))
			return reader_fail(r, key, "contains something that is not a string");
		vec_push(&texts->list, findings_text(r->findings, json_string_value(value)));
	}
	return 0;
}

/* ---- stacks ---- */

int read_frame(struct reader *r, const json_t *object, struct finding_frame *frame)
{
	const json_t *own = json_object_get(object, "own");
	struct findings_figure line = {0};
	const char *offset;

	if (!json_is_object(object))
		return reader_fail(r, "stack", "contains something that is not a frame");
	if (take_text(r, object, "file", false, &frame->file) < 0 ||
	    take_number(r, object, "line", false, UINT32_MAX, &line) < 0 ||
	    take_text(r, object, "function", false, &frame->function) < 0 ||
	    take_text(r, object, "module", false, &frame->module) < 0 ||
	    take_text(r, object, "path", false, &frame->path) < 0 || take_text(r, object, "offset", false, &offset) < 0)
		return -1;
	frame->line = (uint32_t)line.value;
	frame->offset = offset ? strtoull(offset, NULL, 0) : 0;
	frame->inlined = json_is_true(json_object_get(object, "inlined"));
	/* Earlier versions did not write it. */
	frame->own = own ? json_is_true(own) : own_frame(frame, NULL, NULL);
	return 0;
}

static bool frame_equal(const struct finding_frame *a, const struct finding_frame *b)
{
	return a->line == b->line && a->offset == b->offset && text_equal(a->file, b->file) &&
	       text_equal(a->path, b->path) && text_equal(a->function, b->function) && text_equal(a->module, b->module);
}

int read_stack(struct reader *r, const json_t *object, struct finding_stack *stack)
{
	const json_t *array, *location = json_object_get(object, "location");
	struct finding_frame here = {0};

	if (take_inner(r, object, "stack", '[', &array) < 0)
		return -1;
	if (json_array_size(array) > STACK_MAX)
		return reader_fail(r, "stack", "is too deep");
	if (location && read_frame(r, location, &here) < 0)
		return -1;
	size_t count = json_array_size(array);
	stack->frames = findings_block(r->findings, count + 1, sizeof(*stack->frames));
	for (size_t i = 0; i < count; i++)
		if (read_frame(r, json_array_get(array, i), &stack->frames[i]) < 0)
			return -1;
	stack->count = count;
	if (!location)
		return 0;
	while (stack->location < count && !frame_equal(&stack->frames[stack->location], &here))
		stack->location++;
	if (stack->location == count)
		stack->frames[stack->count++] = here;
	return 0;
}

static int read_related(struct reader *r, const json_t *object, struct finding *finding)
{
	const json_t *array;

	if (take_inner(r, object, "related", '[', &array) < 0)
		return -1;
	finding->related_count = json_array_size(array);
	finding->related = findings_block(r->findings, finding->related_count, sizeof(*finding->related));
	for (size_t i = 0; i < finding->related_count; i++) {
		const json_t *related = json_array_get(array, i);
		const char *role;

		if (!json_is_object(related))
			return reader_fail(r, "related", "contains something that is not an object");
		if (take_text(r, related, "role", true, &role) < 0)
			return -1;
		if (!role_find(role, &finding->related[i].role))
			return reader_fail(r, "related", "has an unknown role");
		if (read_stack(r, related, &finding->related[i].stack) < 0)
			return -1;
	}
	return 0;
}

/* ---- findings ---- */

/* A kind that this version does not know, such as a plug-in's, is shown as it is. */
static int read_kind(struct reader *r, const json_t *object, const char *name, enum severity severity,
		     enum finding_kind *kind)
{
	struct kind unknown = {
		.name = name,
		.class = CLASS_CRASH,
		.severity = severity,
		.line = "a kind of finding that this version does not know",
		.class_text = "unknown",
	};

	*kind = kind_find(name, strlen(name));
	if (*kind != KIND_NONE)
		return 0;
	if (!kind_name_is_valid(name))
		return reader_fail(r, "kind", "is not a name");
	if (json_is_string(json_object_get(object, "class")))
		unknown.class_text = json_string_value(json_object_get(object, "class"));
	*kind = kind_register(&unknown);
	return 0;
}

static int read_names(struct reader *r, const json_t *object, struct finding *finding)
{
	const char *id, *kind, *severity, *fingerprint;

	if (take_text(r, object, "id", true, &id) < 0 || take_text(r, object, "kind", true, &kind) < 0 ||
	    take_text(r, object, "severity", true, &severity) < 0 ||
	    take_text(r, object, "fingerprint", true, &fingerprint) < 0)
		return -1;
	if (!severity_find(severity, &finding->severity))
		return reader_fail(r, "severity", "is not known to this version");
	if (read_kind(r, object, kind, finding->severity, &finding->kind) < 0)
		return -1;
	if (strlen(fingerprint) != FINGERPRINT_CHARS)
		return reader_fail(r, "fingerprint", "has the wrong length");
	if (strlen(id) >= sizeof(finding->id))
		return reader_fail(r, "id", "is too long");
	strcpy(finding->id, id);
	strcpy(finding->fingerprint, fingerprint);
	return 0;
}

static int read_platforms(struct reader *r, const json_t *object, struct finding *finding)
{
	struct texts platforms = {0};
	int result = take_texts(r, object, "platforms", &platforms);

	for (size_t i = 0; result == 0 && i < platforms.list.count; i++)
		finding_add_platform(r->findings, finding, platforms.list.at[i]);
	vec_free(&platforms.list);
	return result;
}

/* An addition to the schema: may be absent. */
static int read_detectors(struct reader *r, const json_t *object, struct finding *finding)
{
	struct texts detectors = {0};
	int result = json_object_get(object, "detectors") ? take_texts(r, object, "detectors", &detectors) : 0;

	for (size_t i = 0; result == 0 && i < detectors.list.count; i++)
		finding_add_detector(r->findings, finding, detectors.list.at[i]);
	vec_free(&detectors.list);
	return result;
}

static int read_also(struct reader *r, const json_t *object, struct finding *finding)
{
	const json_t *array = json_object_get(object, "also");
	const char *kind;

	if (!array)
		return 0;
	if (!json_is_array(array))
		return reader_fail(r, "also", "is not an array");
	finding->also = findings_block(r->findings, json_array_size(array), sizeof(*finding->also));
	for (size_t i = 0; i < json_array_size(array); i++) {
		const json_t *each = json_array_get(array, i);
		struct finding_also *also = &finding->also[i];

		if (!json_is_object(each))
			return reader_fail(r, "also", "contains something that is not an object");
		if (take_text(r, each, "kind", true, &kind) < 0 ||
		    take_text(r, each, "detector", true, &also->detector) < 0 ||
		    take_text(r, each, "message", true, &also->message) < 0 ||
		    take_text(r, each, "fix", false, &also->fix) < 0)
			return -1;
		if (read_kind(r, each, kind, SEVERITY_WARNING, &also->kind) < 0)
			return -1;
		finding->also_count++;
	}
	return 0;
}

/* An addition to the schema: may be absent. */
static int read_input(struct reader *r, const json_t *object, struct finding_input *input)
{
	struct texts lines = {0};
	const char **copy;

	if (take_text(r, object, "input", false, &input->path) < 0)
		return -1;
	if (!json_object_get(object, "input_bytes"))
		return 0;
	if (take_texts(r, object, "input_bytes", &lines) < 0) {
		vec_free(&lines.list);
		return -1;
	}
	copy = findings_block(r->findings, lines.list.count, sizeof(*copy));
	for (size_t i = 0; i < lines.list.count; i++)
		copy[i] = lines.list.at[i];
	input->lines = copy;
	input->line_count = lines.list.count;
	vec_free(&lines.list);
	return 0;
}

/* An addition to the schema: may be absent. */
static int read_example(struct reader *r, const json_t *object, struct finding *finding)
{
	const json_t *example = json_object_get(object, "example");
	struct findings_figure offset = {0}, size = {0}, event = {0};
	uint32_t file = 0;

	if (!example)
		return 0;
	if (!json_is_object(example))
		return reader_fail(r, "example", "is not an object");
	if (take_text(r, example, "pool", true, &finding->pool) < 0 ||
	    take_number(r, example, "offset", true, INT64_MAX, &offset) < 0 ||
	    take_number(r, example, "size", true, UINT32_MAX, &size) < 0 ||
	    take_number(r, example, "event", true, INT64_MAX, &event) < 0)
		return -1;
	while (file < r->findings->target.pm.count && strcmp(r->findings->target.pm.at[file], finding->pool))
		file++;
	if (file < r->findings->target.pm.count) /* files are counted from 1 */
		finding->first = (struct sighting_example){file + 1, (uint32_t)size.value, offset.value, event.value};
	return 0;
}

static int read_suppression(struct reader *r, const json_t *object, struct finding *finding)
{
	const json_t *suppression;
	const char *by;

	if (take_inner(r, object, "suppression", '{', &suppression) < 0 ||
	    take_text(r, suppression, "by", true, &by) < 0 ||
	    take_text(r, suppression, "reason", true, &finding->reason) < 0)
		return -1;
	finding->state = strcmp(by, "baseline") ? FINDING_SUPPRESSED : FINDING_KNOWN;
	return 0;
}

static int read_finding(struct reader *r, const json_t *object, struct finding *finding, bool active)
{
	struct findings_figure count = {0};

	if (!json_is_object(object))
		return reader_fail(r, "", "is not an object");
	if (read_names(r, object, finding) < 0 || read_platforms(r, object, finding) < 0 ||
	    take_text(r, object, "detector", true, &finding->detector) < 0 ||
	    take_text(r, object, "message", true, &finding->message) < 0 ||
	    take_text(r, object, "fix", false, &finding->fix) < 0 ||
	    take_number(r, object, "count", true, INT64_MAX, &count) < 0 ||
	    read_stack(r, object, &finding->stack) < 0 || read_related(r, object, finding) < 0 ||
	    read_detectors(r, object, finding) < 0 || read_also(r, object, finding) < 0 ||
	    read_variable(r, object, &finding->variable) < 0 || read_example(r, object, finding) < 0 ||
	    read_input(r, object, &finding->input) < 0)
		return -1;
	finding->count = count.value;
	if (json_object_get(object, "crash") && read_crash(r, object, finding) < 0)
		return -1;
	if (json_object_get(object, "invariant") && read_invariant(r, object, finding) < 0)
		return -1;
	return active ? 0 : read_suppression(r, object, finding);
}

static int read_array(struct reader *r, const json_t *array, const char *key, bool active)
{
	struct findings *findings = r->findings;

	for (size_t i = 0; i < json_array_size(array); i++) {
		snprintf(r->where, sizeof(r->where), "%s[%zu]", key, i);
		if (read_finding(r, json_array_get(array, i), &findings->at[findings->count], active) < 0)
			return -1;
		findings->count++;
	}
	r->where[0] = 0;
	return 0;
}

static int read_findings(struct reader *r, const json_t *root)
{
	const json_t *active, *silenced = json_object_get(root, "suppressed");

	if (take_inner(r, root, "findings", '[', &active) < 0)
		return -1;
	if (silenced && !json_is_array(silenced))
		return reader_fail(r, "suppressed", "is not an array");
	size_t count = json_array_size(active) + (silenced ? json_array_size(silenced) : 0);
	r->findings->at = mem_alloc((count + 1) * sizeof(*r->findings->at));
	if (read_array(r, active, "findings", true) < 0)
		return -1;
	return silenced ? read_array(r, silenced, "suppressed", false) : 0;
}

/* ---- the rest ---- */

static int read_seconds(struct reader *r, const json_t *stats)
{
	const json_t *seconds = json_object_get(stats, "seconds");

	if (!seconds)
		return 0;
#define X(name)                                                                                                      \
	{                                                                                                            \
		const json_t *value = json_object_get(seconds, #name);                                               \
		if (value &&                                                                                         \
		    (!json_is_number(value) || !(json_number_value(value) >= 0 && json_number_value(value) < 1e12))) \
			return reader_fail(r, "stats.seconds", "contains something that is not a time");             \
		if (value)                                                                                           \
			r->findings->stats.seconds.name = json_number_value(value);                                  \
	}
	FINDINGS_SECONDS(X)
#undef X
	return 0;
}

/* A number, or the digits of one that is too large. */
static int take_figure(struct reader *r, const json_t *object, const char *key, struct findings_figure *figure)
{
	const json_t *value = json_object_get(object, key);
	const char *digits = json_string_value(value);

	if (!digits)
		return take_number(r, object, key, false, INT64_MAX, figure);
	if (!*digits || digits[strspn(digits, "0123456789.e")] || strlen(digits) != json_string_length(value))
		return reader_fail(r, key, "is not a number or is out of range");
	*figure = (struct findings_figure){.value = UINT64_MAX, .known = true};
	figure->large = findings_text(r->findings, digits);
	return 0;
}

/* A group of figures under its own key, which may be absent. */
static int read_figures(struct reader *r, const json_t *stats)
{
	const json_t *points = json_object_get(stats, "failure_points"),
		     *states = json_object_get(stats, "crash_states"), *segments = json_object_get(stats, "segments"),
		     *funnel = json_object_get(stats, "funnel"), *nested = json_object_get(stats, "nested"),
		     *checkpoints = json_object_get(stats, "checkpoints"),
		     *operations = json_object_get(stats, "operations"),
		     *invariants = json_object_get(stats, "invariants"), *races = json_object_get(stats, "races"),
		     *search = json_object_get(stats, "search"), *shard = json_object_get(stats, "shard");

	if ((points && !json_is_object(points)) || (states && !json_is_object(states)) ||
	    (segments && !json_is_object(segments)) || (funnel && !json_is_object(funnel)) ||
	    (nested && !json_is_object(nested)) || (checkpoints && !json_is_object(checkpoints)) ||
	    (operations && !json_is_object(operations)) || (invariants && !json_is_object(invariants)) ||
	    (races && !json_is_object(races)) || (search && !json_is_object(search)) ||
	    (shard && !json_is_object(shard)))
		return reader_fail(r, "stats", "contains figures that are not an object");
#define X(name)                                                                                 \
	if (segments && take_figure(r, segments, #name, &r->findings->stats.segments.name) < 0) \
		return -1;
	FINDINGS_SEGMENTS(X)
#undef X
#define X(name)                                                                                                     \
	if (points && take_number(r, points, #name, false, INT64_MAX, &r->findings->stats.failure_points.name) < 0) \
		return -1;
	FINDINGS_POINTS(X)
#undef X
#define X(name)                                                                                 \
	if (states && take_figure(r, states, #name, &r->findings->stats.crash_states.name) < 0) \
		return -1;
	FINDINGS_STATES(X)
#undef X
#define X(name)                                                                           \
	if (funnel && take_figure(r, funnel, #name, &r->findings->stats.funnel.name) < 0) \
		return -1;
	FINDINGS_FUNNEL(X)
#undef X
#define X(name)                                                                           \
	if (nested && take_figure(r, nested, #name, &r->findings->stats.nested.name) < 0) \
		return -1;
	FINDINGS_NESTED(X)
#undef X
#define X(name)                                                                                          \
	if (checkpoints && take_figure(r, checkpoints, #name, &r->findings->stats.checkpoints.name) < 0) \
		return -1;
	FINDINGS_CHECKPOINTS(X)
#undef X
#define X(name)                                                                                       \
	if (operations && take_figure(r, operations, #name, &r->findings->stats.operations.name) < 0) \
		return -1;
	FINDINGS_OPERATIONS(X)
#undef X
#define X(name)                                                                                       \
	if (invariants && take_figure(r, invariants, #name, &r->findings->stats.invariants.name) < 0) \
		return -1;
	FINDINGS_INVARIANTS(X)
#undef X
#define X(name)                                                                        \
	if (races && take_figure(r, races, #name, &r->findings->stats.races.name) < 0) \
		return -1;
	FINDINGS_RACES(X)
#undef X
#define X(name)                                                                           \
	if (search && take_figure(r, search, #name, &r->findings->stats.search.name) < 0) \
		return -1;
	FINDINGS_SEARCH(X)
#undef X
#define X(name)                                                                                           \
	if (shard && take_number(r, shard, #name, false, UINT32_MAX, &r->findings->stats.shard.name) < 0) \
		return -1;
	FINDINGS_SHARD(X)
#undef X
	return 0;
}

static int read_shards(struct reader *r, const json_t *stats)
{
	const json_t *shards = json_object_get(stats, "shards"), *missing;

	if (!shards)
		return 0;
	if (!json_is_object(shards))
		return reader_fail(r, "stats.shards", "is not an object");
	if (take_number(r, shards, "total", true, UINT32_MAX, &r->findings->stats.shards) < 0 ||
	    take_inner(r, shards, "missing", '[', &missing) < 0)
		return -1;
	for (size_t i = 0; i < json_array_size(missing); i++) {
		const json_t *index = json_array_get(missing, i);

		if (!json_is_integer(index) || json_integer_value(index) < 1)
			return reader_fail(r, "stats.shards.missing", "has something that is not the number of a part");
		vec_push(&r->findings->missing, (uint64_t)json_integer_value(index));
	}
	return 0;
}

static int read_stats(struct reader *r, const json_t *root)
{
	const json_t *stats, *complete;

	if (take_inner(r, root, "stats", '{', &stats) < 0)
		return -1;
#define X(name)                                                                           \
	if (take_number(r, stats, #name, false, INT64_MAX, &r->findings->stats.name) < 0) \
		return -1;
	FINDINGS_STATS(X)
#undef X
	if (read_figures(r, stats) < 0 || read_shards(r, stats) < 0)
		return -1;
	complete = json_object_get(stats, "complete");
	if (complete && !json_is_boolean(complete))
		return reader_fail(r, "stats.complete", "is neither true nor false");
	if (complete)
		r->findings->stats.complete = figure_known(json_is_true(complete));
	return read_seconds(r, stats);
}

/* take_texts into one of the vectors of a collection; each vector has its own type. */
#define TAKE_VEC(r, object, key, vec, result)                  \
	do {                                                   \
		struct texts taken = {0};                      \
		(result) = take_texts(r, object, key, &taken); \
		for (size_t n = 0; n < taken.list.count; n++)  \
			vec_push(vec, taken.list.at[n]);       \
		vec_free(&taken.list);                         \
	} while (0)

static int read_target(struct reader *r, const json_t *root)
{
	struct findings_target *target = &r->findings->target;
	const json_t *object;
	int result;

	if (take_inner(r, root, "target", '{', &object) < 0)
		return -1;
	TAKE_VEC(r, object, "command", &target->command, result);
	if (result < 0)
		return -1;
	TAKE_VEC(r, object, "pm", &target->pm, result);
	if (result < 0)
		return -1;
	TAKE_VEC(r, object, "platforms", &target->platforms, result);
	if (result < 0)
		return -1;
	if (json_object_get(object, "own"))
		TAKE_VEC(r, object, "own", &target->own, result);
	if (result == 0 && json_object_get(object, "fold"))
		TAKE_VEC(r, object, "fold", &target->fold, result);
	if (result == 0 && json_object_get(object, "no_fold"))
		TAKE_VEC(r, object, "no_fold", &target->no_fold, result);
	if (result < 0)
		return -1;
	if (take_text(r, object, "client", false, &target->client) < 0 ||
	    take_text(r, object, "recovery_mode", false, &target->mode) < 0)
		return -1;
	return take_text(r, object, "recover", false, &target->recover);
}

static int read_schema(struct reader *r, const json_t *root)
{
	const char *schema;

	if (!json_is_object(root) || take_text(r, root, "schema", false, &schema) < 0 || !schema)
		return err_set(r->err, "%s is not a findings.json: it has no schema", r->name);
	if (!strcmp(schema, SCHEMA))
		return 0;
	err_set(r->err, "%s has the schema '%.60s', but this version of Blackout reads only '%s'", r->name, schema,
		SCHEMA);
	return err_hint(r->err, "create it again with this version");
}

static int read_root(struct reader *r, const json_t *root)
{
	const json_t *tool, *stats = json_object_get(root, "stats");
	int result = 0;

	if (read_schema(r, root) < 0 || take_inner(r, root, "tool", '{', &tool) < 0 ||
	    take_text(r, tool, "version", true, &r->findings->tool_version) < 0 || read_target(r, root) < 0 ||
	    read_stats(r, root) < 0 || read_findings(r, root) < 0)
		return -1;
	if (json_object_get(root, "warnings"))
		TAKE_VEC(r, root, "warnings", &r->findings->warnings, result);
	if (result == 0 && json_object_get(root, "notes"))
		TAKE_VEC(r, root, "notes", &r->findings->notes, result);
	if (result == 0 && json_object_get(stats, "narrowed"))
		TAKE_VEC(r, stats, "narrowed", &r->findings->narrowed, result);
	return result;
}

int findings_parse(struct findings **findings, const char *name, const char *text, size_t size, struct err *err)
{
	json_error_t error;
	json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);

	if (!root)
		return err_set(err, "%s is not JSON: line %d, column %d: %s", name, error.line, error.column,
			       error.text);
	struct reader r = {.findings = findings_new(), .name = name, .err = err};
	int result = read_root(&r, root);
	json_decref(root);
	if (result < 0)
		findings_free(r.findings);
	else
		*findings = r.findings;
	return result;
}

int findings_read(struct findings **findings, const char *path, struct err *err)
{
	struct stat st;
	FILE *in = fopen(path, "re");

	if (!in || fstat(fileno(in), &st) < 0 || S_ISDIR(st.st_mode)) {
		errno = in ? EISDIR : errno;
		if (in)
			fclose(in);
		return err_sys(err, "cannot read %s", path);
	}
	char *text = NULL;
	size_t size = 0, room = 0, n;
	do {
		room = room ? room * 2 : 1u << 16;
		text = mem_resize(text, room, 1);
		n = fread(text + size, 1, room - size, in);
		size += n;
	} while (size == room && room < READER_BYTES_MAX);
	int result = ferror(in) || size == room ? err_sys(err, "cannot read %s", path)
						: findings_parse(findings, path, text, size, err);
	fclose(in);
	free(text);
	return result;
}
