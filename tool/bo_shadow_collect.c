/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_shadow_collect.c - who has labels, when those that nobody has any more are collected (bo_label.h). */
#include "bo.h"

#include "bo_shadow.h"

/* Between blocks all labels of a thread are in its registers. */
static void visit_registers(ThreadId tid, bo_label_visitor *visit)
{
	ULong shadow[sizeof(VexGuestAMD64State) / 8];

	VG_(get_shadow_regs_area)(tid, (UChar *)shadow, 1, 0, sizeof(shadow));
	for (UInt i = 0; i < sizeof(shadow) / 8; i++)
		if (bo_shadow_has_label(8 * (Int)i) && shadow[i])
			visit(&shadow[i]);
	VG_(set_shadow_regs_area)(tid, 1, 0, sizeof(shadow), (UChar *)shadow);
}

static void visit_all(bo_label_visitor *visit, Bool all)
{
	for (ThreadId tid = 1; tid < bo_thread_end(); tid++)
		if (VG_(is_valid_tid)(tid))
			visit_registers(tid, visit);
	bo_thread_visit_labels(visit);
	bo_event_visit_labels(visit);
	bo_shadow_visit_memory(visit, all);
}

/* The frame of a signal has the registers of the code that it interrupted, out of our reach. */
void bo_shadow_collect(void)
{
	if (LIKELY(!bo_label_is_full()) || bo_signal_is_handled())
		return;
	bo_label_collect(visit_all);
	bo_shadow_settle_memory();
	bo_control_forget_settled();
}
