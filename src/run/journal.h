/* SPDX-License-Identifier: GPL-2.0-or-later */
/* journal.h - a file that outlives its process and lists the user's paths that the process may have swapped.
 *
 * A note beside each file says what happened to it (swap.h).  The journal says where there are notes, so that any later
 * command finds them, whatever directory it runs in.  It also lists what recovery created beside the files (witness.h).
 * The journal is a file JOURNALS/OWNER-XXXXXX that only this user can access; OWNER is the same as in the notes.
 * JOURNALS is $XDG_STATE_HOME/blackout, or ~/.local/state/blackout, or /var/tmp/blackout-UID if neither can be used.
 * It is removed together with its last journal.
 *
 *     journal_open(&journal, &err);
 *     journal_add(&journal, "/pm/pool", &err);        // add all paths before touching the first
 *     journal_run(&journal);                          // recovery is about to run
 *     ... swap_out, journal_made, swap_back ...
 *     journal_close(&journal, true);                  // nothing is swapped any more: remove the journal
 *
 * The journal consists of records, each terminated by a 0 byte.  The paths come first.  Then come the records of the
 * last run: "=TIME" is when it began, "+TIME PATH" is an entry that recovery had created by then, and "-TIME PATH" is
 * an entry that turned out not to be recovery's.  TIME is in nanoseconds. */
#ifndef BLACKOUT_RUN_JOURNAL_H
#define BLACKOUT_RUN_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/owner.h"
#include "run/words.h"

struct journal {
	char *path; /* NULL: not open */
	int fd;
	off_t paths_end; /* where the paths end; 0: not known yet */
};

int journal_open(struct journal *journal, struct err *err);
int journal_add(struct journal *journal, const char *path, struct err *err);
void journal_close(struct journal *journal, bool remove);

/* A run begins: recovery has created nothing yet. */
void journal_run(struct journal *journal);

/* Recovery is about to create this path; or, if not is_recoverys, the path is not (or no longer) recovery's. */
void journal_made(struct journal *journal, const char *path, bool is_recoverys);

/* The contents of a journal. */
struct journal_entry {
	char *path;
	uint64_t by_ns; /* it was created no later than this */
};

struct journal_text {
	struct owner owner;
	struct words paths;
	struct journal_entry *made;
	size_t made_count;
	uint64_t since_ns; /* the run began then, so nothing of it is older */
};

/* Read this journal; call journal_text_free when done. */
bool journal_read(const struct journal *journal, struct journal_text *text);
void journal_text_free(struct journal_text *text);

/* Called for each journal of this user whose owner is dead.  If it returns true, the journal is removed. */
typedef bool journal_visit(void *arg, const struct journal_text *text);
void journal_each_dead(journal_visit *visit, void *arg);

#endif
