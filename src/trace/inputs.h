/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inputs.h - handles the records of the layer INPUTS: sources, tables, expressions, and the branches that they decide. */
#ifndef BLACKOUT_TRACE_INPUTS_H
#define BLACKOUT_TRACE_INPUTS_H

#include "trace/apply.h"

/* Apply a record of the layer, and make an event of it unless it is a definition.  On damage, s->decoder.problem holds
 * the reason. */
enum apply_result inputs_apply(struct stream *s, const struct record *r, struct event *ev);

#endif
