/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_region.c - PM files and where they are mapped.
 *
 * A file is PM if it is regular, still has a name (an unlinked file or a memfd is gone after a crash anyway), is mapped shared, and
 * either matches --bo-pm, or, without --bo-pm, is writable through the mapping.  A shared mapping that is read-only but could be made
 * writable (its descriptor is open for writing) is kept as a candidate: mprotect may turn it into PM.
 *
 * The first mapping of a file writes its content into the trace.  From then on every change goes through us: stores, system
 * calls.  While a file is not mapped somebody else may change it; its size and time of modification tell. */
#include "bo.h"

#include "pub_tool_aspacemgr.h"
#include "pub_tool_vkiscnums.h"

#define PAGE VKI_PAGE_SIZE
#define GRANULES (1ULL << (47 - BO_GRANULE_SHIFT))
#define SEEK_DATA 3
#define SEEK_HOLE 4

UChar *bo_granules;

static struct bo_file **files;
static UInt file_count, file_room, files_defined;

static struct bo_region *regions; /* sorted by start; candidates included */
static UInt region_count, region_room;
static const struct bo_region *recent_region;
static Bool pm_was_mapped;

static XArray *created; /* struct inode: files that the run created */
struct inode {
	ULong dev, ino;
};

/* ---- patterns ---- */

/* Shell-style match in which * and ? do not match '/'; a pattern that names a directory matches all below it. */
static Bool glob_matches(const HChar *pattern, const HChar *path)
{
	for (; *pattern; pattern++, path++) {
		if (*pattern == '*') {
			for (const HChar *rest = path;; rest++) {
				if (glob_matches(pattern + 1, rest))
					return True;
				if (!*rest || *rest == '/')
					return False;
			}
		}
		if (*pattern == '[') {
			const HChar *p = pattern + 1;
			Bool negated = *p == '!' || *p == '^', hit = False;
			for (p += negated; *p && *p != ']'; p++) {
				if (p[1] == '-' && p[2] && p[2] != ']') {
					hit |= *path >= p[0] && *path <= p[2];
					p += 2;
				} else {
					hit |= *p == *path;
				}
			}
			if (!*p || !*path || hit == negated)
				return False;
			pattern = p;
			continue;
		}
		if (*pattern == '\\' && pattern[1])
			pattern++;
		else if (*pattern == '?' && *path && *path != '/')
			continue;
		if (*pattern != *path)
			return False;
	}
	return *path == '\0' || *path == '/';
}

static Bool path_is_chosen(const HChar *path)
{
	for (Word i = 0; i < VG_(sizeXA)(clo_bo_pm); i++)
		if (glob_matches(*(const HChar **)VG_(indexXA)(clo_bo_pm, i), path))
			return True;
	return False;
}

/* ---- files ---- */

static struct bo_file *file_find(ULong dev, ULong ino)
{
	for (UInt i = 0; i < file_count; i++)
		if (files[i]->dev == dev && files[i]->ino == ino)
			return files[i];
	return NULL;
}

static void file_note_times(struct bo_file *file, const struct vg_stat *st)
{
	file->size = (ULong)st->size;
	file->mtime_ns = st->mtime * 1000000000ULL + st->mtime_nsec;
}

static struct bo_file *file_add(const struct vg_stat *st, const HChar *path)
{
	struct bo_file *file = VG_(calloc)("bo.file", 1, sizeof(*file));

	if (file_count == file_room) {
		file_room = file_room ? 2 * file_room : 16;
		files = VG_(realloc)("bo.files", files, file_room * sizeof(*files));
	}
	file->dev = st->dev;
	file->ino = st->ino;
	file->path = VG_(strdup)("bo.path", path);
	file_note_times(file, st);
	return files[file_count++] = file;
}

struct bo_file *bo_file_at(UInt index)
{
	return index < file_count ? files[index] : NULL;
}

struct bo_file *bo_file_by_stat(const struct vg_stat *st)
{
	struct bo_file *file = file_find(st->dev, st->ino);

	return file && file->id ? file : NULL;
}

struct bo_file *bo_file_by_fd(Int fd)
{
	struct vg_stat st;

	if (!files_defined || fd < 0 || VG_(fstat)(fd, &st) != 0)
		return NULL;
	return bo_file_by_stat(&st);
}

void bo_file_refresh(struct bo_file *file)
{
	struct vg_stat st;

	if (!sr_isError(VG_(stat)(file->path, &st)) && st.dev == file->dev && st.ino == file->ino)
		file_note_times(file, &st);
}

void bo_file_note_created(const struct vg_stat *st)
{
	struct inode inode = {st->dev, st->ino};

	VG_(addToXA)(created, &inode);
}

static Bool was_created(const struct bo_file *file)
{
	for (Word i = 0; i < VG_(sizeXA)(created); i++) {
		const struct inode *inode = VG_(indexXA)(created, i);
		if (inode->dev == file->dev && inode->ino == file->ino)
			return True;
	}
	return False;
}

