/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input_search_in.h - the state of a search, for the files that work on it. */
#ifndef BLACKOUT_SEARCH_INPUT_SEARCH_IN_H
#define BLACKOUT_SEARCH_INPUT_SEARCH_IN_H

#include "base/map.h"
#include "base/vec.h"
#include "search/course.h"
#include "search/frontier.h"
#include "search/gathering.h"
#include "search/input_search.h"
#include "search/joining.h"
#include "search/journal.h"
#include "search/queue.h"
#include "search/route.h"
#include "search/share.h"
#include "search/sides.h"
#include "search/turner.h"
#include "search/vary.h"

enum { JOBS_MOST = 64 };

/* Where an input comes from.  The journal has these numbers. */
enum attempt_origin {
	ORIGIN_SEED,
	ORIGIN_TURNED,    /* it takes the other side of a branch */
	ORIGIN_GROWN,     /* it has a longer line or word */
	ORIGIN_VARIED,    /* it repeats itself, or has other lines */
	ORIGIN_MINIMIZED, /* a smaller one that may show the same finding */
	ORIGIN_FRONTIER,  /* it takes the other side of a branch, chosen by frontier.h */
	ORIGIN_JOINED,    /* it is two others, one after the other (joining.h) */
};

/* An input, and its execution if it is done. */
struct attempt {
	struct input input;
	enum attempt_origin origin;
	uint64_t parent; /* the execution that it was made from; 0: none */
	uint64_t family; /* the last execution, of this one and those that it comes from, that came nearer to PM */
	VEC_OF(struct reach_code) code; /* that was executed, if it began a family */
	size_t bound;                   /* the branches before this one are the parent's */
	bool done;
	bool again;        /* a search that was resumed knows it; its crash states may not all be tested */
	uint64_t kept;     /* inputs/KEPT; 0: it showed nothing new */
	size_t novelty;    /* contexts of PM-modifying instructions that it was the first to show */
	size_t news;       /* sides of branches that it was the first to take */
	size_t deeper;     /* how often it took a side in a state in which none had taken it (sides.h) */
	unsigned cost;     /* of the state in which it, or one that it was made from, did something new last */
	uint64_t question; /* of the frontier, that it answers; 0: none, or not known any more */
	uint64_t asked;    /* how often one of its branches was turned */
	bool joined;       /* it comes from inputs that were put together */
	bool longer;       /* one of its lines was, or will be, made longer, because a branch could not be turned */
	struct ending native;
	bool was_native;
	char said[256];
};

/* The ways to vary a source of an input, in this sequence. */
enum variation_way {
	VARIED_END,  /* it ends earlier */
	VARIED_GROW, /* it grows, in the ways of enum vary_growth; operations: only their words */
	VARIED_REST =
		VARIED_GROW + VARY_GROWTHS, /* it repeats itself; operations: their lines change, again and again */
};

/* What the executions that are under way are for. */
enum search_phase {
	PHASE_SEEDS, /* they show what the program does; in a search that is resumed, all that waits is executed, too */
	PHASE_TURNING, /* more inputs are made */
	PHASE_SMALLER, /* the inputs of findings are made smaller */
};

struct variation {
	uint64_t execution;
	size_t source;
	size_t length;      /* for VARIED_END */
	unsigned next, end; /* ways */
};

struct input_search {
	const struct input_search_options *options;
	struct execution_plan plan;
	struct gathering *gathering;
	struct behavior_set behavior; /* that was seen */
	struct fruitless fruitless;
	struct behavior_set tested; /* the part of it whose crash states were tested, if there is a recovery command */
	struct sides sides;
	struct reach *reach;
	struct turner *turner;
	struct queue queue;
	struct frontier frontier;
	struct share share;
	unsigned dull;    /* executions since one began a family: so long the search came no nearer to PM */
	struct map spent; /* by family and side: as in struct side, but only for inputs of the family */
	struct search_journal journal;
	struct course course;
	struct map seen;     /* digests of all inputs */
	struct map turned;   /* candidates that were turned, also before a search was resumed: verdict + 1 */
	struct map concrete; /* hashes of names of operations whose result was taken as it was: index + 1 */
	VEC_OF(struct route_concrete) concretes;
	VEC_OF(struct attempt) attempts; /* execution N is attempts.at[N - 1] */
	VEC_OF(uint64_t) waiting;        /* those that are to be executed, */
	size_t waiting_from;             /* from this one on */
	VEC_OF(struct variation) variations;
	uint64_t varied; /* how often one was taken */
	struct joining joining;
	struct execution running[JOBS_MOST];
	size_t running_count;
	uint64_t executions, inputs;
	uint64_t minimized; /* of the executions: those that only make inputs smaller */
	uint64_t solved, unsat, unknown;
	uint64_t picks;    /* inputs that were made */
	uint64_t random;   /* state of random choices */
	uint64_t reads;    /* executions that read any input that may be changed */
	unsigned failures; /* executions that failed, one after the other */
	double begin, end; /* monotonic clock; end 0: never */
	enum search_phase phase;
	bool cut; /* crash states of an execution were left; --resume tests them */
	bool complete;
	bool stopped; /* by the user */
	VEC_OF(char *) notes;
};

/* The number of a question about a branch, for the journal. */
static inline unsigned candidate_question(const struct candidate *candidate)
{
	return candidate->tries << 3 | (unsigned)candidate->patient << 2 | candidate->hope;
}

static inline uint64_t search_turned_key(uint64_t branch, unsigned question)
{
	return branch << SEARCH_TRIES_BITS | question;
}

/* Add an input, whose content is taken.  1: it is new, and waits to be executed; 0: it is known, or cannot be executed; -1. */
int input_search_offer(struct input_search *search, struct input *input, enum attempt_origin origin, uint64_t parent,
		       size_t bound, struct err *err);

/* Execute all that wait. */
int input_search_execute(struct input_search *search, struct err *err);

/* Is the user tired of it, the time up, or enough done in this phase? */
bool input_search_is_over(struct input_search *search);

/* Were crash states of behavior that was seen not tested, though they should be? */
bool input_search_tests_left(const struct input_search *search);

/* Candidates that were given up, because there were too many. */
uint64_t input_search_dropped(const struct input_search *search);

/* Give an execution's input to the user, if it has no number yet. */
int input_search_keep(struct input_search *search, uint64_t execution, struct err *err);

__attribute__((format(printf, 2, 3))) void input_search_note(struct input_search *search, const char *format, ...);

/* learning.c: an execution is over; take all that it tells. */
int result_take(struct input_search *search, uint64_t execution, const struct execution_result *result,
		struct err *err);

/* picking.c: make the next input.  1; 0: there is none as long as nothing new is learned; -1. */
int input_pick(struct input_search *search, struct err *err);
/* What can be reached behind a side. */
uint64_t side_worth(const struct input_search *search, const struct side *side);
/* What a candidate is worth now; `search` is a struct input_search. */
struct rank candidate_rank(void *search, const struct candidate *candidate);

#endif
