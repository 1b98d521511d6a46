/* SPDX-License-Identifier: GPL-2.0-or-later */
/* signal.c - recovery's own actions for signals that undecided lines need; see lazy.h. */
#include "preload/stub.h"

#include <pthread.h>
#include <signal.h>

#include "preload/lazy.h"

PUBLIC int sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	struct sigaction changed;

	if (!lazy_is_armed())
		return NEXT(sigaction)(sig, act, old);
	if (lazy_sigaction(sig, act, old))
		return 0;
	if (!act)
		return NEXT(sigaction)(sig, act, old);
	/* A handler for another signal may use PM. */
	changed = *act;
	lazy_unblock(&changed.sa_mask);
	return NEXT(sigaction)(sig, &changed, old);
}

static sighandler_t handler_set(int sig, sighandler_t handler, int flags)
{
	struct sigaction act = {.sa_handler = handler, .sa_flags = flags}, old;

	return lazy_sigaction(sig, &act, &old) ? old.sa_handler : SIG_ERR;
}

#define SETS_HANDLER(name, flags)                                                           \
	PUBLIC sighandler_t name(int sig, sighandler_t handler)                             \
	{                                                                                   \
		if (lazy_is_armed() && (sig == SIGSEGV || sig == SIGTRAP || sig == SIGSYS)) \
			return handler_set(sig, handler, flags);                            \
		return NEXT(name)(sig, handler);                                            \
	}

sighandler_t bsd_signal(int sig, sighandler_t handler);
SETS_HANDLER(signal, SA_RESTART)
SETS_HANDLER(bsd_signal, SA_RESTART)
SETS_HANDLER(__sysv_signal, (int)(SA_RESETHAND | SA_NODEFER))
SETS_HANDLER(sysv_signal, (int)(SA_RESETHAND | SA_NODEFER))

#define SETS_MASK(name)                                              \
	PUBLIC int name(int how, const sigset_t *set, sigset_t *old) \
	{                                                            \
		sigset_t changed;                                    \
		if (!lazy_is_armed() || !set || how == SIG_UNBLOCK)  \
			return NEXT(name)(how, set, old);            \
		changed = *set;                                      \
		lazy_unblock(&changed);                              \
		return NEXT(name)(how, &changed, old);               \
	}
SETS_MASK(sigprocmask)
SETS_MASK(pthread_sigmask)
