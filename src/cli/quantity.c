/* SPDX-License-Identifier: GPL-2.0-or-later */
/* quantity.c - see quantity.h. */
#include "cli/quantity.h"

#include <stdlib.h>
#include <string.h>

struct suffix {
	const char *text;
	double factor;
};

/* A number above 0, followed by one of these suffixes. */
static int quantity_parse(const char *text, const struct suffix *suffixes, double max, double *value)
{
	char *end;

	*value = strtod(text, &end);
	for (const struct suffix *s = suffixes; end != text && s->text; s++)
		if (!strcmp(end, s->text)) {
			*value *= s->factor;
			return *value > 0 && *value <= max ? 0 : -1; /* not if it is not a number */
		}
	return -1;
}

int seconds_parse(const char *option, const char *text, double *seconds, struct err *err)
{
	static const struct suffix times[] = {{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}, {0}};

	if (quantity_parse(text, times, 1e9, seconds) == 0)
		return 0;
	err_set(err, "--%s cannot be '%s', only a time above 0: 10, 90s, 5m, 1h", option, text);
	return err_status(err, ERR_USAGE);
}

int bytes_parse(const char *option, const char *text, uint64_t *bytes, struct err *err)
{
	static const struct suffix sizes[] = {{"", 1},          {"K", 1 << 10},   {"M", 1 << 20},   {"G", 1 << 30},
					      {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {0}};
	double value;

	if (quantity_parse(text, sizes, 1e18, &value) == 0) {
		*bytes = (uint64_t)value;
		return 0;
	}
	err_set(err, "--%s cannot be '%s', only a size above 0: 4096, 512M, 4G", option, text);
	return err_status(err, ERR_USAGE);
}
