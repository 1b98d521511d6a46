/* SPDX-License-Identifier: GPL-2.0-or-later */
/* contexts_calls.c - calls, recursion, callbacks through libc, tail calls, longjmp, lazy binding. */
// cflags: -fno-omit-frame-pointer -Wl,-z,lazy -fcf-protection=none
// link: -lm
#include "contexts.h"

#include <math.h>
#include <search.h>
#include <setjmp.h>

static jmp_buf back;

static NOINLINE void bottom(void)
{
	SAMPLE();
}

static NOINLINE void middle(int n)
{
	bottom();
	if (n & 1)
		bottom();
	SAMPLE();
}

/* The compiler turns the last call into a jump at -O2: `tail` is in no stack. */
static NOINLINE __attribute__((optimize("O2"))) void tail(int n)
{
	pool[64] = (char)n;
	middle(n);
}

static NOINLINE void recurse(int n)
{
	SAMPLE();
	if (n > 0)
		recurse(n - 1);
	SAMPLE();
}

static NOINLINE void even(int n);

static NOINLINE void odd(int n)
{
	if (n > 0)
		even(n - 1);
	SAMPLE();
}

static NOINLINE void even(int n)
{
	if (n > 0)
		odd(n - 1);
	SAMPLE();
}

static NOINLINE int compare(const void *a, const void *b)
{
	SAMPLE();
	return *(const int *)a - *(const int *)b;
}

static NOINLINE void sort(void)
{
	int numbers[] = {5, 3, 9, 1, 7};

	qsort(numbers, 5, sizeof(numbers[0]), compare);
	SAMPLE();
}

static void visit(const void *node, VISIT which, int level)
{
	(void)node, (void)which, (void)level;
	SAMPLE();
}

static NOINLINE void walk(void)
{
	static int keys[] = {2, 1, 3};
	void *root = NULL;

	for (int i = 0; i < 3; i++)
		tsearch(&keys[i], &root, compare);
	twalk(root, visit);
	SAMPLE();
}

static NOINLINE void fall(int n)
{
	if (n == 0) {
		SAMPLE();
		longjmp(back, 1);
	}
	if (n > 0)
		fall(n - 1);
	SAMPLE();
}

static NOINLINE void jump(void)
{
	for (volatile int i = 0; i < 3; i++) {
		if (setjmp(back) == 0)
			fall(i + 1);
		SAMPLE();
		bottom();
	}
}

/* First calls of library functions go through the dynamic linker, which jumps into them. */
static NOINLINE void bind(volatile double x)
{
	SAMPLE();
	x = cbrt(x);
	SAMPLE();
	x = lgamma(x) + erf(x);
	SAMPLE();
	bottom();
	pool[65] = (char)x;
}

/* `call next; pop` reads the program counter, as old position-independent code does. */
static NOINLINE void call_pop(void)
{
	unsigned long pc;

	for (int i = 0; i < 3; i++)
		__asm__ volatile("lea -128(%%rsp), %%rsp; call 1f; 1: pop %0; lea 128(%%rsp), %%rsp"
				 : "=r"(pc)
				 :
				 : "memory");
	SAMPLE();
	bottom();
	CHECK(pc);
}

/* A return that goes elsewhere, as retpolines do: call, overwrite the return address, ret. */
static NOINLINE void retpoline(void (*to)(void))
{
	__asm__ volatile("lea -128(%%rsp), %%rsp\n"
			 "call 3f; jmp 4f\n"
			 "3: call 2f; 1: pause; jmp 1b; 2: mov %0, (%%rsp); ret\n"
			 "4: lea 128(%%rsp), %%rsp"
			 :
			 : "r"(to)
			 : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
	SAMPLE();
}

/* Deeper than any table of frames would like to be; the unwinder is only asked before and after. */
static NOINLINE int deep(int n)
{
	if (n == 0) {
		pool[67] = 1;
		return 1;
	}
	return deep(n - 1) + 1;
}

static NOINLINE void quiet(void)
{
	pool[66] = 1;
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	contexts_start(argv[1]);
	SAMPLE();
	for (int i = 0; i < 3; i++) {
		bottom();
		middle(i);
		tail(i);
	}
	recurse(3);
	recurse(20);
	odd(9);
	sort();
	walk();
	jump();
	bind(2.5);
	call_pop();
	retpoline(quiet);
	CHECK(deep(50000) == 50001);
	SAMPLE();
	recurse(12);
	SAMPLE();
	return 0;
}
