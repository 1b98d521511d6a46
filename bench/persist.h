/* SPDX-License-Identifier: GPL-2.0-or-later */
/* persist.h - shared by the benchmarks that use raw instructions: maps a file and writes its lines back.
 *
 * The last argument of a benchmark selects the flush instruction.  auto takes the best one that CPUID offers, as
 * libpmem does; skip leaves the flush out.  Stock Valgrind does not support CLWB and hides it, so under its `none`
 * tool auto is CLFLUSH. */
#ifndef BENCH_PERSIST_H
#define BENCH_PERSIST_H

#include <cpuid.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum flush_kind { FLUSH_SKIP, FLUSH_CLFLUSH, FLUSH_CLFLUSHOPT, FLUSH_CLWB };

static enum flush_kind flush_kind;

static inline void persist_choose(const char *name)
{
	unsigned a, b = 0, c, d;

	flush_kind = FLUSH_SKIP;
	if (!strcmp(name, "skip"))
		return;
	__get_cpuid_count(7, 0, &a, &b, &c, &d);
	flush_kind = b & 1u << 24 ? FLUSH_CLWB : b & 1u << 23 ? FLUSH_CLFLUSHOPT : FLUSH_CLFLUSH;
}

static inline void line_flush(const void *p)
{
	switch (flush_kind) {
	case FLUSH_SKIP: break;
	case FLUSH_CLFLUSH: __asm__ volatile("clflush (%0)" : : "r"(p) : "memory"); break;
	case FLUSH_CLFLUSHOPT: __asm__ volatile("clflushopt (%0)" : : "r"(p) : "memory"); break;
	case FLUSH_CLWB: __asm__ volatile("clwb (%0)" : : "r"(p) : "memory"); break;
	}
}

static inline void persist(const void *p, size_t size)
{
	uintptr_t line = (uintptr_t)p & ~(uintptr_t)63;

	for (; line < (uintptr_t)p + size; line += 64)
		line_flush((void *)line);
	__asm__ volatile("sfence" : : : "memory");
}

static inline void *file_map(const char *path, int flags, size_t bytes)
{
	int fd = open(path, O_CREAT | O_RDWR | flags, 0644);
	void *p;

	if (fd < 0 || ftruncate(fd, (off_t)bytes) < 0) {
		perror(path);
		exit(3);
	}
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED) {
		perror(path);
		exit(3);
	}
	close(fd);
	return p;
}

/* A new pool, zeroed. */
static inline void *pool_map(const char *path, size_t bytes)
{
	return file_map(path, O_TRUNC, bytes);
}

/* The pool as it is, or a new one. */
static inline void *pool_attach(const char *path, size_t bytes)
{
	return file_map(path, 0, bytes);
}

/* xorshift: the same numbers in every run */
static inline uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

#endif
