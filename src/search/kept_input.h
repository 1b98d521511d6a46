/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kept_input.h - inputs that the user gets: DIR/inputs/N has a file for each source, and `run`, a script that runs the
 * program on them.
 *
 *     kept_input_write(&plan, &input, 3, &err);
 *     kept_input_lines(&lines, &sources, &input, &matters);     // for reports: its bytes, with marks
 */
#ifndef BLACKOUT_SEARCH_KEPT_INPUT_H
#define BLACKOUT_SEARCH_KEPT_INPUT_H

#include "run/words.h"
#include "search/execution.h"

#define KEPT_INPUTS "inputs"

int kept_input_write(const struct execution_plan *plan, const struct input *input, uint64_t number, struct err *err);

/* Lines of text: 16 bytes each, in hexadecimal and as text; below them a line with marks, if one of them is in `matters`.
 * That has a byte for each byte of each source; a source without marks has NULL. */
void kept_input_lines(struct words *lines, const struct input_sources *sources, const struct input *input,
		      const struct input *matters);

#endif
