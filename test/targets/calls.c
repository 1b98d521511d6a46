/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calls.c - functions that are called and left in every way that C and assembly know. */
// cflags: -fno-builtin -fno-optimize-sibling-calls
// events: store,call,return,left
// record: --calls calls:op_*,libc.so.6:labs,libc.so.6:strlen
#include "target.h"

#include <setjmp.h>
#include <ucontext.h>

static char *pool;
static jmp_buf back;

#define DEFINE(name)                                               \
	long name(long a, long b, long c, long d, long e, long f); \
	__attribute__((noinline, noclone)) long name(long a, long b, long c, long d, long e, long f)

#define OP(function, n) function(1, 2, 3, 4, 5, n)

DEFINE(op_plain)
{
	ST8(pool, f);
	return a + b + c + d + e + f;
}

static __attribute__((noinline, noclone)) long op_static(long a, long b, long c, long d, long e, long f)
{
	ST8(pool, f);
	return -a - b - c - d - e - f;
}

DEFINE(op_outer)
{
	OP(op_plain, f + 1);
	ST8(pool, f);
	return a + b + c + d + e;
}

DEFINE(op_recursive)
{
	return f ? op_recursive(a, b, c, d, e, f - 1) + 1 : 0;
}

DEFINE(op_jumps)
{
	ST8(pool, f);
	longjmp(back, (int)(a + b + c + d + e));
}

DEFINE(op_jumps_over)
{
	OP(op_jumps, f);
	return a + b + c + d + e;
}

DEFINE(op_exits)
{
	end(pool);
	exit((int)(a + b + c + d + e + f));
}

/* Leave by jumps.  between_jumps is not chosen; it stores before it jumps.  The entry of op_loop is the head of a loop.
 * op_even and op_odd jump to each other. */
#define DECLARE(name) long name(long a, long b, long c, long d, long e, long f)

DECLARE(op_tail);
DECLARE(between_jumps);
DECLARE(op_loop);
DECLARE(op_even);
DECLARE(op_odd);
__asm__(".text\n"
	"op_tail: inc %r9\n"
	"	jmp op_plain\n"
	"between_jumps: mov pool(%rip), %rax\n"
	"	mov %r9, 8(%rax)\n"
	"	jmp op_jumps\n"
	"op_loop: dec %rdi\n"
	"	jnz op_loop\n"
	"	mov $7, %eax\n"
	"	ret\n"
	"op_even: mov $1, %eax\n"
	"	dec %rdi\n"
	"	jns op_odd\n"
	"	ret\n"
	"op_odd: mov $0, %eax\n"
	"	dec %rdi\n"
	"	jns op_even\n"
	"	ret\n"
	".irp name, op_tail, between_jumps, op_loop, op_even, op_odd\n"
	".globl \\name\n"
	".type \\name, @function\n"
	".size \\name, 4\n"
	".endr\n");

static void on_signal(int signal)
{
	(void)signal;
	OP(op_plain, 50);
}

DEFINE(op_raises)
{
	raise(SIGUSR1);
	return a + b + c + d + e + f;
}

/* Enter op_raises as the start of a coroutine: by a return, not by a call.  The stack of the handler lies above the
 * stack that it interrupts. */
static void coroutine_run(void)
{
	static struct {
		char low[65536], high[65536];
	} stacks;
	static ucontext_t here, there;
	stack_t ss = {.ss_sp = stacks.high, .ss_size = sizeof(stacks.high)};
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};

	CHECK(sigaltstack(&ss, NULL) == 0);
	CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
	CHECK(getcontext(&there) == 0);
	there.uc_stack = (stack_t){.ss_sp = stacks.low, .ss_size = sizeof(stacks.low)};
	there.uc_link = &here;
	makecontext(&there, (void (*)(void))op_raises, 6, 1, 2, 3, 4, 5, 6);
	CHECK(swapcontext(&here, &there) == 0);
}

static void leave(long (*function)(long, long, long, long, long, long), long n)
{
	if (!setjmp(back))
		OP(function, n);
}

