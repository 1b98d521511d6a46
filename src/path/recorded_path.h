/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recorded_path.h - the path that a run took, as a recording with the layer INPUTS tells it: the branches that depended on
 * input, what was read of the input, and where PM was modified.
 *
 *     struct recorded_path path;
 *     if (recorded_path_read(&path, "blackout.out", &err) < 0) ...
 *     for (size_t i = 0; i < path.branches.count; i++) ...
 *     recorded_path_free(&path);
 *
 * It stands for itself: the recording may be removed. */
#ifndef BLACKOUT_PATH_RECORDED_PATH_H
#define BLACKOUT_PATH_RECORDED_PATH_H

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"
#include "expression/expressions.h"
#include "trace/code_place.h"

/* An instruction, by its offset in the file of a module. */
struct recorded_place {
	uint32_t module; /* 1 + its index in `modules`; 0: not known, or outside any file */
	uint64_t offset;
};

struct recorded_context {
	uint32_t parent; /* calling context; 0: none */
	struct recorded_place place;
};

struct recorded_branch {
	enum bo_branch kind;
	uint32_t expression; /* of width 1 */
	bool value;
	uint32_t context;
	struct code_place site;      /* its instruction, to compare with other paths */
	struct recorded_place other; /* the code on its other side */
};

/* What a system call read of the input. */
struct recorded_read {
	uint32_t source;
	uint64_t offset, asked, got; /* fewer got than asked, or none: the end was met */
};

/* Operations whose results were taken as they were. */
struct recorded_concrete {
	const char *operation;
	uint64_t count;
};

struct recorded_path {
	struct expressions *x;
	VEC_OF(const char *) modules;              /* their paths */
	VEC_OF(struct recorded_context) contexts;  /* by id; 0 is none */
	VEC_OF(struct recorded_branch) branches;   /* in the sequence in which they were decided first */
	VEC_OF(struct recorded_read) reads;        /* in their sequence */
	VEC_OF(uint32_t) modifying;                /* contexts that stored to PM, flushed or fenced it, each once */
	VEC_OF(struct recorded_concrete) concrete; /* in the sequence of their names */
	struct arena texts;
};

/* On failure nothing needs to be freed. */
int recorded_path_read(struct recorded_path *path, const char *dir, struct err *err);
void recorded_path_free(struct recorded_path *path);

/* The places of a context, the innermost first, then where each call returns to.  At most `room`; returns their number. */
size_t recorded_path_stack(const struct recorded_path *path, uint32_t context, struct recorded_place *stack,
			   size_t room);

#endif
