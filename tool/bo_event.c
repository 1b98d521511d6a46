/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_event.c - helpers called by the target's instrumented code: one event each.
 *
 * The helpers run after their instruction took effect and read the stored value from memory.  So they handle all widths
 * alike, and a faulting instruction leaves no event.  The granule table has already answered "perhaps PM"; the exact
 * check is here. */
#include "bo.h"

#include "bo_label.h"
#include "bo_sync.h"
#include "pub_tool_machine.h"
#include "pub_tool_vkiscnums.h"

/* ---- encoding ---- */

static UInt size_code(SizeT size)
{
	switch (size) {
	case 1: return BO_SIZE_1;
	case 2: return BO_SIZE_2;
	case 4: return BO_SIZE_4;
	case 8: return BO_SIZE_8;
	case 16: return BO_SIZE_16;
	case 32: return BO_SIZE_32;
	default: return BO_SIZE_OTHER;
	}
}

static UInt significant_bytes(ULong value)
{
	return value ? 8 - (UInt)__builtin_clzll(value) / 8 : 0;
}

static ULong read_small(const UChar *p, SizeT size)
{
	switch (size) {
	case 1: return *p;
	case 2: return *(const UShort *)p;
	case 4: return *(const UInt *)p;
	default: return *(const ULong *)p;
	}
}

static UInt nonzero_words(const UChar *value, SizeT size)
{
	UInt mask = 0;

	for (UInt i = 0; i < size / 8; i++)
		if (((const ULong *)value)[i])
			mask |= 1u << i;
	return mask;
}

/* The word code of a value.  A long value is remembered for its next occurrence. */
static UInt word_code(ULong word)
{
	UInt bytes = significant_bytes(word);

	if (bytes < BO_RECENT_BYTES)
		return bytes;
	for (UInt i = 0; i < BO_RECENT_WORDS; i++)
		if (bo_recent_words.words[i] == word)
			return BO_RECENT_CODE + i;
	bo_recent_add(&bo_recent_words, word);
	return bytes;
}

/* Write the bytes that the code calls for.  May write, but does not count, a few bytes more. */
static UChar *put_word(UChar *p, ULong word, UInt code)
{
	if (code >= BO_RECENT_CODE)
		return p;
	*(ULong *)p = word; /* little-endian: the significant bytes come first */
	return p + code;
}

/* Write the non-zero words of a wide value: codes first, then bytes. */
static UChar *put_words(UChar *p, const UChar *value, UInt mask)
{
	UInt count = (UInt)__builtin_popcount(mask), codes = 0;
	UChar *bytes = p + (count + 1) / 2;

	for (UInt i = 0, shift = 0; mask >> i; i++) {
		if (mask >> i & 1) {
			ULong word = ((const ULong *)value)[i];
			UInt code = word_code(word);
			codes |= code << shift;
			shift += 4;
			bytes = put_word(bytes, word, code);
		}
	}
	for (UInt i = 0; i < (count + 1) / 2; i++)
		p[i] = (UChar)(codes >> 8 * i);
	return bytes;
}

/* Write one store event.  `value` may be unaligned; `element` is only for string stores. */
static void write_store(UInt kind, UInt context, Addr addr, const UChar *value, SizeT size, UInt element)
{
	UChar *p = bo_writer_begin(48 + size);
	UInt code = kind == BO_STORE_STRING ? BO_SIZE_OTHER : size_code(size);
	Bool is_word = code <= BO_SIZE_8;
	ULong word = is_word ? read_small(value, size) : 0;
	UInt packing = is_word ? word_code(word) : code < BO_SIZE_OTHER ? nonzero_words(value, size) : 0;

	if (kind == BO_STORE_PLAIN) {
		*p++ = BO_OP_PLAIN | BO_SHAPE(code, packing);
	} else {
		*p++ = (UChar)(BO_OP_STORE + kind);
		*p++ = BO_SHAPE(code, packing);
	}
	p = bo_put_v(p, context);
	p = bo_put_address(p, addr);
	if (is_word) {
		p = put_word(p, word, packing);
	} else if (code < BO_SIZE_OTHER) {
		p = put_words(p, value, packing);
	} else {
		p = bo_put_v(p, size);
		if (kind == BO_STORE_STRING)
			p = bo_put_v(p, element);
		VG_(memcpy)(p, value, size);
		p += size;
	}
	bo_writer_commit(p);
}

/* ---- what a store or load depends on ---- */

