/* SPDX-License-Identifier: GPL-2.0-or-later */
/* interrupt.c - see interrupt.h. */
#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t seen;

static void note(int signal)
{
	(void)signal;
	seen = 1;
}

/* Who started us had SIGINT ignored, as a script does with what it starts by &, so Ctrl-C is not meant for us.  Who sends it to us by name means it. */
static void note_sent(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	seen = seen || info->si_code <= 0;
}

void interrupt_watch(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction plain = {.sa_handler = note, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)}, old;
	struct sigaction by_name = {.sa_sigaction = note_sent, .sa_flags = SA_SIGINFO | SA_RESTART};

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		if (sigaction(signals[i], NULL, &old) < 0)
			continue;
		if (old.sa_handler != SIG_IGN)
			sigaction(signals[i], &plain, NULL);
		else if (signals[i] == SIGINT)
			sigaction(SIGINT, &by_name, NULL);
	}
}

bool interrupt_seen(void)
{
	return seen;
}
