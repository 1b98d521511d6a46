/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lazy.c - which memory is undecided, and how it is decided; see lazy.h. */
#include "preload/lazy_in.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

struct lazy lazy;

void lazy_refuse(const char *why)
{
	lazy.setup.refuse(why);
	for (;;)
		CALL(SYS_exit_group, STUB_EXIT_REFUSED);
}

bool lazy_is_armed(void)
{
	return lazy.armed;
}

/* Memory */

struct lazy_range *lazy_range_at(uintptr_t at)
{
	for (size_t i = 0; i < lazy.range_count; i++) {
		if (at - lazy.ranges[i].at < lazy.ranges[i].bytes)
			return &lazy.ranges[i];
	}
	return NULL;
}

static uint64_t offset_at(const struct lazy_range *range, uintptr_t at)
{
	return range->offset + (at - range->at);
}

/* The first undecided line of the range at or after `offset`, and before `end`; CHOICES_NONE if there is none. */
static uint32_t line_open(const struct lazy_range *range, uint64_t offset, uint64_t end)
{
	uint32_t line = choices_find_from(lazy.choices, range->file, offset);
	const struct choices_line *l = choices_lines(lazy.choices);

	for (; line < lazy.choices->line_count && l[line].file == range->file && l[line].offset < end; line++) {
		if (lazy.lines[line] != LINE_DECIDED)
			return line;
	}
	return CHOICES_NONE;
}

bool lazy_page_is_open(const struct lazy_range *range, uintptr_t at)
{
	uint64_t page = offset_at(range, at & -LAZY_PAGE);

	return line_open(range, page, page + LAZY_PAGE) != CHOICES_NONE;
}

void lazy_page_protect(uintptr_t page, int prot)
{
	if (CALL(SYS_mprotect, page, LAZY_PAGE, prot) < 0)
		lazy_refuse("there are too many undecided pages to protect");
}

void lazy_page_settle(const struct lazy_range *range, uintptr_t at)
{
	lazy_page_protect(at & -LAZY_PAGE, lazy_page_is_open(range, at) ? PROT_NONE : range->prot);
}

/* Write the content of a decided line to all places where it is mapped.  The page at `here` stays open; the protection
 * of other pages is restored at once. */
static void line_show(uint32_t line, uintptr_t here)
{
	const struct choices_line *l = &choices_lines(lazy.choices)[line];

	for (size_t i = 0; i < lazy.range_count; i++) {
		const struct lazy_range *range = &lazy.ranges[i];

		if (range->file != l->file || l->offset - range->offset >= range->bytes)
			continue;
		uintptr_t at = range->at + (l->offset - range->offset);

		if ((at ^ here) >= LAZY_PAGE)
			lazy_page_protect(at & -LAZY_PAGE, PROT_READ | PROT_WRITE);
		choices_apply(lazy.choices, line, lazy.taken + l->first, (uint8_t *)at);
		if ((at ^ here) >= LAZY_PAGE)
			lazy_page_settle(range, at);
	}
}

/* Does the chosen alternative have the bytes of all units, or those of none?  If the certain bytes are unknown, this
 * must hold for any value of them. */
static void line_agree(uint32_t line, const uint8_t *certain)
{
	uint8_t *ours = lazy.contents[0].bytes, *most = lazy.contents[1].bytes, *base = lazy.contents[2].bytes;
	bool all = true, none = true;

	choices_most(lazy.choices, line, CHOICES_OPEN, lazy.scratch);
	for (int i = 0; i < (certain ? 1 : 2); i++) {
		memset(base, i ? 0xff : 0, LINE_BYTES);
		if (certain)
			memcpy(base, certain, LINE_BYTES);
		memcpy(ours, base, LINE_BYTES);
		memcpy(most, base, LINE_BYTES);
		choices_apply(lazy.choices, line, lazy.alternative, ours);
		choices_apply(lazy.choices, line, lazy.scratch, most);
		all = all && !memcmp(ours, most, LINE_BYTES);
		none = none && !memcmp(ours, base, LINE_BYTES);
	}
	lazy_agree(all, none);
}

static void line_decide(uint32_t line, const uint8_t *certain)
{
	const struct choices *c = lazy.choices;

	if (lazy.lines[line] == LINE_GIVEN) {
		memcpy(lazy.alternative, lazy_block_given_taken(lazy.block) + choices_lines(c)[line].first,
		       choices_lines(c)[line].count);
	} else if (choices_forced(c, line, lazy.bounds)) {
		choices_first(c, line, lazy.bounds, CHOICES_ONCE, lazy.alternative);
	} else {
		if (lazy.spoiled)
			lazy_refuse(lazy.spoiled);
		lazy_branch(line, certain);
	}
	line_agree(line, certain);
	lazy_commit(line, lazy.alternative);
}

