/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reader.h - findings.json back into findings.
 *
 * Everything that the JSON holds comes back, so that it can be reported in another format or serve as a baseline; the
 * drawing of events is not in it.  A file of another schema version, or with something that is not as the schema says,
 * is refused with a sentence that names what and where. */
#ifndef BLACKOUT_REPORT_READER_H
#define BLACKOUT_REPORT_READER_H

#include "finding/finding.h"

/* Read the file at `path`; *findings is the caller's to free.  Status ERR_CANNOT; a baseline is ERR_USAGE: see
 * err_status. */
int findings_read(struct findings **findings, const char *path, struct err *err);

/* The same from memory; `name` is what errors call it. */
int findings_parse(struct findings **findings, const char *name, const char *text, size_t size, struct err *err);

#endif
