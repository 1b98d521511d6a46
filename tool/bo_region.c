/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_region.c - where PM files are mapped.
 *
 * Regions are sorted by address and never overlap: a new mapping replaces what it covers.  A shared mapping that is
 * read-only but could be made writable is kept as a candidate, because mprotect may turn its file into PM (bo_file.c
 * has the rule). */
#include "bo.h"

#include "bo_label.h"
#include "bo_shadow.h"
#include "pub_tool_aspacemgr.h"

UChar bo_granules[BO_GRANULES];

static struct bo_region *regions; /* sorted by start; candidates included */
static UInt region_count, region_room;
static const struct bo_region *recent_region;
static Bool pm_was_mapped;

/* The last range that was searched in vain: [start, end) holds no PM.  The same volatile memory next to PM is looked up
 * again and again. */
static struct {
	Addr start, end;
} recent_gap;

static void forget_recent(void)
{
	recent_region = NULL;
	recent_gap.start = recent_gap.end = 0;
}

/* ---- regions ---- */

static Bool is_pm(const struct bo_region *r)
{
	return r->file->id != 0;
}

static void mark_granules(void)
{
	for (UInt i = 0; i < region_count; i++) {
		if (!is_pm(&regions[i]))
			continue;
		/* A wide store may start just below the mapping. */
		Addr last = (regions[i].start + regions[i].size - 1) >> BO_GRANULE_SHIFT;
		for (Addr g = (regions[i].start - 64) >> BO_GRANULE_SHIFT; g <= last; g++)
			bo_granules[g] |= BO_GRANULE_PM;
		bo_shadow_note_pm(regions[i].start, regions[i].size, True);
	}
}

static void clear_granules(Addr addr, SizeT size)
{
	for (Addr g = (addr - 64) >> BO_GRANULE_SHIFT; g <= (addr + size - 1) >> BO_GRANULE_SHIFT; g++)
		bo_granules[g] &= (UChar)~BO_GRANULE_PM;
	bo_shadow_note_pm(addr, size, False);
}

Bool bo_region_any(void)
{
	return pm_was_mapped;
}

