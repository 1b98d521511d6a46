/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model_sets.h - all legal sets of pending units, to compare with what the product says about them.
 *
 *     model_enumerate(model, visit, &arg);        // visit(&arg, persisted, count) for each set */
#ifndef BLACKOUT_TEST_MODEL_SETS_H
#define BLACKOUT_TEST_MODEL_SETS_H

#include "model/choices.h"
#include "model/model.h"

/* Visit each set once, the empty set first and the full set last, until `visit` returns false.  Return false if it
 * did. */
bool model_enumerate(struct model *model, bool (*visit)(void *arg, const bool *persisted, size_t count), void *arg);

/* Is this decision about a line legal in itself and within the bounds?  Checks each pair of units. */
bool choices_allows(const struct choices *c, uint32_t line, struct choices_bounds bounds, const uint8_t *taken);

#endif
