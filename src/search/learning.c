/* SPDX-License-Identifier: GPL-2.0-or-later */
/* learning.c - what a search learns from an execution: behavior, findings, branches to turn. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/path.h"
#include "base/random.h"
#include "report/report.h"
#include "search/input_search_in.h"

enum {
	CANDIDATES_MOST = 20000, /* of one execution */
	LINES_VARIED = 16,       /* how often one list of operations is varied */
	BRANCHES_BEHIND = 4,     /* how far ahead an address is followed */
	BRANCHES_NEAR = 2,       /* of the program itself, after a side that is new */
	JUMPS_TURNED = 16,       /* other sides of an indirect jump */
	ADDRESSES_TURNED = 4,    /* other addresses that depend on input */
	ENDINGS_TOLD = 3         /* inputs on which the program itself ends with the same message */
};

static struct attempt *attempt_of(struct input_search *s, uint64_t number)
{
	return &s->attempts.at[number - 1];
}

/* Was it told that the program ends in this way?  An execution that takes no new branch shows nothing else, and neither do
 * many that end with the same message. */
static bool ending_is_known(const struct input_search *s, uint64_t number)
{
	const struct attempt *last = &s->attempts.at[number - 1];
	unsigned ended = 0, kept = 0;

	for (const struct attempt *a = s->attempts.at; a < last; a++) {
		bool same = a->done && a->was_native && ending_same(a->native, last->native) &&
			    !strcmp(a->said, last->said);

		ended += same;
		kept += same && a->kept;
	}
	return (kept >= ENDINGS_TOLD && *last->said) || (ended && !last->news);
}

/* Crashes and hangs of the program itself are no findings about PM. */
static int ending_judge(struct input_search *s, uint64_t number, struct err *err)
{
	struct attempt *attempt = attempt_of(s, number);
	char text[80];

	if (!attempt->was_native || attempt->native.kind == ENDING_EXIT)
		return 0;
	if (ending_is_known(s, number))
		return 0;
	if (input_search_keep(s, number, err) < 0)
		return -1;
	ending_text(attempt->native, text, sizeof(text));
	input_search_note(s, "on inputs/%" PRIu64 " the program itself %s%s%s%s", attempt->kept,
			  attempt->native.kind == ENDING_SIGNAL ? "is killed by " : "", text,
			  *attempt->said ? ": " : "", attempt->said);
	return 0;
}

/* Only findings.json and the folders of crash findings are needed. */
static void reports_remove(const char *dir)
{
	char path[PATH_MAX];

	for (int i = 0; i < REPORT_COUNT; i++)
		if (i != REPORT_JSON &&
		    path_format(path, sizeof(path), "%s/%s", dir, report_file((enum report_format)i)))
			unlink(path);
}

static int findings_take(struct input_search *s, uint64_t number, const char *dir, struct err *err)
{
	struct attempt *attempt = attempt_of(s, number);
	const struct gathering_input input = {.size = input_size(&attempt->input, s->plan.sources),
					      .number = attempt->kept};
	int taken = gathering_add(s->gathering, dir, number, &input, err);

	reports_remove(dir);
	if (taken <= 0 || attempt->origin == ORIGIN_MINIMIZED)
		return taken < 0 ? -1 : 0;
	return input_search_keep(s, number, err);
}

/* That takes time, and is often not what the user wants to test. */
static void creation_note(struct input_search *s, const char *path)
{
	const char *name = strrchr(path, '/');

	if (!start_exists(s->plan.start, path))
		input_search_note(s, "each execution makes %s anew; --setup can make it once, before the search",
				  name ? name + 1 : path);
}

/* An execution that did not end by itself is not tested: another one that does the same must be. */
static bool was_testable(const struct execution_result *result)
{
	return result->recorded.kind == ENDING_EXIT && !result->is_untested;
}

