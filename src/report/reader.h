/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reader.h - read findings.json back into findings.
 *
 * All contents of the JSON file are restored, so that they can be reported in another format or serve as a baseline.
 * The drawing of events is not in the file.  A file with another schema version, or one that violates the schema, is
 * refused with a sentence that says what is wrong and where. */
#ifndef BLACKOUT_REPORT_READER_H
#define BLACKOUT_REPORT_READER_H

#include "finding/finding.h"

/* Read the file at `path`; the caller frees *findings.  The status is ERR_CANNOT; for a baseline it should be
 * ERR_USAGE: see err_status. */
int findings_read(struct findings **findings, const char *path, struct err *err);

/* The same from memory; error messages call it `name`. */
int findings_parse(struct findings **findings, const char *name, const char *text, size_t size, struct err *err);

#endif
