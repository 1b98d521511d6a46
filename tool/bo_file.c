/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_file.c - PM files: which files are PM, and their content.
 *
 * A file is PM if it is regular, still has a name (an unlinked file or a memfd is gone after a crash anyway), is mapped
 * shared, and either matches --bo-pm or, without --bo-pm, is writable through the mapping.
 *
 * The first mapping of a file writes its content into the trace.  From then on the recorder sees every change: stores
 * and system calls.  Another process may change a file while it is not mapped; its size and modification time show
 * that. */
#include "bo.h"

#include "pub_tool_vkiscnums.h"

#define PAGE VKI_PAGE_SIZE
#define O_DIRECT_ 040000
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_DATA 3
#define SEEK_HOLE 4

static struct bo_file **files;
static UInt file_count, file_room, files_defined;

static XArray *created; /* struct inode: files created by this run */
struct inode {
	ULong dev, ino;
};

/* ---- patterns ---- */

/* [a-z], [!a-z]: True if the character at *path is in the set.  *pattern is left at the closing bracket, or is NULL if
 * there is none. */
static Bool set_contains(const HChar **pattern, HChar c)
{
	const HChar *p = *pattern + 1;
	Bool negated = *p == '!' || *p == '^', found = False;

	for (p += negated; *p && *p != ']'; p++) {
		if (p[1] == '-' && p[2] && p[2] != ']') {
			found |= c >= p[0] && c <= p[2];
			p += 2;
		} else {
			found |= *p == c;
		}
	}
	*pattern = *p ? p : NULL;
	return found != negated;
}

static Bool glob_matches(const HChar *pattern, const HChar *path);

static Bool star_matches(const HChar *rest, const HChar *path)
{
	for (;; path++) {
		if (glob_matches(rest, path))
			return True;
		if (!*path || *path == '/')
			return False;
	}
}

/* Shell-style match in which * and ? do not match '/'.  A pattern that names a directory matches everything below
 * it. */
