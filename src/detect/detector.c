/* SPDX-License-Identifier: GPL-2.0-or-later */
/* detector.c - see detector.h. */
#include "detect/detector.h"

static const struct detector *const detectors[] = {
#define X(name, use) &detector_##name,
	DETECTORS(X)
#undef X
		NULL,
};

const struct detector *const *detector_all(void)
{
	return detectors;
}
