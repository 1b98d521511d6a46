/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the process of a plug-in wrote, of any content: read as a description and as reports.  Texts that come out are
 * short enough, valid, and can be filled as messages. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "finding/message.h"
#include "plugin/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void text_check(const char *text, size_t most, bool lines)
{
	if (strlen(text) > most || !utf8_valid(text))
		abort();
	for (; *text; text++)
		if (((unsigned char)*text < ' ' && !(lines && (*text == '\n' || *text == '\t'))) || *text == 0x7f)
			abort();
}

static void message_check(const char *text)
{
	static const struct finding nothing;
	char filled[8192];

	if (!message_knows(text))
		return;
	message_fill(&nothing, text, filled, sizeof(filled));
	if (strlen(filled) >= sizeof(filled))
		abort();
}

static void record_check(struct wire_record *record, struct arena *arena)
{
	struct wire_report report;
	const char *text;

	if (record->type == WIRE_REPORT)
		wire_fixed(record, &report, sizeof(report));
	while (record->size) {
		size_t before = record->size;

		if (record->type == WIRE_KIND && before % 2 == 0) {
			if (!wire_help(record, arena, &text))
				return;
			text_check(text, WIRE_HELP_MAX, true);
		} else {
			if (!wire_text(record, arena, &text))
				return;
			text_check(text, WIRE_TEXT_MAX, false);
			message_check(text);
		}
		if (record->size >= before)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wire_copy copy = {.bytes = data, .size = size};
	struct wire_record record;
	struct arena arena = {0};
	size_t at = 0;

	while (wire_next(&copy, &record)) {
		if (copy.at <= at || copy.at > size || record.bytes + record.size > data + size)
			abort();
		at = copy.at;
		record_check(&record, &arena);
	}
	arena_free(&arena);
	return 0;
}
