/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stage_in.h - what a stage is made of.  For stage*.c and staging.c; everybody else uses stage.h. */
#ifndef BLACKOUT_IMAGE_STAGE_IN_H
#define BLACKOUT_IMAGE_STAGE_IN_H

#include <sys/types.h>

#include "image/image_in.h"
#include "image/stage.h"

#define STAGE_RUN 16u /* pages that are written at once */

struct staging {
	char *path;
	pid_t owner;
	int fd; /* locked */
	const struct origin *origin;
	struct stage *stages;
	unsigned made; /* so far: each gets another name */
};

/* A file of the image, in the stage. */
struct stage_file {
	char *path; /* where the program has it; NULL: it is not in the stage */
	int fd;     /* -1: not open */
	uint64_t size;
	bool moving; /* it has a name of its own for the moment */
};

/* Pages that follow each other, on their way to a file. */
struct stage_run {
	uint32_t file;
	uint64_t number; /* of the first */
	size_t count;
	uint8_t bytes[STAGE_RUN][IMAGE_PAGE];
};

struct stage {
	struct staging *staging;
	struct image *image;
	int watcher; /* of what is certain */
	char *root;
	char *what;                      /* is written, for errors */
	VEC_OF(char *) dirs;             /* ROOT/K */
	VEC_OF(struct stage_file) files; /* by id */
	VEC_OF(struct page_ref) covered; /* pages on which the state in the stage may differ from what was certain */
	VEC_OF(struct page_ref) due;     /* pages to be written by this load */
	struct stage_run run;
	bool distrusted;
	bool loaded; /* `holds` is in it */
	struct digest holds;
	struct stage_cost cost;
	struct stage *next;
};

/* The file's descriptor, opened if it is not. */
int stage_open(struct stage *stage, uint32_t file, struct err *err);
void stage_shut(struct stage *stage, uint32_t file);

/* Shut it, if there are so many files that they cannot all be open. */
void stage_rest(struct stage *stage, uint32_t file);

/* Hand over a page to be written; they must come in order.  stage_flush after the last. */
int stage_put(struct stage *stage, uint32_t file, uint64_t number, const uint8_t page[IMAGE_PAGE], struct err *err);
int stage_flush(struct stage *stage, struct err *err);

/* Distrust, before names and sizes are brought to the state: directories are made right again, what does not belong is
 * removed, and files that are beyond repair are forgotten. */
int stage_mend_names(struct stage *stage, struct err *err);

/* And after it: every page that is not as it should be is written. */
int stage_mend_bytes(struct stage *stage, const struct state *state, uint32_t file, struct err *err);

#endif
