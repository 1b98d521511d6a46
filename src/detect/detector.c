/* SPDX-License-Identifier: GPL-2.0-or-later */
/* detector.c - see detector.h. */
#include "detect/detector.h"

#include <string.h>

static const struct detector *const detectors[] = {
#define X(name) &detector_##name,
	DETECTORS(X)
#undef X
		NULL,
};

const struct detector *const *detector_all(void)
{
	return detectors;
}

const struct detector *detector_find(const char *name)
{
	for (const struct detector *const *d = detectors; *d; d++)
		if (!strcmp((*d)->name, name))
			return *d;
	return NULL;
}
