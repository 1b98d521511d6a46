/* SPDX-License-Identifier: GPL-2.0-or-later */
/* range.h - questions about a range of bytes of a PM file, at the present moment of a model.
 *
 *     if (!range_is_certain(model, &entry)) ...             // a crash now may lose some of it
 *     if (!range_is_ordered(model, &entry, &tail)) ...      // a crash now may leave the tail without the entry
 *
 * All functions look at bytes as the program sees them: at the newest store on each byte, not at those that it has
 * overwritten.  The model must be of depth MODEL_STATES; otherwise, data that system calls wrote would seem certain.  The
 * cost depends on the size of the ranges and on what is pending in their lines, not on everything that is pending. */
#ifndef BLACKOUT_MODEL_RANGE_H
#define BLACKOUT_MODEL_RANGE_H

#include "model/model.h"

struct range {
	uint32_t file;
	uint64_t offset, size;
};

/* Does every byte survive a crash now? */
bool range_is_certain(const struct model *model, const struct range *range);

/* Is all of `first` in every crash state of this moment that has all of `second`? */
bool range_is_ordered(const struct model *model, const struct range *first, const struct range *second);

/* What one store has left pending in the range: consecutive bytes that wait for the same. */
struct range_store {
	const struct unit *common; /* fields that its units share; valid until the model changes */
	uint64_t offset, size;
};

/* Return the number of such stores, by offset, and fill at most `room` of them. */
size_t range_pending(const struct model *model, const struct range *range, struct range_store *stores, size_t room);

/* Copy what the program sees there.  Return the number of bytes before the end of the file; 0 for an unknown file. */
size_t range_read(const struct model *model, const struct range *range, void *buffer);

/* The size of the file now; 0: it is unknown. */
uint64_t range_file_size(const struct model *model, uint32_t file);

/* Find the byte of a PM file that a process has mapped at `addr`. */
bool range_locate(const struct model *model, uint32_t process, uint64_t addr, uint32_t *file, uint64_t *offset);

#endif
