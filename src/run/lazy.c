/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lazy.c - blackout's side of undecided lines: send the request, receive the leaves, and request postponed branches
 * again; see lazy.h. */
#include "run/lazy.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/vec.h"
#include "run/lazy_in.h"
#include "run/recovery_in.h"
#include "run/shell.h"

#define OUTPUT_MAX ((uint64_t)2 << 30) /* of a leaf; a report has less than 4 GiB */
enum {
	CHUNK = 1 << 16,
	STALL_MS = 5000, /* wait this long for the rest of a report */
	TRIM_BYTES = 1 << 20,
	POSTPONED_BYTES = 64 << 20, /* branches beyond this are left out: such a tree would never end */
};

_Static_assert((int)LAZY_TAIL <= (int)OUTCOME_TAIL, "the output of a leaf fits into an outcome");

/* A path in the tree: the decided lines and the flags of their units. */
struct way {
	uint32_t *lines;
	size_t count;
	uint8_t *taken;  /* indexed by unit number */
	uint64_t *masks; /* for each line, which alternatives are possible; 0, or NULL: its flags decide */
	uint64_t number; /* of the branch, if the tree is split */
	bool lossy;      /* for the same: a store is left out */
};

struct lazy_run {
	struct lazy_options options;
	void *ticket;
	struct choices *choices;
	uint32_t *files;
	struct way given;

	struct way now; /* the path of the last report */
	uint8_t *decided;
	struct {
		struct way *at;
		size_t count, room;
	} postponed;
	size_t asked;      /* how many of these were requested; their contents are freed */
	uint64_t branches; /* if the tree is split */
	size_t postponed_bytes;

	uint64_t timeout_ns;
	struct lazy_block *block; /* the request, as the stub sees it */
	uint64_t reported;        /* leaves reported since the request was sent */
	double before;            /* sets left out by earlier requests */
	uint64_t traps_before;
	bool enough;
	struct lazy_end end;
	char broken[STUB_REASON];
	char *report; /* buffer for one report */
	size_t report_room;
	struct output *output; /* of the leaf that is being reported; NULL: not wanted */
};

static struct way way_copy(const struct choices *c, const uint32_t *lines, size_t count, const uint8_t *taken)
{
	struct way way = {.lines = mem_resize(NULL, count + 1, sizeof(*lines)), .count = count};

	way.taken = mem_alloc(c->unit_count + 1);
	for (size_t i = 0; i < count; i++) {
		const struct choices_line *line = &choices_lines(c)[lines[i]];

		way.lines[i] = lines[i];
		memcpy(way.taken + line->first, taken + line->first, line->count);
	}
	return way;
}

static void way_free(struct way *way)
{
	free(way->lines);
	free(way->taken);
	free(way->masks);
	*way = (struct way){0};
}

/* The request */

/* The stub identifies a path by its index in the page. */
static uint32_t file_find(const struct lazy_run *run, const struct scene *scene, const char *path)
{
	for (size_t i = 0; i < origin_path_count(scene->origin); i++) {
		if (!strcmp(origin_path(scene->origin, i), path))
			return run->files[i];
	}
	return CHOICES_NONE;
}

/* One byte more than the bound shows that an output exceeds it. */
static uint32_t output_max(const struct output_rules *rules)
{
	uint64_t bound = rules ? output_rules_bound(rules) : 0;

	return !rules ? 0 : bound < OUTPUT_MAX ? (uint32_t)bound + 1 : (uint32_t)OUTPUT_MAX;
}

static void block_fill(struct lazy_run *run, const struct worker *w, const struct way *extra)
{
	struct lazy_block *block = run->block;
	const struct stub_page *page = w->control.page;
	uint64_t *masks = lazy_block_masks(block);
	uint32_t *files, *given;
	uint8_t *taken;

	block->timeout_ns = run->timeout_ns > w->spent_ns ? run->timeout_ns - w->spent_ns : run->timeout_ns ? 1 : 0;
	block->sequence = run->options.sequence;
	block->seed = run->options.seed + run->end.leaves;
	block->stores = run->options.stores;
	block->split = run->asked ? 0 : run->options.split;
	block->lossy = extra->lossy;
	block->output = w->command.writes_file ? LAZY_OUTPUT_FILE : LAZY_OUTPUT_STREAM;
	block->output_max = output_max(w->options->output);
	block->leaves_max = run->options.leaves_max ? run->options.leaves_max - run->end.leaves : 0;
	block->file_count = page->path_count;
	block->given_count = (uint32_t)(run->given.count + extra->count);
	for (size_t i = 0; i < extra->count; i++)
		masks[run->given.count + i] = extra->masks[i];
	files = lazy_block_files(block);
	for (uint32_t i = 0; i < page->path_count; i++)
		files[i] = file_find(run, &w->scene, stub_page_text(page, stub_page_paths(page)[i].original));
	given = lazy_block_given(block);
	memcpy(given, run->given.lines, run->given.count * sizeof(*given));
	for (size_t i = 0; i < extra->count; i++)
		given[run->given.count + i] = extra->lines[i];
	taken = lazy_block_given_taken(block);
	for (uint32_t i = 0; i < run->choices->unit_count; i++)
		taken[i] = run->given.taken[i] | (extra->taken ? extra->taken[i] : 0);
	memcpy((char *)block + block->choices, run->choices, run->choices->bytes);
}

