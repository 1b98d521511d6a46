/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Suppressions of any content: parsed or refused, and applied to a finding where they parse.  A refusal always names
 * line and column. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "finding/suppress.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void apply(struct suppress *suppress)
{
	static struct finding_frame frames[] = {
		{.file = "copy.c",
		 .path = "/lib/copy.c",
		 .function = "pmem_memcpy",
		 .module = "libpmem.so.1",
		 .line = 3},
		{.file = "kv.c", .path = "/src/kv.c", .function = "put", .module = "kv", .line = 118, .own = true},
		{.module = "kv", .own = true},
		{.file = "kv.c", .path = "/src/kv.c", .function = "main", .module = "kv", .line = 262, .own = true},
	};
	struct findings *findings = findings_new();
	struct finding finding = {.kind = KIND_MISSING_FLUSH, .stack = {frames, 4, 1}};

	findings->at = &finding;
	findings->count = 1;
	suppress_apply(suppress, findings);
	suppress_note_unused(suppress, findings);
	if (finding.state == FINDING_SUPPRESSED && (!finding.reason || !*finding.reason))
		abort();
	findings->at = NULL;
	findings_free(findings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct suppress *suppress;
	struct err err;

	if (suppress_parse(&suppress, "x", (const char *)data, size, &err) == 0) {
		apply(suppress);
		suppress_free(suppress);
	} else if (err.status != ERR_USAGE || strncmp(err.sentence, "x:", 2)) {
		abort();
	}
	return 0;
}