void lazy_show(uint32_t line, const uint8_t *content, uint64_t bytes, uintptr_t here)
{
	const struct choices_line *l = &choices_lines(lazy.choices)[line];

	for (size_t i = 0; i < lazy.range_count; i++) {
		const struct lazy_range *range = &lazy.ranges[i];

		if (range->file != l->file || l->offset - range->offset >= range->bytes)
			continue;
		uint8_t *at = (uint8_t *)range->at + (l->offset - range->offset);
		bool elsewhere = ((uintptr_t)at ^ here) >= LAZY_PAGE;

		if (elsewhere)
			lazy_page_protect((uintptr_t)at & -LAZY_PAGE, PROT_READ | PROT_WRITE);
		for (unsigned b = 0; b < LINE_BYTES; b++) {
			if (bytes >> b & 1)
				at[b] = content[b];
		}
		if (elsewhere)
			lazy_page_settle(range, (uintptr_t)at);
	}
}

/* A mask of the bytes of [from, end) in the line at `offset`. */
static uint64_t bytes_of(uint64_t offset, uint64_t from, uint64_t end)
{
	uint64_t first = from > offset ? from - offset : 0,
		 last = end - offset < LINE_BYTES ? end - offset : LINE_BYTES;

	return first < last ? (~(uint64_t)0 >> (LINE_BYTES - (last - first))) << first : 0;
}

static bool line_know(uint32_t line, uint64_t bytes, uint8_t *here, enum lazy_access access)
{
	if (lazy.lines[line] == LINE_DECIDED)
		return true;
	if (access != ACCESS_STORE)
		return lazy_narrow(line, access == ACCESS_LOAD ? bytes : ~(uint64_t)0, here);
	if (lazy.block->stores && !lazy_narrow(line, bytes, here))
		return false;
	return lazy.lines[line] == LINE_DECIDED || lazy_own(line, bytes, here);
}

void lazy_decide(const struct lazy_range *range, uintptr_t at, uintptr_t end, enum lazy_access access)
{
	const struct choices_line *l = choices_lines(lazy.choices);
	uint64_t offset = offset_at(range, at), last = offset_at(range, end);

	if (lazy_is_threaded())
		lazy_refuse("recovery has threads");
	lazy_page_protect(at & -LAZY_PAGE, PROT_READ | PROT_WRITE);
	for (uint32_t line = choices_find_from(lazy.choices, range->file, offset);
	     line < lazy.choices->line_count && l[line].file == range->file && l[line].offset < last; line++) {
		uint8_t *here = (uint8_t *)range->at + (l[line].offset - range->offset);

		if (line_know(line, bytes_of(l[line].offset, offset, last), here, access))
			continue;
		line_decide(line, here);
		line_show(line, at);
	}
}

/* Mappings */

void lazy_suspend(void)
{
	if (!lazy.armed)
		return;
	for (size_t i = 0; i < lazy.range_count; i++)
		CALL(SYS_mprotect, lazy.ranges[i].at, lazy.ranges[i].bytes, lazy.ranges[i].prot);
	lazy.range_count = 0;
	lazy.suspended = true;
}

static uint32_t file_of(uint32_t entry)
{
	const uint32_t *files = lazy_block_files(lazy.block);

	return entry < lazy.block->file_count ? files[entry] : CHOICES_NONE;
}

void lazy_range(void *at, size_t bytes, uint32_t entry, uint64_t offset, int prot)
{
	if (!lazy.armed || file_of(entry) == CHOICES_NONE || !bytes)
		return;
	if (lazy.range_count == LAZY_RANGES_MAX)
		lazy_refuse("recovery has too many mappings of PM files");
	lazy.ranges[lazy.range_count++] =
		(struct lazy_range){(uintptr_t)at, (bytes + LAZY_PAGE - 1) & -LAZY_PAGE, offset, file_of(entry), prot};
}

/* Close the pages with undecided lines, adjacent ones in one call. */
static void range_close(const struct lazy_range *range)
{
	uint64_t end = range->offset + range->bytes, offset = range->offset;
	uint32_t line;

	while ((line = line_open(range, offset, end)) != CHOICES_NONE) {
		uint64_t first = choices_lines(lazy.choices)[line].offset & -(uint64_t)LAZY_PAGE;

		for (offset = first + LAZY_PAGE;
		     offset < end && line_open(range, offset, offset + LAZY_PAGE) != CHOICES_NONE;)
			offset += LAZY_PAGE;
		if (CALL(SYS_mprotect, range->at + (first - range->offset), offset - first, PROT_NONE) < 0)
			lazy_refuse("there are too many undecided pages to protect");
	}
}

