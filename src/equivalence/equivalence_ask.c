/* SPDX-License-Identifier: GPL-2.0-or-later */
/* equivalence_ask.c - which outputs are legal in a place: orderly contents and settings are named, and recovery is asked
 * what it prints there.  The rules are those of equivalence.h. */
#include <stdio.h>
#include <string.h>

#include "equivalence/equivalence_in.h"
#include "ops/orders.h"

/* Different histories may have the same content. */
static void legal_add(struct legals *legals, struct legal legal)
{
	for (size_t i = 0; i < legals->all.count; i++) {
		struct legal *other = &legals->all.at[i];

		if (other->expectation == legal.expectation && other->banner == legal.banner) {
			other->history = other->history == legal.history ? other->history : NULL;
			return;
		}
	}
	vec_push(&legals->all, legal);
}

/* If what is at this border is what happened: in words. */
static const char *history_text(struct equivalence *e, const struct place *place, size_t border)
{
	size_t lost = 0;
	char text[64];

	if (border > place->group)
		return "if the operation happened";
	if (border == place->group)
		return place->inside ? "if the operation did not happen" : NULL;
	for (size_t g = border; g < place->group; g++)
		lost += timeline_group(e->timeline, g)->count;
	snprintf(text, sizeof(text), "if the last %zu complete operation%s lost", lost, lost == 1 ? " is" : "s are");
	return arena_copy(&e->texts, text, strlen(text));
}

/* Rule 2. */
static int border_ask(struct equivalence *e, struct tester *tester, size_t border, uint64_t setting,
		      const char *history, struct prepared *prepared, struct err *err)
{
	const struct border at = timeline_border(e->timeline, border);
	const uint64_t events[] = {at.from, at.to};
	struct expectation *expectation;
	int r = 0;

	for (unsigned i = 0; i < 2 && r == 0; i++) {
		r = expectations_ask(e->expectations, tester, events[i], setting, prepared->runs, &expectation, err);
		if (r == 0 && !events[i])
			prepared->initial = expectation;
		if (r == 0)
			legal_add(&prepared->legal, (struct legal){expectation, NULL, history});
	}
	return r;
}

/* How far back a lag reaches: the oldest border that is legal.  *within: it reaches into operations that overlap. */
static size_t lag_reach(const struct equivalence *e, const struct place *place, bool *within)
{
	size_t oldest = place->group;
	uint64_t lost = 0;

	while (oldest && lost + timeline_group(e->timeline, oldest - 1)->count <= e->options.lag)
		lost += timeline_group(e->timeline, --oldest)->count;
	*within = oldest && lost < e->options.lag;
	return oldest;
}

/* Rule 7 */

/* The operations of a group that have begun. */
struct begun {
	const struct operation *at[ORDERS_OPERATIONS_MAX];
	unsigned count;
};

static struct begun group_begun(const struct equivalence *e, const struct group *group, uint64_t event)
{
	struct begun begun = {0};

	for (size_t i = group->first; i < group->first + group->count; i++)
		if (timeline_operation(e->timeline, i)->begin <= event)
			begun.at[begun.count++] = timeline_operation(e->timeline, i);
	return begun;
}

/* Can these have happened in this order?  All that ended must be there, and none before one that ended before it began. */
static bool order_is_legal(const struct begun *begun, const struct order *order, uint64_t event)
{
	bool there[ORDERS_OPERATIONS_MAX] = {0};

	for (unsigned i = 0; i < order->count; i++) {
		there[order->at[i]] = true;
		for (unsigned k = i + 1; k < order->count; k++)
			if (begun->at[order->at[k]]->end <= begun->at[order->at[i]]->begin)
				return false;
	}
	for (unsigned i = 0; i < begun->count; i++)
		if (!there[i] && begun->at[i]->end <= event)
			return false;
	return true;
}

/* Ask what is printed by the operations from `left` on, after some of a group were performed on the content before it. */
static int order_ask(struct equivalence *e, struct tester *tester, const struct begun *begun, const struct order *order,
		     size_t left, unsigned runs, struct legals *legals, struct err *err)
{
	uint64_t start = begun->at[0]->begin;
	size_t before[ORDERS_OPERATIONS_MAX];
	struct legal legal = {.history = "in one of the orders that are legal"};
	int r;

	for (unsigned i = 0; i < order->count; i++)
		before[i] = (size_t)begun->at[order->at[i]]->index;
	r = expectations_ask(e->expectations, tester, start,
			     settings_history_id(e->settings, before, order->count, left, false), runs,
			     &legal.expectation, err);
	if (r == 0)
		r = expectations_ask(e->expectations, tester, start,
				     settings_history_id(e->settings, before, order->count, left, true), runs,
				     &legal.banner, err);
	if (r == 0)
		legal_add(legals, legal);
	return r;
}

/* All legal orders of those that have begun before `event`. */
static int orders_ask(struct equivalence *e, struct tester *tester, const struct group *group, uint64_t event,
		      size_t left, unsigned runs, struct legals *legals, struct err *err)
{
	const struct begun begun = group_begun(e, group, event);
	struct order order = {0};
	int r = 0;

	do
		if (order_is_legal(&begun, &order, event))
			r = order_ask(e, tester, &begun, &order, left, runs, legals, err);
	while (r == 0 && order_next(&order, begun.count));
	return r;
}

/* Inside of operations that overlap. */
static int group_ask(struct equivalence *e, struct tester *tester, const struct place *place, struct prepared *prepared,
		     struct err *err)
{
	const struct group *group = timeline_group(e->timeline, place->group);
	const struct place end = timeline_place(e->timeline, group->end);
	int r = orders_ask(e, tester, group, place->event, place->left, prepared->runs, &prepared->legal, err);

	if (r == 0)
		r = orders_ask(e, tester, group, group->end, end.left, prepared->runs, &prepared->orders, err);
	if (r == 0)
		r = expectations_ask(e->expectations, tester, group->end, settings_id(e->settings, end.left),
				     prepared->runs, &prepared->after, err);
	return r;
}

static bool group_can_be_asked(const struct equivalence *e, const struct group *group)
{
	for (size_t i = group->first; i < group->first + group->count; i++) {
		int64_t index = timeline_operation(e->timeline, i)->index;

		if (index < 0 || (size_t)index >= oplist_count(e->options.list))
			return false;
	}
	return group->count <= ORDERS_OPERATIONS_MAX && !e->options.probe && !e->options.lag;
}

/* Older contents come first, since the recording is read forward. */
int place_ask(struct equivalence *e, struct tester *tester, const struct place *place, struct prepared *prepared,
	      struct err *err)
{
	uint64_t setting = settings_id(e->settings, place->left);
	size_t border = lag_reach(e, place, &prepared->uncertain);
	int r = 0;

	if (place->inside && timeline_group(e->timeline, place->group)->count > 1) {
		prepared->uncertain |= !group_can_be_asked(e, timeline_group(e->timeline, place->group));
		return prepared->uncertain ? 0 : group_ask(e, tester, place, prepared, err);
	}
	for (; border <= place->group + place->inside && r == 0; border++)
		r = border_ask(e, tester, border, setting, history_text(e, place, border), prepared, err);
	return r;
}