/* ---- content ---- */

static Bool page_is_zero(const UChar *page)
{
	const ULong *words = (const ULong *)page;

	for (UInt i = 0; i < PAGE / 8; i++)
		if (words[i])
			return False;
	return True;
}

static void write_content(UInt id, ULong offset, const UChar *bytes, SizeT size)
{
	UChar *p = bo_writer_begin(BO_EVENT_MAX);

	*p++ = BO_OP_CONTENT;
	p = bo_put_v(p, id);
	p = bo_put_v(p, offset);
	bo_writer_commit(bo_put_bytes(p, bytes, size));
}

/* Write the runs of pages that are not all zero. */
static void write_nonzero_runs(UInt id, ULong offset, UChar *bytes, SizeT size)
{
	SizeT from, to;

	VG_(memset)(bytes + size, 0, (PAGE - size % PAGE) % PAGE);
	for (from = 0; from < size; from = to) {
		to = from + PAGE;
		if (page_is_zero(bytes + from))
			continue;
		while (to < size && !page_is_zero(bytes + to))
			to += PAGE;
		write_content(id, offset + from, bytes + from, (to < size ? to : size) - from);
	}
}

static void copy_extent(UInt id, Int fd, ULong from, ULong to)
{
	static UChar buffer[BO_DATA_MAX];

	while (from < to) {
		ULong want = to - from < sizeof(buffer) ? to - from : sizeof(buffer);
		SysRes r = bo_syscall(__NR_pread64, fd, buffer, want, from, 0, 0);
		if (sr_isError(r) || sr_Res(r) == 0)
			return;
		write_nonzero_runs(id, from, buffer, sr_Res(r));
		from += sr_Res(r);
	}
}

static ULong seek(Int fd, ULong from, Int whence, ULong otherwise)
{
	SysRes r = bo_syscall(__NR_lseek, fd, from, whence, 0, 0, 0);

	return sr_isError(r) ? otherwise : sr_Res(r);
}

/* A sparse file costs what is in it: holes are skipped, and so are pages of zeros. */
static void copy_content(const struct bo_file *file)
{
	SysRes r = VG_(open)(file->path, VKI_O_RDONLY, 0);
	ULong at = 0;

	if (sr_isError(r)) {
		VG_(umsg)("cannot read %s: its initial content is missing in the recording\n", file->path);
		return;
	}
	while (at < file->size) {
		ULong data = seek((Int)sr_Res(r), at, SEEK_DATA, file->size);
		ULong hole = seek((Int)sr_Res(r), data, SEEK_HOLE, file->size);
		copy_extent(file->id, (Int)sr_Res(r), data, hole < file->size ? hole : file->size);
		at = hole > at ? hole : file->size;
	}
	VG_(close)((Int)sr_Res(r));
}

static void write_definition(struct bo_file *file, UInt flags)
{
	ULong fields[] = {file->dev, file->ino, file->size, flags};

	file->id = ++files_defined;
	bo_write(BO_OP_DEF_FILE, fields, 4, file->path);
}

static void file_define(struct bo_file *file)
{
	struct vg_stat st;

	if (!sr_isError(VG_(stat)(file->path, &st)) && st.ino == file->ino)
		file_note_times(file, &st);
	write_definition(file, was_created(file) ? BO_FILE_CREATED : 0);
	copy_content(file);
}

/* Unmapped since, and not as we left it: take its content again. */
static void file_update(struct bo_file *file, const struct vg_stat *st)
{
	ULong mtime_ns = st->mtime * 1000000000ULL + st->mtime_nsec;

	if (clo_bo_follow || (file->size == (ULong)st->size && file->mtime_ns == mtime_ns))
		return;
	file_note_times(file, st);
	ULong empty[] = {0, file->id, 0}, full[] = {0, file->id, file->size};
	bo_write(BO_OP_FILE_TRUNCATE, empty, 3, NULL);
	bo_write(BO_OP_FILE_TRUNCATE, full, 3, NULL);
	copy_content(file);
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
		/* A wide store may begin just below the mapping. */
		Addr last = (regions[i].start + regions[i].size - 1) >> BO_GRANULE_SHIFT;
		for (Addr g = (regions[i].start - 64) >> BO_GRANULE_SHIFT; g <= last; g++)
			bo_granules[g] = 1;
	}
}