void lazy_close_all(void)
{
	for (size_t i = 0; i < lazy.range_count; i++)
		range_close(&lazy.ranges[i]);
}

void lazy_resume(void)
{
	if (!lazy.armed)
		return;
	for (size_t i = 0; i < lazy.range_count; i++)
		lazy_filter(lazy.ranges[i].at, lazy.ranges[i].at + lazy.ranges[i].bytes);
	lazy_close_all();
	lazy.suspended = false;
}

/* Write decided bytes over bytes from the file. */
static void overlay(uint32_t line, uint64_t offset, uint8_t *buffer, size_t bytes)
{
	const struct choices_line *l = &choices_lines(lazy.choices)[line];
	uint8_t whole[LINE_BYTES];
	uint64_t from = l->offset > offset ? l->offset : offset;
	uint64_t end = l->offset + LINE_BYTES < offset + bytes ? l->offset + LINE_BYTES : offset + bytes;

	memcpy(whole + (from - l->offset), buffer + (from - offset), end - from);
	choices_apply(lazy.choices, line, lazy.taken + l->first, whole);
	memcpy(buffer + (from - offset), whole + (from - l->offset), end - from);
}

static void overlay_range(uint32_t file, uint64_t offset, void *buffer, size_t bytes)
{
	const struct choices_line *l = choices_lines(lazy.choices);

	for (uint32_t line = choices_find_from(lazy.choices, file, offset);
	     line < lazy.choices->line_count && l[line].file == file && l[line].offset < offset + bytes; line++) {
		if (lazy.lines[line] == LINE_DECIDED)
			overlay(line, offset, buffer, bytes);
	}
}

/* Write what is decided about a line over what is certain. */
static void line_renew(uint32_t line, uint8_t *at)
{
	uint64_t bytes = lazy.lines[line] == LINE_DECIDED ? ~(uint64_t)0 : lazy.agreed[line];
	uint8_t whole[LINE_BYTES];

	memcpy(whole, at, LINE_BYTES);
	choices_apply(lazy.choices, line, lazy.taken + choices_lines(lazy.choices)[line].first, whole);
	for (unsigned b = 0; b < LINE_BYTES; b++) {
		if (bytes >> b & 1)
			at[b] = whole[b];
	}
}

void lazy_fresh(void *at, size_t bytes, uint32_t entry, uint64_t offset, int prot)
{
	uint32_t file = lazy.armed ? file_of(entry) : CHOICES_NONE;
	const struct choices_line *l = lazy.armed ? choices_lines(lazy.choices) : NULL;

	if (file == CHOICES_NONE)
		return;
	for (uint32_t line = choices_find_from(lazy.choices, file, offset);
	     line < lazy.choices->line_count && l[line].file == file && l[line].offset < offset + bytes; line++) {
		uint8_t *there = (uint8_t *)at + (l[line].offset - offset);

		if (lazy.lines[line] != LINE_DECIDED && lazy.lines[line] != LINE_PARTLY)
			continue;
		lazy_page_protect((uintptr_t)there & -LAZY_PAGE, PROT_READ | PROT_WRITE);
		line_renew(line, there);
		lazy_page_protect((uintptr_t)there & -LAZY_PAGE, prot);
	}
}

/* The content of a line in a mapping, if it is mapped.  The page stays open until lazy_page_settle. */
static uint8_t *line_mapped(uint32_t line, const struct lazy_range **range)
{
	const struct choices_line *l = &choices_lines(lazy.choices)[line];

	for (size_t i = 0; i < lazy.range_count; i++) {
		*range = &lazy.ranges[i];
		if ((*range)->file == l->file && l->offset - (*range)->offset < (*range)->bytes)
			return (uint8_t *)(*range)->at + (l->offset - (*range)->offset);
	}
	return NULL;
}

/* A line that is decided because the file is read is updated in all mappings. */
static void decide_file(uint32_t file, uint64_t offset, uint64_t end)
{
	struct lazy_range whole = {.bytes = SIZE_MAX, .file = file};
	const struct lazy_range *range;

	for (uint32_t line; (line = line_open(&whole, offset, end)) != CHOICES_NONE;) {
		uint8_t *at = line_mapped(line, &range);

		if (at) {
			lazy_decide(range, (uintptr_t)at, (uintptr_t)at + LINE_BYTES, ACCESS_ANY);
			lazy_page_settle(range, (uintptr_t)at);
			continue;
		}
		if (lazy_is_threaded())
			lazy_refuse("recovery has threads");
		line_decide(line, NULL);
		line_show(line, 0);
	}
}

