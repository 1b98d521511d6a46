/* SPDX-License-Identifier: GPL-2.0-or-later */
/* oracle_options.h - the options about plug-in oracles, from words to loaded plug-ins.
 *
 *     static struct oracle_words given;
 *     static const struct option options[] = {ORACLE_OPTIONS(&given, "also check with this plug-in"), {0}};
 *     ...
 *     if (oracle_options_open(&plugins, &given, &err) < 0) ...      // plugins_close(plugins) in any case */
#ifndef BLACKOUT_CLI_ORACLE_OPTIONS_H
#define BLACKOUT_CLI_ORACLE_OPTIONS_H

#include "cli/option.h"
#include "plugin/plugin.h"

/* As on the command line. */
struct oracle_words {
	struct option_list files;
	const char *timeout, *memory;
};

/* clang-format off */
#define ORACLE_OPTIONS(o, help) \
	{"oracle", "FILE.so", NULL, help, OPTION_LIST | OPTION_KEPT, &(o)->files}, \
	{"oracle-timeout", "SECONDS", "10", "how long one callback of a plug-in may take", OPTION_TEXT | OPTION_KEPT, &(o)->timeout}, \
	{"oracle-memory", "SIZE", "2G", "how much memory a plug-in may use", OPTION_TEXT | OPTION_KEPT, &(o)->memory}
/* clang-format on */

/* *plugins is NULL if there are none. -1, ERR_USAGE: one of them cannot be used. */
int oracle_options_open(struct plugins **plugins, const struct oracle_words *words, struct err *err);

/* The recording in `dir` lacks something that a plug-in needs: -1, ERR_USAGE. */
int oracle_options_check(const struct plugins *plugins, const struct trace *trace, const char *dir, struct err *err);

#endif