static Bool glob_matches(const HChar *pattern, const HChar *path)
{
	for (; *pattern; pattern++, path++) {
		if (*pattern == '*')
			return star_matches(pattern + 1, path);
		if (*pattern == '[') {
			if (!*path || !set_contains(&pattern, *path) || !pattern)
				return False;
			continue;
		}
		if (*pattern == '?' && *path && *path != '/')
			continue;
		if (*pattern == '\\' && pattern[1])
			pattern++;
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

/* Kernels reuse the inode number of a removed file.  A removed file cannot get a name again, so a file that has a name
 * is a new one. */
static struct bo_file *file_find(const struct vg_stat *st)
{
	for (UInt i = 0; i < file_count; i++)
		if (files[i]->dev == st->dev && files[i]->ino == st->ino && !(files[i]->nameless && st->nlink))
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

struct bo_file *bo_file_known(const struct vg_stat *st)
{
	return file_find(st);
}

struct bo_file *bo_file_by_stat(const struct vg_stat *st)
{
	struct bo_file *file = file_find(st);

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
	UChar *p;

	bo_writer_spare(size + size / 8); /* an eighth: chunks cannot be filled to the last byte */
	p = bo_writer_begin(BO_EVENT_MAX);
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

struct extent {
	ULong from, to;
};

/* What the file has, except for holes (struct extent).  All of it is asked for before anything is read.  Reading leads
 * the kernel to read ahead into space that was reserved but never written, and from then on that space is data. */
static XArray *list_extents(const struct bo_file *file, Int fd)
{
	XArray *extents = VG_(newXA)(VG_(malloc), "bo.extents", VG_(free), sizeof(struct extent));
	ULong at = 0;

	while (at < file->size) {
		ULong data = seek(fd, at, SEEK_DATA, file->size);
		ULong hole = seek(fd, data, SEEK_HOLE, file->size);
		struct extent extent = {data, hole < file->size ? hole : file->size};
		VG_(addToXA)(extents, &extent);
		at = hole > at ? hole : file->size;
	}
	return extents;
}

/* The cost of a sparse file is that of its data: holes are skipped, and so are pages of zeros. */
static void copy_extents(const struct bo_file *file, Int fd)
{
	XArray *extents = list_extents(file, fd);

	for (Word i = 0; i < VG_(sizeXA)(extents); i++) {
		const struct extent *extent = VG_(indexXA)(extents, i);
		copy_extent(file->id, fd, extent->from, extent->to);
	}
	VG_(deleteXA)(extents);
}

/* When a process closes any descriptor of a file, it loses all its POSIX locks on that file.  So open no new descriptor
 * if the target's own will do.  It almost always does, because mapping a file needs a readable descriptor.  (O_DIRECT
 * would need aligned buffers.) */
Int bo_file_reader(Int fd)
{
	Int flags = VG_(fcntl)(fd, VKI_F_GETFL, 0);
	HChar path[48];
	SysRes r;

	if ((flags & VKI_O_ACCMODE) != VKI_O_WRONLY && !(flags & O_DIRECT_))
		return fd;
	VG_(sprintf)(path, "/proc/self/fd/%d", fd);
	r = VG_(open)(path, VKI_O_RDONLY, 0);
	return sr_isError(r) ? -1 : (Int)sr_Res(r);
}

static Int open_path(const HChar *path)
{
	SysRes r = VG_(open)(path, VKI_O_RDONLY, 0);

	return sr_isError(r) ? -1 : (Int)sr_Res(r);
}

struct entry { /* directory entry, as the kernel writes it */
	ULong ino, next;
	UShort bytes;
	UChar type;
	HChar name[];
};

/* Search a listing of /proc/self/fd for a descriptor of the file; -1 if there is none. */
static Int listed_descriptor(const struct bo_file *file, const UChar *list, SizeT bytes)
{
	struct vg_stat st;

	for (SizeT at = 0; at < bytes; at += ((const struct entry *)(list + at))->bytes) {
		const HChar *name = ((const struct entry *)(list + at))->name;
		Int fd = (Int)VG_(strtoll10)(name, NULL);
		if (VG_(isdigit)(name[0]) && VG_(fstat)(fd, &st) == 0 && st.dev == file->dev && st.ino == file->ino)
			return fd;
	}
	return -1;
}

/* A descriptor of the file that the target has open, or -1.  Without one, the target has no locks on the file
 * either. */
static Int find_descriptor(const struct bo_file *file)
{
	ULong list[512];
	SysRes dir = VG_(open)("/proc/self/fd", VKI_O_RDONLY, 0), r;
	Int fd = -1;

	if (sr_isError(dir))
		return -1;
	do {
		r = bo_syscall(__NR_getdents64, sr_Res(dir), list, sizeof(list), 0, 0, 0);
		if (!sr_isError(r))
			fd = listed_descriptor(file, (const UChar *)list, sr_Res(r));
	} while (fd < 0 && !sr_isError(r) && sr_Res(r));
	VG_(close)((Int)sr_Res(dir));
	return fd;
}

/* Read through `fd`, without changing its position.  If `fd` is -1, use any descriptor of the file, or open it by
 * name. */
static void copy_content(const struct bo_file *file, Int fd)
{
	Int reader;
	ULong position;

	if (fd < 0)
		fd = find_descriptor(file);
	reader = fd >= 0 ? bo_file_reader(fd) : open_path(file->path);
	if (reader < 0) {
		VG_(umsg)("cannot read %s: its initial content is missing in the recording\n", file->path);
		return;
	}
	position = seek(reader, 0, SEEK_CUR, 0);
	copy_extents(file, reader);
	if (reader == fd)
		seek(fd, position, SEEK_SET, 0);
	else
		VG_(close)(reader);
}

static void write_definition(struct bo_file *file, UInt flags)
{
	ULong fields[] = {file->dev, file->ino, file->size, flags};

	file->id = ++files_defined;
	bo_write(BO_OP_DEF_FILE, fields, 4, file->path);
}

void bo_file_define(struct bo_file *file, Int fd)
{
	struct vg_stat st;

	if (!sr_isError(VG_(stat)(file->path, &st)) && st.ino == file->ino)
		file_note_times(file, &st);
	write_definition(file, was_created(file) ? BO_FILE_CREATED : 0);
	copy_content(file, fd);
}

/* If the file changed while it was not mapped, record its content again. */
void bo_file_update(struct bo_file *file, Int fd, const struct vg_stat *st)
{
	ULong mtime_ns = st->mtime * 1000000000ULL + st->mtime_nsec;

	if (clo_bo_follow || (file->size == (ULong)st->size && file->mtime_ns == mtime_ns))
		return;
	file_note_times(file, st);
	ULong empty[] = {0, file->id, 0}, full[] = {0, file->id, file->size};
	bo_write(BO_OP_FILE_TRUNCATE, empty, 3, NULL);
	bo_write(BO_OP_FILE_TRUNCATE, full, 3, NULL);
	copy_content(file, fd);
}

void bo_file_redefine(void)
{
	UInt known = files_defined;

	files_defined = 0;
	/* Ascending by id, so that the ids stay the same. */
	for (UInt id = 1; id <= known; id++)
		for (UInt i = 0; i < file_count; i++)
			if (files[i]->id == id && files_defined < id)
				write_definition(files[i], BO_FILE_INHERITED);
}

/* ---- which files ---- */

static Bool open_for_writing(Int fd)
{
	return (VG_(fcntl)(fd, VKI_F_GETFL, 0) & VKI_O_ACCMODE) == VKI_O_RDWR;
}

/* PM now, perhaps PM later (a candidate), or neither. */
static Bool may_become_pm(Int fd, const HChar *path)
{
	return VG_(sizeXA)(clo_bo_pm) ? path_is_chosen(path) : open_for_writing(fd);
}

Bool bo_file_is_pm_with(UInt prot)
{
	return VG_(sizeXA)(clo_bo_pm) || prot & VKI_PROT_WRITE;
}

static Bool is_shared(UInt flags)
{
	UInt type = flags & 0x0f; /* MAP_SHARED 1, MAP_SHARED_VALIDATE 3 */

	return (type == 1 || type == 3) && !(flags & VKI_MAP_ANONYMOUS);
}

/* The file was opened by a name that is new to us.  The rename was not visible: a directory above it was renamed, or
 * another process did it. */
static void file_note_path(struct bo_file *file, const HChar *path)
{
	ULong fields[] = {0, file->id};
	struct vg_stat st;

	if (VG_(strcmp)(path, file->path) == 0)
		return;
	if (!sr_isError(VG_(stat)(file->path, &st)) && st.dev == file->dev && st.ino == file->ino)
		return;
	if (file->id)
		bo_write(BO_OP_FILE_RENAME, fields, 2, path);
	VG_(free)(file->path);
	file->path = VG_(strdup)("bo.path", path);
}

struct bo_file *bo_file_to_map(UInt flags, Int fd, struct vg_stat *st)
{
	const HChar *path;
	struct bo_file *file;

	if (!is_shared(flags) || VG_(fstat)(fd, st) != 0 || !VKI_S_ISREG(st->mode) || st->nlink == 0)
		return NULL;
	if (!VG_(resolve_filename)(fd, &path) || !may_become_pm(fd, path))
		return NULL;
	file = file_find(st);
	if (!file)
		return file_add(st, path);
	file_note_path(file, path);
	return file;
}

/* With a choice of paths, a file is PM before it is mapped. */
struct bo_file *bo_file_to_read(Int fd)
{
	struct bo_file *file = bo_file_by_fd(fd);
	struct vg_stat st;
	const HChar *path;

	if (file || fd < 0 || VG_(fstat)(fd, &st) != 0 || !VKI_S_ISREG(st.mode) || st.nlink == 0)
		return file;
	if (!VG_(resolve_filename)(fd, &path) || !path_is_chosen(path))
		return NULL;
	file = file_find(&st);
	if (!file)
		file = file_add(&st, path);
	bo_file_define(file, fd);
	return file;
}

void bo_file_init(void)
{
	created = VG_(newXA)(VG_(malloc), "bo.created", VG_(free), sizeof(struct inode));
}
