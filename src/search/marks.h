/* SPDX-License-Identifier: GPL-2.0-or-later */
/* marks.h - the bytes of an input that decide whether the program gets to where a finding is. */
#ifndef BLACKOUT_SEARCH_MARKS_H
#define BLACKOUT_SEARCH_MARKS_H

#include "search/input_search_in.h"

/* `marks` gets a byte for each byte of each source, and is freed by the caller.  A byte is marked if a change of one of its
 * bits makes the program take another branch before it first executes the finding's instruction.  Nothing is marked if the
 * recording cannot be read. */
void marks_make(struct input_search *search, const struct gathering_entry *entry, struct input *marks);

#endif