static int behavior_take(struct input_search *s, uint64_t number, const char *recording,
			 const struct execution_result *result_of, struct err *err)
{
	struct attempt *attempt = attempt_of(s, number);
	struct behavior behavior = {0};
	int result = behavior_read(&behavior, recording, s->plan.symbols, err);

	if (result == 0)
		attempt->novelty = behavior_set_add(&s->behavior, &behavior);
	if (result == 0 && was_testable(result_of))
		behavior_set_add(&s->tested, &behavior);
	/* A search that is resumed does not know them yet.  They are as at the start. */
	for (size_t i = 0; result == 0 && i < behavior.files.count; i++)
		result = start_add_file(s->plan.start, behavior.files.at[i], err);
	for (size_t i = 0; result == 0 && number == 1 && i < behavior.files.count; i++)
		creation_note(s, behavior.files.at[i]);
	behavior_free(&behavior);
	return result < 0 || !attempt->novelty ? result : input_search_keep(s, number, err);
}

static void concretes_take(struct input_search *s, const struct route *route)
{
	for (size_t i = 0; i < route->concrete.count; i++) {
		const struct route_concrete *from = &route->concrete.at[i];
		XXH128_hash_t hash = XXH3_128bits(from->name, strlen(from->name));
		uint64_t *index = map_put(&s->concrete, hash.high64, hash.low64);

		if (!*index) {
			vec_push(&s->concretes, ((struct route_concrete){.name = strdup(from->name)}));
			*index = s->concretes.count;
		}
		s->concretes.at[*index - 1].count += from->count;
	}
}

static unsigned sides_most(enum bo_branch kind)
{
	return kind == BO_BRANCH_JUMP ? JUMPS_TURNED : kind == BO_BRANCH_ADDRESS ? ADDRESSES_TURNED : 1;
}

/* A name for a place in the program with where calls return to from there. */
static struct code_place stack_key(const struct reach_place *stack, size_t depth)
{
	struct code_place key = {.module = stack->module};

	for (size_t i = 0; i < depth; i++)
		key.offset = random_mix(key.offset + ((uint64_t)stack[i].module << 48 ^ stack[i].offset) * RANDOM_STEP);
	return sides_key(key, SIDE_LATER);
}

/* A C library often counts what it finds, or returns a constant: then the program decides without a branch on input.  The side
 * of that decision to which no execution ever went. */
static size_t side_later(struct input_search *s, size_t side)
{
	const struct side *inside = &s->sides.all.at[side];
	size_t depth = inside->depth - inside->inside, later;
	VEC_OF(struct reach_place) stack = {0};
	struct reach_fork fork;

	if (s->options->strategy != SEARCH_PM || !inside->inside || inside->inside >= inside->depth ||
	    !reach_decides(s->reach, &s->sides.places.at[inside->stack + inside->inside], &fork))
		return side;
	vec_append(&stack, &s->sides.places.at[inside->stack + inside->inside], depth);
	stack.at[0] = fork.side;
	later = side;
	if (reach_weight(s->reach, &fork.branch, stack.at, depth).unreached) {
		later = sides_number(&s->sides, stack_key(stack.at, depth));
		sides_lead(&s->sides, later, fork.branch, stack.at, depth, 0);
		s->sides.all.at[later].is_code = s->sides.all.at[later].is_later = true;
	}
	vec_free(&stack);
	return later;
}

/* Of the next branch on input, and a decision that no execution ever took that way: what is worth more. */
static size_t side_better(const struct input_search *s, size_t next, size_t later)
{
	const struct side *a = &s->sides.all.at[next], *b = &s->sides.all.at[later];
	bool same = a->branch.module == b->branch.module && a->branch.offset == b->branch.offset;

	return same || side_worth(s, a) >= side_worth(s, b) ? next : later;
}

/* C libraries branch on input, and load from addresses that depend on it: where two texts differ first, where a line ends.
 * The program then branches on what they return, and it is for that branch that theirs matter. */
static size_t side_behind(struct input_search *s, const struct route *route, size_t index)
{
	const struct route_branch *branch = &route->branches.at[index];
	size_t end = index + BRANCHES_BEHIND, later = side_later(s, branch->side);

	if (!s->sides.all.at[branch->side].inside)
		return branch->side;
	for (size_t i = index + 1; i < route->branches.count && i <= end; i++) {
		const struct route_branch *next = &route->branches.at[i];

		if (next->kind == BO_BRANCH_CONDITION && !s->sides.all.at[next->side].inside)
			return later == branch->side ? next->side : side_better(s, next->side, later);
	}
	return later;
}

