/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sample.c - see sample.h. */
#include "sample.h"

#include <stdio.h>
#include <string.h>

#include "finding/own.h"

#define FRAMES_MAX 16

const char sample_odd_path[] = "/src/o\"d'd <&>\\ \x01\x1b[31m\xff ]]> \xe5\x90\x8d.c";

struct findings *sample_new(void)
{
	struct findings *findings = findings_new();

	findings->tool_version = "1.2.3";
	findings->at = mem_alloc(SAMPLE_MAX * sizeof(*findings->at));
	vec_push(&findings->target.command, "./kv");
	vec_push(&findings->target.command, "put");
	vec_push(&findings->target.pm, "/pm/pool");
	vec_push(&findings->target.platforms, "adr");
	return findings;
}

struct finding *sample_add(struct findings *findings, enum finding_kind kind, enum severity severity, uint64_t count)
{
	struct finding *finding = &findings->at[findings->count++];

	finding->kind = kind;
	finding->severity = severity;
	finding->count = count;
	finding->detector = "patterns";
	finding_add_platform(findings, finding, "adr");
	finding->message = "something is wrong here";
	snprintf(finding->fingerprint, sizeof(finding->fingerprint), "%032zx", findings->count);
	return finding;
}

void sample_frame(struct findings *findings, struct finding_stack *stack, const char *function, const char *path,
		  uint32_t line, const char *module)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	if (!stack->frames)
		stack->frames = findings_block(findings, FRAMES_MAX, sizeof(*stack->frames));
	struct finding_frame *frame = &stack->frames[stack->count++];
	frame->function = function;
	frame->path = path;
	frame->file = slash ? slash + 1 : path;
	frame->line = line;
	frame->module = module;
	frame->offset = 0x1000 + stack->count;
	frame->own = own_frame(frame, NULL, NULL);
	stack->location = own_location(stack);
}

struct finding_related *sample_relate(struct findings *findings, struct finding *finding, enum related_role role)
{
	if (!finding->related)
		finding->related = findings_block(findings, SIGHTING_RELATED_MAX, sizeof(*finding->related));
	struct finding_related *related = &finding->related[finding->related_count++];
	related->role = role;
	return related;
}

struct findings *sample_all(void)
{
	struct findings *findings = sample_new();
	struct finding *finding = sample_add(findings, KIND_MISSING_FLUSH, SEVERITY_ERROR, 1234);

	sample_frame(findings, &finding->stack, "put", "/src/kv.c", 118, "kv");
	sample_frame(findings, &finding->stack, "main", "/src/kv.c", 262, "kv");
	sample_frame(findings, &finding->stack, "__libc_start_main", NULL, 0, "libc.so.6");
	finding->message = "8 bytes stored here are not written back when the program ends; their line is at other "
			   "times, at kv.c:66";
	finding->fix = "persist what is stored at kv.c:118";
	sample_frame(findings, &sample_relate(findings, finding, ROLE_FLUSH)->stack, "flush", "/src/kv.c", 66, "kv");
	finding = sample_add(findings, KIND_REDUNDANT_FLUSH, SEVERITY_PERFORMANCE, 1);
	sample_frame(findings, &finding->stack, "pmem_flush", NULL, 0, "libpmem.so.1");
	sample_frame(findings, &finding->stack, NULL, NULL, 0, "kv");
	finding = sample_add(findings, KIND_TRANSIENT_DATA, SEVERITY_WARNING, 3);
	sample_frame(findings, &finding->stack, "count", "/src/kv.c", 12, "kv");
	finding->state = FINDING_SUPPRESSED;
	finding->reason = "statistics";
	finding = sample_add(findings, KIND_FLUSH_VOLATILE, SEVERITY_PERFORMANCE, 2);
	sample_frame(findings, &finding->stack, "f<\"&'>\n", sample_odd_path, 7, "m<o>d&\"ule\x02\xfe");
	finding->message = "a <b>bold</b> & \"quoted\" message \xe2\x80\x94 with an \x1b escape and ]]> \xf0\x28";
	findings->stats.stores = figure_known(1842);
	findings->stats.flushes = figure_known(611);
	findings->stats.fences = figure_known(1);
	findings->stats.threads = figure_known(2);
	findings->stats.seconds.record = 1.9;
	findings_number(findings);
	return findings;
}
