/* SPDX-License-Identifier: GPL-2.0-or-later */
/* happens.c - see happens.h. */
#include "races/happens.h"

#define IN_FILE (UINT64_C(1) << 63) /* of a key: the object is in a PM file, which processes share */

void happens_init(struct happens *happens)
{
	*happens = (struct happens){0};
}

void happens_free(struct happens *happens)
{
	for (size_t i = 0; i < happens->threads.count; i++) {
		struct happens_thread *thread = &happens->threads.at[i];

		times_free(&thread->before);
		times_free(&thread->relaxed);
		clock_drop(thread->copy);
		clock_drop(thread->fence.others);
	}
	for (size_t i = 0; i < happens->released.count; i++)
		clock_drop(happens->released.at[i].others);
	vec_free(&happens->threads);
	vec_free(&happens->released);
	vec_free(&happens->processes);
	map_free(&happens->objects);
	times_free(&happens->forked);
}

static struct happens_thread *thread_at(struct happens *happens, uint32_t id)
{
	while (happens->threads.count <= id)
		vec_push(&happens->threads, (struct happens_thread){0});
	return &happens->threads.at[id];
}

struct stamp happens_stamp(struct happens *happens, uint32_t id, uint64_t number)
{
	struct happens_thread *thread = thread_at(happens, id);

	if (!thread->copied) {
		clock_drop(thread->copy);
		thread->copy = clock_copy(&thread->before);
		thread->copied = true;
	}
	return (struct stamp){.number = number, .thread = id, .others = clock_use(thread->copy)};
}

/* A thread learns what a stamp knows. */
static void thread_learn(struct happens *happens, uint32_t id, const struct stamp *stamp)
{
	struct happens_thread *thread = thread_at(happens, id);

	if (stamp->thread != id && times_join(&thread->before, stamp))
		thread->copied = false;
}

/* ---- objects ---- */

/* The index in `released` of the object that a SYNC names. */
static uint64_t object_of(struct happens *happens, const struct event *ev)
{
	uint64_t *at = ev->file ? map_put(&happens->objects, IN_FILE | ev->file, ev->offset)
				: map_put(&happens->objects, ev->process, ev->value);

	if (!*at) {
		vec_push(&happens->released, (struct stamp){0});
		*at = happens->released.count;
	}
	return *at - 1;
}

static bool order_acquires(unsigned order)
{
	return order == BO_ORDER_ACQUIRE || order == BO_ORDER_CONSUME || order == BO_ORDER_ACQ_REL ||
	       order == BO_ORDER_SEQ_CST;
}

static void object_put(struct stamp *released, struct stamp stamp)
{
	clock_drop(released->others);
	*released = stamp;
}

/* Add a stamp to what an object has.  Most often the stamp knows all of that already. */
static void object_add(struct stamp *released, struct stamp stamp)
{
	struct times both = {0};

	if (!released->thread ? !released->others : stamp_at(&stamp, released->thread) >= released->number) {
		object_put(released, stamp);
		return;
	}
	times_join(&both, released);
	if (times_join(&both, &stamp))
		object_put(released, (struct stamp){.others = clock_copy(&both)});
	clock_drop(stamp.others);
	times_free(&both);
}

/* What the thread publishes by an atomic store of this order. */
static struct stamp thread_publishes(struct happens *happens, uint32_t id, unsigned order, uint64_t number)
{
	struct stamp fence;

	if (order_releases(order))
		return happens_stamp(happens, id, number);
	fence = thread_at(happens, id)->fence;
	clock_use(fence.others);
	return fence;
}

/* The action of the last SYNC ended with event `number`. */
static void release_finish(struct happens *happens, uint64_t number)
{
	const struct happens_release *release = &happens->release;
	struct stamp *released = &happens->released.at[release->object];
	struct stamp stamp = thread_publishes(happens, release->thread, release->order, number);

	if (release->act == BO_ACT_ATOMIC_STORE)
		object_put(released, stamp);
	else
		object_add(released, stamp);
	happens->release.number = 0;
}

/* Is this event the access that a SYNC announced? */
static bool is_access(const struct happens_release *release, const struct event *ev)
{
	if (ev->thread != release->thread)
		return false;
	if (ev->type == EVENT_STORE)
		return ev->atomicity == BO_ATOMICITY_ATOMIC || ev->kind == BO_STORE_LOCKED;
	return ev->type == EVENT_LOCKED;
}

