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

static void note_sent(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	seen = seen || info->si_code <= 0; /* not sent by the kernel for the terminal */
}

static bool is_ignored(int signal)
{
	struct sigaction old;

	return sigaction(signal, NULL, &old) == 0 && old.sa_handler == SIG_IGN;
}

void interrupt_watch(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = note, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (!is_ignored(signals[i]))
			sigaction(signals[i], &action, NULL);
}

void interrupt_hear(void)
{
	struct sigaction action = {.sa_sigaction = note_sent, .sa_flags = SA_SIGINFO | SA_RESTART};

	if (is_ignored(SIGINT))
		sigaction(SIGINT, &action, NULL);
}

bool interrupt_seen(void)
{
	return seen;
}

bool interrupt_asked(void *unused)
{
	(void)unused;
	return seen;
}
