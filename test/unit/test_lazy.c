/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_lazy.c - small random recoveries on undecided lines, compared with brute force over all legal sets.
 *
 * A moment of a random program (programs.h) determines what is undecided; its lines are moved to other places, close to
 * each other and to the ends of pages.  A random recovery is a list of instructions on two mapped files: loads of all
 * sizes, stores, string instructions, gathers, flushes, system calls, faults that it handles itself; conditions on what
 * was seen so far; and an end: exit, abort, a crash.  Then
 *
 *  1. the outcomes of the leaves are the outcomes of all legal sets
 *  2. each leaf's decisions, with nothing else taken, are legal, and recovery has that leaf's outcome on them
 *  3. the status of each leaf is that of its end
 *  4. there are no more leaves than sets; with a limit there are that many; and running twice gives the same leaves in
 *     the same sequence
 *  5. a set that agrees with the empty or the full set in all lines that recovery reads there has the same outcome
 *  6. all this also holds if stores decide the lines they cover, and then there are no fewer leaves
 *
 *     test_lazy [SEED [NUMBER]] */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"
#include "lazy_recovery.h"
#include "model/choices.h"
#include "model/model.h"
#include "model_sets.h"
#include "preload/lazy.h"
#include "programs.h"

enum { WORLDS = 3000, BYTES = 3 * 4096, SETS_MAX = 600, LEAVES_MAX = 2048 };

static uint64_t seed = 1, only;

static uint64_t random_state;

static uint64_t roll(uint64_t sides)
{
	return random_next(&random_state) % sides;
}

/* The undecided lines */

struct world {
	struct choices *choices;
	struct lazy_block *block;
	uint8_t certain[FILES][BYTES];
	int fds[FILES];
	struct recovery recovery;
	size_t sets;
	struct outcome outcomes[SETS_MAX];
	uint8_t taken[SETS_MAX][64]; /* by unit */
	char problem[256];
};

__attribute__((format(printf, 2, 3))) static void complain(struct world *w, const char *fmt, ...)
{
	va_list args;

	if (w->problem[0])
		return;
	va_start(args, fmt);
	vsnprintf(w->problem, sizeof(w->problem), fmt, args);
	va_end(args);
}

/* A moment of a random program. */
static struct choices *moment_make(uint64_t number)
{
	struct program program;
	struct model *model;
	struct choices *c;
	size_t upto;

	program_make(&program, seed, number);
	model = model_new(platform_find(number % 8 ? "adr" : "eadr"), MODEL_STATES, NULL, NULL);
	upto = program.count - roll(3) % program.count;
	for (size_t i = 0; i < upto; i++)
		model_apply(model, &program.events[i]);
	c = choices_take(model);
	model_free(model);
	return c;
}

/* In a trace, file numbers start at 1. */
static void lines_move(struct choices *c)
{
	struct choices_line *lines = (struct choices_line *)(c + 1);
	struct choices_unit *units = (struct choices_unit *)(lines + c->line_count);
	uint64_t slot = 0;

	for (uint32_t i = 0; i < c->line_count; i++) {
		uint64_t before = lines[i].offset;

		if (i == 0 || lines[i].file != lines[i - 1].file)
			slot = roll(2) ? 58 + roll(6) : roll(100);
		else
			slot += 1 + (roll(3) ? 0 : roll(20));
		lines[i].offset = slot * LINE_BYTES;
		for (uint32_t u = lines[i].first; u < lines[i].first + lines[i].count; u++)
			units[u].offset += lines[i].offset - before;
	}
}

static uint64_t place_near_line(const struct choices *c, unsigned *file)
{
	const struct choices_line *line;
	int64_t at;

	*file = (unsigned)roll(FILES);
	if (!c->line_count || roll(8) == 0)
		return roll(BYTES - 600);
	line = &choices_lines(c)[roll(c->line_count)];
	*file = (line->file - 1) % FILES;
	at = (int64_t)line->offset + (int64_t)roll(80) - 16;
	if (roll(2))
		at &= ~7;
	return at < 0 ? 0 : at > BYTES - 600 ? BYTES - 600 : (uint64_t)at;
}

