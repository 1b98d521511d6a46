/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lazy_in.h - what the files of lazy.h share. */
#ifndef BLACKOUT_PRELOAD_LAZY_IN_H
#define BLACKOUT_PRELOAD_LAZY_IN_H

#include <stdatomic.h>
#include <ucontext.h>

#include "preload/call.h"
#include "preload/lazy.h"

enum { LAZY_RANGES_MAX = 1024, LAZY_OPEN_MAX = 16, LAZY_CONTENTS_MAX = 64 /* of a line, that are compared */ };
#define LAZY_PAGE ((uintptr_t)4096)

/* What a line is to this process. */
enum lazy_line {
	LINE_OPEN,
	LINE_GIVEN,  /* as soon as it is looked at, it is what the request says */
	LINE_PARTLY, /* some of its alternatives are possible, and the bytes on which they agree can be seen */
	LINE_DECIDED,
};

/* A part of a PM file in memory. */
struct lazy_range {
	uintptr_t at;
	size_t bytes;
	uint64_t offset;
	uint32_t file; /* of the choices */
	int prot;      /* as the program wants it */
};

/* Shared by all processes of a tree.  Only one of them runs at any time, the others wait for it; so there is nothing to
 * lock. */
struct lazy_tree {
	uint64_t bytes;              /* that are mapped */
	uint32_t depth;              /* lines decided on the way that is being gone */
	uint32_t fresh;              /* the first of them that was not yet told */
	pid_t active;                /* the process that runs; 0: the one that ran has ended without a leaf */
	uint64_t deadline_ns;        /* when it will be killed */
	uint64_t began_ns, spent_ns; /* since when it runs, and how long it did before */
	uint64_t leaves, traps;
	double left_out;
	bool all, none; /* the way that is being gone agrees with the state with all units, and with none */
	bool over;      /* no more leaves */
	bool lost;
	/* then: uint32_t log[line_count], the decided lines; uint8_t taken[unit_count] */
};

/* An alternative of a line, to be compared with others. */
struct lazy_content {
	uint8_t bytes[CHOICES_LINE];
	struct choices_bounds bounds;
};

struct lazy {
	bool armed;
	bool suspended; /* everything is accessible */
	struct lazy_setup setup;
	const struct lazy_block *block;
	const struct choices *choices;
	struct lazy_tree *tree;
	uint32_t *log;
	uint8_t *taken;

	/* A copy in each process. */
	uint8_t *lines;       /* enum lazy_line of each line */
	uint64_t *masks;      /* of each line: bit i, alternative i is possible.  LINE_PARTLY only */
	uint64_t *agreed;     /* of each line: bit i, its byte i is the same in all of these, and shown; or owned */
	uint64_t *owned;      /* of each line: bit i, recovery has stored to its byte i before it was decided */
	uint32_t *places;     /* of each line: where it is in the log, or CHOICES_NONE */
	uint8_t *alternative; /* line_units_max flags */
	uint8_t *scratch;     /* as many */
	struct lazy_content contents[LAZY_CONTENTS_MAX];
	size_t private_bytes;
	struct choices_bounds bounds;
	uint32_t depth; /* of our own decisions */
	bool lossy;     /* a unit was left out */
	bool all, none; /* our own way, as in the tree */
	unsigned level; /* processes above us that wait */
	const char *spoiled;
	int *tid; /* where the C library keeps the number of the thread */

	struct lazy_range ranges[LAZY_RANGES_MAX];
	size_t range_count;
};

extern struct lazy lazy;

/* lazy.c */
void lazy_refuse(const char *why) __attribute__((noreturn));
struct lazy_range *lazy_range_at(uintptr_t at);
/* Has the page at `at` an undecided line? */
bool lazy_page_is_open(const struct lazy_range *range, uintptr_t at);
/* What is about to happen to bytes. */
enum lazy_access {
	ACCESS_ANY,
	ACCESS_LOAD,  /* they are not stored to */
	ACCESS_STORE, /* they are stored to, all of them, and not loaded */
};

/* Decide what must be known of the lines in [at, end) of a range, within one page, before this.  The page can be
 * written then. */
void lazy_decide(const struct lazy_range *range, uintptr_t at, uintptr_t end, enum lazy_access access);
/* The protection that a page has between two instructions. */
void lazy_page_settle(const struct lazy_range *range, uintptr_t at);
void lazy_page_protect(uintptr_t page, int prot);
/* All pages with undecided lines. */
void lazy_close_all(void);

/* Bytes of a line, where they are mapped.  `here` is where the caller has them already. */
void lazy_show(uint32_t line, const uint8_t *content, uint64_t bytes, uintptr_t here);

/* lazy_branch.c */
/* Choose the content of an undecided line, in lazy.alternative: returns once in each process that has one.  `certain`:
 * its bytes so far, or NULL if they are not at hand. */
void lazy_branch(uint32_t line, const uint8_t *certain);

/* lazy_narrow.c */
/* Decide so much of a line that the `bytes` (a bit for each) are the same in all that is still possible, and show them.
 * `here` is the line in memory.  False: this line must be decided as a whole. */
bool lazy_narrow(uint32_t line, uint64_t bytes, uint8_t *here);
/* These bytes are recovery's own from now on.  False: as above. */
bool lazy_own(uint32_t line, uint64_t bytes, uint8_t *here);

/* lazy_tree.c */
bool lazy_is_threaded(void);
/* May there be a child?  What is deeper is asked for again, from the root. */
bool lazy_child_may(void);
/* Let a child go on with lazy.alternative, and wait for all that comes of it.  True in the child. */
bool lazy_child_try(uint32_t line);
/* This process, which would have had a leaf, has none. */
void lazy_child_leave(void) __attribute__((noreturn));
/* The sets that agree with all that is decided, and this; lines of which something is decided count as one alternative
 * each. */
double lazy_completions(uint32_t line, const uint8_t *flags);
/* Are the contents with most stores tried first? */
bool lazy_goes_downwards(void);
uint32_t lazy_random_below(uint32_t line, uint32_t limit);

/* lazy_log.c */
/* All of a line is decided. */
void lazy_commit(uint32_t line, const uint8_t *flags);
/* Something was decided that agrees with all units of a line, or with none, or with neither. */
void lazy_agree(bool all, bool none);
/* A line gets flags in the log: for a report only, and not as our own decision; or other ones, if it is there already;
 * or whichever it needs. */
void lazy_log_push(uint32_t line, const uint8_t *flags);
void lazy_log_change(uint32_t line, const uint8_t *flags);
void lazy_log_enter(uint32_t line, const uint8_t *flags);
/* A child may have decided more of lines of which we have decided something: the log has our own again. */
void lazy_log_restore(void);
/* The flags of the first alternative of a mask. */
void lazy_mask_first(uint32_t line, uint64_t mask, uint8_t *flags);
bool lazy_leaves_out(const uint8_t *flags, uint32_t count);
/* Report: enum lazy_flag.  A process of the tree that has ended is told of with its own leaf: all others below it were
 * told by itself. */
void lazy_tell(uint32_t flags, int status);
void lazy_tell_leaf(pid_t pid, int status);

/* lazy_time.c */
/* In a process that begins to run. */
void lazy_timer_start(void);
/* It waits for a child; and goes on. */
void lazy_time_stop(void);
void lazy_time_go(void);

/* lazy_signal.c */
void lazy_signals_arm(void);

/* lazy_call.c */
/* Trap system calls with an argument in [at, end). */
void lazy_filter(uintptr_t at, uintptr_t end);
void lazy_call(ucontext_t *context);

#endif