static void release_begin(struct happens *happens, const struct event *ev, uint64_t number)
{
	happens->release = (struct happens_release){
		.number = number,
		.object = object_of(happens, ev),
		.thread = ev->thread,
		.act = ev->flags,
		.order = ev->flags == BO_ACT_RELEASE ? BO_ORDER_RELEASE : ev->order,
	};
}

/* ---- acts ---- */

static void act_read(struct happens *happens, const struct event *ev, unsigned order)
{
	uint64_t object = object_of(happens, ev);
	const struct stamp *released = &happens->released.at[object];

	if (order_acquires(order))
		thread_learn(happens, ev->thread, released);
	else
		times_join(&thread_at(happens, ev->thread)->relaxed, released);
}

static void act_fence(struct happens *happens, const struct event *ev, uint64_t number)
{
	struct happens_thread *thread = thread_at(happens, ev->thread);

	if (order_acquires(ev->order) && times_join_times(&thread->before, &thread->relaxed))
		thread->copied = false;
	if (order_releases(ev->order))
		object_put(&thread->fence, happens_stamp(happens, ev->thread, number));
}

/* Event `number` of a thread comes after all that another thread has done so far.  The other one cannot do anything of
 * that number, so it counts as done: then it is after the last event, too. */
static void thread_follow(struct happens *happens, uint32_t id, uint64_t other, uint64_t number)
{
	struct stamp stamp;

	if (!other || other >= happens->threads.count || other == id)
		return;
	stamp = happens_stamp(happens, (uint32_t)other, number);
	thread_learn(happens, id, &stamp);
	clock_drop(stamp.others);
}

static void sync_apply(struct happens *happens, const struct event *ev, uint64_t number)
{
	switch ((enum bo_sync_act)ev->flags) {
	case BO_ACT_ATOMIC_LOAD: act_read(happens, ev, ev->order); break;
	case BO_ACT_ATOMIC_STORE: release_begin(happens, ev, number); break;
	case BO_ACT_ATOMIC_UPDATE:
		act_read(happens, ev, ev->order);
		release_begin(happens, ev, number);
		break;
	case BO_ACT_FENCE: act_fence(happens, ev, number); break;
	case BO_ACT_ACQUIRE: act_read(happens, ev, BO_ORDER_ACQUIRE); break;
	case BO_ACT_RELEASE:
		release_begin(happens, ev, number);
		release_finish(happens, number);
		break;
	case BO_ACT_JOIN: thread_follow(happens, ev->thread, ev->value, number); break;
	default: break;
	}
}

/* ---- threads and processes ---- */

static void process_fork(struct happens *happens, const struct event *ev, uint64_t number)
{
	struct stamp stamp;

	if (!ev->flags) /* not followed */
		return;
	stamp = happens_stamp(happens, ev->thread, number);
	times_join(&happens->forked, &stamp);
	clock_drop(stamp.others);
	happens->forks++;
}

/* The first event of a process.  The trace does not say which fork made it; if there are several that it could be, it
 * gets the order of them all. */
static void process_start(struct happens *happens, const struct event *ev)
{
	struct happens_thread *thread = thread_at(happens, ev->thread);

	while (happens->processes.count <= ev->process)
		vec_push(&happens->processes, false);
	happens->processes.at[ev->process] = true;
	if (!happens->forks)
		return;
	if (times_join_times(&thread->before, &happens->forked))
		thread->copied = false;
	if (!--happens->forks) {
		times_free(&happens->forked);
		happens->forked = (struct times){0};
	}
}

void happens_event(struct happens *happens, const struct event *ev, uint64_t number)
{
	thread_at(happens, ev->thread);
	if (happens->release.number)
		release_finish(happens, is_access(&happens->release, ev) ? number : happens->release.number);
	if (ev->process >= happens->processes.count || !happens->processes.at[ev->process])
		process_start(happens, ev);
	switch (ev->type) {
	case EVENT_SYNC: sync_apply(happens, ev, number); break;
	case EVENT_THREAD_START: thread_follow(happens, ev->thread, ev->value, number); break;
	case EVENT_FORK: process_fork(happens, ev, number); break;
	default: break;
	}
}
