/* SPDX-License-Identifier: GPL-2.0-or-later */
/* outfile.h - the private file {out}, to which a recovery writes its results.
 *
 *     outfile_place(&file, scene.path, &err); // its path is known
 *     outfile_open(&file, &err);
 *     outfile_reset(&file, false, &err);      // before every run: it is there, and empty
 *     ... run recovery ...
 *     outfile_read(&file, output);            // summarize it
 *     outfile_close(&file);
 *
 * A fork server may have opened the file, and written to it, before it forks its first child.  outfile_keep remembers
 * what is in it then, and outfile_reset(&file, true, &err) goes back to that.  The file stays the same one (it has a
 * second name), even if recovery replaces it by another, because the server's descriptor leads to it. */
#ifndef BLACKOUT_RUN_OUTFILE_H
#define BLACKOUT_RUN_OUTFILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "ops/output.h"

struct outfile {
	char path[PATH_MAX];
	char second[PATH_MAX]; /* its second name */
	int fd;                /* -1: not open */
	char *kept;
	size_t kept_size;
};

#define OUTFILE_CLOSED ((struct outfile){.fd = -1})

/* The path in this directory, for a command line that is made before the file is needed. */
int outfile_place(struct outfile *file, const char *dir, struct err *err);

/* Create it at its place.  Does nothing if it is open. */
int outfile_open(struct outfile *file, struct err *err);
void outfile_close(struct outfile *file);

int outfile_reset(struct outfile *file, bool as_kept, struct err *err);

/* -1: it has become too large to keep. */
int outfile_keep(struct outfile *file, struct err *err);

/* Feed all of it, up to the bound, to an output. */
void outfile_read(const struct outfile *file, struct output *output);
uint64_t outfile_size(const struct outfile *file);

#endif