ULong bo_event_label;

/* To be called when nothing more is written before the event itself. */
static void write_depends(ULong label, ULong control)
{
	if (UNLIKELY(clo_bo_dependencies))
		bo_label_write_depends(label, control);
}

/* ---- string stores ---- VEX sees each iteration of REP MOVS or REP STOS as a separate store.  Ascending iterations of
 * one instruction are joined into one event of up to BO_STRING_MAX bytes, which also gives the element size.  The bytes
 * are copied at once: when the event is written, the memory may hold newer data or be unmapped. */

#define BO_STRING_MAX 4096u

static struct {
	Addr addr;
	Addr end; /* of the region */
	ULong site;
	UInt size, element, caller, context;
	ULong label, control; /* of all iterations */
	struct bo_access access;
	UChar bytes[BO_STRING_MAX];
} string;

void bo_event_end_string(void)
{
	UInt size = string.size;

	if (!size)
		return;
	string.size = 0;
	write_depends(string.label, string.control);
	bo_sync_write_access(&string.access, string.addr);
	write_store(BO_STORE_STRING, string.context, string.addr, string.bytes, size, string.element);
}

void bo_event_visit_labels(void (*visit)(ULong *label))
{
	visit(&string.label);
	visit(&string.control);
}

/* ---- start of every event ---- */

static UInt begin_event(UInt code, Addr sp)
{
	if (UNLIKELY(string.size))
		bo_event_end_string();
	return bo_context_at(code, sp);
}

/* ---- stores and loads ---- */

/* Return the parts of [addr, addr + size) that lie in PM, one at a time.  Almost always this is the whole range, in one
 * region. */
static SizeT clip_to_pm(Addr *addr, SizeT size, SizeT *left)
{
	const struct bo_region *r = bo_region_find(*addr);
	SizeT part;

	if (!r) {
		r = bo_region_next(*addr);
		if (!r || r->start >= *addr + size)
			return *left = 0;
		size -= r->start - *addr;
		*addr = r->start;
	}
	part = r->start + r->size - *addr;
	if (part > size)
		part = size;
	*left = size - part;
	return part;
}

Bool bo_event_touches_pm(Addr addr, SizeT size)
{
	SizeT left;

	return bo_granules[addr >> BO_GRANULE_SHIFT] && clip_to_pm(&addr, size, &left);
}

static struct bo_access access_of_store(UInt kind, UInt code, Addr addr, SizeT size)
{
	if (LIKELY(!clo_bo_sync) || kind == BO_STORE_KERNEL)
		return (struct bo_access){0};
	return bo_sync_access_of_store(code, addr, size);
}

static void record_store(UInt kind, UInt code, Addr addr, SizeT size, Addr sp)
{
	SizeT part, left;

	while (size && (part = clip_to_pm(&addr, size, &left))) {
		UInt context = begin_event(code, sp);
		struct bo_access access = access_of_store(kind, code, addr, part);
		for (SizeT done = 0; done < part; done += BO_DATA_MAX) {
			SizeT piece = part - done < BO_DATA_MAX ? part - done : BO_DATA_MAX;
			write_depends(bo_event_label, bo_control);
			bo_sync_write_access(&access, addr + done);
			write_store(kind, context, addr + done, (const UChar *)(addr + done), piece, 0);
		}
		addr += part;
		size = left;
	}
}

VG_REGPARM(3) void bo_on_store(Addr addr, ULong site, Addr sp)
{
	if (bo_writer_active() && !bo_region_none(addr, BO_SITE_SIZE(site)))
		record_store(BO_SITE_KIND(site), BO_SITE_CODE(site), addr, BO_SITE_SIZE(site), sp);
}

static void append_to_string(Addr addr, UInt element)
{
	UChar *to = string.bytes + string.size;

	switch (element) {
	case 1: *to = *(const UChar *)addr; break;
	case 2: *(UShort *)to = *(const UShort *)addr; break;
	case 4: *(UInt *)to = *(const UInt *)addr; break;
	default: *(ULong *)to = *(const ULong *)addr; break;
	}
	string.size += element;
}

/* Is this the next iteration of the instruction whose iterations are being joined? */
static Bool continues_string(Addr addr, ULong site, Addr sp)
{
	UInt element = BO_SITE_SIZE(site);

	return string.size && string.site == site && string.addr + string.size == addr &&
	       string.size + element <= BO_STRING_MAX && addr + element <= string.end &&
	       bo_context_has_caller(string.caller, sp);
}

