/* SPDX-License-Identifier: GPL-2.0-or-later */
/* findings.json of any content: read or refused with a sentence.  What is read can be reported in every format, and as
 * JSON it is read again and comes out the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/reader.h"
#include "report/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *write_report(enum report_format format, const struct findings *findings)
{
	struct report_options options = {.width = 60, .dir = "x"};
	char *text = NULL;
	size_t size = 0;
	struct err err;
	FILE *out = open_memstream(&text, &size);

	if (!out || report_write(format, findings, &options, out, &err) < 0)
		abort();
	fclose(out);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct findings *findings, *again;
	struct err err = {.sentence = ""};

	if (findings_parse(&findings, "x", (const char *)data, size, &err) < 0) {
		if (!*err.sentence)
			abort();
		return 0;
	}
	for (unsigned format = 0; format < REPORT_COUNT; format++)
		free(write_report((enum report_format)format, findings));
	char *first = write_report(REPORT_JSON, findings);
	if (findings_parse(&again, "x", first, strlen(first), &err) < 0)
		abort();
	char *second = write_report(REPORT_JSON, again);
	if (strcmp(first, second))
		abort();
	free(first);
	free(second);
	findings_free(findings);
	findings_free(again);
	return 0;
}