static int file_create(const struct worker *w, const char *name, size_t bytes)
{
	char path[PATH_MAX];

	if (!path_format(path, sizeof(path), "%s/%s", w->control.dir, name))
		return -1;
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd >= 0 && ftruncate(fd, (off_t)bytes) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static void block_unmap(struct lazy_run *run)
{
	if (run->block)
		munmap(run->block, run->block->bytes);
	run->block = NULL;
}

bool lazy_request(struct lazy_run *run, struct worker *w)
{
	static const struct way nothing;
	const struct way *extra = run->asked ? &run->postponed.at[run->asked - 1] : &nothing;
	size_t before = lazy_block_choices_offset(w->control.page->path_count, run->given.count + extra->count,
						  run->choices->unit_count);
	size_t bytes = before + run->choices->bytes;
	int fd = file_create(w, STUB_FILE_LAZY, bytes), out = file_create(w, STUB_FILE_OUT, 0),
	    err = file_create(w, STUB_FILE_ERR, 0);
	void *memory = fd < 0 ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	bool well = memory != MAP_FAILED && out >= 0 && err >= 0;

	block_unmap(run);
	if (memory != MAP_FAILED) {
		run->block = memory;
		run->block->bytes = bytes;
		run->block->choices = (uint32_t)before;
		block_fill(run, w, extra);
	}
	run->reported = 0;
	run->before = run->end.left_out;
	run->traps_before = run->end.traps;
	run->now.count = 0;
	memset(run->decided, 0, run->choices->line_count);
	for (int i = 0; i < 3; i++) {
		int each = i == 0 ? fd : i == 1 ? out : err;
		if (each >= 0)
			close(each);
	}
	return well;
}

/* Keep the beginning of the output, which leaves may share, and its end. */
static void output_trim(const struct worker *w, const char *name)
{
	char path[PATH_MAX];
	struct stat st;

	if (!path_format(path, sizeof(path), "%s/%s", w->control.dir, name) || stat(path, &st) < 0 ||
	    st.st_size < 4 * TRIM_BYTES || (off_t)st.st_blocks * 512 < 4 * TRIM_BYTES)
		return;
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd >= 0) {
		fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, TRIM_BYTES, st.st_size - 2 * TRIM_BYTES);
		close(fd);
	}
}

void lazy_trim(const struct worker *w)
{
	/* An output that is summarized is needed completely.  It has a limit. */
	if (!w->options->output)
		output_trim(w, STUB_FILE_OUT);
	output_trim(w, STUB_FILE_ERR);
}

/* Leaves */

/* Read all bytes of a report.  They come at once, unless the sender is dead. */
static bool report_read(int fd, char *to, size_t bytes)
{
	while (bytes) {
		struct pollfd wait = {.fd = fd, .events = POLLIN};
		ssize_t n = read(fd, to, bytes);

		if (n > 0) {
			to += n;
			bytes -= (size_t)n;
		} else if (n == 0 || (errno != EAGAIN && errno != EINTR) || poll(&wait, 1, STALL_MS) == 0) {
			return false;
		}
	}
	return true;
}

/* Update `now`.  False: the report is damaged. */
static bool way_follow(struct lazy_run *run, const struct lazy_report *report, const uint32_t *lines)
{
	const struct choices *c = run->choices;
	const uint8_t *flags = (const uint8_t *)(lines + (report->depth - report->keep)),
		      *end = flags + report->taken_bytes;

	if (report->keep > run->now.count || report->depth > c->line_count)
		return false;
	while (run->now.count > report->keep)
		run->decided[run->now.lines[--run->now.count]] = 0;
	for (; run->now.count < report->depth; lines++) {
		const struct choices_line *line = &choices_lines(c)[*lines];

		if (*lines >= c->line_count || run->decided[*lines] || (size_t)(end - flags) < line->count)
			return false;
		run->decided[*lines] = 1;
		run->now.lines[run->now.count++] = *lines;
		memcpy(run->now.taken + line->first, flags, line->count);
		flags += line->count;
	}
	return flags == end;
}

