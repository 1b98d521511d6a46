/* SPDX-License-Identifier: GPL-2.0-or-later */
/* silencers.c - see silencers.h. */
#include "analysis/silencers.h"

#include <stdlib.h>

#include "base/mem.h"
#include "finding/baseline.h"
#include "finding/suppress.h"
#include "report/reader.h"

int silencers_read(struct silencers *s, const char *const *suppress, size_t count, const char *baseline,
		   struct err *err)
{
	*s = (struct silencers){.suppress = mem_alloc((count + 1) * sizeof(struct suppress *))};
	for (; s->count < count; s->count++)
		if (suppress_read(&s->suppress[s->count], suppress[s->count], err) < 0)
			return -1;
	if (baseline && findings_read(&s->baseline, baseline, err) < 0)
		return err_status(err, ERR_USAGE);
	return 0;
}

void silencers_free(struct silencers *s)
{
	for (size_t i = 0; i < s->count; i++)
		suppress_free(s->suppress[i]);
	free(s->suppress);
	findings_free(s->baseline);
}

void silencers_apply(const struct silencers *s, struct findings *f)
{
	for (size_t i = 0; i < s->count; i++) {
		suppress_apply(s->suppress[i], f);
		suppress_note_unused(s->suppress[i], f);
	}
	if (s->baseline)
		baseline_apply(f, s->baseline);
	findings_number(f);
}
