/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lazy_tree.c - a process for each content of a line; see lazy.h, METHOD 2 and 4.
 *
 * A child is made by clone(2) itself, without a signal to its parent: the recovery has nothing to do with it, and would not expect one.  What
 * fork(3) would do for the C library is done here: the number of the thread, and the list of robust mutexes. */
#include "preload/lazy_in.h"

#include <linux/sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

enum {
	LEVELS_MAX = 200,        /* processes that wait: what is deeper is asked for again, from the root */
	ALTERNATIVES_MAX = 4096, /* of a line with more, the first ones are tried first whatever the order */
	DUPLICATES_MAX = 64,
};

/* Time */

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int timer;

static void timer_set(uint64_t ns)
{
	struct itimerspec when = {.it_value = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)}};

	if (lazy.block->timeout_ns)
		CALL(SYS_timer_settime, timer, 0, &when, 0);
}

static void time_go(void)
{
	struct lazy_tree *tree = lazy.tree;
	uint64_t limit = lazy.block->timeout_ns;

	tree->began_ns = now_ns();
	tree->deadline_ns = limit > tree->spent_ns ? tree->began_ns + limit - tree->spent_ns : tree->began_ns;
	timer_set(limit > tree->spent_ns ? limit - tree->spent_ns : 1);
}

/* The time of the way so far, which will be that of each child's way too. */
static void time_stop(void)
{
	timer_set(0);
	lazy.tree->spent_ns += now_ns() - lazy.tree->began_ns;
}

void lazy_timer_start(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};

	if (lazy.block->timeout_ns && CALL(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) < 0)
		lazy_refuse("the kernel has no timer for recovery");
	time_go();
}

/* Decisions */

static bool leaves_out(const uint8_t *flags, uint32_t count)
{
	return memchr(flags, 0, count) != NULL;
}

/* A line that is in the log already has other flags now. */
static void log_change(uint32_t line, const uint8_t *flags)
{
	const struct choices_line *l = &choices_lines(lazy.choices)[line];

	if (!memcmp(lazy.taken + l->first, flags, l->count))
		return;
	memcpy(lazy.taken + l->first, flags, l->count);
	if (lazy.places[line] < lazy.tree->fresh)
		lazy.tree->fresh = lazy.places[line];
}

static void log_push(uint32_t line, const uint8_t *flags)
{
	const struct choices_line *l = &choices_lines(lazy.choices)[line];

	memcpy(lazy.taken + l->first, flags, l->count);
	lazy.log[lazy.depth] = line;
	if (lazy.depth < lazy.tree->fresh)
		lazy.tree->fresh = lazy.depth;
	lazy.tree->depth = lazy.depth + 1;
}

static void log_enter(uint32_t line, const uint8_t *flags)
{
	if (lazy.places[line] != CHOICES_NONE) {
		log_change(line, flags);
		return;
	}
	log_push(line, flags);
	lazy.places[line] = lazy.depth++;
}

void lazy_commit(uint32_t line, const uint8_t *flags)
{
	log_enter(line, flags);
	lazy.lossy = lazy.lossy || leaves_out(flags, choices_lines(lazy.choices)[line].count);
	lazy.bounds = choices_decide(lazy.choices, line, flags, lazy.bounds);
	lazy.lines[line] = LINE_DECIDED;
}

void lazy_agree(bool all, bool none)
{
	lazy.all = lazy.all && all;
	lazy.none = lazy.none && none;
	lazy.tree->all = lazy.all;
	lazy.tree->none = lazy.none;
}

/* Telling */

static void tell(uint32_t flags, int status)
{
	struct lazy_tree *tree = lazy.tree;
	struct lazy_told told = {.status = status,
				 .nanoseconds = tree->spent_ns,
				 .lines = lazy.log,
				 .taken = lazy.taken};

	told.masks = lazy.masks;
	told.report = (struct lazy_report){.flags = flags,
					   .depth = tree->depth,
					   .traps = tree->traps,
					   .left_out = tree->left_out};
	told.report.keep = tree->fresh < tree->depth ? tree->fresh : tree->depth;
	lazy.setup.tell(&told);
	tree->fresh = tree->depth;
}

