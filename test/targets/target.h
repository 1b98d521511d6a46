/* SPDX-License-Identifier: GPL-2.0-or-later */
/* target.h - code that the recorded test programs share.
 *
 * A target makes the file argv[1] (the tests call it `pool`), maps it shared at POOL_ADDR and works on it with
 * instructions that the compiler cannot change.  The expected recording is written beside each instruction, in the
 * format of `blackout dump --no-source`, without the event number, and without the thread if it is t1:
 *
 *     begin(pool);
 *     ST8(pool, 1);          //! store pool+0x0 8 0x1
 *     CLWB(pool + 3);        //! clwb pool+0x3
 *     end(pool);
 *
 * Only events between begin and end are compared, so that the C library's own fences and the mapping of the pool do not
 * interfere.  The tests read these comments near the top of a target:
 *
 *     // needs: clwb avx2            flags of /proc/cpuinfo that the target requires
 *     // events: store,thread-start  compare only these kinds of event
 *     // link: -lpthread             libraries
 *     // cflags: -static             compiler options
 *
 * In an expectation, `*` as the last word matches any rest of the line. */
#ifndef TARGET_H
#define TARGET_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

/* Fixed, so that tests can check the addresses of mappings and of volatile memory too. */
#define POOL_ADDR 0x100000000ul
#define SECOND_ADDR 0x140000000ul
#define VOLATILE_ADDR 0x200000000ul
#define POOL_BYTES 0x4000ul
#define PAGE 0x1000ul

#define BEGIN_VALUE 0x626567696eul /* "begin" */
#define END_VALUE 0x656e64ul       /* "end" */
#define MARK_VALUE 0x6d61726b00ul  /* "mark", then the number of the copy */
#define MARKER_OFFSET (POOL_BYTES - 8)

#define CHECK(condition)                                                                                               \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			fprintf(stderr, "%s:%d: %s is false (%s)\n", __FILE__, __LINE__, #condition, strerror(errno)); \
			_exit(99);                                                                                     \
		}                                                                                                      \
	} while (0)

#define ST1(p, v) __asm__ volatile("movb %b1, (%0)" : : "r"(p), "q"((uint8_t)(v)) : "memory")
#define ST2(p, v) __asm__ volatile("movw %w1, (%0)" : : "r"(p), "r"((uint16_t)(v)) : "memory")
#define ST4(p, v) __asm__ volatile("movl %k1, (%0)" : : "r"(p), "r"((uint32_t)(v)) : "memory")
#define ST8(p, v) __asm__ volatile("movq %1, (%0)" : : "r"(p), "r"((uint64_t)(v)) : "memory")
#define CLFLUSH(p) __asm__ volatile("clflush (%0)" : : "r"(p) : "memory")
#define CLFLUSHOPT(p) __asm__ volatile("clflushopt (%0)" : : "r"(p) : "memory")
#define CLWB(p) __asm__ volatile("clwb (%0)" : : "r"(p) : "memory")
#define SFENCE() __asm__ volatile("sfence" : : : "memory")
#define MFENCE() __asm__ volatile("mfence" : : : "memory")
#define LFENCE() __asm__ volatile("lfence" : : : "memory")

static inline uint64_t load8(const void *p)
{
	uint64_t v;

	__asm__ volatile("movq (%1), %0" : "=r"(v) : "r"(p) : "memory");
	return v;
}

static inline int file_create(const char *path, size_t bytes)
{
	int fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0644);

	CHECK(fd >= 0);
	CHECK(ftruncate(fd, (off_t)bytes) == 0);
	return fd;
}

static inline char *file_map(int fd, unsigned long addr, size_t bytes)
{
	char *p = (char *)mmap((void *)addr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);

	CHECK(p == (char *)addr);
	return p;
}

/* Makes the file `path` of POOL_BYTES zeros and maps it at POOL_ADDR. */
static inline char *pool_create(const char *path)
{
	int fd = file_create(path, POOL_BYTES);
	char *p = file_map(fd, POOL_ADDR, POOL_BYTES);

	close(fd);
	return p;
}

/* Maps the file `path` wherever there is room; makes it if it is not there. */
static inline char *pool_anywhere(const char *path, size_t bytes)
{
	int fd = open(path, O_RDWR | O_CREAT, 0666);
	char *p;

	CHECK(fd >= 0 && ftruncate(fd, (off_t)bytes) == 0);
	p = (char *)mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(p != MAP_FAILED);
	close(fd);
	return p;
}

static inline char *volatile_create(void)
{
	char *p = (char *)mmap((void *)VOLATILE_ADDR, POOL_BYTES, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	CHECK(p == (char *)VOLATILE_ADDR);
	return p;
}

static inline void begin(char *pool)
{
	ST8(pool + MARKER_OFFSET, BEGIN_VALUE);
}

static inline void end(char *pool)
{
	ST8(pool + MARKER_OFFSET, END_VALUE);
}

/* Saves the current file as PATH.mark.N.  A rebuild up to and including this store must give the same content. */
static inline void mark(const char *path, char *marker, int n)
{
	char name[4096], buffer[65536];
	int in, out;
	ssize_t got;

	ST8(marker, MARK_VALUE + (unsigned long)n);
	snprintf(name, sizeof(name), "%s.mark.%d", path, n);
	in = open(path, O_RDONLY);
	out = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0644);
	CHECK(in >= 0 && out >= 0);
	while ((got = read(in, buffer, sizeof(buffer))) > 0)
		CHECK(write(out, buffer, (size_t)got) == got);
	close(in);
	close(out);
}

#endif
