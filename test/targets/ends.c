/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ends.c - store, then end as argv[2] says; the last store has the value 0x1a57. */
#include "target.h"

int main(int argc, char **argv)
{
	char *p, *how;

	CHECK(argc == 3);
	how = argv[2];
	p = pool_create(argv[1]);
	for (unsigned long i = 0; i < 100000; i++)
		ST8(p + 8 * (i & 127), i);
	ST8(p + 0x800, 0x1a57);
	if (!strcmp(how, "segv"))
		ST8((char *)8, 1);
	if (!strcmp(how, "kill"))
		kill(getpid(), SIGKILL);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "bus")) {
		CHECK(truncate(argv[1], 0) == 0);
		ST8(p, 1);
	}
	if (!strcmp(how, "ill"))
		__asm__ volatile("ud2");
	if (!strcmp(how, "_exit"))
		_exit(0);
	if (!strcmp(how, "torn")) /* two units, which on eADR are certain only once something else happens */
		ST8(p + 0x814, 0x1a571a571a571a57);
	if (!strcmp(how, "hang") || !strcmp(how, "torn")) {
		CHECK(creat("ready", 0644) >= 0);
		for (;;)
			pause();
	}
	if (!strcmp(how, "stubborn")) {
		for (int s = 1; s < 32; s++)
			signal(s, SIG_IGN);
		if (fork() == 0)
			for (;;)
				pause();
		CHECK(creat("ready", 0644) >= 0);
		for (;;)
			pause();
	}
	if (!strcmp(how, "spin")) {
		CHECK(creat("ready", 0644) >= 0);
		for (unsigned long i = 0;; i++) {
			ST8(p + 8 * (i & 127), i);
			for (volatile int k = 0; k < 1000; k++)
				;
		}
	}
	return 0;
}
