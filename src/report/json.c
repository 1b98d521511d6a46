/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json.c - findings.json, schema blackout/findings/1.
 *
 * The schema only grows.  These members are additions to the original schema:
 *
 *     suppressed                  an array like `findings`: findings that --suppress and --baseline silenced, each with
 *                                 `suppression` {by, reason}; absent if there are none
 *     notes                       sentences for the reader
 *     target.client, target.recovery_mode
 *     target.own, .fold, .no_fold options of the run
 *     crash_states.accepted
 *     funnel                      with --stats; a text with an exponent is approximate, all others are exact
 *     detectors                   all detectors; `detector` is the first of them
 *     also                        what others say about the same place
 *     example                     the first place in a PM file, and its event
 *     offset                      in a location or frame without source: the offset in the module
 *     inlined, own                in a frame: is it inlined, and is it the user's own code?
 *     input_bytes                 lines that show the bytes of `input`, with marks below those that matter
 *     search.pm_reached, .pm_known
 *     invariant.because[].role    what the code does there: load, guard, store
 *
 * `crash` has these additions: the crash point's `op` and `event`; `cause`; `states`; `folder` (its name in DIR/crash);
 * `seen_from` (how many places of the program call the library that is to blame); `nested`; the totals of the two
 * arrays of stores (which hold at most 64); how many stores at the start of `persisted` are relevant; which stores are
 * `guaranteed` and not merely on media; and recovery's `stdout` and `mode`.  In an output mismatch, recovery also has
 * `histories` (in which legal history each line of `expected` is printed; "": in all of them), the number of the `line`
 * in the output, the `query` (the operation that printed it), `recorded` (true: no crash is needed) and `endless` (true:
 * the output was cut).  A line that an output does not have is "(end of output)".  Unknown figures and texts are
 * absent. */
#include <inttypes.h>

#include "base/json_out.h"
#include "finding/crash_finding.h"
#include "report/formats.h"

static void json_frame_members(struct json_out *j, const struct finding_frame *frame)
{
	char offset[32];

	json_text(j, "file", frame->file);
	if (frame->line)
		json_number(j, "line", frame->line);
	json_text(j, "function", frame->function);
	json_text(j, "module", frame->module);
	json_text(j, "path", frame->path);
	if (!frame->line) {
		snprintf(offset, sizeof(offset), "0x%" PRIx64, frame->offset);
		json_text(j, "offset", offset);
	}
	if (frame->inlined)
		json_bool(j, "inlined", true);
	json_bool(j, "own", frame->own);
}

static void json_frame(struct json_out *j, const char *key, const struct finding_frame *frame)
{
	if (!frame)
		return;
	json_open(j, key, '{');
	json_frame_members(j, frame);
	json_close(j, '}');
}

/* The same, as an element of an array, with its role. */
static void json_frame_role(struct json_out *j, const struct finding_frame *frame, const char *role)
{
	if (!frame)
		return;
	json_open(j, NULL, '{');
	json_text(j, "role", role);
	json_frame_members(j, frame);
	json_close(j, '}');
}

static void json_stack(struct json_out *j, const struct finding_stack *stack)
{
	json_frame(j, "location", stack_location(stack));
	json_open(j, "stack", '[');
	for (size_t i = 0; i < stack->count; i++)
		json_frame(j, NULL, &stack->frames[i]);
	json_close(j, ']');
}

static void json_related(struct json_out *j, const struct finding *finding)
{
	json_open(j, "related", '[');
	for (size_t i = 0; i < finding->related_count; i++) {
		json_open(j, NULL, '{');
		json_text(j, "role", role_name(finding->related[i].role));
		json_stack(j, &finding->related[i].stack);
		json_close(j, '}');
	}
	json_close(j, ']');
}

/* The same under its own key; absent if there is no stack. */
static void json_place(struct json_out *j, const char *key, const struct finding_stack *stack)
{
	if (!stack->count)
		return;
	json_open(j, key, '{');
	json_stack(j, stack);
	json_close(j, '}');
}

static void json_variable(struct json_out *j, const struct variable *variable)
{
	if (!variable->text)
		return;
	json_open(j, "variable", '{');
	json_text(j, "name", variable->text);
	json_text(j, "type", variable->type);
	if (variable->type && variable->size)
		json_number(j, "offset", variable->offset);
	if (variable->size)
		json_number(j, "size", variable->size);
	json_close(j, '}');
}