/* A process of the tree has ended, with its own leaf: all others below it were told by itself. */
static void leaf_tell(pid_t pid, int status)
{
	struct lazy_tree *tree = lazy.tree;
	bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
	uint32_t flags = 0;

	if (tree->over || !tree->active)
		return;
	if (tree->active != pid) {
		tree->lost = true;
		return;
	}
	if (atomic_exchange(lazy.setup.refused, 0))
		flags = LAZY_REFUSED;
	else if (killed && lazy.block->timeout_ns && now_ns() >= tree->deadline_ns)
		flags = LAZY_TIMEOUT;
	tree->spent_ns += now_ns() - tree->began_ns;
	flags |= (tree->all ? LAZY_ALL : 0) | (tree->none ? LAZY_NONE : 0);
	tell(flags, status);
	tree->leaves++;
	if ((lazy.block->leaves_max && tree->leaves >= lazy.block->leaves_max) || lazy.block->stop)
		tree->over = true;
}

/* Branches */

bool lazy_is_threaded(void)
{
	struct stat st;

	/* As the C library knows it: true as long as there has never been another. */
	if (__libc_single_threaded)
		return false;
	return CALL(SYS_newfstatat, -100, "/proc/self/task", &st, 0) < 0 || st.st_nlink != 3;
}

