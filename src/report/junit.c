/* SPDX-License-Identifier: GPL-2.0-or-later */
/* junit.c - findings.xml, for tools that show test results.
 *
 * Each finding is a test case.  It fails if its severity is at or above the one that makes the run fail.  Otherwise it
 * passes and describes the finding in its output, because JUnit knows only pass and fail.  A kind without findings is a
 * case that passes, so that the result is never empty.  Silenced findings are left out.  A warning about the run is a
 * case with an error, because such a run proves little. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "finding/crash_finding.h"
#include "report/escape.h"
#include "report/formats.h"

static void xml_attribute(FILE *out, const char *name, const char *value)
{
	fprintf(out, " %s=\"", name);
	escape_xml_string(out, value);
	fputc('"', out);
}

static void junit_stores(FILE *out, const char *fate, const struct finding_store *stores, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char store[500], place[1200];

		crash_store_text(&stores[i], store, sizeof(store));
		frame_text(stack_location(&stores[i].stack), place, sizeof(place));
		fprintf(out, "%s: ", fate);
		escape_xml_string(out, store);
		fputs(" at ", out);
		escape_xml_string(out, place);
		fputc('\n', out);
	}
}

static void junit_crash(FILE *out, const struct finding_crash *crash)
{
	char text[8192];

	crash_point_text(crash, text, sizeof(text));
	fputs("power fails: before ", out);
	escape_xml_string(out, text);
	crash_operation_text(crash, text, sizeof(text));
	fputs(*text ? "; " : "", out);
	escape_xml_string(out, text);
	fputc('\n', out);
	junit_stores(out, "on media", crash->persisted, crash->telling_count);
	junit_stores(out, "lost", crash->lost, crash->lost_count);
	crash_failure_text(crash, text, sizeof(text));
	fputs("recovery: ", out);
	escape_xml_string(out, text);
	fputc('\n', out);
	crash_mismatch_text(crash, text, sizeof(text));
	if (*text) {
		fputs("outputs: ", out);
		escape_xml_string(out, text);
		fputc('\n', out);
	}
	escape_xml_string(out, crash->recovery.err);
	if (*crash->recovery.err)
		fputc('\n', out);
}

static void junit_invariant(FILE *out, const struct finding *finding)
{
	char text[8192];

	crash_invariant_text(finding, text, sizeof(text));
	if (!*text)
		return;
	fputs("invariant: ", out);
	escape_xml_string(out, text);
	fputc('\n', out);
}

static void junit_variable(FILE *out, const struct variable *variable)
{
	char text[700];

	variable_text(variable, text, sizeof(text));
	if (!*text)
		return;
	fputs("variable: ", out);
	escape_xml_string(out, text);
	fputc('\n', out);
}

static void junit_details(FILE *out, const struct finding *finding)
{
	char place[1200];

	fprintf(out, "%s: ", finding->id);
	frame_text(stack_location(&finding->stack), place, sizeof(place));
	escape_xml_string(out, place);
	fprintf(out, "\n%s, %" PRIu64 " %s: ", severity_name(finding->severity), finding->count,
		finding->crash ? "states" : "times");
	escape_xml_string(out, finding->message);
	fputc('\n', out);
	junit_variable(out, &finding->variable);
	for (size_t i = 0; i < finding->stack.count; i++) {
		frame_text(&finding->stack.frames[i], place, sizeof(place));
		fputs(i ? "  by " : "  at ", out);
		escape_xml_string(out, place);
		fputc('\n', out);
	}
	junit_invariant(out, finding);
	if (finding->crash)
		junit_crash(out, finding->crash);
	if (finding->input.path) {
		fputs("input: ", out);
		escape_xml_string(out, finding->input.path);
		fputc('\n', out);
	}
	for (size_t i = 0; i < finding->input.line_count; i++) {
		fputs("    ", out);
		escape_xml_string(out, finding->input.lines[i]);
		fputc('\n', out);
	}
	if (finding->fix) {
		fputs("fix: ", out);
		escape_xml_string(out, finding->fix);
		fputc('\n', out);
	}
	fprintf(out, "fingerprint: %s\n", finding->fingerprint);
}

static void junit_failure(FILE *out, const struct finding *finding)
{
	fputs("      <failure", out);
	xml_attribute(out, "type", kind_get(finding->kind)->name);
	xml_attribute(out, "message", finding->message);
	fputc('>', out);
	junit_details(out, finding);
	fputs("</failure>\n", out);
}

static void junit_finding(FILE *out, const struct finding *finding, enum severity fail_on)
{
	const struct finding_frame *frame = stack_location(&finding->stack);
	char place[1200], line[16];

	frame_text(frame, place, sizeof(place));
	fputs("    <testcase", out);
	xml_attribute(out, "classname", kind_get(finding->kind)->name);
	xml_attribute(out, "name", place);
	if (frame && frame->file)
		xml_attribute(out, "file", frame->path ? frame->path : frame->file);
	snprintf(line, sizeof(line), "%" PRIu32, frame ? frame->line : 0);
	if (frame && frame->line)
		xml_attribute(out, "line", line);
	fputs(" time=\"0\">\n", out);
	if (finding->severity <= fail_on) {
		junit_failure(out, finding);
	} else {
		fputs("      <system-out>", out);
		junit_details(out, finding);
		fputs("</system-out>\n", out);
	}
	fputs("    </testcase>\n", out);
}

static void junit_kind(FILE *out, const struct findings *findings, enum finding_kind kind, enum severity fail_on)
{
	bool found = false;

	for (size_t i = 0; i < findings->count; i++) {
		if (!finding_is_active(&findings->at[i]) || findings->at[i].kind != kind)
			continue;
		junit_finding(out, &findings->at[i], fail_on);
		found = true;
	}
	if (!found)
		fprintf(out, "    <testcase classname=\"%s\" name=\"none\" time=\"0\"/>\n", kind_get(kind)->name);
}

static void junit_count(const struct findings *findings, enum severity fail_on, size_t *tests, size_t *failures)
{
	bool *found = mem_alloc(kind_count());

	*tests = *failures = 0;
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->at[i];

		if (!finding_is_active(finding))
			continue;
		found[finding->kind] = true;
		++*tests;
		*failures += finding->severity <= fail_on;
	}
	for (unsigned kind = 0; kind < kind_count(); kind++)
		*tests += !found[kind];
	free(found);
}

/* The files that were treated as PM. */
static void junit_properties(FILE *out, const struct findings_target *target)
{
	if (!target->pm.count)
		return;
	fputs("    <properties>\n", out);
	for (size_t i = 0; i < target->pm.count; i++) {
		fputs("      <property name=\"pm\"", out);
		xml_attribute(out, "value", target->pm.at[i]);
		fputs("/>\n", out);
	}
	fputs("    </properties>\n", out);
}

static void junit_warning(FILE *out, const char *warning)
{
	fputs("    <testcase classname=\"blackout\" name=\"crash states are judged\" time=\"0\">\n      <error", out);
	xml_attribute(out, "message", warning);
	fputs("/>\n    </testcase>\n", out);
}

void junit_write(const struct findings *findings, const struct report_options *options, FILE *out)
{
	size_t tests, failures, errors = findings->warnings.count;

	junit_count(findings, options->fail_on, &tests, &failures);
	tests += errors;
	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n",
		tests, failures, errors);
	fprintf(out,
		"  <testsuite name=\"blackout\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"0\" time=\"0\">\n",
		tests, failures, errors);
	junit_properties(out, &findings->target);
	for (size_t i = 0; i < findings->warnings.count; i++)
		junit_warning(out, findings->warnings.at[i]);
	for (unsigned kind = 0; kind < kind_count(); kind++)
		junit_kind(out, findings, (enum finding_kind)kind, options->fail_on);
	fputs("  </testsuite>\n</testsuites>\n", out);
}