/* Index of the first region that ends above addr. */
static UInt region_index(Addr addr)
{
	UInt low = 0, high = region_count;

	while (low < high) {
		UInt mid = (low + high) / 2;
		if (regions[mid].start + regions[mid].size <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The range without regions that ends at the region with this index. */
static void gap_before(UInt i, Addr *start, Addr *end)
{
	*start = i ? regions[i - 1].start + regions[i - 1].size : 0;
	*end = i < region_count ? regions[i].start : ~0UL;
}

static const struct bo_region *find_slowly(Addr addr)
{
	UInt i = region_index(addr);

	if (i < region_count && regions[i].start <= addr)
		return is_pm(&regions[i]) ? (recent_region = &regions[i]) : NULL;
	gap_before(i, &recent_gap.start, &recent_gap.end);
	return NULL;
}

void bo_region_gap(Addr addr, Addr *start, Addr *end)
{
	UInt i = region_index(addr);

	gap_before(i, start, end);
	if (*end <= addr)
		*start = *end = addr;
}

const struct bo_region *bo_region_find(Addr addr)
{
	if (LIKELY(recent_region && addr - recent_region->start < recent_region->size))
		return recent_region;
	return find_slowly(addr);
}

Bool bo_region_none(Addr addr, SizeT size)
{
	return addr >= recent_gap.start && addr + size <= recent_gap.end;
}

const struct bo_region *bo_region_next(Addr addr)
{
	for (UInt i = region_index(addr); i < region_count; i++)
		if (regions[i].start > addr && is_pm(&regions[i]))
			return &regions[i];
	return NULL;
}

static void region_insert(const struct bo_region *r)
{
	UInt i = region_index(r->start);

	if (region_count == region_room) {
		region_room = region_room ? 2 * region_room : 32;
		regions = VG_(realloc)("bo.regions", regions, region_room * sizeof(*regions));
	}
	VG_(memmove)(&regions[i + 1], &regions[i], (region_count - i) * sizeof(*regions));
	regions[i] = *r;
	region_count++;
	r->file->mappings++;
	forget_recent();
}

static void region_delete(UInt i)
{
	struct bo_file *file = regions[i].file;

	if (--file->mappings == 0 && file->id)
		bo_file_refresh(file);
	VG_(memmove)(&regions[i], &regions[i + 1], (region_count - i - 1) * sizeof(*regions));
	region_count--;
	forget_recent();
}

/* The part of `r` in [from, to). */
static struct bo_region region_part(const struct bo_region *r, Addr from, Addr to)
{
	struct bo_region part = *r;

	part.offset += from - r->start;
	part.start = from;
	part.size = to - from;
	return part;
}

/* Remove [addr, addr + size) from the regions.  True if it contained PM. */
static Bool regions_cut(Addr addr, SizeT size)
{
	Addr end = addr + size;
	Bool had_pm = False;
	UInt i;

	while ((i = region_index(addr)) < region_count && regions[i].start < end) {
		struct bo_region r = regions[i];
		Addr r_end = r.start + r.size;
		had_pm |= is_pm(&r);
		r.file->mappings++; /* not a last unmap while some parts are still to be put back */
		region_delete(i);
		if (r.start < addr) {
			struct bo_region head = region_part(&r, r.start, addr);
			region_insert(&head);
		}
		if (r_end > end) {
			struct bo_region tail = region_part(&r, end, r_end);
			region_insert(&tail);
		}
		if (--r.file->mappings == 0 && r.file->id)
			bo_file_refresh(r.file);
	}
	if (had_pm) {
		clear_granules(addr, size);
		mark_granules();
	}
	return had_pm;
}

static void write_map(UInt context, const struct bo_region *r)
{
	ULong fields[] = {context, r->file->id, r->start, r->size, r->offset, r->prot, r->flags};

	bo_write(BO_OP_MAP, fields, 7, NULL);
	pm_was_mapped = True;
	mark_granules();
}

/* ---- effects of system calls on regions ---- */

void bo_region_unmap(ThreadId tid, Addr addr, SizeT size)
{
	if (regions_cut(addr, size)) {
		bo_label_forget_reads(addr, size);
		ULong fields[] = {bo_context_of_syscall(tid), addr, size};
		bo_write(BO_OP_UNMAP, fields, 3, NULL);
	}
}

void bo_region_map(ThreadId tid, Addr addr, SizeT size, UInt prot, UInt flags, Int fd, ULong offset)
{
	struct vg_stat st;
	struct bo_file *file = bo_file_to_map(flags, fd, &st);

	bo_region_unmap(tid, addr, size);
	if (!file)
		return;
	struct bo_region r = {addr, size, offset, file, prot, flags};
	UInt context = bo_context_of_syscall(tid);
	if (!file->id && bo_file_is_pm_with(prot))
		bo_file_define(file, fd);
	else if (file->id && file->mappings == 0)
		bo_file_update(file, fd, &st);
	region_insert(&r);
	if (file->id)
		write_map(context, &r);
}

void bo_region_remap(ThreadId tid, Addr old_addr, SizeT old_size, Addr new_addr, SizeT new_size, Bool keeps_old)
{
	UInt i = region_index(old_addr);
	Bool known = i < region_count && regions[i].start <= old_addr;

	if (!known) {
		bo_region_unmap(tid, new_addr, new_size);
		return;
	}
	struct bo_region r = regions[i];
	r.offset += old_addr - r.start;
	r.start = new_addr;
	r.size = new_size;
	UInt context = bo_context_of_syscall(tid);
	if (is_pm(&r) && !keeps_old)
		bo_label_forget_reads(old_addr, old_size);
	r.file->mappings++;
	if (!keeps_old)
		regions_cut(old_addr, old_size);
	regions_cut(new_addr, new_size);
	region_insert(&r);
	r.file->mappings--;
	if (!is_pm(&r))
		return;
	mark_granules();
	if (keeps_old) {
		write_map(context, &r);
		return;
	}
	ULong fields[] = {context, old_addr, old_size, new_addr, new_size};
	bo_write(BO_OP_REMAP, fields, 5, NULL);
}

/* A candidate became writable: its file is PM from now on, at every place where it is mapped. */
static void candidates_become_pm(struct bo_file *file, UInt context)
{
	bo_file_define(file, -1);
	for (UInt i = 0; i < region_count; i++)
		if (regions[i].file == file)
			write_map(context, &regions[i]);
	forget_recent();
}

void bo_region_protect(ThreadId tid, Addr addr, SizeT size, UInt prot)
{
	Bool pm = False;

	for (UInt i = region_index(addr); i < region_count && regions[i].start < addr + size; i++) {
		if (!is_pm(&regions[i]) && bo_file_is_pm_with(prot))
			candidates_become_pm(regions[i].file, bo_context_of_syscall(tid));
		pm |= is_pm(&regions[i]);
	}
	if (!pm)
		return;
	ULong fields[] = {bo_context_of_syscall(tid), addr, size, prot};
	bo_write(BO_OP_PROTECT, fields, 4, NULL);
}

void bo_region_redefine(void)
{
	bo_file_redefine();
	for (UInt i = 0; i < region_count; i++)
		if (is_pm(&regions[i]))
			write_map(0, &regions[i]);
}