static void recovery_make(struct recovery *r, const struct choices *c)
{
	static const uint64_t masks[] = {0, 0, 0, 1, 2, 1 << 3};
	unsigned ignored;

	*r = (struct recovery){.count = 1 + roll(OPS), .map_late = roll(3) == 0, .protect = roll(12) == 0};
	if (roll(4) == 0) {
		r->read_file = 1 + (unsigned)roll(200);
		r->read_at = place_near_line(c, &ignored);
	}
	for (size_t i = 0; i < r->count; i++) {
		struct op *op = &r->ops[i];

		op->kind = (enum op_kind)roll(roll(2) ? OP_KINDS : OP_LOAD32);
		if (roll(3) == 0)
			op->kind = OP_MOVE;
		op->at = place_near_line(c, &op->file);
		op->to = place_near_line(c, &op->other);
		op->size = 1 + roll(roll(4) ? 40 : 400);
		op->mask = masks[roll(sizeof(masks) / sizeof(*masks))];
		op->bits = op->mask * roll(2);
		/* Nothing can store to a read-only file, and a file that is not mapped yet cannot be used. */
		if (r->protect && op->kind != OP_FAULT)
			op->kind = op->kind % OP_MOVE;
		if (op->kind == OP_GATHER)
			op->size %= 128; /* at most three times that is used */
		if (r->map_late && i < r->count / 2)
			op->file = op->other = 0;
	}
}

/* Brute force */

static struct access brute = {.map = NULL};
static struct world *world;

static void brute_map(struct access *access, unsigned file, int prot)
{
	(void)access;
	(void)file;
	(void)prot;
}

static void brute_read(struct access *access, uint64_t at, void *buffer, size_t size)
{
	memcpy(buffer, access->files[0] + at, size);
}

static struct outcome brute_run(struct world *w, const uint8_t *taken)
{
	const struct choices *c = w->choices;

	for (unsigned f = 0; f < FILES; f++)
		memcpy(brute.files[f], w->certain[f], BYTES);
	for (uint32_t i = 0; i < c->line_count; i++) {
		const struct choices_line *line = &choices_lines(c)[i];

		if (line->file <= FILES)
			choices_apply(c, i, taken + line->first, brute.files[line->file - 1] + line->offset);
	}
	return recovery_run(&w->recovery, &brute);
}

/* Visit all legal sets, line by line.  False: too many. */
static bool brute_all(struct world *w, uint32_t line, struct choices_bounds bounds, uint8_t *taken)
{
	const struct choices *c = w->choices;
	uint8_t *flags = taken + (line < c->line_count ? choices_lines(c)[line].first : 0);

	if (line == c->line_count) {
		if (w->sets == SETS_MAX)
			return false;
		memcpy(w->taken[w->sets], taken, w->choices->unit_count);
		w->outcomes[w->sets++] = brute_run(w, taken);
		return true;
	}
	for (bool more = choices_first(c, line, bounds, CHOICES_SETS, flags); more;
	     more = choices_next(c, line, bounds, CHOICES_SETS, flags)) {
		if (!brute_all(w, line + 1, choices_decide(c, line, flags, bounds), taken))
			return false;
	}
	return true;
}

/* The tree */

struct leaf {
	struct outcome outcome;
	int status;
	uint32_t flags, depth;
	uint32_t lines[16];
	uint8_t taken[64];
	uint64_t masks[16]; /* of a branch, by position in `lines` */
};

/* Shared by all processes of the tree. */
static struct shared {
	_Atomic uint32_t refused;
	char why[128];
	struct outcome outcome; /* of the leaf that is about to end */
	size_t count;
	double left_out;
	struct leaf leaves[LEAVES_MAX];
} * shared;