static void json_stores(struct json_out *j, const char *key, const struct finding_store *stores, size_t count)
{
	json_open(j, key, '[');
	for (size_t i = 0; i < count; i++) {
		json_open(j, NULL, '{');
		json_text(j, "pool", stores[i].pool);
		json_number(j, "offset", stores[i].offset);
		json_number(j, "size", stores[i].size);
		json_text(j, "value", stores[i].value);
		json_number(j, "event", stores[i].event);
		if (stores[i].thread)
			json_number(j, "thread", stores[i].thread);
		if (stores[i].certain)
			json_bool(j, "guaranteed", true);
		json_variable(j, &stores[i].variable);
		json_stack(j, &stores[i].stack);
		json_place(j, "flush", &stores[i].flush);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void json_operation(struct json_out *j, const struct finding_operation *operation)
{
	if (!operation->known)
		return;
	json_open(j, "operation", '{');
	json_signed(j, "index", operation->index);
	json_text(j, "text", operation->text ? operation->text : "");
	json_text(j, "state", operation->inside ? "inside" : "between");
	json_close(j, '}');
}

static void json_mismatch(struct json_out *j, const struct finding_mismatch *mismatch)
{
	if (!mismatch->expected_count)
		return;
	json_open(j, "expected", '[');
	for (size_t i = 0; i < mismatch->expected_count; i++)
		json_text(j, NULL, mismatch->expected[i].line);
	json_close(j, ']');
	json_open(j, "histories", '[');
	for (size_t i = 0; i < mismatch->expected_count; i++)
		json_text(j, NULL, mismatch->expected[i].history ? mismatch->expected[i].history : "");
	json_close(j, ']');
	json_text(j, "got", mismatch->got);
	if (mismatch->line)
		json_number(j, "line", mismatch->line);
	json_text(j, "query", mismatch->query);
	if (mismatch->recorded)
		json_bool(j, "recorded", true);
	if (mismatch->endless)
		json_bool(j, "endless", true);
}

static void json_recovery(struct json_out *j, const struct finding_crash *crash)
{
	json_open(j, "recovery", '{');
	json_text(j, "outcome", ending_name(crash->recovery.ending.kind));
	if (crash->recovery.ending.kind == ENDING_EXIT || crash->recovery.ending.kind == ENDING_SIGNAL)
		json_number(j, "value", (uint64_t)crash->recovery.ending.value);
	json_mismatch(j, &crash->recovery.mismatch);
	json_text(j, "stdout", crash->recovery.out);
	json_text(j, "stderr", crash->recovery.err);
	json_stack(j, &crash->recovery.stack);
	json_text(j, "mode", crash->mode);
	json_close(j, '}');
}

static void json_crash(struct json_out *j, const struct finding_crash *crash)
{
	json_open(j, "crash", '{');
	json_open(j, "point", '{');
	json_stack(j, &crash->point);
	json_text(j, "op", crash->point_op);
	json_number(j, "event", crash->point_event);
	if (crash->point_thread)
		json_number(j, "thread", crash->point_thread);
	json_close(j, '}');
	json_operation(j, &crash->operation);
	json_text(j, "cause", cause_name(crash->cause));
	json_number(j, "states", crash->states);
	if (crash->in_library)
		json_number(j, "seen_from", crash->seen_from);
	if (crash->nested)
		json_bool(j, "nested", true);
	if (crash->unfinished)
		json_bool(j, "unfinished", true);
	json_text(j, "folder", crash->folder);
	json_stores(j, "persisted", crash->persisted, crash->persisted_count);
	json_number(j, "persisted_total", crash->persisted_total);
	json_number(j, "persisted_telling", crash->telling_count);
	json_stores(j, "lost", crash->lost, crash->lost_count);
	json_number(j, "lost_total", crash->lost_total);
	json_recovery(j, crash);
	json_close(j, '}');
}

static void json_invariant(struct json_out *j, const struct finding_invariant *invariant)
{
	json_open(j, "invariant", '{');
	json_text(j, "rule", invariant->rule);
	json_frame(j, "first", stack_location(&invariant->first));
	json_frame(j, "second", stack_location(&invariant->second));
	json_open(j, "because", '[');
	for (size_t i = 0; i < invariant->because_count; i++)
		json_frame_role(j, stack_location(&invariant->because[i].stack), role_name(invariant->because[i].role));
	json_close(j, ']');
	json_number(j, "seen", invariant->seen);
	json_close(j, '}');
}

static void json_also(struct json_out *j, const struct finding *finding)
{
	if (!finding->also_count)
		return;
	json_open(j, "also", '[');
	for (size_t i = 0; i < finding->also_count; i++) {
		json_open(j, NULL, '{');
		json_text(j, "kind", kind_get(finding->also[i].kind)->name);
		json_text(j, "detector", finding->also[i].detector);
		json_text(j, "message", finding->also[i].message);
		json_text(j, "fix", finding->also[i].fix);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void json_example(struct json_out *j, const struct finding *finding)
{
	if (!finding->pool || !finding->first.file)
		return;
	json_open(j, "example", '{');
	json_text(j, "pool", finding->pool);
	json_number(j, "offset", finding->first.offset);
	json_number(j, "size", finding->first.size);
	json_number(j, "event", finding->first.event);
	json_close(j, '}');
}

static void json_finding(struct json_out *j, const struct finding *finding)
{
	const struct kind *kind = kind_get(finding->kind);

	json_open(j, NULL, '{');
	json_text(j, "id", finding->id);
	json_text(j, "kind", kind->name);
	json_text(j, "class", kind_class(kind));
	json_text(j, "severity", severity_name(finding->severity));
	json_text(j, "detector", finding->detector);
	if (finding->detector_count)
		json_strings(j, "detectors", finding->detectors, finding->detector_count);
	json_strings(j, "platforms", finding->platforms, finding->platform_count);
	json_text(j, "message", finding->message);
	json_number(j, "count", finding->count);
	json_text(j, "fingerprint", finding->fingerprint);
	json_variable(j, &finding->variable);
	json_stack(j, &finding->stack);
	json_related(j, finding);
	json_example(j, finding);
	if (finding->crash)
		json_crash(j, finding->crash);
	if (finding->invariant)
		json_invariant(j, finding->invariant);
	json_text(j, "input", finding->input.path);
	if (finding->input.line_count)
		json_strings(j, "input_bytes", finding->input.lines, finding->input.line_count);
	json_text(j, "fix", finding->fix);
	json_also(j, finding);
	if (!finding_is_active(finding)) {
		json_open(j, "suppression", '{');
		json_text(j, "by", finding->state == FINDING_KNOWN ? "baseline" : "suppress");
		json_text(j, "reason", finding->reason);
		json_close(j, '}');
	}
	json_close(j, '}');
}

static void json_findings(struct json_out *j, const char *key, const struct findings *findings, bool active)
{
	json_open(j, key, '[');
	for (size_t i = 0; i < findings->count; i++)
		if (finding_is_active(&findings->at[i]) == active)
			json_finding(j, &findings->at[i]);
	json_close(j, ']');
}

static void json_target(struct json_out *j, const struct findings_target *target)
{
	json_open(j, "target", '{');
	json_strings(j, "command", target->command.at, target->command.count);
	json_strings(j, "pm", target->pm.at, target->pm.count);
	json_text(j, "recover", target->recover);
	json_text(j, "client", target->client);
	json_text(j, "recovery_mode", target->mode);
	json_strings(j, "platforms", target->platforms.at, target->platforms.count);
	if (target->own.count)
		json_strings(j, "own", target->own.at, target->own.count);
	if (target->fold.count)
		json_strings(j, "fold", target->fold.at, target->fold.count);
	if (target->no_fold.count)
		json_strings(j, "no_fold", target->no_fold.at, target->no_fold.count);
	json_close(j, '}');
}

static bool seconds_known(const struct findings_stats *stats)
{
#define X(name)                       \
	if (stats->seconds.name >= 0) \
		return true;
	FINDINGS_SECONDS(X)
#undef X
	return false;
}

static void json_figure(struct json_out *j, const char *key, struct findings_figure figure)
{
	if (figure.large)
		json_text(j, key, figure.large);
	else if (figure.known)
		json_number(j, key, figure.value);
}

static void json_segment(struct json_out *j, const struct findings_segment *segment)
{
	json_open(j, NULL, '{');
	json_number(j, "number", segment->number);
	json_number(j, "first", segment->first);
	json_number(j, "last", segment->last);
	json_figure(j, "feasible", segment->feasible);
	json_number(j, "stores", segment->stores);
	json_frame(j, "end", stack_location(&segment->end));
	json_open(j, "sites", '[');
	for (size_t i = 0; i < segment->site_count; i++) {
		json_open(j, NULL, '{');
		json_frame(j, "location", stack_location(&segment->sites[i].stack));
		json_number(j, "stores", segment->sites[i].stores);
		json_number(j, "unflushed", segment->sites[i].unflushed);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
}

static void json_segments(struct json_out *j, const struct findings *findings)
{
	const struct findings_stats *stats = &findings->stats;

	if (!stats->segments.total.known && !stats->segments.explored.known)
		return;
	json_open(j, "segments", '{');
#define X(name) json_figure(j, #name, stats->segments.name);
	FINDINGS_SEGMENTS(X)
#undef X
	if (findings->segments.count) {
		json_open(j, "largest", '[');
		for (size_t i = 0; i < findings->segments.count; i++)
			json_segment(j, &findings->segments.at[i]);
		json_close(j, ']');
	}
	json_close(j, '}');
}

struct named_figure {
	const char *name;
	struct findings_figure figure;
};

/* An object of the known figures; nothing if none is known. */
static void json_figures(struct json_out *j, const char *key, const struct named_figure *figures, size_t count)
{
	bool known = false;

	for (size_t i = 0; i < count; i++)
		known |= figures[i].figure.known;
	if (!known)
		return;
	json_open(j, key, '{');
	for (size_t i = 0; i < count; i++)
		json_figure(j, figures[i].name, figures[i].figure);
	json_close(j, '}');
}

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static void json_groups(struct json_out *j, const struct findings_stats *stats)
{
#define X(name) {#name, stats->crash_states.name},
	const struct named_figure states[] = {FINDINGS_STATES(X)};
#undef X
#define X(name) {#name, stats->funnel.name},
	const struct named_figure funnel[] = {FINDINGS_FUNNEL(X)};
#undef X
#define X(name) {#name, stats->nested.name},
	const struct named_figure nested[] = {FINDINGS_NESTED(X)};
#undef X
#define X(name) {#name, stats->checkpoints.name},
	const struct named_figure checkpoints[] = {FINDINGS_CHECKPOINTS(X)};
#undef X
#define X(name) {#name, stats->operations.name},
	const struct named_figure operations[] = {FINDINGS_OPERATIONS(X)};
#undef X
#define X(name) {#name, stats->invariants.name},
	const struct named_figure invariants[] = {FINDINGS_INVARIANTS(X)};
#undef X
#define X(name) {#name, stats->races.name},
	const struct named_figure races[] = {FINDINGS_RACES(X)};
#undef X
#define X(name) {#name, stats->search.name},
	const struct named_figure search[] = {FINDINGS_SEARCH(X)};
#undef X
#define X(name) {#name, stats->shard.name},
	const struct named_figure shard[] = {FINDINGS_SHARD(X)};
#undef X

	json_figures(j, "crash_states", states, COUNT(states));
	json_figures(j, "funnel", funnel, COUNT(funnel));
	json_figures(j, "nested", nested, COUNT(nested));
	json_figures(j, "checkpoints", checkpoints, COUNT(checkpoints));
	json_figures(j, "operations", operations, COUNT(operations));
	json_figures(j, "invariants", invariants, COUNT(invariants));
	json_figures(j, "races", races, COUNT(races));
	json_figures(j, "search", search, COUNT(search));
	json_figures(j, "shard", shard, COUNT(shard));
}

static void json_shards(struct json_out *j, const struct findings *findings)
{
	if (!findings->stats.shards.known)
		return;
	json_open(j, "shards", '{');
	json_number(j, "total", findings->stats.shards.value);
	json_open(j, "missing", '[');
	for (size_t i = 0; i < findings->missing.count; i++)
		json_number(j, NULL, findings->missing.at[i]);
	json_close(j, ']');
	json_close(j, '}');
}

static void json_stats(struct json_out *j, const struct findings *findings)
{
	const struct findings_stats *stats = &findings->stats;

	json_open(j, "stats", '{');
#define X(name)                \
	if (stats->name.known) \
		json_number(j, #name, stats->name.value);
	FINDINGS_STATS(X)
#undef X
#define X(name)                               \
	if (stats->failure_points.name.known) \
		json_number(j, #name, stats->failure_points.name.value);
	if (stats->failure_points.visited.known || stats->failure_points.unique.known) {
		json_open(j, "failure_points", '{');
		FINDINGS_POINTS(X)
		json_close(j, '}');
	}
#undef X
	json_segments(j, findings);
	json_groups(j, stats);
	json_shards(j, findings);
	if (findings->narrowed.count)
		json_strings(j, "narrowed", findings->narrowed.at, findings->narrowed.count);
	if (stats->complete.known)
		json_bool(j, "complete", stats->complete.value != 0);
	if (seconds_known(stats)) {
		json_open(j, "seconds", '{');
#define X(name)                       \
	if (stats->seconds.name >= 0) \
		json_seconds(j, #name, stats->seconds.name);
		FINDINGS_SECONDS(X)
#undef X
		json_close(j, '}');
	}
	json_close(j, '}');
}

void json_write(const struct findings *findings, FILE *out)
{
	struct json_out j = {.out = out};

	json_open(&j, NULL, '{');
	json_text(&j, "schema", SCHEMA);
	json_open(&j, "tool", '{');
	json_text(&j, "name", "blackout");
	json_text(&j, "version", findings->tool_version);
	json_close(&j, '}');
	json_target(&j, &findings->target);
	json_stats(&j, findings);
	json_findings(&j, "findings", findings, true);
	if (findings_silenced(findings))
		json_findings(&j, "suppressed", findings, false);
	if (findings->warnings.count)
		json_strings(&j, "warnings", findings->warnings.at, findings->warnings.count);
	if (findings->notes.count)
		json_strings(&j, "notes", findings->notes.at, findings->notes.count);
	json_close(&j, '}');
	json_end(&j);
}