/* More than the site and the caller decides which event an iteration belongs to. */
static Bool is_string_complex(UInt code)
{
	return clo_bo_dependencies || clo_bo_sync || code == BO_CODE_RUNTIME;
}

static void begin_string(Addr addr, ULong site, UInt context, const struct bo_region *r)
{
	bo_event_end_string();
	string.addr = addr;
	string.end = r->start + r->size;
	string.site = is_string_complex(BO_SITE_CODE(site)) ? 0 : site;
	string.element = BO_SITE_SIZE(site);
	string.context = context;
	string.label = string.control = 0;
}

/* An iteration that may be the first. */
static void record_iteration(Addr addr, ULong site, Addr sp)
{
	UInt element = BO_SITE_SIZE(site), context;
	const struct bo_region *r = bo_region_find(addr);
	struct bo_access access;

	if (!r || r->start + r->size - addr < element) { /* the element may cross a border */
		record_store(BO_STORE_PLAIN, BO_SITE_CODE(site), addr, element, sp);
		return;
	}
	context = bo_context_at(BO_SITE_CODE(site), sp);
	access = access_of_store(BO_STORE_STRING, BO_SITE_CODE(site), addr, element);
	Bool joins = string.size && string.addr + string.size == addr && string.context == context &&
		     string.size + element <= BO_STRING_MAX && bo_region_find(string.addr) == r &&
		     string.access.what == access.what;
	if (!joins) {
		begin_string(addr, site, context, r);
		string.access = access;
	}
	string.caller = bo_context_of_caller(sp);
	if (UNLIKELY(clo_bo_dependencies)) {
		string.label = bo_label_union(string.label, bo_event_label);
		string.control = bo_label_union(string.control, bo_control);
	}
	append_to_string(addr, element);
}

VG_REGPARM(3) void bo_on_string_store(Addr addr, ULong site, Addr sp)
{
	if (LIKELY(continues_string(addr, site, sp)))
		append_to_string(addr, BO_SITE_SIZE(site));
	else if (bo_writer_active() && !bo_region_none(addr, BO_SITE_SIZE(site)))
		record_iteration(addr, site, sp);
}

/* MASKMOVDQU, MASKMOVQ: VEX writes all bytes; the hardware writes only those whose mask byte has its top bit set. */
void bo_on_masked_store(Addr addr, ULong site, Addr sp, ULong mask_lo, ULong mask_hi)
{
	ULong mask[2] = {mask_lo, mask_hi};
	const UChar *selects = (const UChar *)mask;
	UInt size = BO_SITE_SIZE(site);

	if (!bo_writer_active())
		return;
	for (UInt from = 0, to; from < size; from = to) {
		to = from + 1;
		if (!(selects[from] & 0x80))
			continue;
		while (to < size && selects[to] & 0x80)
			to++;
		record_store(BO_STORE_NONTEMPORAL, BO_SITE_CODE(site), addr + from, to - from, sp);
	}
}

/* A locked instruction is a fence no matter what it addresses.  If it stored to PM, it is a store as well. */
void bo_on_cas(Addr addr, ULong site, Addr sp, ULong stored)
{
	if (!bo_writer_active() || !bo_region_any())
		return;
	if (stored && bo_event_touches_pm(addr, BO_SITE_SIZE(site))) {
		if (clo_bo_code)
			bo_on_fence(BO_SITE(BO_SITE_CODE(site), 0, BO_OP_CODE_HASH), sp);
		record_store(BO_STORE_LOCKED, BO_SITE_CODE(site), addr, BO_SITE_SIZE(site), sp);
	} else {
		bo_on_fence(BO_SITE(BO_SITE_CODE(site), 0, BO_OP_LOCKED), sp);
	}
}

static void write_access_of_load(UInt code, Addr addr, SizeT size)
{
	struct bo_access access;

	if (LIKELY(!clo_bo_sync))
		return;
	access = bo_sync_access_of_load(code, addr, size);
	bo_sync_write_access(&access, addr);
}

