/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sarif.c - findings.sarif, SARIF 2.1.0 (OASIS standard), for code scanning services.
 *
 *   kind            reportingDescriptor (rule), with its document as help
 *   severity        level: error -> error, performance and warning -> warning; the word itself is in properties
 *   location        physicalLocation if there is a source line, and always a logicalLocation (function, module)
 *   stack           stacks[0];  related places: relatedLocations
 *   crash           codeFlows[0]: lost and kept stores, where the power failed, where recovery failed
 *   fingerprint     partialFingerprints["blackout/v1"]
 *   silenced        suppressions[] of kind external;  known from the baseline: baselineState unchanged
 *   PM files        properties.pm of the run
 *
 * Paths are absolute file: URIs if debug info gives absolute paths; other paths are written as they are. */
#include <string.h>

#include "base/json_out.h"
#include "finding/crash_finding.h"
#include "report/assets.h"
#include "report/escape.h"
#include "report/formats.h"

#define STEPS_MAX 8
#define SARIF_SCHEMA "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

static void sarif_message(struct json_out *j, const char *key, const char *text)
{
	json_open(j, key, '{');
	json_text(j, "text", text);
	json_close(j, '}');
}

/* ---- rules ---- */

static const char *sarif_level(enum severity severity)
{
	return severity == SEVERITY_ERROR ? "error" : "warning";
}

/* "missing-flush" as "MissingFlush". */
static void camel_name(char *name, size_t size, const char *kind)
{
	bool upper = true;
	size_t used = 0;

	for (; *kind && used + 1 < size; kind++) {
		if (*kind != '-')
			name[used++] = (char)(upper && *kind >= 'a' && *kind <= 'z' ? *kind - 'a' + 'A' : *kind);
		upper = *kind == '-';
	}
	name[used] = 0;
}

static void sarif_rule(struct json_out *j, enum finding_kind id)
{
	const struct kind *kind = kind_get(id);
	char name[64];

	camel_name(name, sizeof(name), kind->name);
	json_open(j, NULL, '{');
	json_text(j, "id", kind->name);
	json_text(j, "name", name);
	sarif_message(j, "shortDescription", kind->line);
	json_open(j, "help", '{');
	json_text(j, "text", asset_help(id));
	json_text(j, "markdown", asset_help(id));
	json_close(j, '}');
	json_open(j, "defaultConfiguration", '{');
	json_text(j, "level", sarif_level(kind->severity));
	json_close(j, '}');
	json_open(j, "properties", '{');
	json_open(j, "tags", '[');
	json_text(j, NULL, "persistent-memory");
	json_text(j, NULL, kind_class(kind));
	json_close(j, ']');
	json_close(j, '}');
	json_close(j, '}');
}

static void sarif_tool(struct json_out *j, const struct findings *findings)
{
	json_open(j, "tool", '{');
	json_open(j, "driver", '{');
	json_text(j, "name", "Blackout");
	json_text(j, "version", findings->tool_version);
	json_open(j, "rules", '[');
	for (unsigned kind = 0; kind < kind_count(); kind++)
		sarif_rule(j, (enum finding_kind)kind);
	json_close(j, ']');
	json_close(j, '}');
	json_close(j, '}');
}

/* ---- places ---- */

static void sarif_physical(struct json_out *j, const struct finding_frame *frame)
{
	const char *path = frame->path ? frame->path : frame->file;
	char uri[8192] = "";

	if (!path || !frame->line)
		return;
	if (*path == '/')
		strcpy(uri, "file://");
	escape_uri(uri + strlen(uri), sizeof(uri) - strlen(uri), path);
	json_open(j, "physicalLocation", '{');
	json_open(j, "artifactLocation", '{');
	json_text(j, "uri", uri);
	json_close(j, '}');
	json_open(j, "region", '{');
	json_number(j, "startLine", frame->line);
	json_close(j, '}');
	json_close(j, '}');
}