/* Fill the undecided lines with as few units as possible. */
static struct choices_bounds rest_fill(struct lazy_run *run)
{
	const struct choices *c = run->choices;
	struct choices_bounds bounds = CHOICES_OPEN;

	for (size_t i = 0; i < run->given.count; i++)
		bounds = choices_decide(c, run->given.lines[i],
					run->given.taken + choices_lines(c)[run->given.lines[i]].first, bounds);
	for (size_t i = 0; i < run->now.count; i++)
		bounds = choices_decide(c, run->now.lines[i],
					run->now.taken + choices_lines(c)[run->now.lines[i]].first, bounds);
	for (uint32_t i = 0; i < c->line_count; i++) {
		if (!run->decided[i])
			choices_first(c, i, bounds, CHOICES_SETS, run->now.taken + choices_lines(c)[i].first);
	}
	/* Given lines keep their given units, even if recovery did not look at them. */
	for (size_t i = 0; i < run->given.count; i++) {
		const struct choices_line *line = &choices_lines(c)[run->given.lines[i]];
		memcpy(run->now.taken + line->first, run->given.taken + line->first, line->count);
	}
	return bounds;
}

/* The output that the fork server printed before its first child comes first. */
static struct tail tail_make(const struct recovery_output *before, const char *text, size_t size, bool cut)
{
	struct tail head = recovery_output_tail(before), tail = {.size = size, .cut = cut};
	size_t kept = cut ? 0 : head.size < OUTCOME_TAIL - size ? head.size : OUTCOME_TAIL - size;

	if (!cut)
		tail.cut = head.cut || kept < head.size;
	tail.size += kept;
	if (tail.size) {
		tail.text = mem_alloc(tail.size + 1);
		if (kept)
			memcpy(tail.text, head.text + (head.size - kept), kept);
		memcpy(tail.text + kept, text, size);
	}
	free(head.text);
	return tail;
}

static struct outcome outcome_of(struct lazy_run *run, const struct worker *w, const struct stub_reply *reply,
				 const struct lazy_report *report, const char *text)
{
	struct outcome o = {.mode = RECOVERY_FORK, .from = w->outcome.from};
	int signal = WIFSIGNALED(reply->status) ? WTERMSIG(reply->status) : shell_signal(WEXITSTATUS(reply->status));

	o.seconds = (double)(w->spent_ns + reply->nanoseconds) / 1e9;
	o.ending.kind = report->flags & LAZY_TIMEOUT ? ENDING_TIMEOUT : signal ? ENDING_SIGNAL : ENDING_EXIT;
	o.ending.value = o.ending.kind == ENDING_TIMEOUT ? 0 : signal ? signal : WEXITSTATUS(reply->status);
	o.out = tail_make(&w->out_before, text, report->out_bytes, report->flags & LAZY_OUT_CUT);
	o.err = tail_make(&w->err_before, text + report->out_bytes, report->err_bytes, report->flags & LAZY_ERR_CUT);
	o.output = run->output;
	run->output = NULL;
	if (o.output && output_is_endless(o.output))
		o.ending = (struct ending){ENDING_EXIT, 0};
	return o;
}

/* Was it ended by the limit for its output, though that is not what became so large? */
static bool limit_is_reached(const struct lazy_run *run, const struct stub_reply *reply)
{
	return run->output && !output_is_endless(run->output) && WIFSIGNALED(reply->status) &&
	       WTERMSIG(reply->status) == SIGXFSZ;
}

static void leaf_tell(struct lazy_run *run, const struct worker *w, const struct stub_reply *reply,
		      const struct lazy_report *report, const char *text)
{
	struct outcome outcome = {.ending.kind = ENDING_EXIT};
	char why[STUB_REASON];
	struct lazy_leaf leaf = {.choices = run->choices,
				 .lines = run->now.lines,
				 .count = run->now.count,
				 .taken = run->now.taken};

	leaf.bounds = rest_fill(run);
	leaf.is_all = report->flags & LAZY_ALL;
	leaf.is_none = report->flags & LAZY_NONE;
	if (report->flags & LAZY_REFUSED) {
		snprintf(why, sizeof(why), "%.*s", (int)report->err_bytes, text + report->out_bytes);
		leaf.refused = why;
	} else if (limit_is_reached(run, reply)) {
		leaf.refused = "recovery writes a large file";
	} else {
		outcome = outcome_of(run, w, reply, report, text);
		leaf.outcome = &outcome;
	}
	run->reported++;
	run->end.leaves++;
	run->end.refused += leaf.refused != NULL;
	if (!run->options.leaf(run->options.arg, run->ticket, &leaf)) {
		run->enough = true;
		atomic_store(&run->block->stop, 1);
	}
	outcome_free(&outcome);
}

