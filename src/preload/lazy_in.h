/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lazy_in.h - declarations that the files of lazy.h share. */
#ifndef BLACKOUT_PRELOAD_LAZY_IN_H
#define BLACKOUT_PRELOAD_LAZY_IN_H

#include <stdatomic.h>
#include <ucontext.h>

#include "preload/call.h"
#include "preload/lazy.h"

enum { LAZY_RANGES_MAX = 1024, LAZY_OPEN_MAX = 16, LAZY_CONTENTS_MAX = 64 /* of a line, that are compared */ };
#define LAZY_PAGE ((uintptr_t)4096)

/* The state of a line in this process. */
enum lazy_line {
	LINE_OPEN,
	LINE_GIVEN,  /* when it is first accessed, it becomes what the request says */
	LINE_PARTLY, /* several alternatives are still possible; the bytes on which they agree are visible */
	LINE_DECIDED,
};

/* A part of a PM file in memory. */
struct lazy_range {
	uintptr_t at;
	size_t bytes;
	uint64_t offset;
	uint32_t file; /* number in the choices */
	int prot;      /* as the program requested it */
};

/* Shared by all processes of a tree.  Only one of them runs at any time, and the others wait for it, so no lock is
 * needed. */
struct lazy_tree {
	uint64_t bytes;              /* size of the mapping */
	uint32_t depth;              /* number of decided lines on the current path */
	uint32_t fresh;              /* the first of them that was not yet reported */
	pid_t active;                /* the process that runs; 0: it has ended without a leaf */
	uint64_t deadline_ns;        /* when it will be killed */
	uint64_t began_ns, spent_ns; /* when it started to run, and its run time before that */
	uint64_t leaves, traps;
	double left_out;
	bool all, none; /* does the current path agree with the state with all units, and with the one with none? */
	bool over;      /* no more leaves */
	bool lost;
	/* followed by: uint32_t log[line_count], the decided lines; uint8_t taken[unit_count] */
};

/* An alternative of a line, for comparison with others. */
struct lazy_content {
	uint8_t bytes[LINE_BYTES];
	struct choices_bounds bounds;
};

struct lazy {
	bool armed;
	bool suspended; /* all pages are accessible */
	struct lazy_setup setup;
	const struct lazy_block *block;
	const struct choices *choices;
	struct lazy_tree *tree;
	uint32_t *log;
	uint8_t *taken;

	/* Each process has its own copy of these. */
	uint8_t *lines;  /* enum lazy_line of each line */
	uint64_t *masks; /* per line: bit i is set if alternative i is possible.  LINE_PARTLY only */
	/* per line: bit i is set if byte i is equal in all possible alternatives, and visible; or owned */
	uint64_t *agreed;
	uint64_t *owned;      /* per line: bit i is set if recovery stored to byte i before it was decided */
	uint32_t *places;     /* per line: its index in the log, or CHOICES_NONE */
	uint8_t *alternative; /* line_units_max flags */
	uint8_t *scratch;     /* same size */
	struct lazy_content contents[LAZY_CONTENTS_MAX];
	size_t private_bytes;
	struct choices_bounds bounds;
	uint32_t depth; /* number of our own decisions */
	uint32_t forks; /* number of these with several contents */
	bool lossy;     /* some unit was left out */
	bool all, none; /* for our own path, as in the tree */
	unsigned level; /* number of waiting processes above us */
	const char *spoiled;

	struct lazy_range ranges[LAZY_RANGES_MAX];
	size_t range_count;
};

extern struct lazy lazy;

/* lazy.c */
void lazy_refuse(const char *why) __attribute__((noreturn));
struct lazy_range *lazy_range_at(uintptr_t at);
/* Does the page at `at` have an undecided line? */
bool lazy_page_is_open(const struct lazy_range *range, uintptr_t at);
/* What is about to happen to bytes. */
enum lazy_access {
	ACCESS_ANY,
	ACCESS_LOAD,  /* they are loaded, and not stored to */
	ACCESS_STORE, /* all of them are stored to, and not loaded */
};