static void sarif_logical(struct json_out *j, const struct finding_frame *frame)
{
	json_open(j, "logicalLocations", '[');
	if (frame->function) {
		json_open(j, NULL, '{');
		json_text(j, "name", frame->function);
		json_text(j, "kind", "function");
		json_close(j, '}');
	}
	if (frame->module) {
		json_open(j, NULL, '{');
		json_text(j, "name", frame->module);
		json_text(j, "kind", "module");
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void sarif_place(struct json_out *j, const struct finding_frame *frame)
{
	sarif_physical(j, frame);
	sarif_logical(j, frame);
}

static void sarif_frame(struct json_out *j, const struct finding_frame *frame)
{
	char place[1200];

	frame_text(frame, place, sizeof(place));
	json_open(j, NULL, '{');
	json_open(j, "location", '{');
	sarif_place(j, frame);
	sarif_message(j, "message", place);
	json_close(j, '}');
	json_text(j, "module", frame->module);
	json_close(j, '}');
}

static void sarif_stack(struct json_out *j, const struct finding_stack *stack)
{
	if (!stack->count)
		return;
	json_open(j, "stacks", '[');
	json_open(j, NULL, '{');
	json_open(j, "frames", '[');
	for (size_t i = 0; i < stack->count; i++)
		sarif_frame(j, &stack->frames[i]);
	json_close(j, ']');
	json_close(j, '}');
	json_close(j, ']');
}

static void sarif_related(struct json_out *j, const struct finding *finding)
{
	json_open(j, "relatedLocations", '[');
	for (size_t i = 0; i < finding->related_count; i++) {
		const struct finding_frame *frame = stack_location(&finding->related[i].stack);

		if (!frame)
			continue;
		json_open(j, NULL, '{');
		json_number(j, "id", i + 1);
		sarif_message(j, "message", role_name(finding->related[i].role));
		sarif_place(j, frame);
		json_close(j, '}');
	}
	json_close(j, ']');
}

/* One step on the way to the failure: a lost store, a kept store, where the power failed, where recovery failed. */
static void sarif_step(struct json_out *j, const struct finding_stack *stack, const char *text)
{
	const struct finding_frame *frame = stack_location(stack);

	if (!frame)
		return;
	json_open(j, NULL, '{');
	json_open(j, "location", '{');
	sarif_place(j, frame);
	sarif_message(j, "message", text);
	json_close(j, '}');
	json_close(j, '}');
}

static void sarif_store_steps(struct json_out *j, const struct finding_store *stores, size_t count, const char *fate)
{
	for (size_t i = 0; i < count && i < STEPS_MAX; i++) {
		char text[600], what[500];

		crash_store_text(&stores[i], what, sizeof(what));
		snprintf(text, sizeof(text), "%s: %s", fate, what);
		sarif_step(j, &stores[i].stack, text);
	}
}

static void sarif_crash(struct json_out *j, const struct finding_crash *crash)
{
	char text[3000], what[1800], operation[1000];

	json_open(j, "codeFlows", '[');
	json_open(j, NULL, '{');
	json_open(j, "threadFlows", '[');
	json_open(j, NULL, '{');
	json_open(j, "locations", '[');
	sarif_store_steps(j, crash->lost, crash->lost_count, "lost");
	sarif_store_steps(j, crash->persisted, crash->telling_count, "on media");
	crash_point_text(crash, what, sizeof(what));
	crash_operation_text(crash, operation, sizeof(operation));
	snprintf(text, sizeof(text), "the power fails before %s%s%s", what, *operation ? "; " : "", operation);
	sarif_step(j, &crash->point, text);
	crash_failure_text(crash, what, sizeof(what));
	snprintf(text, sizeof(text), "recovery: %s", what);
	sarif_step(j, &crash->recovery.stack, text);
	json_close(j, ']');
	json_close(j, '}');
	json_close(j, ']');
	json_close(j, '}');
	json_close(j, ']');
}

/* A code flow without steps is not allowed. */
static bool crash_has_places(const struct finding_crash *crash)
{
	for (size_t i = 0; i < crash->lost_count && i < STEPS_MAX; i++)
		if (crash->lost[i].stack.count)
			return true;
	for (size_t i = 0; i < crash->telling_count && i < STEPS_MAX; i++)
		if (crash->persisted[i].stack.count)
			return true;
	return crash->point.count || crash->recovery.stack.count;
}

/* ---- results ---- */

static void sarif_silence(struct json_out *j, const struct finding *finding, bool baseline)
{
	if (baseline)
		json_text(j, "baselineState", finding->state == FINDING_KNOWN ? "unchanged" : "new");
	json_open(j, "suppressions", '[');
	if (finding->state == FINDING_SUPPRESSED) {
		json_open(j, NULL, '{');
		json_text(j, "kind", "external");
		json_text(j, "justification", finding->reason);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void sarif_properties(struct json_out *j, const struct finding *finding)
{
	json_open(j, "properties", '{');
	json_text(j, "id", finding->id);
	json_text(j, "severity", severity_name(finding->severity));
	json_text(j, "detector", finding->detector);
	if (finding->detector_count) {
		json_open(j, "detectors", '[');
		for (size_t i = 0; i < finding->detector_count; i++)
			json_text(j, NULL, finding->detectors[i]);
		json_close(j, ']');
	}
	json_open(j, "platforms", '[');
	for (size_t i = 0; i < finding->platform_count; i++)
		json_text(j, NULL, finding->platforms[i]);
	json_close(j, ']');
	json_text(j, "variable", finding->variable.text);
	json_text(j, "fix", finding->fix);
	json_text(j, "input", finding->input.path);
	json_close(j, '}');
}

static void sarif_result_text(struct json_out *j, const struct finding *finding)
{
	char text[32768], failure[1200] = "", operation[1000] = "", mismatch[8192] = "", variable[700];

	if (finding->crash) {
		crash_failure_text(finding->crash, failure, sizeof(failure));
		crash_operation_text(finding->crash, operation, sizeof(operation));
		crash_mismatch_text(finding->crash, mismatch, sizeof(mismatch));
	}
	variable_text(&finding->variable, variable, sizeof(variable));
	snprintf(text, sizeof(text), "%s%s%s%s%s%s%s%s%s%s%s", finding->message, *variable ? ". Variable: " : "",
		 variable, *failure ? ". Recovery: " : "", failure, *mismatch ? ": " : "", mismatch,
		 *operation ? ", when " : "", operation, finding->fix ? ". Fix: " : "",
		 finding->fix ? finding->fix : "");
	sarif_message(j, "message", text);
}

static void sarif_result(struct json_out *j, const struct finding *finding, bool baseline)
{
	const struct finding_frame *frame = stack_location(&finding->stack);

	json_open(j, NULL, '{');
	json_text(j, "ruleId", kind_get(finding->kind)->name);
	json_number(j, "ruleIndex", finding->kind);
	json_text(j, "level", sarif_level(finding->severity));
	sarif_result_text(j, finding);
	json_open(j, "locations", '[');
	if (frame) {
		json_open(j, NULL, '{');
		sarif_place(j, frame);
		json_close(j, '}');
	}
	json_close(j, ']');
	sarif_related(j, finding);
	sarif_stack(j, &finding->stack);
	if (finding->crash && crash_has_places(finding->crash))
		sarif_crash(j, finding->crash);
	json_open(j, "partialFingerprints", '{');
	json_text(j, "blackout/v1", finding->fingerprint);
	json_close(j, '}');
	if (finding->count)
		json_number(j, "occurrenceCount", finding->count);
	sarif_silence(j, finding, baseline);
	sarif_properties(j, finding);
	json_close(j, '}');
}

static bool has_baseline(const struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		if (findings->at[i].state == FINDING_KNOWN)
			return true;
	return false;
}

static void sarif_warnings(struct json_out *j, const struct findings *findings)
{
	json_open(j, "invocations", '[');
	json_open(j, NULL, '{');
	json_bool(j, "executionSuccessful", false);
	json_open(j, "toolExecutionNotifications", '[');
	for (size_t i = 0; i < findings->warnings.count; i++) {
		json_open(j, NULL, '{');
		json_text(j, "level", "warning");
		sarif_message(j, "message", findings->warnings.at[i]);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
	json_close(j, ']');
}

static void sarif_run(struct json_out *j, const struct findings *findings)
{
	bool baseline = has_baseline(findings);

	json_open(j, NULL, '{');
	sarif_tool(j, findings);
	if (findings->warnings.count)
		sarif_warnings(j, findings);
	json_text(j, "columnKind", "utf16CodeUnits");
	json_open(j, "results", '[');
	for (size_t i = 0; i < findings->count; i++)
		sarif_result(j, &findings->at[i], baseline);
	json_close(j, ']');
	json_open(j, "properties", '{');
	json_strings(j, "pm", findings->target.pm.at, findings->target.pm.count);
	json_close(j, '}');
	json_close(j, '}');
}

void sarif_write(const struct findings *findings, FILE *out)
{
	struct json_out j = {.out = out};

	json_open(&j, NULL, '{');
	json_text(&j, "$schema", SARIF_SCHEMA);
	json_text(&j, "version", "2.1.0");
	json_open(&j, "runs", '[');
	sarif_run(&j, findings);
	json_close(&j, ']');
	json_close(&j, '}');
	json_end(&j);
}