static void tree_send(const struct lazy_result *result)
{
	struct leaf *leaf = &shared->leaves[shared->count];

	if (result->report.flags & LAZY_END) {
		shared->left_out = result->report.left_out;
		return;
	}
	if (++shared->count > LEAVES_MAX)
		_exit(99);
	*leaf = (struct leaf){.outcome = shared->outcome, .status = result->status, .flags = result->report.flags};
	leaf->depth = result->report.depth;
	memcpy(leaf->lines, result->lines, leaf->depth * sizeof(uint32_t));
	for (uint32_t i = 0; i < leaf->depth; i++) {
		const struct choices_line *line = &choices_lines(world->choices)[result->lines[i]];
		memcpy(leaf->taken + line->first, result->taken + line->first, line->count);
		if (leaf->flags & LAZY_POSTPONED)
			leaf->masks[i] = result->masks[result->lines[i]];
	}
}

static void tree_mark(uint64_t *marks)
{
	(void)marks;
}

static void tree_reset(const uint64_t *marks)
{
	(void)marks;
}

static void tree_adopt(int from, int to)
{
	if (from == to || to != getpid())
		_exit(96);
}

static void tree_refuse(const char *why) __attribute__((noreturn));
static void tree_refuse(const char *why)
{
	snprintf(shared->why, sizeof(shared->why), "%s", why);
	shared->refused = 1;
	_exit(98);
}

static void tree_map(struct access *access, unsigned file, int prot)
{
	static int prots[FILES];

	lazy_suspend();
	access->files[file] = mmap(NULL, BYTES, prot, MAP_PRIVATE, world->fds[file], 0);
	prots[file] = prot;
	lazy_fresh(access->files[file], BYTES, file, 0, prot);
	for (unsigned f = 0; f < FILES; f++) {
		if (access->files[f])
			lazy_range(access->files[f], BYTES, f, 0, prots[f]);
	}
	lazy_resume();
}

static void tree_read(struct access *access, uint64_t at, void *buffer, size_t size)
{
	(void)access;
	if (pread(world->fds[0], buffer, size, (off_t)at) != (ssize_t)size)
		_exit(97);
	lazy_read(0, at, buffer, size);
}

static void tree_run(struct world *w)
{
	struct lazy_setup setup = {.block = w->block, .send = tree_send, .mark = tree_mark, .reset = tree_reset};
	struct access access = {.map = tree_map, .read = tree_read};
	const char *why;
	int status;
	pid_t pid;

	setup.refuse = tree_refuse;
	setup.adopt = tree_adopt;
	setup.refused = &shared->refused;
	setup.sigaction = sigaction;
	shared->count = 0;
	why = lazy_prepare(&setup);
	if (why) {
		complain(w, "%s", why);
		return;
	}
	pid = fork();
	if (pid == 0) {
		/* The test framework installs handlers for these. */
		signal(SIGSEGV, SIG_DFL);
		signal(SIGABRT, SIG_DFL);
		lazy_arm();
		shared->outcome = recovery_run(&w->recovery, &access);
		outcome_end(shared->outcome);
	}
	waitpid(pid, &status, 0);
	lazy_over(pid, status);
}

/* Comparison */

static bool outcome_equal(const struct outcome *a, const struct outcome *b)
{
	return a->seen == b->seen && a->end == b->end && a->value == b->value;
}

static bool brute_has(const struct world *w, const struct outcome *outcome)
{
	for (size_t i = 0; i < w->sets; i++) {
		if (outcome_equal(&w->outcomes[i], outcome))
			return true;
	}
	return false;
}

static bool tree_has(const struct outcome *outcome)
{
	for (size_t i = 0; i < shared->count; i++) {
		if (outcome_equal(&shared->leaves[i].outcome, outcome))
			return true;
	}
	return false;
}

static bool leaf_is_legal(const struct world *w, const struct leaf *leaf)
{
	struct choices_bounds bounds = CHOICES_OPEN;

	for (uint32_t i = 0; i < leaf->depth; i++) {
		const uint8_t *taken = leaf->taken + choices_lines(w->choices)[leaf->lines[i]].first;

		if (!choices_allows(w->choices, leaf->lines[i], bounds, taken))
			return false;
		bounds = choices_decide(w->choices, leaf->lines[i], taken, bounds);
	}
	return true;
}