void lazy_read(uint32_t entry, uint64_t offset, void *buffer, size_t bytes)
{
	if (!lazy.armed || file_of(entry) == CHOICES_NONE || !bytes)
		return;
	decide_file(file_of(entry), offset, offset + bytes);
	overlay_range(file_of(entry), offset, buffer, bytes);
}

bool lazy_is_pm(const void *at)
{
	return lazy.armed && lazy_range_at((uintptr_t)at);
}

bool lazy_concerns(uint32_t entry)
{
	uint32_t file = lazy.armed ? file_of(entry) : CHOICES_NONE;
	uint32_t line = file == CHOICES_NONE ? CHOICES_NONE : choices_find_from(lazy.choices, file, 0);

	return file != CHOICES_NONE && line < lazy.choices->line_count &&
	       choices_lines(lazy.choices)[line].file == file;
}

void lazy_spoil(const char *why)
{
	if (!lazy.spoiled)
		lazy.spoiled = why;
}

/* Beginning and end */

static void *memory_new(size_t bytes, int type)
{
	long memory = CALL(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, type | MAP_ANONYMOUS, -1, 0);

	return memory < 0 ? NULL : (void *)memory;
}

static bool block_check(const struct lazy_block *block)
{
	const struct choices *c = (const void *)((const char *)block + block->choices);
	const uint32_t *given = lazy_block_given(block);

	if (block->choices % 8 || block->choices > block->bytes || !choices_check(c, block->bytes - block->choices) ||
	    block->choices != lazy_block_choices_offset(block->file_count, block->given_count, c->unit_count))
		return false;
	for (uint32_t i = 0; i < block->given_count; i++) {
		if (given[i] >= c->line_count)
			return false;
	}
	return true;
}

static bool memory_get(const struct choices *c)
{
	size_t bytes = sizeof(*lazy.tree) + c->line_count * sizeof(uint32_t) + c->unit_count;

	lazy.private_bytes =
		c->line_count * (3 * sizeof(uint64_t) + sizeof(uint32_t) + 1) + 2 * (size_t)c->line_units_max + 1;
	lazy.tree = memory_new(bytes, MAP_SHARED);
	lazy.masks = memory_new(lazy.private_bytes, MAP_PRIVATE);
	if (!lazy.tree || !lazy.masks)
		return false;
	lazy.tree->bytes = bytes;
	lazy.log = (uint32_t *)(lazy.tree + 1);
	lazy.taken = (uint8_t *)(lazy.log + c->line_count);
	lazy.agreed = lazy.masks + c->line_count;
	lazy.owned = lazy.agreed + c->line_count;
	lazy.places = (uint32_t *)(lazy.owned + c->line_count);
	lazy.lines = (uint8_t *)(lazy.places + c->line_count);
	lazy.alternative = lazy.lines + c->line_count;
	lazy.scratch = lazy.alternative + c->line_units_max;
	for (uint32_t i = 0; i < c->line_count; i++)
		lazy.places[i] = CHOICES_NONE;
	return true;
}

const char *lazy_prepare(const struct lazy_setup *setup)
{
	const struct choices *c = (const void *)((const char *)setup->block + setup->block->choices);
	const uint64_t *masks = lazy_block_masks(setup->block);
	const uint32_t *given = lazy_block_given(setup->block);

	if (!block_check(setup->block))
		return "the list of undecided lines is malformed";
	lazy = (struct lazy){.setup = *setup, .block = setup->block, .choices = c, .bounds = CHOICES_OPEN};
	lazy.lossy = setup->block->lossy;
	if (!memory_get(c))
		return "there is not enough memory for the undecided lines";
	for (uint32_t i = 0; i < setup->block->given_count; i++) {
		lazy.lines[given[i]] = masks[i] ? LINE_PARTLY : LINE_GIVEN;
		lazy.masks[given[i]] = masks[i];
		if (!masks[i])
			lazy.bounds =
				choices_decide(c, given[i],
					       lazy_block_given_taken(lazy.block) + choices_lines(c)[given[i]].first,
					       lazy.bounds);
	}
	return NULL;
}

void lazy_arm(void)
{
	int *tid = NULL;

	lazy.armed = true;
	lazy.all = lazy.none = lazy.tree->all = lazy.tree->none = true;
	lazy.tree->active = (pid_t)CALL(SYS_getpid);
	/* An old kernel: the C library's thread ID could not be updated after a fork, and abort() would not work. */
	if (prctl(PR_GET_TID_ADDRESS, &tid) < 0 || !tid || *tid != lazy.tree->active)
		lazy_spoil("the kernel does not report where the thread ID is stored");
	lazy_signals_arm();
	lazy_timer_start();
}
