/* SPDX-License-Identifier: GPL-2.0-or-later */
/* modes.c - names of the recovery modes; see recovery.h. */
#include <string.h>

#include "run/recovery.h"

static const struct {
	const char *text, *word;
} modes[RECOVERY_MODES] = {
#define X(name, text, word) {text, word},
	RECOVERY_MODE_TABLE(X)
#undef X
};

const char *recovery_mode_name(enum recovery_mode mode)
{
	return modes[mode].text;
}

bool recovery_mode_find(const char *name, enum recovery_mode *mode)
{
	for (unsigned i = 0; i < RECOVERY_MODES; i++)
		if (!strcmp(name, modes[i].text) || !strcmp(name, modes[i].word)) {
			*mode = (enum recovery_mode)i;
			return true;
		}
	return false;
}
