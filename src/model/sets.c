/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sets.c - may this set of pending units be on media?  See sets.h. */
#include "model/sets.h"

bool model_allows(struct model *model, const bool *persisted)
{
	struct decisions decisions = decisions_start(model);

	for (struct node *node = model->pending.all.first; node; node = node->later) {
		for (unsigned i = 0; i < node->units; i++, persisted++) {
			if (!*persisted)
				decisions_leave_out(&decisions, node);
			else if (!decisions_may_take(&decisions, node))
				return false;
		}
	}
	return true;
}