static void leaf_check(struct world *w, const struct leaf *leaf)
{
	int status = leaf->outcome.end == END_EXIT ? leaf->outcome.value << 8 : leaf->outcome.value;
	struct outcome again;
	struct choices_bounds bounds = CHOICES_OPEN;
	uint8_t taken[64];

	if (leaf->flags & LAZY_REFUSED) {
		complain(w, "refused: %s", shared->why);
		return;
	}
	if ((leaf->status & ~0x80) != status)
		complain(w, "status %#x, not %#x", leaf->status, status);
	if (!leaf_is_legal(w, leaf))
		complain(w, "decisions of a leaf are not legal");
	/* Undecided lines: take as little as the decisions allow. */
	for (uint32_t i = 0; i < leaf->depth; i++)
		bounds = choices_decide(w->choices, leaf->lines[i],
					leaf->taken + choices_lines(w->choices)[leaf->lines[i]].first, bounds);
	for (uint32_t i = 0; i < w->choices->line_count; i++)
		choices_first(w->choices, i, bounds, CHOICES_SETS, taken + choices_lines(w->choices)[i].first);
	for (uint32_t i = 0; i < leaf->depth; i++) {
		const struct choices_line *line = &choices_lines(w->choices)[leaf->lines[i]];
		memcpy(taken + line->first, leaf->taken + line->first, line->count);
	}
	again = brute_run(w, taken);
	if (!outcome_equal(&again, &leaf->outcome))
		complain(w, "a leaf has another outcome than its decisions");
	memset(taken, 1, sizeof(taken));
	again = brute_run(w, taken);
	if ((leaf->flags & LAZY_ALL) && !outcome_equal(&again, &leaf->outcome))
		complain(w, "a leaf does not stand for all units");
	memset(taken, 0, sizeof(taken));
	again = brute_run(w, taken);
	if ((leaf->flags & LAZY_NONE) && !outcome_equal(&again, &leaf->outcome))
		complain(w, "a leaf does not stand for no unit");
}

static void tree_check(struct world *w)
{
	tree_run(w);
	for (size_t i = 0; i < shared->count; i++)
		leaf_check(w, &shared->leaves[i]);
	for (size_t i = 0; i < shared->count; i++) {
		if (!brute_has(w, &shared->leaves[i].outcome))
			complain(w, "leaf %zu has an outcome that no legal set has", i);
	}
	for (size_t i = 0; i < w->sets; i++) {
		if (!tree_has(&w->outcomes[i]))
			complain(w, "of %zu sets, the outcome of number %zu is not among those of %zu leaves", w->sets,
				 i, shared->count);
	}
	size_t alls = 0, nones = 0;
	for (size_t i = 0; i < shared->count; i++) {
		alls += (shared->leaves[i].flags & LAZY_ALL) != 0;
		nones += (shared->leaves[i].flags & LAZY_NONE) != 0;
	}
	if (!alls || !nones)
		complain(w, "%zu leaves stand for all units, %zu for none", alls, nones);
	if (shared->count > w->sets)
		complain(w, "%zu leaves, %zu sets", shared->count, w->sets);
	if (shared->left_out != 0)
		complain(w, "%g sets are left out", shared->left_out);
}

/* Does the set agree with this extreme in all lines that its leaf decided? */
static bool is_like(const struct world *w, const struct leaf *leaf, uint8_t end, const uint8_t *taken)
{
	for (uint32_t i = 0; i < leaf->depth; i++) {
		const struct choices_line *line = &choices_lines(w->choices)[leaf->lines[i]];

		for (uint32_t k = 0; k < line->count; k++)
			if (taken[line->first + k] != end)
				return false;
	}
	return true;
}