static double left_of(const struct lazy_run *run, const struct way *way)
{
	struct choices_bounds bounds = CHOICES_OPEN;
	uint8_t *decided = mem_alloc(run->choices->line_count + 1);
	double count;

	for (size_t i = 0; i < way->count; i++) {
		const struct choices_line *line = &choices_lines(run->choices)[way->lines[i]];

		decided[way->lines[i]] = 1;
		bounds = choices_decide(run->choices, way->lines[i], way->taken + line->first, bounds);
	}
	count = choices_count(run->choices, bounds, decided);
	free(decided);
	return count;
}

static size_t way_bytes(const struct lazy_run *run, const struct way *way)
{
	return way->count * (sizeof(*way->lines) + sizeof(*way->masks)) + run->choices->unit_count;
}

/* Is it a branch, and nobody wants it? */
static bool branch_is_unwanted(struct lazy_run *run)
{
	bool is_branch = run->options.split && !run->asked;

	run->end.deep |= !is_branch;
	return is_branch && !run->options.branch(run->options.arg, run->ticket, run->branches++);
}

/* The masks are at the end, just before the place of the output. */
static void postponed_add(struct lazy_run *run, const struct lazy_report *report, const char *masks)
{
	struct way way;

	if (branch_is_unwanted(run))
		return;
	way = way_copy(run->choices, run->now.lines, run->now.count, run->now.taken);
	way.number = run->branches - 1;
	way.lossy = run->options.split && report->flags & LAZY_LOSSY;
	way.masks = mem_alloc(way.count * sizeof(*way.masks) + 1);
	memcpy(way.masks, masks - report->mask_bytes, report->mask_bytes);
	if (run->postponed_bytes + way_bytes(run, &way) > POSTPONED_BYTES) {
		run->before += left_of(run, &way);
		way_free(&way);
		return;
	}
	run->postponed_bytes += way_bytes(run, &way);
	vec_push(&run->postponed, way);
}

/* The postponed branch that was requested last is done. */
static void postponed_drop(struct lazy_run *run)
{
	struct way *way = &run->postponed.at[run->asked - 1];

	run->postponed_bytes -= way_bytes(run, way);
	way_free(way);
}

static void report_take(struct lazy_run *run, const struct worker *w, const struct stub_reply *reply,
			const struct lazy_report *report, const char *text)
{
	run->end.traps = run->traps_before + report->traps;
	run->end.left_out = run->before + report->left_out;
	if (report->flags & LAZY_END)
		return;
	if (report->flags & LAZY_POSTPONED)
		postponed_add(run, report, text);
	else if (!run->enough)
		leaf_tell(run, w, reply, report, text);
}

static void run_break(struct lazy_run *run, const char *why)
{
	if (!run->end.broken)
		snprintf(run->broken, sizeof(run->broken), "%s", why);
	run->end.broken = run->broken;
}

/* Read the complete output of a leaf.  What the fork server printed before its first child comes first. */
static bool output_read(struct lazy_run *run, const struct worker *w, size_t bytes)
{
	static char chunk[CHUNK];
	const struct output *before = w->out_before.summary;

	output_free(run->output);
	run->output = before ? output_copy(before) : worker_output(w);
	for (size_t part; bytes; bytes -= part) {
		part = bytes < sizeof(chunk) ? bytes : sizeof(chunk);
		if (!report_read(w->control.reply, chunk, part))
			return false;
		if (run->output)
			output_feed(run->output, chunk, part);
	}
	if (run->output)
		output_end(run->output);
	return true;
}

/* Do the parts of a report add up to its size?  `lines` is the size of the first. */
static bool report_adds_up(const struct lazy_report *report, uint64_t lines, uint32_t bytes)
{
	uint64_t parts = sizeof(*report) + lines + report->taken_bytes + report->mask_bytes;

	return bytes == parts + report->out_bytes + report->err_bytes + report->output_bytes &&
	       report->mask_bytes == (report->flags & LAZY_POSTPONED ? report->depth * sizeof(uint64_t) : 0);
}

