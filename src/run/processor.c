/* SPDX-License-Identifier: GPL-2.0-or-later */
/* processor.c - see processor.h. */
#include "run/processor.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

static struct {
	cpu_set_t all; /* those that we may use */
	bool known;
	int current; /* the processor that we are bound to, once known; -1: none */
} here;

static void release(void)
{
	processor_follow(-1);
}

void processor_follow(int processor)
{
	cpu_set_t one;

	if (!here.known && processor >= 0) {
		here.current = -1;
		here.known = sched_getaffinity(0, sizeof(here.all), &here.all) == 0 &&
			     pthread_atfork(NULL, NULL, release) == 0;
	}
	if (!here.known || processor == here.current)
		return;
	CPU_ZERO(&one);
	if (processor >= 0)
		CPU_SET(processor, &one);
	sched_setaffinity(0, sizeof(one), processor >= 0 ? &one : &here.all);
	here.current = processor;
}
