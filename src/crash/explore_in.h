/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explore_in.h - what the files of explore share.
 *
 *     explore.c    the readings, and roots
 *     lazily.c     roots that recovery itself decides
 *     eager.c      roots state by state
 *     observe.c    which lines recovery reads
 *     failures.c   what fails, and what is to be explained */
#ifndef BLACKOUT_CRASH_EXPLORE_IN_H
#define BLACKOUT_CRASH_EXPLORE_IN_H

#include "crash/campaign_in.h"
#include "crash/candidates.h"
#include "crash/contents.h"
#include "crash/explore.h"
#include "crash/moment.h"
#include "detect/segments.h"
#include "model/moments.h"

/* States of one root that fail alike and lose stores of the same code. */
struct failure {
	struct ending ending;
	uint64_t lost;        /* hash of contexts */
	uint64_t sequence;    /* of the first, among the states of its root */
	uint32_t units;       /* that it loses, of those decided */
	bool *persisted;      /* of the first: by model_pending */
	struct digest leader; /* its content */
	size_t count;         /* of these flags */
	VEC_OF(struct digest) contents;
};

struct failures {
	VEC_OF(struct failure) all;
};

/* One state fails.  `content` stands for it: it is that of the set, or one that is the same to recovery. */
void failures_add(struct failures *failures, const struct moment *moment, const uint8_t *taken, const uint8_t *decided,
		  struct digest content, struct ending ending, uint64_t sequence);
void failures_clear(struct failures *failures);

enum root_state {
	ROOT_WAITS,
	ROOT_DONE,
	ROOT_PART,    /* there is more */
	ROOT_LEFT,    /* there is more, and it is left out */
	ROOT_REFUSED, /* the fork server cannot do it lazily */
};

struct root {
	uint64_t event;    /* the crash comes after it */
	uint64_t segments; /* that end with these crash states */
	enum root_state state;
	bool reads_many; /* lines that are pending */
	double left_out;
	bool pages_sampled; /* EAGER_PAGES: there were too many pages to try each */
	struct failures failures;
	struct candidates candidates; /* on the first platform, for --nested */
};

/* A store that another detector complained of. */
struct suspect {
	uint64_t last;  /* the crash of the last root in which it was pending comes after this event */
	unsigned roots; /* in which it was, of those that count */
};

struct observed;

/* What is known of one platform. */
struct explored {
	struct map names; /* of roots -> 1 + index */
	VEC_OF(struct root) roots;
	struct map suspect_index; /* event of the store -> 1 + index */
	VEC_OF(struct suspect) suspects;
	uint64_t seen;    /* roots, also those seen before */
	uint64_t stopped; /* the event up to which there was time to look for roots; 0: to the end */
	struct contents tested;
	uint64_t traps;
	uint64_t eager;
	const char *reason;
	bool observed;
	bool read;              /* once at least */
	struct observed *lines; /* that recovery reads; NULL: it was not observed yet */
	struct trials trials;   /* the extreme states of all roots */
};

/* A reading. */
struct explore {
	struct campaign *campaign;
	struct explored *explored;
	struct reading *reading;
	struct segments *segments;
	struct moments moments;
	enum explore_pass pass;
	size_t platform;
	size_t tested;                   /* roots, in this reading */
	size_t explain_at;               /* when that many are, causes are looked for */
	uint32_t *files;                 /* for run/lazy.h */
	VEC_OF(struct flight *) flights; /* lazily.c */
};

/* Are states to be kept from which recovery is crashed in turn? */
static inline bool explore_nests(const struct explore *explore)
{
	return explore->campaign->options.nested && explore->campaign->options.explore &&
	       explore->explored == &explore->campaign->explored[0];
}

/* lazily.c: is there a fork server, and is it wanted? */
bool lazily_can(const struct explore *explore, const struct root *root, const struct moment *moment);
/* All that recovery can tell apart of the root at the image's moment, or some by chance.  Takes the moment over. */
int lazily_root(struct explore *explore, size_t root, struct moment *moment, struct err *err);
/* Look for states from which recovery is to be crashed in turn.  Takes the moment over. */
int lazily_nest(struct explore *explore, size_t root, struct moment *moment, struct err *err);
void lazily_close(struct explore *explore);

/* What recovery reads with nothing of what is pending on media, and with everything: flags by line; NULL: not known. */
enum { GLANCES = 2 };

struct glance {
	uint8_t *read[GLANCES];
};

int lazily_glance(struct explore *explore, size_t root, struct moment *moment, struct glance *glance, struct err *err);
void glance_free(struct glance *glance);
/* Is this line read, perhaps? */
bool glance_reads(const struct glance *glance, uint32_t line);
/* Is this set of units the same to recovery as one of the two, which have been run? */
bool glance_covers(const struct glance *glance, const struct choices *choices, const uint8_t *taken);

enum eager_extent {
	EAGER_GLANCE,   /* of the suspicious states, those where one line has all or nothing */
	EAGER_CONTRAST, /* the suspicious states */
	EAGER_ALL,
	EAGER_PAGES, /* everything is on media but one page, or nothing but one page */
};

/* eager.c: the states of the root at the image's moment, or as many as may be.  Takes the moment over. */
int eager_root(struct explore *explore, size_t root, struct moment *moment, enum eager_extent extent, struct err *err);

/* observe.c: flags by line, 1: recovery may read it; NULL: not known, that is, any may be read.  The caller frees them.
 * 0 or TESTER_STOPPED. */
int observe(struct explore *explore, const struct moment *moment, uint8_t **open);
void observed_free(struct observed *observed);

#endif
