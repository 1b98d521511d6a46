/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_code.c - modules, and instructions as (module, offset in its file).
 *
 * A module is a file whose code is mapped at one place.  When a library is unloaded, its module stays but is never
 * found again; a library loaded there later is a new module.  Code outside any file (from a JIT) belongs to one module
 * without a name, and its offsets are addresses. */
#include "bo.h"

#include "bo_graph.h"
#include "bo_runtime.h"
#include "pub_tool_aspacemgr.h"

/* ---- modules ---- */

struct module {
	Addr start, end; /* end 0: no longer mapped */
	ULong offset;    /* file offset of start */
	ULong dev, ino;
	ULong hash; /* hash of the path: stable under ASLR */
	UInt id;    /* in the trace; 0: not yet defined */
	const HChar *path;
	const struct bo_runtime *runtime; /* NULL: none */
	Bool is_c_library;
};

static struct module **modules;
static UInt module_count, module_room;
static UInt modules_defined; /* in the current trace file */
static struct module *recent_module;
static struct module *no_file; /* code outside any file */

static ULong hash_string(const HChar *s)
{
	ULong h = 0xcbf29ce484222325ULL;

	for (; *s; s++)
		h = (h ^ (UChar)*s) * 0x100000001b3ULL;
	return h;
}

static struct module *module_add(const struct module *m)
{
	if (module_count == module_room) {
		module_room = module_room ? 2 * module_room : 64;
		modules = VG_(realloc)("bo.modules", modules, module_room * sizeof(*modules));
	}
	modules[module_count] = VG_(malloc)("bo.module", sizeof(*m));
	*modules[module_count] = *m;
	return modules[module_count++];
}

/* The library of C itself, its dynamic linker and what older versions have in files of their own. */
static Bool is_c_library(const HChar *path)
{
	static const HChar *const names[] = {"libc.so", "libc-", "libpthread", "librt.so", "librt-", "ld-", NULL};
	const HChar *slash = VG_(strrchr)(path, '/'), *base = slash ? slash + 1 : path;

	for (const HChar *const *name = names; *name; name++)
		if (VG_(strncmp)(base, *name, VG_(strlen)(*name)) == 0)
			return True;
	return False;
}

static struct module *module_of_segment(const NSegment *seg)
{
	const HChar *path = VG_(am_get_filename)(seg);
	struct module fresh = {
		.start = seg->start,
		.end = seg->end + 1,
		.offset = (ULong)seg->offset,
		.dev = seg->dev,
		.ino = seg->ino,
	};

	for (UInt i = 0; i < module_count; i++) {
		struct module *m = modules[i];
		if (m->end && m->dev == seg->dev && m->ino == seg->ino &&
		    m->start - m->offset == fresh.start - fresh.offset) {
			/* Another part of the same mapping of the same file. */
			if (fresh.start < m->start) {
				m->offset = fresh.offset;
				m->start = fresh.start;
			}
			if (fresh.end > m->end)
				m->end = fresh.end;
			return m;
		}
	}
	fresh.path = VG_(strdup)("bo.path", path ? path : "");
	fresh.hash = hash_string(fresh.path);
	fresh.is_c_library = is_c_library(fresh.path);
	fresh.runtime = bo_runtime_read(fresh.start, fresh.path);
	return module_add(&fresh);
}

static struct module *module_find(Addr addr)
{
	const NSegment *seg;

	if (recent_module && addr >= recent_module->start && addr < recent_module->end)
		return recent_module;
	seg = VG_(am_find_nsegment)(addr);
	if (!seg || seg->kind != SkFileC)
		return no_file;
	return recent_module = module_of_segment(seg);
}

static ULong offset_in(const struct module *m, Addr addr)
{
	return addr - m->start + m->offset;
}

static UInt module_define(struct module *m)
{
	struct vg_stat st = {0};

	if (m->id)
		return m->id;
	m->id = ++modules_defined;
	if (m->path[0])
		VG_(stat)(m->path, &st);
	ULong fields[] = {m->start, m->end > m->start ? m->end - m->start : 0, m->offset, (ULong)st.size, st.mtime};
	bo_write(BO_OP_DEF_MODULE, fields, 5, m->path);
	return m->id;
}

void bo_code_forget(Addr start, SizeT size)
{
	for (UInt i = 0; i < module_count; i++) {
		struct module *m = modules[i];
		if (m->end && m->start < start + size && start < m->end)
			m->end = 0;
	}
	recent_module = NULL;
	bo_calls_forget(start, size);
	bo_graph_forget(start, size);
}

/* ---- code ids ---- */

struct code {
	struct module *module;
	ULong offset;
};

static struct bo_table code_table;
static struct code *codes; /* by id */
static UInt code_count = 1, code_room;

UInt bo_code_id(Addr addr)
{
	struct module *m = module_find(addr);
	ULong offset = offset_in(m, addr);
	UInt id = bo_table_get(&code_table, (Addr)m, offset);

	if (id)
		return id;
	if (code_count >= code_room) {
		code_room = code_room ? 2 * code_room : 4096;
		codes = VG_(realloc)("bo.codes", codes, code_room * sizeof(*codes));
	}
	id = code_count++;
	codes[id] = (struct code){m, offset};
	bo_table_put(&code_table, (Addr)m, offset, id);
	return id;
}

Addr bo_code_address(UInt code)
{
	const struct module *m;

	if (!code || code >= code_count)
		return 0;
	m = codes[code].module;
	return codes[code].offset - m->offset + m->start;
}

const struct bo_runtime_entry *bo_code_entry(Addr addr)
{
	return bo_runtime_entry_of(module_find(addr)->runtime, addr);
}

Bool bo_code_inline_load(Addr addr, struct bo_inline_load *load)
{
	return bo_runtime_inline_load(module_find(addr)->runtime, addr, load);
}

Bool bo_code_inline_store(Addr addr, struct bo_runtime_entry *entry)
{
	return bo_runtime_inline_store(module_find(addr)->runtime, addr, entry);
}

UInt bo_code_runtime(UInt code)
{
	const struct bo_runtime *runtime = codes[code].module->runtime;

	return runtime ? runtime->number : 0;
}

Bool bo_code_is_in_c_library(UInt code)
{
	return codes[code].module->is_c_library;
}

/* The bytes before a return address tell how long the call is: e8 and a distance, or ff and an operand. */
UInt bo_code_of_call(UInt code)
{
	static struct bo_table calls;
	UInt call = bo_table_get(&calls, code, 0);
	const UChar *after = (const UChar *)bo_code_address(code);
	Addr length = 1; /* a byte inside of it */

	if (call)
		return call;
	if (after[-5] == 0xe8)
		length = after[-6] == 0x67 ? 6 : 5;
	else if (after[-6] == 0xff && after[-5] == 0x15)
		length = 6;
	else if (after[-2] == 0xff && (after[-1] & 0xf8) == 0xd0)
		length = (after[-3] & 0xf0) == 0x40 ? 3 : 2;
	call = bo_code_id((Addr)after - length);
	bo_table_put(&calls, code, 0, call);
	return call;
}

ULong bo_code_hash_of(Addr addr)
{
	struct module *m = module_find(addr);

	return bo_mix(m->hash, offset_in(m, addr));
}

UInt bo_code_define(UInt code, ULong *offset)
{
	*offset = codes[code].offset;
	return module_define(codes[code].module);
}

void bo_code_redefine(void)
{
	modules_defined = 0;
	for (UInt i = 0; i < module_count; i++)
		modules[i]->id = 0;
}

void bo_code_init(void)
{
	static const struct module jit = {.path = ""};

	no_file = module_add(&jit);
}