/* Decide what this access must know about the lines in [at, end) of a range, within one page.  Afterwards the page is
 * writable. */
void lazy_decide(const struct lazy_range *range, uintptr_t at, uintptr_t end, enum lazy_access access);
/* Set the protection that a page has between two instructions. */
void lazy_page_settle(const struct lazy_range *range, uintptr_t at);
void lazy_page_protect(uintptr_t page, int prot);
/* Close all pages with undecided lines. */
void lazy_close_all(void);

/* Write bytes of a line to all places where it is mapped, except `here`, where the caller already has them. */
void lazy_show(uint32_t line, const uint8_t *content, uint64_t bytes, uintptr_t here);

/* lazy_branch.c */
/* Choose the content of an undecided line, in lazy.alternative.  Returns once in each process that takes one.
 * `certain`: the line's bytes so far, or NULL if unknown. */
void lazy_branch(uint32_t line, const uint8_t *certain);

/* lazy_narrow.c */
/* Decide as much of a line as needed to make the `bytes` (one bit for each) equal in all possible alternatives, and
 * show them.  `here` is the line in memory.  False: this line must be decided as a whole. */
bool lazy_narrow(uint32_t line, uint64_t bytes, uint8_t *here);
/* From now on these bytes are recovery's own.  False: as above. */
bool lazy_own(uint32_t line, uint64_t bytes, uint8_t *here);

/* lazy_tree.c */
bool lazy_is_threaded(void);
/* Is another child allowed?  If not, the tree is too deep here; blackout requests such branches again, from the root of
 * the tree. */
bool lazy_child_may(void);
/* Is what follows to be explored by another request? */
bool lazy_splits(void);
/* The flags of a report that postpones lazy.alternative of this line. */
uint32_t lazy_postponed_flags(uint32_t line);
/* Fork a child that continues with lazy.alternative, and wait for its whole subtree.  Returns true in the child. */
bool lazy_child_try(uint32_t line);
/* End this process without a leaf, though it would have had one. */
void lazy_child_leave(void) __attribute__((noreturn));
/* The number of sets that agree with all decisions, including this one.  A line that is partly decided counts as one
 * alternative. */
double lazy_completions(uint32_t line, const uint8_t *flags);
/* Try the contents with the most stores first? */
bool lazy_goes_downwards(void);
uint32_t lazy_random_below(uint32_t line, uint32_t limit);

/* lazy_log.c */
/* Decide a whole line. */
void lazy_commit(uint32_t line, const uint8_t *flags);
/* Record whether the last decision agrees with all units of the line, and with none of them. */
void lazy_agree(bool all, bool none);
/* Write a line's flags to the log. push: only for a report, not as our own decision. change: the line is already in the
 * log. enter: whichever of the two is needed, as our own decision. */
void lazy_log_push(uint32_t line, const uint8_t *flags);
void lazy_log_change(uint32_t line, const uint8_t *flags);
void lazy_log_enter(uint32_t line, const uint8_t *flags);
/* A child may have decided more about a partly decided line.  Put our own flags back into the log. */
void lazy_log_restore(void);
/* The flags of the first alternative in a mask. */
void lazy_mask_first(uint32_t line, uint64_t mask, uint8_t *flags);
bool lazy_leaves_out(const uint8_t *flags, uint32_t count);
/* Send a report with these flags (enum lazy_flag). lazy_report_leaf reports the own leaf of a process that has ended;
 * that process has already reported all leaves below it. */
void lazy_report_send(uint32_t flags, int status);
void lazy_report_leaf(pid_t pid, int status);

/* lazy_time.c */
/* Call in a process that starts to run. */
void lazy_timer_start(void);
/* Stop the timer while waiting for a child, and start it again. */
void lazy_time_stop(void);
void lazy_time_go(void);

/* lazy_signal.c */
void lazy_signals_arm(void);

/* lazy_call.c */
/* Trap system calls with an argument in [at, end). */
void lazy_filter(uintptr_t at, uintptr_t end);
void lazy_call(ucontext_t *context);

#endif