static void clear_granules(Addr addr, SizeT size)
{
	for (Addr g = (addr - 64) >> BO_GRANULE_SHIFT; g <= (addr + size - 1) >> BO_GRANULE_SHIFT; g++)
		bo_granules[g] = 0;
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

const struct bo_region *bo_region_find(Addr addr)
{
	UInt i;

	if (LIKELY(recent_region && addr - recent_region->start < recent_region->size))
		return recent_region;
	i = region_index(addr);
	if (i == region_count || regions[i].start > addr || !is_pm(&regions[i]))
		return NULL;
	return recent_region = &regions[i];
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
	recent_region = NULL;
}

static void region_delete(UInt i)
{
	struct bo_file *file = regions[i].file;

	if (--file->mappings == 0 && file->id)
		bo_file_refresh(file);
	VG_(memmove)(&regions[i], &regions[i + 1], (region_count - i - 1) * sizeof(*regions));
	region_count--;
	recent_region = NULL;
}

/* The part of `r` that lies in [from, to). */
static struct bo_region region_part(const struct bo_region *r, Addr from, Addr to)
{
	struct bo_region part = *r;

	part.offset += from - r->start;
	part.start = from;
	part.size = to - from;
	return part;
}

/* Take [addr, addr + size) out of the regions; True if PM was in it. */
static Bool regions_cut(Addr addr, SizeT size)
{
	Addr end = addr + size;
	Bool had_pm = False;
	UInt i;

	while ((i = region_index(addr)) < region_count && regions[i].start < end) {
		struct bo_region r = regions[i];
		Addr r_end = r.start + r.size;
		had_pm |= is_pm(&r);
		r.file->mappings++; /* not a last unmap while parts remain to be put back */
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

/* ---- what system calls do to regions ---- */

static Bool open_for_writing(Int fd)
{
	return (VG_(fcntl)(fd, VKI_F_GETFL, 0) & VKI_O_ACCMODE) == VKI_O_RDWR;
}

/* PM now, PM perhaps later (a candidate), or neither. */
static Bool may_become_pm(Int fd, const HChar *path)
{
	return VG_(sizeXA)(clo_bo_pm) ? path_is_chosen(path) : open_for_writing(fd);
}

static Bool is_pm_now(UInt prot)
{
	return VG_(sizeXA)(clo_bo_pm) || prot & VKI_PROT_WRITE;
}

static Bool is_shared(UInt flags)
{
	UInt type = flags & 0x0f; /* MAP_SHARED 1, MAP_SHARED_VALIDATE 3 */

	return (type == 1 || type == 3) && !(flags & VKI_MAP_ANONYMOUS);
}

static struct bo_file *file_to_map(UInt flags, Int fd, struct vg_stat *st)
{
	const HChar *path;
	struct bo_file *file;

	if (!is_shared(flags) || VG_(fstat)(fd, st) != 0 || !VKI_S_ISREG(st->mode) || st->nlink == 0)
		return NULL;
	if (!VG_(resolve_filename)(fd, &path) || !may_become_pm(fd, path))
		return NULL;
	file = file_find(st->dev, st->ino);
	return file ? file : file_add(st, path);
}

void bo_region_unmap(ThreadId tid, Addr addr, SizeT size)
{
	if (regions_cut(addr, size)) {
		ULong fields[] = {bo_context_of_syscall(tid), addr, size};
		bo_write(BO_OP_UNMAP, fields, 3, NULL);
	}
}

void bo_region_map(ThreadId tid, Addr addr, SizeT size, UInt prot, UInt flags, Int fd, ULong offset)
{
	struct vg_stat st;
	struct bo_file *file = file_to_map(flags, fd, &st);

	bo_region_unmap(tid, addr, size);
	if (!file)
		return;
	struct bo_region r = {addr, size, offset, file, prot, flags};
	UInt context = bo_context_of_syscall(tid);
	if (!file->id && is_pm_now(prot))
		file_define(file);
	else if (file->id && file->mappings == 0)
		file_update(file, &st);
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

/* A candidate that becomes writable: its file is PM from here on, wherever else it is mapped. */
static void candidates_become_pm(struct bo_file *file, UInt context)
{
	file_define(file);
	for (UInt i = 0; i < region_count; i++)
		if (regions[i].file == file)
			write_map(context, &regions[i]);
	recent_region = NULL;
}

void bo_region_protect(ThreadId tid, Addr addr, SizeT size, UInt prot)
{
	Bool pm = False;

	for (UInt i = region_index(addr); i < region_count && regions[i].start < addr + size; i++) {
		if (!is_pm(&regions[i]) && prot & VKI_PROT_WRITE && !VG_(sizeXA)(clo_bo_pm))
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
	UInt known = files_defined;

	files_defined = 0;
	/* In order of their ids, so that ids stay what they were. */
	for (UInt id = 1; id <= known; id++)
		for (UInt i = 0; i < file_count; i++)
			if (files[i]->id == id && files_defined < id)
				write_definition(files[i], BO_FILE_INHERITED);
	for (UInt i = 0; i < region_count; i++)
		if (is_pm(&regions[i]))
			write_map(0, &regions[i]);
}

void bo_region_init(void)
{
	SysRes r = VG_(am_mmap_anon_float_valgrind)(GRANULES);

	tl_assert(!sr_isError(r));
	bo_granules = (UChar *)(Addr)sr_Res(r);
	created = VG_(newXA)(VG_(malloc), "bo.created", VG_(free), sizeof(struct inode));
}
