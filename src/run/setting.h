/* SPDX-License-Identifier: GPL-2.0-or-later */
/* setting.h - how recovery is to be started after a crash: which operations are left for it to perform.
 *
 *     struct recovery_setting setting = {.id = 18, .ops = "/tmp/b/ops-1", .first = 18};
 *     // "./kv run {ops} --from={first}"     is started as      ./kv run /tmp/b/ops-1 --from=18
 *     // "./kv run"                                             ./kv run </tmp/b/ops-1
 *
 * recovery.h says what becomes of the words {ops}, {first} and {out}. */
#ifndef BLACKOUT_RUN_SETTING_H
#define BLACKOUT_RUN_SETTING_H

#include <stddef.h>
#include <stdint.h>

struct recovery_setting {
	uint64_t id; /* runs with the same id have the same setting; not 0, which stands for "without operations" */
	const char
		*ops; /* path of the file with the operations to perform now; it stays while such runs are under way */
	size_t first; /* how many operations come before these in the whole list */
};

#endif