static bool is_new(const struct input_search *s, const struct candidate *candidate)
{
	uint64_t asked;

	return !s->sides.all.at[candidate->side].taken ||
	       sides_lack(&s->sides, candidate->side, candidate->state, &asked);
}

/* How many of the program's next branches are near to a side that is new. */
static size_t near_left(const struct route_branch *branch, size_t left)
{
	if (branch->inside || branch->kind == BO_BRANCH_BOUND)
		return left;
	return branch->is_new ? BRANCHES_NEAR : left ? left - 1 : 0;
}

/* Each branch after those of the parent is a candidate. */
static void candidates_push(struct input_search *s, uint64_t number, const struct route *route)
{
	const struct attempt *attempt = attempt_of(s, number);
	size_t bound = attempt->family == number ? 0 : attempt->bound, pushed = 0, near = 0;

	/* An input that was varied, and does nothing new, is not worth turning the same branches again.  In longer words
	 * there is room for something new. */
	bool is_old = !attempt->news && !attempt->novelty && !attempt->deeper;

	if ((attempt->origin == ORIGIN_VARIED || attempt->origin == ORIGIN_JOINED) && is_old)
		return;
	for (size_t i = 0; i < bound && i < route->branches.count; i++)
		near = near_left(&route->branches.at[i], near);
	for (size_t i = bound; i < route->branches.count; i++) {
		const struct candidate candidate = {
			.execution = number,
			.branch = i,
			.side = route->branches.at[i].side,
			.leads = side_behind(s, route, i),
			.most = sides_most(route->branches.at[i].kind),
			.state = route->branches.at[i].state,
			.near = near && !route->branches.at[i].inside && attempt->origin != ORIGIN_SEED,
		};

		near = near_left(&route->branches.at[i], near);

		if (route->branches.at[i].kind == BO_BRANCH_BOUND ||
		    (attempt->origin == ORIGIN_GROWN && is_old && !is_new(s, &candidate) &&
		     !s->sides.all.at[candidate.leads].is_later))
			continue;
		if (pushed++ < CANDIDATES_MOST)
			queue_push(&s->queue, &candidate, candidate_rank(s, &candidate));
		else
			s->queue.dropped++;
	}
}

/* A program may do something else with longer words, or if its input ends where it refused a byte; and with more input, if it met
 * the end. */
static void source_vary(struct input_search *s, uint64_t number, const struct route *route, uint32_t id)
{
	const struct attempt *attempt = attempt_of(s, number);
	int source = turner_source(&s->plan, route->x, id);
	struct variation v = {.execution = number, .next = VARIED_END, .end = VARIED_REST + 1};
	uint64_t looked_at;

	if (source < 0 || s->plan.sources->at[source].ops)
		return;
	v.source = (size_t)source;
	looked_at = route_looked_at(route, id);
	v.length = looked_at ? looked_at - 1 : 0;
	if (!v.length || v.length >= attempt->input.of[source].size)
		v.next = VARIED_GROW;
	if (!route->ended.at[id] || attempt->input.of[source].size >= s->options->max_input)
		v.end = VARIED_GROW + VARY_LAST_LINE;
	if (!attempt->novelty && !attempt->news && attempt->origin != ORIGIN_SEED)
		v.end = VARIED_GROW; /* only more rounds of a loop */
	if (v.next < v.end)
		vec_push(&s->variations, v);
}

static bool attempt_hung(const struct attempt *attempt)
{
	return attempt->was_native && attempt->native.kind == ENDING_TIMEOUT;
}

/* Where the program hangs, its variations are likely to hang, too, and take the whole time limit. */
static void variations_push(struct input_search *s, uint64_t number, const struct route *route)
{
	const struct attempt *attempt = attempt_of(s, number);
	bool is_new = attempt->novelty || attempt->news || attempt->origin == ORIGIN_SEED;

	if (attempt_hung(attempt))
		return;
	for (size_t i = 0; is_new && i < s->plan.sources->count; i++)
		if (s->plan.sources->at[i].ops)
			vec_push(&s->variations, ((struct variation){.execution = number,
								     .source = i,
								     .next = VARIED_GROW,
								     .end = VARIED_GROW + LINES_VARIED}));
	for (uint32_t id = 1; (is_new || attempt->deeper) && id < route->ended.count; id++)
		source_vary(s, number, route, id);
}

