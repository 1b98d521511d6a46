/* SPDX-License-Identifier: GPL-2.0-or-later */
/* journal.h - which paths of the user a process may have swapped, in a file that outlives it.
 *
 * A note beside each file says what happened to it (swap.h); the journal says where there are notes, so that any later
 * command, wherever it is run, finds them.  It is a file JOURNALS/OWNER-XXXXXX, with our rights alone, that holds paths,
 * each ended by a 0; OWNER is that of the notes.  JOURNALS is $XDG_STATE_HOME/blackout, or ~/.local/state/blackout, or
 * where neither can be had, /var/tmp/blackout-UID; it is removed with its last journal.
 *
 *     journal_open(&journal, &err);
 *     journal_add(&journal, "/pm/pool", &err);        // all paths, before the first is touched
 *     ... swap_out, swap_back ...
 *     journal_close(&journal, true);                  // none is swapped any more: it is removed */
#ifndef BLACKOUT_RUN_JOURNAL_H
#define BLACKOUT_RUN_JOURNAL_H

#include <stdbool.h>

#include "base/err.h"
#include "base/owner.h"
#include "run/words.h"

struct journal {
	char *path; /* NULL: none is open */
	int fd;
};

int journal_open(struct journal *journal, struct err *err);
int journal_add(struct journal *journal, const char *path, struct err *err);
void journal_close(struct journal *journal, bool remove);

/* Call for each journal of this user whose owner is dead.  If it returns true, the journal is removed. */
typedef bool journal_visit(void *arg, const struct owner *owner, const struct words *paths);
void journal_each_dead(journal_visit *visit, void *arg);

#endif
