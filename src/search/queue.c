/* SPDX-License-Identifier: GPL-2.0-or-later */
/* queue.c - see queue.h: a binary heap. */
#include "search/queue.h"

static int rank_compare(const struct rank *a, const struct rank *b)
{
	for (size_t i = 0; i < sizeof(a->at) / sizeof(*a->at); i++)
		if (a->at[i] != b->at[i])
			return a->at[i] > b->at[i] ? 1 : -1;
	return 0;
}

static bool comes_before(const struct queued *a, const struct queued *b)
{
	int order = rank_compare(&a->rank, &b->rank);

	return order ? order > 0 : a->order < b->order;
}

static void items_swap(struct queue *q, size_t a, size_t b)
{
	struct queued item = q->heap.at[a];

	q->heap.at[a] = q->heap.at[b];
	q->heap.at[b] = item;
}

static void item_rise(struct queue *q, size_t at)
{
	for (size_t above; at > 0 && comes_before(&q->heap.at[at], &q->heap.at[above = (at - 1) / 2]); at = above)
		items_swap(q, at, above);
}

static void item_sink(struct queue *q, size_t at)
{
	for (;;) {
		size_t best = at;

		for (size_t below = 2 * at + 1; below <= 2 * at + 2; below++)
			if (below < q->heap.count && comes_before(&q->heap.at[below], &q->heap.at[best]))
				best = below;
		if (best == at)
			return;
		items_swap(q, at, best);
		at = best;
	}
}

static int item_compare(const void *a, const void *b)
{
	return comes_before(b, a) - comes_before(a, b);
}

/* What is sorted is a heap, too. */
static void queue_trim(struct queue *q)
{
	qsort(q->heap.at, q->heap.count, sizeof(*q->heap.at), item_compare);
	q->dropped += q->heap.count - QUEUE_MOST / 2;
	q->heap.count = QUEUE_MOST / 2;
}

void queue_push(struct queue *q, const struct candidate *candidate, struct rank rank)
{
	if (q->heap.count == QUEUE_MOST)
		queue_trim(q);
	vec_push(&q->heap, ((struct queued){*candidate, rank, q->pushed++}));
	item_rise(q, q->heap.count - 1);
}

bool queue_pop(struct queue *q, struct rank (*now)(void *arg, const struct candidate *candidate), void *arg,
	       struct candidate *candidate)
{
	while (q->heap.count) {
		struct queued *first = &q->heap.at[0];
		struct rank rank = now(arg, &first->candidate);

		if (rank_compare(&rank, &first->rank) < 0) {
			first->rank = rank;
			item_sink(q, 0);
			continue;
		}
		*candidate = first->candidate;
		*first = q->heap.at[--q->heap.count];
		item_sink(q, 0);
		return true;
	}
	return false;
}

void queue_free(struct queue *queue)
{
	vec_free(&queue->heap);
}
