/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explore_in.h - shared by the files of explore.
 *
 *     explore.c       the readings, and roots
 *     try_lazily.c    roots that recovery itself decides
 *     try_each.c      roots state by state
 *     again.c         roots that have to be tested again
 *     observe.c       which lines recovery reads
 *     failing.c       failing states, and the jobs made from them */
#ifndef BLACKOUT_EXPLORE_EXPLORE_IN_H
#define BLACKOUT_EXPLORE_EXPLORE_IN_H

#include "crash/candidates.h"
#include "crash/moment.h"
#include "detect/segments.h"
#include "explore/explore.h"
#include "image/contents.h"
#include "model/moments.h"

/* States of one root that fail in the same way and lose stores of the same code. */
struct failure {
	struct verdict verdict;
	uint64_t lost;        /* hash of contexts */
	uint64_t sequence;    /* position of the first state in the test sequence of its root */
	uint32_t units;       /* lost in the first state, on decided lines */
	bool *persisted;      /* the first state: flags by model_pending */
	struct digest leader; /* content of the first state */
	size_t count;         /* of the flags in `persisted` */
	VEC_OF(struct digest) contents;
};

struct failures {
	VEC_OF(struct failure) all;
};

/* Add a failing state.  `content` is the content of the set, or one that recovery cannot tell from it. */
void failures_add(struct failures *failures, const struct moment *moment, const uint8_t *taken, const uint8_t *decided,
		  struct digest content, struct verdict verdict, uint64_t sequence);
void failures_clear(struct failures *failures);
/* Add what was known before the root was tested again, but not to its end; *before is empty then. */
void failures_join(struct failures *failures, struct failures *before, const struct outcomes *outcomes);

enum root_state {
	ROOT_WAITS,
	ROOT_DONE,
	ROOT_PART,      /* states remain */
	ROOT_LEFT,      /* states remain, and are left out */
	ROOT_REFUSED,   /* the fork server cannot explore it */
	ROOT_ELSEWHERE, /* another shard explores it */
};

struct root {
	uint64_t event;    /* the crash is just after this event */
	uint64_t segments; /* number of segments that end with these crash states */
	enum root_state state;
	bool reads_many; /* recovery reads many pending lines */
	double left_out;
	bool pages_sampled; /* TRY_PAGES: too many pages to try them all */
	uint16_t doubted;   /* bits by pass: states passed in it, but only from a checkpoint */
	uint16_t passes;    /* bits: it was tested in them */
	struct failures failures;
	struct candidates candidates; /* for --nested; on the first platform only */
};

/* A store that another detector reported, or that an invariant wants to be persisted first. */
struct suspect {
	uint64_t last;  /* event of the last root in which it was pending */
	unsigned roots; /* number of counted roots in which it was pending */
};

struct observed;

/* The state of exploring on one platform. */
struct explored {
	struct map names; /* names of roots -> 1 + index */
	/* (event where a context ends, END_CHOSEN) -> 1 if it is explored; (code with pending stores, END_CODE) -> how
	 * often a context ended with it */
	struct map ends;
	VEC_OF(struct root) roots;
	struct map suspect_index; /* event of the store -> 1 + index */
	VEC_OF(struct suspect) suspects;
	uint64_t seen;    /* moments looked at, including repeated roots */
	uint64_t stopped; /* last event up to which there was time to look for roots; 0: to the end */
	struct contents tested;
	uint64_t traps;
	uint64_t one_by_one;
	const char *reason;
	bool observed;
	bool read;              /* read at least once */
	enum explore_pass pass; /* this one is under way, or the last one */
	struct observed *lines; /* that recovery reads; NULL: not observed yet */
};

/* One reading. */
struct explore {
	struct campaign *campaign;
	struct explored *explored;
	struct trials *trials; /* of the extreme states */
	struct reading *reading;
	struct segments *segments;
	struct moments moments;
	enum explore_pass pass;
	size_t platform;
	bool nests;                      /* keep states whose recovery is to be crashed */
	bool pages;                      /* inject's roots: try pages */
	bool again;                      /* again.c */
	struct contents failing;         /* of all roots, if they are tested again */
	size_t tested;                   /* roots tested in this reading */
	size_t explain_at;               /* value of `tested` at which to look for causes */
	uint32_t *files;                 /* for run/lazy.h */
	VEC_OF(struct flight *) flights; /* try_lazily.c */
};

/* Note that a state of the root passed from a checkpoint only. */
static inline void explore_doubt(struct explore *explore, size_t root)
{
	explore->explored->roots.at[root].doubted |= (uint16_t)(1u << explore->pass);
}

/* The moment where the image stands. */
static inline struct moment *explore_moment(const struct explore *explore)
{
	const struct crash_context crash =
		campaign_crash(explore->campaign, explore->platform, reading_number(explore->reading));

	return moment_new(reading_image(explore->reading), &crash);
}

/* explore.c: is it this root's turn in this pass? */
bool root_is_due(const struct explore *explore, const struct root *root, const struct moment *moment);
/* Test the root at the image's moment as this pass does.  Takes ownership of the moment. */
int root_test(struct explore *explore, size_t root, struct moment *moment, struct err *err);

/* failing.c: see struct strategy. */
void explore_jobs(struct chooser *chooser, size_t platform, const struct judge_seen *seen, struct jobs *jobs);

/* try_lazily.c: does recovery itself decide what is tested at this moment, at least at first? */
bool try_lazily_decides(const struct explore *explore, const struct moment *moment);
/* Do all shards share the tree of this moment (flight.h)? */
bool try_lazily_shares(struct explore *explore, struct moment *moment);
/* Is there a fork server, and should it be used? */
bool try_lazily_can(const struct explore *explore, const struct root *root, const struct moment *moment);
/* Test all states that recovery can tell apart of the root at the image's moment, or a random sample.  Takes ownership
 * of the moment. */
int try_lazily(struct explore *explore, size_t root, struct moment *moment, struct err *err);
/* Look for states whose recovery is to be crashed.  Takes ownership of the moment. */
int try_lazily_nest(struct explore *explore, size_t root, struct moment *moment, struct err *err);
void try_lazily_close(struct explore *explore);

/* The lines that recovery reads with no pending store on media, and with all of them: flags by line; NULL: not
 * known. */
enum { GLANCES = 2 };

struct glance {
	uint8_t *read[GLANCES];
};

int try_lazily_glance(struct explore *explore, size_t root, struct moment *moment, struct glance *glance,
		      struct err *err);
void glance_free(struct glance *glance);
/* Might recovery read this line? */
bool glance_reads(const struct glance *glance, uint32_t line);
/* Can recovery not tell this set of units from one of the two extreme sets, which have been run? */
bool glance_covers(const struct glance *glance, const struct choices *choices, const uint8_t *taken);

enum try_extent {
	TRY_GLANCE,   /* suspicious states where one line is all on media or all not */
	TRY_CONTRAST, /* the suspicious states */
	TRY_ALL,
	TRY_PAGES, /* all but one page is on media, or only one page */
};

/* try_each.c: test the states of the root at the image's moment, up to the limit.  Takes ownership of the moment. */
int try_each(struct explore *explore, size_t root, struct moment *moment, enum try_extent extent, struct err *err);

/* observe.c: set *open to flags by line, 1: recovery may read it.  NULL: not known; any line may be read.  The caller
 * frees the flags.  0 or TESTER_STOPPED. */
int observe(struct explore *explore, const struct moment *moment, uint8_t **open);
void observed_free(struct observed *observed);

#endif
