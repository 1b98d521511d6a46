/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_points.c - failure points of small programs, written with one letter for each event:
 *
 *     s S     store, from context 1, 2        n N  non-temporal store      l  locked store (context 5)
 *     f F     clwb from context 6, 7          v    clwb of volatile memory
 *     .       sfence (context 8)              m    msync (context 9)       u  munmap        x  exit       t  truncate
 *     c e     a file becomes known: created, existing
 *     2       the following events are by thread 2
 *
 * Expected result: for each event, at the same position, 0 or the number of the point before it; then one more for the
 * end.  Points that are afterthoughts are letters: the first of all points is 1 or a, the second 2 or b. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "detect/points.h"

static struct event event_of(char word)
{
	static const struct {
		char word;
		struct event event;
	} events[] = {
		{'s', {.type = EVENT_STORE, .context = 1, .file = 1}},
		{'S', {.type = EVENT_STORE, .context = 2, .file = 1}},
		{'n', {.type = EVENT_STORE, .context = 3, .file = 1, .kind = BO_STORE_NONTEMPORAL}},
		{'N', {.type = EVENT_STORE, .context = 4, .file = 1, .kind = BO_STORE_NONTEMPORAL}},
		{'l', {.type = EVENT_STORE, .context = 5, .file = 1, .kind = BO_STORE_LOCKED}},
		{'f', {.type = EVENT_CLWB, .context = 6, .file = 1}},
		{'F', {.type = EVENT_CLWB, .context = 7, .file = 1}},
		{'v', {.type = EVENT_CLWB, .context = 6}},
		{'.', {.type = EVENT_SFENCE, .context = 8}},
		{'m', {.type = EVENT_MSYNC, .context = 9, .file = 1}},
		{'u', {.type = EVENT_UNMAP, .context = 10}},
		{'x', {.type = EVENT_EXIT}},
		{'t', {.type = EVENT_FILE_TRUNCATE, .context = 11, .file = 1}},
		{'c', {.type = EVENT_FILE, .file = 1, .flags = BO_FILE_CREATED}},
		{'e', {.type = EVENT_FILE, .file = 1}},
	};

	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		if (events[i].word == word)
			return events[i].event;
	fail_msg("no event '%c'", word);
	return events[0].event;
}

/* A point as one character. */
static char point_text(const struct points *points, size_t number)
{
	if (!number)
		return '0';
	return (char)((points_get(points, number)->afterthought ? 'a' - 1 : '0') + (int)number);
}

/* The points of a program in the notation of the test. */
static void points_text(enum points_at at, const char *program, char *text, struct points **points)
{
	uint64_t number = 0, visit;
	uint32_t thread = 1;

	*points = points_new(at);
	for (; *program; program++) {
		if (*program == '2') {
			thread = 2;
			continue;
		}
		struct event ev = event_of(*program);
		ev.thread = thread;
		*text++ = point_text(*points, points_event(*points, &ev, ++number, &visit));
	}
	*text++ = point_text(*points, points_end(*points, number, &visit));
	*text = '\0';
}

static void expect(enum points_at at, const char *program, const char *expected)
{
	struct points *points;
	char text[64];

	points_text(at, program, text, &points);
	assert_string_equal(text, expected);
	points_free(points);
}

static void test_persist(void **state)
{
	(void)state;
	expect(POINTS_PERSIST, "sf.", "010b");       /* nothing new at the fence, but it guarantees more */
	expect(POINTS_PERSIST, "f.x", "0000");       /* nothing was stored */
	expect(POINTS_PERSIST, "sfs.", "0102c");     /* flush and fence are two points */
	expect(POINTS_PERSIST, "sfsfsf", "0101010"); /* the same one again */
	expect(POINTS_PERSIST, "sfsF", "01020");     /* a different context */
	expect(POINTS_PERSIST, "svs.", "00010");     /* a flush outside PM is not a point */
	expect(POINTS_PERSIST, "sl.", "0120");       /* a locked store is a point, and changes PM */
	expect(POINTS_PERSIST, "smsusx", "0102030");
	expect(POINTS_PERSIST, "s", "01"); /* the trace just ends */
	expect(POINTS_PERSIST, "sx", "010");
	expect(POINTS_PERSIST, "t.", "010");           /* the size changed */
	expect(POINTS_PERSIST, "sSf.F.x", "0010b0c0"); /* after each fence, fewer stores can be lost */
	expect(POINTS_PERSIST, "c.e.", "01000");       /* existence changed, once */
}

static void test_streams(void **state)
{
	(void)state;
	expect(POINTS_PERSIST, "nnn.", "0001b");     /* a sequence is one point; nothing was stored before it */
	expect(POINTS_PERSIST, "snN.", "0102c");     /* before the first of the sequence */
	expect(POINTS_PERSIST, "sn.n.", "012c2d");   /* a second sequence, with nothing new before it */
	expect(POINTS_PERSIST, "sn.sn.", "012012c"); /* and with something new */
	expect(POINTS_PERSIST, "n2n.", "012c");      /* each thread has its own sequence */
}

static void test_stores(void **state)
{
	(void)state;
	expect(POINTS_STORE, "sf.", "010b");
	expect(POINTS_STORE, "ssS", "0123");
	expect(POINTS_STORE, "ss", "012");
	expect(POINTS_STORE, "sfs", "0102");
}

static void test_counts(void **state)
{
	struct points *points;
	char text[64];

	(void)state;
	points_text(POINTS_PERSIST, "sfsfs.sf", text, &points);
	assert_int_equal(points_unique(points), 2);
	assert_int_equal(points_visited(points), 4);
	assert_int_equal(points_get(points, 1)->visits, 3);
	assert_int_equal(points_get(points, 1)->first, 2);
	assert_int_equal(points_get(points, 1)->last, 8);
	assert_int_equal(points_get(points, 1)->context, 6);
	assert_int_equal(points_get(points, 1)->op, OP_CLWB);
	assert_int_equal(points_get(points, 2)->op, OP_SFENCE);
	points_free(points);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_persist),
		cmocka_unit_test(test_streams),
		cmocka_unit_test(test_stores),
		cmocka_unit_test(test_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