int main(int argc, char **argv)
{
	long (*volatile pointer)(long, long, long, long, long, long) = op_plain;

	CHECK(argc == 2);
	pool = pool_create(argv[1]);
	begin(pool);
	CHECK(OP(op_plain, 6) == 21); //! call calls:op_plain 0x1 0x2 0x3 0x4 0x5 0x6
				      //! store pool+0x0 8 0x6
				      //! return calls:op_plain 0x15
	CHECK(OP(pointer, 7) == 22);  //! call calls:op_plain 0x1 0x2 0x3 0x4 0x5 0x7
				      //! store pool+0x0 8 0x7
				      //! return calls:op_plain 0x16
	CHECK(OP(op_static, 1) < 0);  //! call calls:op_static 0x1 0x2 0x3 0x4 0x5 0x1
				      //! store pool+0x0 8 0x1
				      //! return calls:op_static 0xfffffffffffffff0
	OP(op_outer, 10);             //! call calls:op_outer 0x1 0x2 0x3 0x4 0x5 0xa
				      //! call calls:op_plain 0x1 0x2 0x3 0x4 0x5 0xb
				      //! store pool+0x0 8 0xb
				      //! return calls:op_plain 0x1a
				      //! store pool+0x0 8 0xa
				      //! return calls:op_outer 0xf
	OP(op_recursive, 2);          //! call calls:op_recursive 0x1 0x2 0x3 0x4 0x5 0x2
				      //! call calls:op_recursive 0x1 0x2 0x3 0x4 0x5 0x1
				      //! call calls:op_recursive 0x1 0x2 0x3 0x4 0x5 0x0
				      //! return calls:op_recursive 0x0
				      //! return calls:op_recursive 0x1
				      //! return calls:op_recursive 0x2
	/* No event of the thread comes between the jump and the next call, which has its frame at the same place. */
	for (int i = 0; i < 2; i++)
		leave(op_jumps, 20 + i); //! call calls:op_jumps 0x1 0x2 0x3 0x4 0x5 0x14
					 //! store pool+0x0 8 0x14
					 //! left calls:op_jumps
					 //! call calls:op_jumps 0x1 0x2 0x3 0x4 0x5 0x15
					 //! store pool+0x0 8 0x15
	ST8(pool, 22);                   //! left calls:op_jumps
					 //! store pool+0x0 8 0x16
	leave(op_jumps_over, 23);        //! call calls:op_jumps_over 0x1 0x2 0x3 0x4 0x5 0x17
					 //! call calls:op_jumps 0x1 0x2 0x3 0x4 0x5 0x17
					 //! store pool+0x0 8 0x17
	ST8(pool, 24);                   //! left calls:op_jumps
					 //! left calls:op_jumps_over
					 //! store pool+0x0 8 0x18
	for (int i = 0; i < 2; i++)
		leave(between_jumps, 30 + i); //! store pool+0x8 8 0x1e
					      //! call calls:op_jumps 0x1 0x2 0x3 0x4 0x5 0x1e
					      //! store pool+0x0 8 0x1e
					      //! left calls:op_jumps
					      //! store pool+0x8 8 0x1f
					      //! call calls:op_jumps 0x1 0x2 0x3 0x4 0x5 0x1f
					      //! store pool+0x0 8 0x1f
	ST8(pool, 32);                        //! left calls:op_jumps
					      //! store pool+0x0 8 0x20
	OP(op_tail, 40);                      //! call calls:op_tail 0x1 0x2 0x3 0x4 0x5 0x28
					      //! call calls:op_plain 0x1 0x2 0x3 0x4 0x5 0x29
					      //! store pool+0x0 8 0x29
					      //! return calls:op_plain 0x38
					      //! return calls:op_tail 0x38
	op_loop(4, 2, 3, 4, 5, 6);            //! call calls:op_loop 0x4 0x2 0x3 0x4 0x5 0x6
					      //! return calls:op_loop 0x7
	op_even(2, 2, 3, 4, 5, 6);            //! call calls:op_even 0x2 0x2 0x3 0x4 0x5 0x6
					      //! call calls:op_odd 0x1 0x2 0x3 0x4 0x5 0x6
					      //! left calls:op_odd
					      //! return calls:op_even 0x1
	coroutine_run();                      //! call calls:op_raises 0x1 0x2 0x3 0x4 0x5 0x6
					      //! call calls:op_plain 0x1 0x2 0x3 0x4 0x5 0x32
					      //! store pool+0x0 8 0x32
					      //! return calls:op_plain 0x41
					      //! return calls:op_raises 0x15
	/* By way of the PLT; the second one is an IFUNC. */
	CHECK(labs(-5) == 5);       //! call libc.so.6:labs 0xfffffffffffffffb *
				    //! return libc.so.6:labs 0x5
	CHECK(strlen(argv[1]) > 0); //! call libc.so.6:strlen *
				    //! return libc.so.6:strlen 0x4
	/* Never returns: no event ends it. */
	OP(op_exits, -15L); //! call calls:op_exits 0x1 0x2 0x3 0x4 0x5 0xfffffffffffffff1
	return 1;
}
