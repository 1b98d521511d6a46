/* SPDX-License-Identifier: GPL-2.0-or-later */
/* choice.c - see choice.h. */
#include "analysis/choice.h"

#include <stdio.h>
#include <string.h>

static int name_refuse(struct err *err, const char *what, const char *name, size_t length, const char *known)
{
	err_set(err, "unknown %s '%.*s'; choose from: %s", what, (int)length, name, known);
	return err_status(err, ERR_USAGE);
}

static int detector_add(struct choice *c, const char *name, size_t length, struct err *err)
{
	char known[256] = "";

	for (const struct detector *const *d = detector_all(); *d; d++) {
		if (strlen((*d)->name) == length && !memcmp((*d)->name, name, length)) {
			for (size_t i = 0; i < c->detector_count; i++)
				if (c->detectors[i] == *d)
					return 0;
			c->detectors[c->detector_count++] = *d;
			return 0;
		}
		snprintf(known + strlen(known), sizeof(known) - strlen(known), "%s%s", *known ? ", " : "", (*d)->name);
	}
	return name_refuse(err, "detector", name, length, known);
}

static int platform_add(struct choice *c, const char *name, size_t length, struct err *err)
{
	const struct platform *platform;
	char known[256] = "";

	for (size_t i = 0; (platform = platform_at(i)); i++) {
		const char *own = platform_name(platform);

		if (strlen(own) == length && !memcmp(own, name, length)) {
			for (size_t k = 0; k < c->platform_count; k++)
				if (c->platforms[k] == platform)
					return 0;
			c->platforms[c->platform_count++] = platform;
			return 0;
		}
		snprintf(known + strlen(known), sizeof(known) - strlen(known), "%s%s", *known ? ", " : "", own);
	}
	return name_refuse(err, "platform", name, length, known);
}

static int list_parse(struct choice *c, const char *list,
		      int (*add)(struct choice *, const char *, size_t, struct err *), struct err *err)
{
	for (const char *end; list; list = *end ? end + 1 : NULL) {
		end = strchrnul(list, ',');
		if (add(c, list, (size_t)(end - list), err) < 0)
			return -1;
	}
	return 0;
}

int choice_parse(struct choice *choice, const char *detect, const char *platform, struct err *err)
{
	*choice = (struct choice){0};
	if (list_parse(choice, detect, detector_add, err) < 0)
		return -1;
	for (size_t i = 0; i < choice->detector_count; i++) {
		choice->inject |= choice->detectors[i] == &detector_inject;
		choice->explore |= choice->detectors[i] == &detector_explore;
	}
	return list_parse(choice, platform, platform_add, err);
}
