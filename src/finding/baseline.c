/* SPDX-License-Identifier: GPL-2.0-or-later */
/* baseline.c - see baseline.h. */
#include "finding/baseline.h"

#include <string.h>

/* Only fingerprints are compared; ids and counts may differ. */
static int pointer_compare(const void *left, const void *right)
{
	const struct finding *const *a = left, *const *b = right;

	return strcmp((*a)->fingerprint, (*b)->fingerprint);
}

void baseline_apply(struct findings *findings, const struct findings *old)
{
	const struct finding **sorted = mem_alloc((old->count + 1) * sizeof(*sorted));

	for (size_t i = 0; i < old->count; i++)
		sorted[i] = &old->at[i];
	qsort(sorted, old->count, sizeof(*sorted), pointer_compare);
	for (size_t i = 0; i < findings->count; i++) {
		struct finding *finding = &findings->at[i];
		const struct finding *key = finding;
		const struct finding **found = bsearch(&key, sorted, old->count, sizeof(*sorted), pointer_compare);
		bool worse = found && finding->severity == SEVERITY_ERROR && (*found)->severity != SEVERITY_ERROR;

		if (finding->state != FINDING_ACTIVE || !found || worse)
			continue;
		finding->state = FINDING_KNOWN;
		finding->reason = "in the baseline";
	}
	free(sorted);
}
