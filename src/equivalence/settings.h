/* SPDX-License-Identifier: GPL-2.0-or-later */
/* settings.h - how recovery is started after a crash (run/setting.h): the operations that it performs then.
 *
 *     struct settings *s = settings_new(&options);
 *     uint64_t id = settings_id(s, 18);                       // those from operation 18 on are left
 *     const struct recovery_setting *setting = settings_get(s, id);
 *     settings_drop_others(s, id);                            // nothing runs in another one
 *     settings_free(s);
 *
 * With a probe, and commands that do not ask for {first}, there is one setting for all. */
#ifndef BLACKOUT_EQUIVALENCE_SETTINGS_H
#define BLACKOUT_EQUIVALENCE_SETTINGS_H

#include "equivalence/equivalence.h"
#include "run/setting.h"

struct settings;

/* The options must live as long as the result. */
struct settings *settings_new(const struct equivalence_options *options);
void settings_free(struct settings *settings);

/* The operations from `left` on are left. */
uint64_t settings_id(const struct settings *settings, size_t left);
/* The same, but recovery performs none. */
uint64_t settings_idle_id(const struct settings *settings, size_t left);

/* Recovery performs the operations `before`, and then those that are left or, if `alone`, no others. */
uint64_t settings_history_id(struct settings *settings, const size_t *before, unsigned count, size_t left, bool alone);

/* Its file is made on demand.  If that fails, it is named nevertheless, and recovery cannot be started. */
const struct recovery_setting *settings_get(struct settings *settings, uint64_t id);

/* Remove the files of all but this one.  No run in another one may be under way. */
void settings_drop_others(struct settings *settings, uint64_t id);

#endif