/* The context of the load; 0: it is not from PM. */
static UInt record_load(UInt site_code, Addr addr, SizeT size, Addr sp)
{
	SizeT part, left;
	UInt context = 0;

	while (size && (part = clip_to_pm(&addr, size, &left))) {
		UInt code = size_code(part);
		UChar *p;
		context = begin_event(site_code, sp);
		write_depends(bo_event_label, bo_control);
		write_access_of_load(site_code, addr, part);
		p = bo_writer_begin(48);
		*p++ = (UChar)(BO_OP_LOAD + code);
		p = bo_put_v(p, context);
		p = bo_put_address(p, addr);
		if (code == BO_SIZE_OTHER)
			p = bo_put_v(p, part);
		bo_writer_commit(p);
		addr += part;
		size = left;
	}
	return context;
}

VG_REGPARM(3) UInt bo_on_load(Addr addr, ULong site, Addr sp)
{
	if (!bo_writer_active() || bo_region_none(addr, BO_SITE_SIZE(site)))
		return 0;
	if (UNLIKELY(clo_bo_sync) && bo_sync_only_stores(BO_SITE_CODE(site)))
		return 0;
	return record_load(BO_SITE_CODE(site), addr, BO_SITE_SIZE(site), sp);
}

/* ---- flushes and fences ---- */

VG_REGPARM(3) void bo_on_flush(Addr addr, ULong site, Addr sp)
{
	UInt context;
	UChar *p;

	if (!bo_writer_active())
		return;
	context = begin_event(BO_SITE_CODE(site), sp);
	p = bo_writer_begin(48);
	*p++ = (UChar)BO_SITE_KIND(site);
	p = bo_put_v(p, context);
	p = bo_put_address(p, addr);
	bo_writer_commit(p);
}

static void write_code_hash(void)
{
	UChar *p = bo_writer_begin(16);

	*p++ = BO_OP_CODE_HASH;
	*(ULong *)p = bo_code_hash;
	bo_code_hash = 0;
	bo_writer_commit(p + 8);
}

VG_REGPARM(2) void bo_on_fence(ULong site, Addr sp)
{
	UInt context;
	UChar *p;

	if (!bo_writer_active())
		return;
	context = begin_event(BO_SITE_CODE(site), sp);
	if (clo_bo_code)
		write_code_hash();
	if (BO_SITE_KIND(site) == BO_OP_CODE_HASH)
		return;
	p = bo_writer_begin(32);
	*p++ = (UChar)BO_SITE_KIND(site);
	p = bo_put_v(p, context);
	bo_writer_commit(p);
}

/* ---- system calls: read(2) into PM is a store, write(2) from PM is a load ---- */

void bo_on_kernel_store(CorePart part, ThreadId tid, Addr addr, SizeT size)
{
	if (part != Vg_CoreSysCall || !size || !bo_writer_active() || !bo_region_any())
		return;
	bo_thread_run(tid, 0);
	bo_event_label = 0;
	size = bo_syscall_stored(tid, size);
	record_store(BO_STORE_KERNEL, bo_code_of_syscall(tid), addr, size, VG_(get_SP)(tid));
}

/* Called before the call, when it is not known yet how much it will read.  So this records everything it may read. */
void bo_on_kernel_load(CorePart part, ThreadId tid, const HChar *what, Addr addr, SizeT size)
{
	(void)what;
	if (!clo_bo_loads || part != Vg_CoreSysCall || !size || !bo_writer_active() || !bo_region_any())
		return;
	bo_thread_run(tid, 0);
	bo_event_label = 0;
	record_load(bo_code_of_syscall(tid), addr, size, VG_(get_SP)(tid));
}

/* The kernel fails a call whose bytes cannot be read, beyond the end of the file for example; we would be killed.  It
 * looks at the bytes before it refuses the first argument. */
static Bool page_is_readable(Addr addr)
{
	SysRes r = bo_syscall(__NR_rt_sigprocmask, ~0u, addr & ~7ul, 0, 8, 0, 0);

	return !sr_isError(r) || sr_Err(r) != VKI_EFAULT;
}

/* With its last zero, as far as it can be read. */
static SizeT string_size(Addr addr)
{
	for (SizeT size = 0; size < VKI_PATH_MAX; size++) {
		if ((size == 0 || (addr + size) % VKI_PAGE_SIZE == 0) && !page_is_readable(addr + size))
			return size;
		if (!*(const HChar *)(addr + size))
			return size + 1;
	}
	return VKI_PATH_MAX;
}

void bo_on_kernel_load_string(CorePart part, ThreadId tid, const HChar *what, Addr addr)
{
	if (clo_bo_loads && bo_region_find(addr))
		bo_on_kernel_load(part, tid, what, addr, string_size(addr));
}
