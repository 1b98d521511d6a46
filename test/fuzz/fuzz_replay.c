/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay.json of any content: read or refused with a sentence.  What is read has all that a replay needs. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "finding/crash_finding.h"
#include "replay/folder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = {.sentence = ""};
	struct folder *folder;
	char text[100];

	if (folder_parse(&folder, "x", (const char *)data, size, &err) < 0) {
		if (!*err.sentence)
			abort();
		return 0;
	}
	if (!folder->facts.recover || !folder->facts.cwd || !folder->id || !folder->kind || !folder->message ||
	    !folder->location || !folder->version || !(folder->facts.timeout > 0))
		abort();
	ending_text(folder->ending, text, sizeof(text));
	if (!*text)
		abort();
	folder_free(folder);
	return 0;
}
