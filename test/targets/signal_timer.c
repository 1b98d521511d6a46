/* SPDX-License-Identifier: GPL-2.0-or-later */
/* signal_timer.c - a timer interrupts a program that writes PM, and its handler writes PM too: nothing may be lost or
 * doubled. */
// events: exit
#include "target.h"

#include <sys/time.h>

static char *pool;
static volatile sig_atomic_t ticks;

static void on_tick(int signal)
{
	(void)signal;
	ticks++;
	ST8(pool + 0x1000 + 8 * (ticks & 63), ticks);
}

int main(int argc, char **argv)
{
	struct itimerval every = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
	unsigned long i = 0;

	CHECK(argc == 2);
	signal(SIGALRM, on_tick);
	pool = pool_create(argv[1]);
	CHECK(setitimer(ITIMER_REAL, &every, NULL) == 0);
	while (ticks < 20) {
		ST8(pool + 8 * (i & 255), i);
		i++;
		for (volatile int k = 0; k < 100; k++)
			;
	}
	CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
	ST8(pool + 0x2000, i);
	ST8(pool + 0x2008, ticks);
	return 0;
}
