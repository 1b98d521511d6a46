/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ending.h - how a run of recovery ended.  The workers that see it end, the oracles that judge it, the journal,
 * findings and reports all use these words.
 *
 *     struct ending e = {ENDING_SIGNAL, SIGSEGV};
 *     ending_text(e, text, sizeof(text));         // "SIGSEGV"
 *     ending_name(e.kind)                         // "signal", in JSON
 */
#ifndef BLACKOUT_BASE_ENDING_H
#define BLACKOUT_BASE_ENDING_H

#include <stdbool.h>
#include <stddef.h>

/* Name in the code, name in JSON, letter in the journal. */
#define ENDINGS(X)                                                                           \
	X(EXIT, "exit", 'e')                                                                 \
	X(SIGNAL, "signal", 's')                                                             \
	X(TIMEOUT, "timeout", 't')                                                           \
	/* It ended well, but an oracle rejects its output.  No process ends in this way. */ \
	X(OUTPUT, "output", 'o')

enum ending_kind {
#define X(kind, name, letter) ENDING_##kind,
	ENDINGS(X)
#undef X
		ENDING_KINDS
};

struct ending {
	enum ending_kind kind;
	int value; /* EXIT: status; SIGNAL: number; OUTPUT: a class of the oracle; otherwise 0 */
};

static inline bool ending_same(struct ending a, struct ending b)
{
	return a.kind == b.kind && a.value == b.value;
}

/* Convert a kind to its name in JSON, and back. */
const char *ending_name(enum ending_kind kind);
bool ending_find(const char *name, enum ending_kind *kind);

/* The same for the letter in the journal. */
char ending_letter(enum ending_kind kind);
bool ending_find_letter(char letter, enum ending_kind *kind);

/* "exit status 3", "SIGSEGV", "did not end within the time limit", "wrong output". */
void ending_text(struct ending ending, char *text, size_t size);

#endif
