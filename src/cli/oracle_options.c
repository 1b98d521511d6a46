/* SPDX-License-Identifier: GPL-2.0-or-later */
/* oracle_options.c - see oracle_options.h. */
#include "cli/oracle_options.h"

#include <stdio.h>

#include "cli/layers.h"
#include "cli/quantity.h"

int oracle_options_open(struct plugins **plugins, const struct oracle_words *words, struct err *err)
{
	struct child_limits limits;

	*plugins = NULL;
	if (seconds_parse("oracle-timeout", words->timeout, &limits.seconds, err) < 0 ||
	    bytes_parse("oracle-memory", words->memory, &limits.memory, err) < 0)
		return -1;
	return words->files.count ? plugins_open(plugins, words->files.items, words->files.count, &limits, err) : 0;
}

int oracle_options_check(const struct plugins *plugins, const struct trace *trace, const char *dir, struct err *err)
{
	struct plugins_lack lack;
	char what[256];

	if (!plugins_lack(plugins, trace, &lack))
		return 0;
	if (lack.call) {
		err_set(err, "%s was recorded without the calls of %s, which the oracle %s needs", dir, lack.call,
			lack.plugin);
		err_hint(err, "blackout record --oracle %s --out DIR -- PROGRAM", lack.plugin);
		return err_status(err, ERR_USAGE);
	}
	snprintf(what, sizeof(what), "the oracle %.200s", lack.plugin);
	return layers_refuse(dir, lack.layers, what, err);
}