/* Read all of a report but the complete output at its end. */
static bool report_head_read(struct lazy_run *run, int fd, uint32_t bytes)
{
	struct lazy_report report;

	if (bytes < sizeof(report) || !report_read(fd, (char *)&report, sizeof(report)) ||
	    bytes - sizeof(report) < report.output_bytes)
		return false;
	size_t head = bytes - report.output_bytes;
	if (head > run->report_room) {
		run->report_room = head;
		run->report = mem_resize(run->report, run->report_room, 1);
	}
	memcpy(run->report, &report, sizeof(report));
	return report_read(fd, run->report + sizeof(report), head - sizeof(report));
}

bool lazy_report_take(struct lazy_run *run, struct worker *w, const struct stub_reply *reply)
{
	const struct lazy_report *report;
	uint64_t lines;

	if (!report_head_read(run, w->control.reply, reply->bytes)) {
		run_break(run, "a recovery process died while it sent a report");
		return false;
	}
	report = (const void *)run->report;
	lines = report->depth >= report->keep ? (uint64_t)(report->depth - report->keep) * sizeof(uint32_t)
					      : UINT32_MAX;
	if (!report_adds_up(report, lines, reply->bytes) || !way_follow(run, report, (const uint32_t *)(report + 1))) {
		run_break(run, "a report from recovery is damaged");
		return false;
	}
	if (!output_read(run, w, report->output_bytes)) {
		run_break(run, "a recovery process died while it sent its output");
		return false;
	}
	report_take(run, w, reply, report,
		    run->report + sizeof(*report) + lines + report->taken_bytes + report->mask_bytes);
	return true;
}

/* The end */

/* Is there another request to send? */
static bool run_goes_on(struct lazy_run *run)
{
	bool full = run->options.leaves_max && run->end.leaves >= run->options.leaves_max;

	if (run->asked)
		postponed_drop(run);
	if (run->enough || run->end.broken || full) {
		while (run->asked < run->postponed.count)
			run->end.left_out += left_of(run, &run->postponed.at[run->asked++]);
		return false;
	}
	if (run->options.sequence == LAZY_SAMPLE)
		return run->options.leaves_max > run->end.leaves && run->reported > 0;
	if (run->asked == run->postponed.count)
		return false;
	run->asked++;
	if (run->options.split)
		run->options.begins(run->options.arg, run->ticket, run->postponed.at[run->asked - 1].number);
	return true;
}

void lazy_run_free(struct lazy_run *run)
{
	if (!run)
		return;
	block_unmap(run);
	for (size_t i = 0; i < run->postponed.count; i++)
		way_free(&run->postponed.at[i]);
	vec_free(&run->postponed);
	way_free(&run->given);
	way_free(&run->now);
	free(run->choices);
	free(run->files);
	free(run->decided);
	free(run->report);
	output_free(run->output);
	free(run);
}

bool lazy_run_ended(struct lazy_run *run, const char *broken)
{
	if (broken)
		run_break(run, broken);
	if (run_goes_on(run))
		return false;
	if (run->options.ended)
		run->options.ended(run->options.arg, run->ticket, &run->end);
	return true;
}

static struct lazy_run *run_new(const struct recovery *r, void *ticket, const struct lazy_options *o)
{
	struct lazy_run *run = mem_alloc(sizeof(*run));
	size_t paths = origin_path_count(r->options.origin);

	run->options = *o;
	run->ticket = ticket;
	run->timeout_ns = (uint64_t)(r->options.timeout * 1e9);
	run->choices = mem_alloc(o->choices->bytes);
	memcpy(run->choices, o->choices, o->choices->bytes);
	run->files = mem_resize(NULL, paths + 1, sizeof(*run->files));
	memcpy(run->files, o->files, paths * sizeof(*run->files));
	run->given = way_copy(o->choices, o->given, o->given_count, o->given_taken);
	run->now = (struct way){.lines = mem_resize(NULL, o->choices->line_count + 1, sizeof(uint32_t)),
				.taken = mem_alloc(o->choices->unit_count + 1)};
	run->decided = mem_alloc(o->choices->line_count + 1);
	return run;
}

int recovery_start_lazy(struct recovery *r, unsigned worker, void *ticket, const struct lazy_options *options,
			struct err *err)
{
	if (r->mode != RECOVERY_FORK) {
		err_set(err, "undecided lines need the fork server");
		return err_status(err, ERR_TARGET);
	}
	r->slots[worker].worker.lazy = run_new(r, ticket, options);
	return recovery_start(r, worker, ticket, err);
}
