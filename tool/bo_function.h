/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_function.h - the functions whose calls matter: those that the user chose, some of libpmemobj's, and those by which
 * threads synchronize. */
#ifndef BO_FUNCTION_H
#define BO_FUNCTION_H

#include "bo.h"

#include "blackout/pmemobj.h"

struct function {
	UInt id;              /* in the trace; 0: not yet defined */
	UInt code;            /* of its entry */
	UInt caller, context; /* of its last call; context 0: there was none */
	const HChar *symbol, *name;
	Bool is_operation;
	Bool is_resolver;
	Bool is_recorded;              /* its calls are in the trace */
	Bool is_asked_for;             /* a pattern matches it; otherwise it is one of libpmemobj's */
	enum bo_pmemobj_result result; /* which words of it are recorded */
	UInt arguments;                /* so many registers of arguments are recorded */
	const struct bo_known *known;  /* it synchronizes; NULL: it does not */
};

void bo_function_define(struct function *f); /* in the trace */

/* The resolver of an IFUNC has returned this address. */
void bo_function_resolved(Addr addr, const struct function *resolver);

#endif
