/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lazy_recovery.h"

#include <immintrin.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "preload/lazy.h"

static sigjmp_buf fault_jump;
static int scratch; /* a file: eight fixed bytes, then free space */
static bool has_avx2, has_avx512;

static void on_fault(int sig)
{
	(void)sig;
	siglongjmp(fault_jump, 1);
}

static void see(uint64_t *seen, const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		*seen = (*seen ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3u;
}

static void load_vector(enum op_kind kind, const uint8_t *at, uint8_t *to)
{
	if (kind == OP_LOAD64 && has_avx512)
		__asm__ volatile("vmovdqu64 (%0), %%zmm16\n vmovdqu64 %%zmm16, (%1)" ::"r"(at), "r"(to) : "memory");
	else if (kind != OP_LOAD16 && has_avx2)
		__asm__ volatile("vmovdqu (%0), %%ymm0\n vmovdqu %%ymm0, (%1)" ::"r"(at), "r"(to) : "memory", "xmm0");
	else
		__asm__ volatile("movups (%0), %%xmm0\n movups %%xmm0, (%1)" ::"r"(at), "r"(to) : "memory", "xmm0");
}

static void store_vector(unsigned which, uint8_t *at)
{
	uint8_t *line = (uint8_t *)((uintptr_t)at & -(uintptr_t)64);

	if (which % 9 >= 5 && !has_avx512)
		which = 0;
	if (which % 9 >= 3 && !has_avx2)
		which = 0;
	__asm__ volatile("movups %0, %%xmm3" ::"m"(*"sixteen bytes or so") : "xmm3");
	switch (which % 9) {
	case 0: __asm__ volatile("movups %%xmm3, (%0)" ::"r"(at) : "memory"); break;
	case 1: __asm__ volatile("movntdq %%xmm3, (%0)" ::"r"(line) : "memory"); break;
	case 2: __asm__ volatile("movlps %%xmm3, (%0)\n movd %%xmm3, 8(%0)" ::"r"(at) : "memory"); break;
	case 3: __asm__ volatile("vmovups %%ymm3, (%0)\n vmovdqu %%xmm3, 32(%0)" ::"r"(at) : "memory"); break;
	case 4: __asm__ volatile("vmovntdq %%ymm3, (%0)\n vmovss %%xmm3, 40(%0)" ::"r"(line) : "memory"); break;
	case 5: __asm__ volatile("vmovdqu64 %%zmm3, (%0)" ::"r"(at) : "memory"); break;
	case 6: __asm__ volatile("vmovntdq %%zmm3, (%0)" ::"r"(line) : "memory"); break;
	case 7:
		__asm__ volatile("movl $0x25, %%eax\n kmovw %%eax, %%k1\n vmovdqu64 %%zmm3, (%0)%{%%k1%}" ::"r"(at)
				 : "memory", "eax");
		break;
	default: __asm__ volatile("vmovdqu8 %%ymm3, (%0)\n vpmovqd %%zmm3, 32(%0)" ::"r"(at) : "memory");
	}
}

__attribute__((target("avx2"))) static void gather(const uint8_t *base, uint64_t stride, uint8_t *to)
{
	__m256i index = _mm256_set_epi64x((long long)(3 * stride), (long long)(2 * stride), (long long)stride, 0);
	__m256i values = _mm256_i64gather_epi64((const void *)base, index, 1);

	_mm256_storeu_si256((void *)to, values);
}

/* Execute the instruction on (%1), with %0 in RAX, and get the flags after it. */
#define MOVE(instruction)                                                                                        \
	__asm__ volatile("lea -128(%%rsp), %%rsp\n" instruction "\n pushfq\n popq %%rdx\n lea 128(%%rsp), %%rsp" \
			 : "+a"(value), "=&d"(flags)                                                             \
			 : "S"(at)                                                                               \
			 : "memory", "cc", "xmm1", "r9")

static void move_op(unsigned which, uint8_t *at, uint64_t *seen)
{
	uint64_t value = *seen & 0x0102030001020001, flags = 0;

	switch (which % 41) {
	case 0: MOVE("movb (%2), %%al"); break;
	case 1: MOVE("movb (%2), %%ah"); break;
	case 2: MOVE("movw (%2), %%ax"); break;
	case 3: MOVE("movl (%2), %%eax"); break;
	case 4: MOVE("movzbl (%2), %%eax"); break;
	case 5: MOVE("movzwl (%2), %%eax"); break;
	case 6: MOVE("movsbq (%2), %%rax"); break;
	case 7: MOVE("movswl (%2), %%eax"); break;
	case 8: MOVE("movslq (%2), %%rax"); break;
	case 9: MOVE("movsbw (%2), %%ax"); break;
	case 10: MOVE("movb %%ah, (%2)"); break;
	case 11: MOVE("movl %%eax, (%2)"); break;
	case 12: MOVE("movw $0x1234, (%2)"); break;
	case 13: MOVE("movq $-2, (%2)"); break;
	case 14: MOVE("movb $7, (%2)"); break;
	case 15: MOVE("cmpb (%2), %%al"); break;
	case 16: MOVE("cmpq %%rax, (%2)"); break;
	case 17: MOVE("cmpl (%2), %%eax"); break;
	case 18: MOVE("cmpw $0x101, (%2)"); break;
	case 19: MOVE("cmpq $1, (%2)"); break;
	case 20: MOVE("cmpl $0x10101, (%2)"); break;
	case 21: MOVE("testb $1, (%2)"); break;
	case 22: MOVE("testq %%rax, (%2)"); break;
	case 23: MOVE("testl $0x100, (%2)"); break;
	case 24: MOVE("movq (%2), %%xmm1\n movq %%xmm1, %%rax"); break;
	case 25: MOVE("movsd (%2), %%xmm1\n movhlps %%xmm1, %%xmm1\n movq %%xmm1, %%rax"); break;
	case 26: MOVE("movq %%rax, %%xmm1\n movq %%xmm1, (%2)"); break;
	case 27: MOVE("movdqu (%2), %%xmm1\n movdqu %%xmm1, 16(%2)\n psrldq $5, %%xmm1\n movq %%xmm1, %%rax"); break;
	case 28: MOVE("mov %%rax, %%r9\n movb (%2), %%r9b\n movq %%r9, %%rax"); break;
	case 29:
		MOVE("xor %%r9d, %%r9d\n cmpb 3(%2,%%r9,8), %%r9b\n movq 8(%2,%%r9,4), %%r9\n movq %%r9, %%rax");
		break;
	case 30: MOVE("addl (%2), %%eax"); break;
	case 31: MOVE("subq (%2), %%rax"); break;
	case 32: MOVE("xorb (%2), %%ah"); break;
	case 33: MOVE("orw (%2), %%ax"); break;
	case 34: MOVE("andq %%rax, (%2)"); break;
	case 35: MOVE("addb %%ah, (%2)"); break;
	case 36: MOVE("subl $3, (%2)"); break;
	case 37: MOVE("xorq $-1, (%2)"); break;
	case 38: MOVE("addw $0x7fff, (%2)"); break;
	case 39: MOVE("stc\n adcl (%2), %%eax"); break;
	case 40: MOVE("stc\n sbbq $0, (%2)"); break;
	}
	see(seen, &value, 8);
	see(seen, &flags, 8);
}

static void string_op(const struct op *op, uint8_t *at, uint8_t *other, uint64_t *seen)
{
	uint8_t buffer[512] = {0};
	void *source = at, *target = buffer;
	uint64_t count = op->size;
	uint8_t equal;

	switch (op->kind) {
	case OP_MOVS:
		__asm__ volatile("rep movsb" : "+S"(source), "+D"(target), "+c"(count)::"memory");
		see(seen, buffer, op->size);
		break;
	case OP_MOVS_DOWN:
		source = at + op->size - 1;
		target = buffer + op->size - 1;
		__asm__ volatile("std\n rep movsb\n cld" : "+S"(source), "+D"(target), "+c"(count)::"memory");
		see(seen, buffer, op->size);
		break;
	case OP_MOVS_PM:
		target = other;
		count = op->size / 8;
		__asm__ volatile("rep movsq" : "+S"(source), "+D"(target), "+c"(count)::"memory");
		break;
	case OP_STOS:
		target = at;
		__asm__ volatile("rep stosb" : "+D"(target), "+c"(count) : "a"(1) : "memory");
		break;
	default:
		target = other;
		__asm__ volatile("repe cmpsb\n sete %0"
				 : "=q"(equal), "+S"(source), "+D"(target), "+c"(count)::"memory", "cc");
		see(seen, &equal, 1);
		see(seen, &count, sizeof(count));
	}
}

static void call_op(const struct op *op, uint8_t *at, uint8_t *other, uint64_t *seen)
{
	uint8_t buffer[512];
	struct iovec parts[2] = {{at, op->size}, {other, 8}};
	ssize_t n = 0;

	if (op->kind == OP_WRITE)
		n = pwrite(scratch, at, op->size, 8);
	else if (op->kind == OP_WRITEV)
		n = pwritev(scratch, parts, 2, 8);
	else
		n = -pread(scratch, at, 8, 0);
	if (n > 0 && pread(scratch, buffer, (size_t)n, 8) == n)
		see(seen, buffer, (size_t)n);
	see(seen, &n, sizeof(n));
}

static void fault_op(uint64_t *seen)
{
	struct sigaction action = {.sa_handler = on_fault}, old;
	uint8_t *volatile nowhere = (uint8_t *)16;

	if (!lazy_sigaction(SIGSEGV, &action, &old))
		sigaction(SIGSEGV, &action, &old);
	if (sigsetjmp(fault_jump, 1) == 0)
		see(seen, nowhere, 1);
	else
		see(seen, "fault", 5);
	if (!lazy_sigaction(SIGSEGV, &old, NULL))
		sigaction(SIGSEGV, &old, NULL);
}

static void op_do(const struct op *op, uint8_t *const *files, uint64_t *seen)
{
	uint8_t *at = files[op->file] + op->at, *other = files[op->other] + op->to, buffer[512];
	uint64_t value = 0;

	switch (op->kind) {
	case OP_LOAD1: see(seen, at, 1); break;
	case OP_LOAD8:
		__asm__ volatile("movq (%1), %0" : "=r"(value) : "r"(at) : "memory");
		see(seen, &value, 8);
		break;
	case OP_LOAD16:
	case OP_LOAD32:
	case OP_LOAD64:
		memset(buffer, 0, 64);
		load_vector(op->kind, at, buffer);
		see(seen, buffer, 64);
		break;
	case OP_GATHER:
		if (has_avx2) {
			gather(at, op->size, buffer);
			see(seen, buffer, 32);
		}
		break;
	case OP_MOVE: move_op((unsigned)op->size, at, seen); break;
	case OP_PUSH:
		__asm__ volatile("lea -128(%%rsp), %%rsp\n pushq (%1)\n popq %0\n lea 128(%%rsp), %%rsp"
				 : "=&r"(value)
				 : "r"(at)
				 : "memory");
		see(seen, &value, 8);
		break;
	case OP_COPY:
		memcpy(buffer, at, op->size);
		see(seen, buffer, op->size);
		break;
	case OP_STRLEN:
		value = strnlen((const char *)at, op->size);
		see(seen, &value, 8);
		break;
	case OP_STORE: *(volatile uint64_t *)at = *seen; break;
	case OP_STORE_WIDE: store_vector((unsigned)op->size, at); break;
	case OP_MEMSET: memset(at, 1, op->size); break;
	case OP_XADD:
		value = 3;
		__asm__ volatile("lock xaddq %0, (%1)" : "+r"(value) : "r"(at) : "memory");
		see(seen, &value, 8);
		break;
	case OP_FLUSH:
		__asm__ volatile("clflush 8(%0)\n clflush (%0,%1,2)" ::"r"(at), "r"(op->size & 7) : "memory");
		break;
	case OP_WRITE:
	case OP_WRITEV:
	case OP_READ_INTO: call_op(op, at, other, seen); break;
	case OP_FAULT: fault_op(seen); break;
	default: string_op(op, at, other, seen);
	}
}

struct outcome recovery_run(const struct recovery *r, struct access *access)
{
	struct outcome outcome = {.seen = 14695981039346656037u};
	uint8_t buffer[512];

	if (r->read_file) {
		access->read(access, r->read_at, buffer, r->read_file);
		see(&outcome.seen, buffer, r->read_file);
	}
	access->map(access, 0, r->protect ? PROT_READ : PROT_READ | PROT_WRITE);
	for (size_t i = 0; i < r->count; i++) {
		const struct op *op = &r->ops[i];

		if (i == (r->map_late ? r->count / 2 : 0))
			access->map(access, 1, PROT_READ | PROT_WRITE);
		if ((outcome.seen & op->mask) == op->bits)
			op_do(op, access->files, &outcome.seen);
	}
	outcome.end = (enum end_kind)(outcome.seen >> 20) % 8;
	if (outcome.end >= END_KINDS)
		outcome.end = END_EXIT;
	outcome.value = outcome.end == END_EXIT    ? (int)(outcome.seen >> 40 & 63)
			: outcome.end == END_ABORT ? SIGABRT
						   : SIGSEGV;
	return outcome;
}

void outcome_end(struct outcome outcome)
{
	volatile int *nowhere = NULL;

	if (outcome.end == END_ABORT)
		abort();
	if (outcome.end == END_CRASH)
		*nowhere = 1;
	_exit(outcome.value);
}

bool recovery_prepare(void)
{
	has_avx2 = __builtin_cpu_supports("avx2");
	has_avx512 = __builtin_cpu_supports("avx512f");
	scratch = memfd_create("scratch", 0);
	return pwrite(scratch, "abcdefgh", 8, 0) == 8;
}