/* Would the program have read on there?  A connection goes on with a message that has no bytes yet. */
static bool goes_on(const struct input_source *source, const struct input_bytes *bytes, bool ended)
{
	return source->ops || (ended && (source->kind != BO_SOURCE_SOCKET || !bytes->size));
}

/* The source by which another input can follow; or JOINING_SECOND.  Seeds repeat themselves (VARIED_REST). */
static int source_to_go_on(const struct input_search *s, const struct attempt *attempt, const struct route *route)
{
	bool is_first = attempt->novelty && attempt->origin != ORIGIN_SEED;

	for (uint32_t id = 1; is_first && id < route->ended.count; id++) {
		int source = turner_source(&s->plan, route->x, id);

		if (source >= 0 &&
		    goes_on(&s->plan.sources->at[source], &attempt->input.of[source], route->ended.at[id]))
			return source;
	}
	return JOINING_SECOND;
}

/* Inputs on which the program crashes or hangs are not put together with others. */
static void joining_learn(struct input_search *s, uint64_t number, const struct route *route)
{
	const struct attempt *attempt = attempt_of(s, number);

	if (s->options->strategy != SEARCH_PM)
		return;
	if (attempt->origin == ORIGIN_JOINED)
		joining_told(&s->joining, attempt->novelty || attempt->news);
	if ((attempt->novelty || attempt->news) && (!attempt->was_native || attempt->native.kind == ENDING_EXIT))
		joining_add(&s->joining, &(struct joining_part){
						 .execution = number,
						 .source = source_to_go_on(s, attempt, route),
						 .is_joined = attempt->joined,
						 .news = attempt->news,
					 });
}

/* What led to something new is where the search goes on. */
static void cost_take(struct input_search *s, uint64_t number)
{
	struct attempt *attempt = attempt_of(s, number);

	attempt->cost = attempt->parent ? attempt_of(s, attempt->parent)->cost : 0;
	if (s->sides.news_at > attempt->cost)
		attempt->cost = s->sides.news_at;
}

static bool is_nearer(struct input_search *s, const struct route *route, const struct attempt *than)
{
	return reach_nearness(s->reach, route->code.at, route->code.count) >
	       reach_nearness(s->reach, than->code.at, than->code.count);
}

/* An input that shows new behavior, or comes nearer to it than the one that it was made from, begins a family. */
static void family_take(struct input_search *s, uint64_t number, const struct route *route)
{
	struct attempt *attempt = attempt_of(s, number);
	uint64_t before = attempt->parent ? attempt_of(s, attempt->parent)->family : 0;

	attempt->family = before;
	if (before && !attempt->novelty && !is_nearer(s, route, attempt_of(s, before)))
		return;
	attempt->family = number;
	vec_append(&attempt->code, route->code.at, route->code.count);
}

/* Inputs of the frontier that do nothing new are left to it: their branches would crowd out those of the strategy. */
static bool is_followed(const struct attempt *attempt, uint64_t number)
{
	return attempt->origin != ORIGIN_FRONTIER || attempt->news || attempt->novelty || attempt->family == number;
}

/* What the two sources of branches to turn (share.h) learn from an execution. */
static void sources_learn(struct input_search *s, uint64_t number, const struct route *route)
{
	const struct attempt *attempt = attempt_of(s, number);
	size_t ways;

	if (s->options->strategy != SEARCH_PM)
		return;
	ways = frontier_learn(&s->frontier, route,
			      &(struct frontier_execution){number, attempt->question, attempt_hung(attempt)});
	s->dull = attempt->family == number ? 0 : s->dull + 1;
	/* The way that was asked for is no surprise. */
	if (attempt->origin == ORIGIN_FRONTIER)
		share_told(&s->share, SHARE_FRONTIER, ways > 1);
	else if (attempt->origin == ORIGIN_TURNED)
		share_told(&s->share, SHARE_QUEUE, attempt->news);
}