static pid_t child_new(void)
{
	struct robust_list_head *robust = NULL;
	size_t size = 0;

	int before = (int)lazy.tree->active;

	CALL(SYS_get_robust_list, 0, &robust, &size);
	long pid = CALL(SYS_clone, CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID, 0, 0, lazy.tid, 0);
	if (pid)
		return (pid_t)pid;
	CALL(SYS_set_robust_list, robust, size);
	/* The root is killed: so are all. */
	CALL(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
	lazy.tree->active = (pid_t)CALL(SYS_getpid);
	lazy.setup.adopt(before, (int)lazy.tree->active);
	lazy.level++;
	lazy_timer_start();
	return 0;
}

static int child_wait(pid_t pid)
{
	int status = 0;

	while (CALL(SYS_wait4, pid, &status, __WALL, 0) == -4 /* EINTR */)
		;
	return status;
}

/* The sets that agree with all that is decided, and this; lines of which something is decided count as one alternative each. */
static double completions(uint32_t line, const uint8_t *flags)
{
	double count;
	uint8_t before = lazy.lines[line];

	lazy.lines[line] = LINE_DECIDED;
	count = choices_count(lazy.choices, choices_decide(lazy.choices, line, flags, lazy.bounds), lazy.lines);
	lazy.lines[line] = before;
	return count;
}

/* The flags of the first alternative of a mask. */
static void mask_first(uint32_t line, uint64_t mask, uint8_t *flags)
{
	bool more = choices_first(lazy.choices, line, lazy.bounds, CHOICES_CONTENTS, flags);

	for (; more && !(mask & 1); mask >>= 1)
		more = choices_next(lazy.choices, line, lazy.bounds, CHOICES_CONTENTS, flags);
}

/* A child may have decided more of lines of which we have decided something: our log has our own again. */
static void partly_restore(void)
{
	for (uint32_t i = 0; i < lazy.depth; i++) {
		uint32_t line = lazy.log[i];

		if (lazy.lines[line] == LINE_PARTLY) {
			mask_first(line, lazy.masks[line], lazy.scratch);
			log_change(line, lazy.scratch);
		}
	}
}

/* Let a child go on with this content, and wait for all that comes of it.  True in the child. */
static bool child_try(uint32_t line)
{
	uint64_t marks[LAZY_MARKS], spent = lazy.tree->spent_ns;
	pid_t pid;

	lazy.setup.mark(marks);
	pid = child_new();
	if (pid == 0)
		return true;
	if (pid > 0)
		leaf_tell(pid, child_wait(pid));
	if (pid < 0 || lazy.tree->lost) {
		lazy.tree->left_out += completions(line, lazy.alternative);
		lazy.tree->lost = false;
	}
	lazy.setup.reset(marks);
	partly_restore();
	lazy.tree->active = (pid_t)CALL(SYS_getpid);
	lazy.tree->depth = lazy.depth;
	lazy.tree->spent_ns = spent;
	lazy_agree(true, true);
	return false;
}

/* The alternatives of a line, by number. */
struct contents {
	uint32_t line;
	uint32_t count; /* at most ALTERNATIVES_MAX; then there are more */
	uint32_t next;  /* the number after that of lazy.alternative */
	uint64_t same;  /* bit i: number i has the bytes of another one, which leaves other lines as much freedom */
	uint32_t kept;  /* without those */
};

static bool contents_step(struct contents *k)
{
	bool more = k->next ? choices_next(lazy.choices, k->line, lazy.bounds, CHOICES_CONTENTS, lazy.alternative)
			    : choices_first(lazy.choices, k->line, lazy.bounds, CHOICES_CONTENTS, lazy.alternative);

	k->next += more;
	return more;
}

static void contents_seek(struct contents *k, uint32_t number)
{
	if (number < k->next)
		k->next = 0;
	while (k->next <= number && contents_step(k))
		;
}

static bool contents_skips(const struct contents *k, uint32_t number)
{
	return number < DUPLICATES_MAX && k->same >> number & 1;
}

/* Is all that is possible after `b` possible after `a`? */
static bool is_freer(struct choices_bounds a, struct choices_bounds b)
{
	return !lazy.choices->order_count || (a.latest <= b.latest && a.barrier >= b.barrier);
}

/* `number` is new in the list of the different ones so far. */
static void contents_compare(struct contents *k, struct lazy_content *seen, uint32_t number)
{
	for (uint32_t i = 0; i < number; i++) {
		if (contents_skips(k, i) || memcmp(seen[i].bytes, seen[number].bytes, CHOICES_LINE) != 0)
			continue;
		if (is_freer(seen[i].bounds, seen[number].bounds))
			k->same |= (uint64_t)1 << number;
		else if (is_freer(seen[number].bounds, seen[i].bounds))
			k->same |= (uint64_t)1 << i;
	}
}

static struct contents contents_of(uint32_t line, const uint8_t *certain)
{
	struct contents k = {.line = line};

	while (k.count < ALTERNATIVES_MAX && contents_step(&k)) {
		if (certain && k.count < DUPLICATES_MAX) {
			struct lazy_content *content = &lazy.contents[k.count];

			memcpy(content->bytes, certain, CHOICES_LINE);
			choices_apply(lazy.choices, line, lazy.alternative, content->bytes);
			content->bounds = choices_decide(lazy.choices, line, lazy.alternative, lazy.bounds);
			contents_compare(&k, lazy.contents, k.count);
		}
		k.count++;
	}
	k.kept = k.count - (uint32_t)__builtin_popcountll(k.same);
	return k;
}

/* What is tried as the i-th; the last is this process's own. */
static bool contents_try(struct contents *k, uint32_t i, bool downwards)
{
	uint32_t number = downwards ? k->count - 1 - i : i;

	if (contents_skips(k, number))
		return false;
	contents_seek(k, number);
	return true;
}

static uint32_t random_below(uint32_t line, uint32_t limit)
{
	uint64_t x = lazy.block->seed * 0x9e3779b97f4a7c15u + line + 1;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return (uint32_t)((x ^ x >> 31) % (limit ? limit : 1));
}

/* Not now: the caller asks for it again. */
static void postpone(uint32_t line)
{
	log_push(line, lazy.alternative);
	tell(LAZY_POSTPONED, 0);
	lazy.tree->depth = lazy.depth;
}

/* No more leaves: this process, which would have had one, and all that it would still have tried, is left out. */
static void give_up(struct contents *k, uint32_t from, bool downwards) __attribute__((noreturn));
static void give_up(struct contents *k, uint32_t from, bool downwards)
{
	for (uint32_t i = from; i < k->count; i++) {
		if (contents_try(k, i, downwards))
			lazy.tree->left_out += completions(k->line, lazy.alternative);
	}
	lazy.tree->active = 0;
	for (;;)
		CALL(SYS_exit_group, 0);
}

static bool goes_downwards(const struct contents *k)
{
	if (k->count == ALTERNATIVES_MAX)
		return false;
	return lazy.block->order == LAZY_MOST || (lazy.block->order == LAZY_CONTRAST && lazy.lossy);
}

/* How many are tried, and in which order, is settled; the last one of them is our own.  True: we are a child, and have one already. */
static bool contents_fork(struct contents *k, bool downwards)
{
	uint32_t left = k->kept;

	for (uint32_t i = 0; i < k->count; i++) {
		if (!contents_try(k, i, downwards))
			continue;
		if (--left == 0)
			return false;
		if (lazy.level >= LEVELS_MAX)
			postpone(k->line);
		else if (child_try(k->line))
			return true;
		if (lazy.tree->over)
			give_up(k, i + 1, downwards);
	}
	return false;
}

/* Beyond ALTERNATIVES_MAX the last one is not known before it is there: a child has each, and we go when there are no more. */
static bool contents_fork_all(struct contents *k)
{
	contents_seek(k, 0);
	for (bool more = true; more; more = contents_step(k)) {
		if (child_try(k->line))
			return true;
		if (lazy.tree->over) {
			lazy.tree->left_out += choices_count(lazy.choices, lazy.bounds, lazy.lines);
			break;
		}
	}
	give_up(k, k->count, false);
}

void lazy_branch(uint32_t line, const uint8_t *certain)
{
	struct contents k = contents_of(line, certain);
	bool downwards = goes_downwards(&k);

	if (lazy.block->order == LAZY_SAMPLE) {
		contents_seek(&k, random_below(line, k.count));
		return;
	}
	if (k.kept == 1) {
		for (uint32_t i = 0; !contents_try(&k, i, false); i++)
			;
		return;
	}
	time_stop();
	if (k.count < ALTERNATIVES_MAX ? contents_fork(&k, downwards) : contents_fork_all(&k))
		return;
	time_go();
}

/* Narrowing */

/* Those of the possible alternatives that look alike where it matters. */
struct classes {
	uint64_t masks[DUPLICATES_MAX];
	uint32_t count;
};

static bool bytes_equal(const uint8_t *a, const uint8_t *b, uint64_t bytes)
{
	if (bytes == ~(uint64_t)0)
		return !memcmp(a, b, CHOICES_LINE);
	for (unsigned i = 0; i < CHOICES_LINE; i++) {
		if ((bytes >> i & 1) && a[i] != b[i])
			return false;
	}
	return true;
}

/* The contents of all possible alternatives, in lazy.contents.  Returns which these are; 0: there are too many. */
static uint64_t contents_all(uint32_t line, const uint8_t *here, uint32_t *last)
{
	bool all = lazy.lines[line] != LINE_PARTLY;
	struct contents k = {.line = line};
	uint64_t mask = 0;

	for (uint32_t i = 0; contents_step(&k); i++) {
		if (i == DUPLICATES_MAX)
			return 0;
		*last = i;
		if (!all && !(lazy.masks[line] >> i & 1))
			continue;
		mask |= (uint64_t)1 << i;
		memcpy(lazy.contents[i].bytes, here, CHOICES_LINE);
		choices_apply(lazy.choices, line, lazy.alternative, lazy.contents[i].bytes);
	}
	return mask;
}

static unsigned first_bit(uint64_t mask)
{
	return (unsigned)__builtin_ctzll(mask);
}

static void classes_find(struct classes *k, uint64_t mask, uint64_t bytes)
{
	k->count = 0;
	for (; mask; mask &= mask - 1) {
		unsigned number = first_bit(mask);
		uint32_t i = 0;

		while (i < k->count &&
		       !bytes_equal(lazy.contents[first_bit(k->masks[i])].bytes, lazy.contents[number].bytes, bytes))
			i++;
		if (i == k->count)
			k->masks[k->count++] = 0;
		k->masks[i] |= (uint64_t)1 << number;
	}
}

static void postpone_class(uint32_t line, uint64_t class)
{
	uint64_t before = lazy.masks[line];
	bool is_new = lazy.places[line] == CHOICES_NONE;

	lazy.masks[line] = class;
	if (is_new)
		log_push(line, lazy.alternative);
	else
		log_change(line, lazy.alternative);
	tell(LAZY_POSTPONED, 0);
	lazy.masks[line] = before;
	lazy.tree->depth = lazy.depth;
	partly_restore();
}

static void classes_give_up(const struct classes *k, uint32_t line, uint32_t from, bool downwards)
	__attribute__((noreturn));
static void classes_give_up(const struct classes *k, uint32_t line, uint32_t from, bool downwards)
{
	for (uint32_t i = from; i < k->count; i++) {
		mask_first(line, k->masks[downwards ? k->count - 1 - i : i], lazy.alternative);
		lazy.tree->left_out += completions(line, lazy.alternative);
	}
	lazy.tree->active = 0;
	for (;;)
		CALL(SYS_exit_group, 0);
}

/* Which of them is ours: one for each process. */
static uint64_t classes_fork(const struct classes *k, uint32_t line)
{
	bool downwards = lazy.block->order == LAZY_MOST || (lazy.block->order == LAZY_CONTRAST && lazy.lossy);
	uint64_t class = k->masks[0];

	time_stop();
	for (uint32_t i = 0; i < k->count; i++) {
		class = k->masks[downwards ? k->count - 1 - i : i];
		mask_first(line, class, lazy.alternative);
		if (i == k->count - 1)
			break;
		if (lazy.level >= LEVELS_MAX)
			postpone_class(line, class);
		else if (child_try(line))
			return class;
		if (lazy.tree->over)
			classes_give_up(k, line, i + 1, downwards);
	}
	time_go();
	return class;
}

static uint64_t agreement(uint64_t mask)
{
	const uint8_t *first = lazy.contents[first_bit(mask)].bytes;
	uint64_t agreed = ~(uint64_t)0;

	for (uint64_t rest = mask & (mask - 1); rest; rest &= rest - 1) {
		const uint8_t *other = lazy.contents[first_bit(rest)].bytes;

		for (unsigned b = 0; b < CHOICES_LINE; b++)
			agreed &= ~((uint64_t)(first[b] != other[b]) << b);
	}
	return agreed;
}

static uint64_t class_choose(const struct classes *k, uint32_t line)
{
	if (k->count == 1)
		return k->masks[0];
	if (lazy.block->order == LAZY_SAMPLE)
		return k->masks[random_below(line + lazy.depth * 1000003, k->count)];
	if (lazy.spoiled)
		lazy_refuse(lazy.spoiled);
	return classes_fork(k, line);
}

bool lazy_narrow(uint32_t line, uint64_t bytes, uint8_t *here)
{
	static struct classes classes;
	uint64_t mask, class;
	uint32_t last = 0;

	if (lazy.choices->order_count || lazy.lines[line] == LINE_GIVEN)
		return false;
	/* One that was given has not agreed on anything yet. */
	if (lazy.lines[line] == LINE_PARTLY && lazy.places[line] != CHOICES_NONE && !(bytes & ~lazy.agreed[line]))
		return true;
	mask = contents_all(line, here, &last);
	if (!mask)
		return false;
	classes_find(&classes, mask, bytes & ~lazy.owned[line]);
	class = class_choose(&classes, line);
	mask_first(line, class, lazy.alternative);
	log_enter(line, lazy.alternative);
	lazy.masks[line] = class;
	lazy_agree(class >> last & 1, class & 1);
	lazy.agreed[line] = agreement(class) | lazy.owned[line];
	lazy.lines[line] = lazy.agreed[line] == ~(uint64_t)0 ? LINE_DECIDED : LINE_PARTLY;
	lazy.lossy = lazy.lossy || leaves_out(lazy.alternative, choices_lines(lazy.choices)[line].count);
	lazy_show(line, lazy.contents[first_bit(class)].bytes, lazy.agreed[line] & ~lazy.owned[line], (uintptr_t)here);
	return true;
}

bool lazy_own(uint32_t line, uint64_t bytes, uint8_t *here)
{
	if (!lazy_narrow(line, 0, here))
		return false;
	lazy.owned[line] |= bytes;
	lazy.agreed[line] |= bytes;
	if (lazy.agreed[line] == ~(uint64_t)0)
		lazy.lines[line] = LINE_DECIDED;
	return true;
}

void lazy_over(pid_t pid, int status)
{
	if (pid > 0)
		leaf_tell(pid, status);
	if (lazy.tree->lost)
		lazy.tree->left_out += choices_count(lazy.choices, lazy.bounds, NULL);
	tell(LAZY_END, 0);
	CALL(SYS_munmap, lazy.masks, lazy.private_bytes);
	CALL(SYS_munmap, lazy.tree, lazy.tree->bytes);
	lazy = (struct lazy){0};
}
