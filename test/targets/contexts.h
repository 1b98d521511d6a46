/* SPDX-License-Identifier: GPL-2.0-or-later */
/* contexts.h - ask a real unwinder where we are, right before a store, and write its answer to stdout as
 * test/tools/contexts prints the recorder's: "NUMBER FRAME FRAME ...", innermost first, a frame as MODULE+0xOFFSET in
 * the module's file.
 *
 * SAMPLE() must stand in the function itself, which must not be inlined.  Frame 0 is the store; the others are return
 * addresses.  A chain ends at a signal handler, as the recorder's do: what it interrupted did not call it. */
#ifndef CONTEXTS_H
#define CONTEXTS_H

#include <execinfo.h>
#include <link.h>

#include "target.h"

#define SAMPLE_VALUE (0x73616d706c65ul << 16) /* "sample", above the number */
#define DEPTH 256
#define NOINLINE __attribute__((noinline, noclone))

static char *pool;
static unsigned long samples;

struct place {
	unsigned long addr, offset;
	char module[256];
};

static int place_find(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct place *place = (struct place *)arg;
	const char *slash = strrchr(info->dlpi_name, '/');

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		unsigned long start = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD || place->addr < start || place->addr >= start + segment->p_memsz)
			continue;
		place->offset = place->addr - start + segment->p_offset;
		snprintf(place->module, sizeof(place->module), "%s",
			 slash              ? slash + 1
			 : *info->dlpi_name ? info->dlpi_name
					    : program_invocation_short_name);
		return 1;
	}
	return 0;
}

/* The code to which a signal handler returns: mov $15, %rax; syscall. */
static int is_trampoline(const void *code)
{
	return memcmp(code, "\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05", 9) == 0;
}

static void sample_print(unsigned long number, void **frames, int count)
{
	flockfile(stdout);
	printf("%lu", number);
	for (int i = 0; i < count && !is_trampoline(frames[i]); i++) {
		struct place place = {.addr = (unsigned long)frames[i], .offset = 0, .module = "?"};

		dl_iterate_phdr(place_find, &place);
		printf(" %s+0x%lx", place.module, place.offset);
	}
	putchar('\n');
	funlockfile(stdout);
}

#define SAMPLE()                                                                           \
	do {                                                                               \
		void *frames_[DEPTH];                                                      \
		int count_ = backtrace(frames_, DEPTH);                                    \
		unsigned long number_ = __atomic_add_fetch(&samples, 1, __ATOMIC_RELAXED); \
		__asm__ volatile("leaq 1f(%%rip), %0; 1: movq %1, (%2)"                    \
				 : "=&r"(frames_[0])                                       \
				 : "r"(SAMPLE_VALUE | number_), "r"(pool)                  \
				 : "memory");                                              \
		sample_print(number_, frames_, count_);                                    \
	} while (0)

/* Load the unwinder before anything is measured. */
static inline void contexts_start(const char *path)
{
	void *frames[4];

	backtrace(frames, 4);
	pool = pool_create(path);
}

#endif
