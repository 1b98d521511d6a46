/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stage_in.h - the internals of a stage.  For stage*.c, staging.c and tests; others use stage.h. */
#ifndef BLACKOUT_IMAGE_STAGE_IN_H
#define BLACKOUT_IMAGE_STAGE_IN_H

#include <sys/types.h>

#include "image/image_in.h"
#include "image/stage.h"

#define STAGE_RUN 16u /* pages written at once */

struct staging {
	char *path;
	pid_t owner;
	int fd; /* locked */
	const struct origin *origin;
	struct stage *stages;
	unsigned made; /* number of stages so far; each gets a new name */
};

/* A file of the image, in the stage. */
struct stage_file {
	char *path; /* the path in the program's view; NULL: not in the stage */
	int fd;     /* -1: not open */
	uint64_t size;
	bool moving; /* it temporarily has a name of its own */
};

/* Consecutive pages, to be written to a file. */
struct stage_run {
	uint32_t file;
	uint64_t number; /* number of the first page */
	size_t count;
	uint8_t bytes[STAGE_RUN][IMAGE_PAGE];
};

/* The cost of loading so far. */
struct stage_cost {
	uint64_t loads;
	uint64_t pages_written;  /* to the files */
	uint64_t pages_compared; /* because of distrust */
};

struct stage {
	struct staging *staging;
	struct image *image;
	int watcher; /* of the certain content */
	char *path;
	char *what;                      /* what is being written, for error messages */
	VEC_OF(char *) dirs;             /* STAGE/K */
	VEC_OF(struct stage_file) files; /* by id */
	/* Pages on which the state in the stage may differ from the content that was certain. */
	VEC_OF(struct page_ref) covered;
	VEC_OF(struct page_ref) due; /* pages that this load must write */
	struct stage_run run;
	bool distrusted;
	bool loaded; /* the stage holds the state with digest `holds` */
	struct digest holds;
	struct stage_cost cost;
	struct stage *next;
};

/* Return the file's descriptor; open the file if needed. */
int stage_open(struct stage *stage, uint32_t file, struct err *err);
void stage_shut(struct stage *stage, uint32_t file);

/* Close the file if there are too many files to keep them all open. */
void stage_rest(struct stage *stage, uint32_t file);

/* Add a page to be written.  Pages must come ascending.  Call stage_flush after the last. */
int stage_put(struct stage *stage, uint32_t file, uint64_t number, const uint8_t page[IMAGE_PAGE], struct err *err);
int stage_flush(struct stage *stage, struct err *err);

/* After distrust, before names and sizes are changed to those of the state: repair directories, remove what does not
 * belong, and forget files that are beyond repair. */
int stage_mend_names(struct stage *stage, struct err *err);

/* And after that: write every page that is wrong. */
int stage_mend_bytes(struct stage *stage, const struct state *state, uint32_t file, struct err *err);

#endif