static int route_take(struct input_search *s, uint64_t number, const char *recording, struct err *err)
{
	const struct route_learning learning = {.sides = &s->sides, .reach = s->reach};
	uint64_t before = s->sides.news, deeper = s->sides.deeper;
	struct route route = {0};
	int result;

	s->sides.aside = attempt_of(s, number)->origin == ORIGIN_FRONTIER;
	result = route_read(&route, recording, &learning, err);

	if (result == 0) {
		attempt_of(s, number)->news = s->sides.news - before;
		attempt_of(s, number)->deeper = s->sides.deeper - deeper;
		cost_take(s, number);
		family_take(s, number, &route);
		s->reads += route.reads_input || route.branches.count; /* a file may be mapped instead */
		concretes_take(s, &route);
		if (is_followed(attempt_of(s, number), number)) {
			candidates_push(s, number, &route);
			variations_push(s, number, &route);
		}
		joining_learn(s, number, &route);
		sources_learn(s, number, &route);
	}
	route_free(&route);
	return result;
}

static int untested_note(struct input_search *s, uint64_t number, const struct execution_result *result,
			 struct err *err)
{
	/* What is not new was told before. */
	if (!result->cut && !(result->is_untested && attempt_of(s, number)->novelty))
		return 0;
	if (input_search_keep(s, number, err) < 0)
		return -1;
	if (result->is_untested)
		input_search_note(s, "crash states of inputs/%" PRIu64 " were not tested: %s",
				  attempt_of(s, number)->kept, result->untested.sentence);
	else
		input_search_note(s,
				  "crash states of inputs/%" PRIu64
				  " were not all tested, so that time is left for other inputs",
				  attempt_of(s, number)->kept);
	s->cut |= result->cut;
	return 0;
}

/* A smaller input for the same finding tells nothing else. */
static int learned_take(struct input_search *s, uint64_t number, const char *recording,
			const struct execution_result *result, struct err *err)
{
	bool is_seed = attempt_of(s, number)->origin == ORIGIN_SEED;

	if (attempt_of(s, number)->origin == ORIGIN_MINIMIZED)
		return 0;
	if (is_seed && input_search_keep(s, number, err) < 0)
		return -1;
	if (behavior_take(s, number, recording, result, err) < 0 || route_take(s, number, recording, err) < 0)
		return -1;
	return ending_judge(s, number, err);
}

/* What an execution left behind that showed nothing, although its crash states, if there are any, were tested. */
static void fruitless_note(struct input_search *s, const struct execution_result *result)
{
	bool tested = result->idle || (result->tested && !result->cut && !result->is_untested);

	if (result->left && result->judged && tested && !result->findings)
		vec_push(&s->fruitless.left, result->left);
}

int result_take(struct input_search *s, uint64_t number, const struct execution_result *result, struct err *err)
{
	struct attempt *attempt = attempt_of(s, number);
	char dir[PATH_MAX], recording[PATH_MAX];

	attempt->done = true;
	attempt->native = result->native;
	attempt->was_native = result->was_native;
	memcpy(attempt->said, result->said, sizeof(attempt->said));
	s->executions++;
	s->minimized += attempt->origin == ORIGIN_MINIMIZED;
	fruitless_note(s, result);
	if (execution_dir(dir, &s->plan, number, err) < 0 ||
	    path_make(recording, sizeof(recording), err, "%s/" EXECUTION_RECORDING, dir) < 0)
		return -1;
	if (result->unknown && start_learn(s->plan.start, recording, err) < 0)
		return -1;
	if (learned_take(s, number, recording, result, err) < 0)
		return -1;
	if (attempt_of(s, number)->origin == ORIGIN_MINIMIZED)
		/* If not all crash states were tested, a known mistake may look like another finding. */
		return result->judged && !result->cut ? findings_take(s, number, dir, err) : 0;
	if (untested_note(s, number, result, err) < 0)
		return -1;
	return result->judged ? findings_take(s, number, dir, err) : 0;
}
