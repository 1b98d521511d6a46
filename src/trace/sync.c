/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sync.c - see sync.h. */
#include "trace/sync.h"

/* Each process counts its accesses.  The number of the process makes them unique. */
#define ACCESS_BITS 40

static enum apply_result apply_access(struct stream *s, const struct record *r)
{
	uint64_t what = r->number[0], before = r->number[2], size = r->number[3];
	uint64_t atomicity = BO_ACCESS_ATOMICITY(what), order = BO_ACCESS_ORDER(what);

	s->decoder.last_access += bo_unzigzag(r->number[1]);
	if (atomicity == BO_ATOMICITY_UNKNOWN || order >= BO_ORDER_COUNT || (order && atomicity != BO_ATOMICITY_ATOMIC))
		return apply_damage(s, "an access of a kind that does not exist");
	if (!s->decoder.last_access || s->decoder.last_access >> ACCESS_BITS)
		return apply_damage(s, "an access with an impossible number");
	if (before >= size)
		return apply_damage(s, "an access of an impossible range");
	s->access = (struct stream_access){
		.thread = s->thread,
		.atomicity = (enum bo_atomicity)atomicity,
		.order = (enum bo_order)order,
		.number = (uint64_t)s->number << ACCESS_BITS | s->decoder.last_access,
		.before = before,
		.size = size,
	};
	return APPLY_CONSUMED;
}

static enum apply_result apply_sync(struct stream *s, const struct record *r, struct event *ev)
{
	uint64_t act = r->number[0], object = r->number[1], order = r->number[2];

	if (act >= BO_ACT_COUNT || order >= BO_ORDER_COUNT)
		return apply_damage(s, "an unknown kind of synchronization");
	ev->type = EVENT_SYNC;
	ev->flags = (uint32_t)act;
	ev->order = (enum bo_order)order;
	ev->value = act == BO_ACT_JOIN ? apply_thread(s, object) : object;
	if (act == BO_ACT_JOIN && !ev->value)
		return apply_damage_id(s, "thread", object);
	if (act != BO_ACT_JOIN)
		apply_locate(s, ev, object);
	return APPLY_EVENT;
}

enum apply_result sync_apply(struct stream *s, const struct record *r, struct event *ev)
{
	return r->op == BO_OP_ACCESS ? apply_access(s, r) : apply_sync(s, r, ev);
}