/* Without a tree: the leaf of an extreme, and all sets that recovery cannot distinguish from it. */
static void end_check(struct world *w, enum lazy_sequence sequence)
{
	uint8_t end = sequence == LAZY_MOST;

	w->block->sequence = sequence;
	w->block->leaves_max = 1;
	tree_run(w);
	w->block->sequence = LAZY_CONTRAST;
	w->block->leaves_max = 0;
	if (shared->count != 1 || !(shared->leaves[0].flags & (end ? LAZY_ALL : LAZY_NONE))) {
		complain(w, "sequence %u: %zu leaves, or not that of the end", sequence, shared->count);
		return;
	}
	leaf_check(w, &shared->leaves[0]);
	for (size_t i = 0; i < w->sets; i++) {
		if (is_like(w, &shared->leaves[0], end, w->taken[i]) &&
		    !outcome_equal(&w->outcomes[i], &shared->leaves[0].outcome))
			complain(w, "sequence %u: set %zu is like the end where that was read, but not its outcome",
				 sequence, i);
	}
}

/* With a limit, the leaves are the first ones of the run without a limit. */
static void limit_check(struct world *w)
{
	static struct leaf before[LEAVES_MAX];
	size_t all = shared->count;

	memcpy(before, shared->leaves, all * sizeof(*before));
	w->block->leaves_max = 1 + roll(all);
	tree_run(w);
	if (shared->count != w->block->leaves_max ||
	    memcmp(before, shared->leaves, shared->count * sizeof(*before)) != 0)
		complain(w, "with a limit of %zu of %zu leaves there are %zu, or others", (size_t)w->block->leaves_max,
			 all, shared->count);
	if ((shared->count < all) != (shared->left_out > 0))
		complain(w, "%zu of %zu leaves, %g left out", shared->count, all, shared->left_out);
	w->block->leaves_max = 0;
}

static uint64_t total_decided_by_stores;

static void stores_check(struct world *w)
{
	size_t before = shared->count;

	w->block->stores = 1;
	tree_check(w);
	w->block->stores = 0;
	if (shared->count < before)
		complain(w, "%zu leaves, and %zu if stores decide, too", before, shared->count);
	total_decided_by_stores += shared->count - before;
}

/* What is decided on the way to `given` is decided from the start; NULL: nothing is. */
static struct lazy_block *block_make(const struct choices *c, const struct leaf *given)
{
	uint32_t depth = given ? given->depth : 0;
	size_t before = lazy_block_choices_offset(FILES, depth, c->unit_count);
	struct lazy_block *block = calloc(1, before + c->bytes);

	block->given_count = depth;
	if (given) {
		memcpy(lazy_block_masks(block), given->masks, depth * sizeof(*given->masks));
		block->lossy = !!(given->flags & LAZY_LOSSY);
	}
	block->bytes = before + c->bytes;
	block->sequence = LAZY_CONTRAST;
	block->timeout_ns = 10000000000;
	block->file_count = FILES;
	block->choices = (uint32_t)before;
	for (uint32_t f = 0; f < FILES; f++)
		lazy_block_files(block)[f] = f + 1;
	if (given) {
		memcpy(lazy_block_given(block), given->lines, depth * sizeof(*given->lines));
		memcpy(lazy_block_given_taken(block), given->taken, c->unit_count);
	}
	memcpy((char *)block + before, c, c->bytes);
	return block;
}

static uint64_t total_branches;

/* Is this the next leaf of the whole tree? */
static void leaf_expect(struct world *w, const struct leaf *whole, size_t all, size_t *at, const struct leaf *leaf)
{
	if (*at >= all || memcmp(&whole[*at], leaf, sizeof(*leaf)) != 0)
		complain(w, "leaf %zu of %zu of the tree that is split is another one", *at, all);
	++*at;
}

/* A tree that is split has the leaves of the whole tree, in the same sequence, if those of each branch are put in its
 * place. */
