/* SPDX-License-Identifier: GPL-2.0-or-later */
/* modes.c - names of the recovery modes; see recovery.h. */

#include "run/recovery.h"

static const char *const names[RECOVERY_MODES] = {
	[RECOVERY_AUTO] = "auto",         [RECOVERY_FORK] = "fork server",  [RECOVERY_NAMESPACE] = "namespace",
	[RECOVERY_REDIRECT] = "redirect", [RECOVERY_IN_PLACE] = "in place",
};

const char *recovery_mode_name(enum recovery_mode mode)
{
	return names[mode];
}

/* On a command line, a dash may stand for a space. */
static bool name_equal(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if (*a != *b && !(*a == ' ' && *b == '-'))
			return false;
	return *a == *b;
}

bool recovery_mode_find(const char *name, enum recovery_mode *mode)
{
	for (int i = 0; i < RECOVERY_MODES; i++)
		if (name_equal(names[i], name)) {
			*mode = (enum recovery_mode)i;
			return true;
		}
	return false;
}
