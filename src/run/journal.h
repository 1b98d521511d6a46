/* SPDX-License-Identifier: GPL-2.0-or-later */
/* journal.h - which paths of the user a process may have swapped, in a file that outlives it.
 *
 * A note beside each file says what happened to it (swap.h); the journal says where there are notes, so that any later
 * command, wherever it is run, finds them.  It also says what recovery made beside the files (witness.h).  It is a file
 * JOURNALS/OWNER-XXXXXX, with our rights alone; OWNER is that of the notes.  JOURNALS is $XDG_STATE_HOME/blackout, or
 * ~/.local/state/blackout, or where neither can be had, /var/tmp/blackout-UID; it is removed with its last journal.
 *
 *     journal_open(&journal, &err);
 *     journal_add(&journal, "/pm/pool", &err);        // all paths, before the first is touched
 *     journal_run(&journal);                          // recovery is about to run
 *     ... swap_out, journal_made, swap_back ...
 *     journal_close(&journal, true);                  // none is swapped any more: it is removed
 *
 * It consists of records, each ended by a 0: the paths; then, of the last run, "=TIME", when it began, and "+TIME PATH"
 * and "-TIME PATH", what recovery made by then and what turned out not to be recovery's.  TIME is in nanoseconds. */
#ifndef BLACKOUT_RUN_JOURNAL_H
#define BLACKOUT_RUN_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/owner.h"
#include "run/words.h"

struct journal {
	char *path; /* NULL: none is open */
	int fd;
	off_t paths_end; /* where the paths end; 0: not known yet */
};

int journal_open(struct journal *journal, struct err *err);
int journal_add(struct journal *journal, const char *path, struct err *err);
void journal_close(struct journal *journal, bool remove);

/* Nothing is made yet. */
void journal_run(struct journal *journal);

/* Recovery is about to make this; or it is not recovery's (any more). */
void journal_made(struct journal *journal, const char *path, bool is_recoverys);

/* What a journal says. */
struct journal_entry {
	char *path;
	uint64_t by_ns; /* it was made by then */
};

struct journal_text {
	struct owner owner;
	struct words paths;
	struct journal_entry *made;
	size_t made_count;
	uint64_t since_ns; /* and not before */
};

/* What this one says; journal_text_free when done. */
bool journal_read(const struct journal *journal, struct journal_text *text);
void journal_text_free(struct journal_text *text);

/* Call for each journal of this user whose owner is dead.  If it returns true, the journal is removed. */
typedef bool journal_visit(void *arg, const struct journal_text *text);
void journal_each_dead(journal_visit *visit, void *arg);

#endif