static void split_check(struct world *w)
{
	static struct leaf whole[LEAVES_MAX], items[LEAVES_MAX];
	struct lazy_block *block = w->block;
	size_t all = shared->count, count, at = 0;

	memcpy(whole, shared->leaves, all * sizeof(*whole));
	block->split = (uint32_t)(1 + roll(3));
	tree_run(w);
	block->split = 0;
	count = shared->count;
	memcpy(items, shared->leaves, count * sizeof(*items));
	for (size_t i = 0; i < count && !w->problem[0]; i++) {
		if (!(items[i].flags & LAZY_POSTPONED)) {
			leaf_expect(w, whole, all, &at, &items[i]);
			continue;
		}
		total_branches++;
		w->block = block_make(w->choices, &items[i]);
		tree_run(w);
		for (size_t k = 0; k < shared->count; k++)
			leaf_expect(w, whole, all, &at, &shared->leaves[k]);
		free(w->block);
		w->block = block;
	}
	if (at != all && !w->problem[0])
		complain(w, "%zu leaves, and %zu if the tree is split", all, at);
}

static bool world_make(struct world *w, uint64_t number)
{
	random_state = seed * 1000003 + number;
	w->sets = 0;
	w->problem[0] = 0;
	w->choices = moment_make(number);
	lines_move(w->choices);
	choices_mark(w->choices);
	if (w->choices->line_count > 16 || w->choices->unit_count > 64) {
		free(w->choices);
		return false;
	}
	w->block = block_make(w->choices, NULL);
	recovery_make(&w->recovery, w->choices);
	for (unsigned f = 0; f < FILES; f++) {
		for (size_t i = 0; i < BYTES; i++)
			w->certain[f][i] = (uint8_t)(roll(4)   ? 0
						     : roll(6) ? roll(3)
							       : 0xfe); /* few values, so that lines are often equal */
		assert_int_equal(pwrite(w->fds[f], w->certain[f], BYTES, 0), BYTES);
	}
	return true;
}

static uint64_t total_sets, total_leaves, total_worlds;

static void world_check(struct world *w, uint64_t number)
{
	uint8_t taken[64] = {0};

	if (!world_make(w, number))
		return;
	if (brute_all(w, 0, CHOICES_OPEN, taken)) {
		tree_check(w);
		total_worlds++;
		total_sets += w->sets;
		total_leaves += shared->count;
		if (!w->problem[0] && number % 4 == 0)
			limit_check(w);
		else if (!w->problem[0] && number % 4 == 1)
			split_check(w);
		else if (!w->problem[0])
			stores_check(w);
		if (!w->problem[0])
			end_check(w, number % 2 ? LAZY_LEAST : LAZY_MOST);
	}
	free(w->block);
	free(w->choices);
}

static void agrees_with_brute_force(void **state)
{
	(void)state;
	for (uint64_t number = only ? only : 1; number <= (only ? only : WORLDS); number++) {
		world_check(world, number);
		if (world->problem[0])
			fail_msg("%s; run it again: build/test/unit/test_lazy %llu %llu", world->problem,
				 (unsigned long long)seed, (unsigned long long)number);
	}
	assert_true(only || total_decided_by_stores);
	assert_true(only || total_branches);
	print_message("%llu recoveries, %llu sets, %llu leaves\n", (unsigned long long)total_worlds,
		      (unsigned long long)total_sets, (unsigned long long)total_leaves);
}

static int prepare(void **state)
{
	(void)state;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	world = calloc(1, sizeof(*world));
	brute.map = brute_map;
	brute.read = brute_read;
	for (unsigned f = 0; f < FILES; f++) {
		brute.files[f] = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		world->fds[f] = memfd_create("pool", 0);
		if (ftruncate(world->fds[f], BYTES) < 0)
			return -1;
	}
	prctl(PR_SET_DUMPABLE, 0);
	return recovery_prepare() ? 0 : -1;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_brute_force)};

	if (argc > 1)
		seed = strtoull(argv[1], NULL, 0);
	if (argc > 2)
		only = strtoull(argv[2], NULL, 0);
	return cmocka_run_group_tests(tests, prepare, NULL);
}
