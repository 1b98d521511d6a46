/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of recovery that need no process: commands, outcomes, output, stacks, names.  Runs are tested in
 * e2e/recovery_*.test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/recovery_in.h"
#include "run/recovery_output.h"
#include "run/service.h"
#include "run/shell.h"

static void test_simple(void **state)
{
	static const char *const commands[][2] = {
		{"/bin/kv check pool", "exec /bin/kv check pool"},
		{"  cat pool", "  exec cat pool"},
		{"cat 'a b' \"c d\"", "exec cat 'a b' \"c d\""},
		{"cat pool >out 2>&1 </dev/null", "exec cat pool >out 2>&1 </dev/null"},
		{"./kv 'a;b|c&d' a\\;b \"x\\\"y\"", "exec ./kv 'a;b|c&d' a\\;b \"x\\\"y\""},
		{"$HOME/kv $POOL", "exec $HOME/kv $POOL"},
		{"$KV pool", "exec $KV pool"},
		{"'/a b/kv' check 'pool'", "exec '/a b/kv' check 'pool'"},
		{"\"$DIR/kv\" check", "exec \"$DIR/kv\" check"},
		{"X=1 Y='a b' ./kv pool", "X=1 Y='a b' exec ./kv pool"},
	};
	static const char *const joined[] = {
		"",
		"a; b",
		"/bin/kv; exit $?",
		"./kv && ./kv",
		"./kv | cat",
		"./kv &",
		"(./kv)",
		"./kv `id`",
		"./kv $(id)",
		"./kv \"$(id)\"",
		"cd /",
		"exit 3",
		"./kv 'open",
		"./kv\n./kv",
		"X=1",
		"if ./kv; then true; fi",
		">out ./kv pool",
		"./kv \\",
		"./kv # x; y",
		"nothing-like-this pool",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		char *text = shell_command(commands[i][0]);
		assert_string_equal(text, commands[i][1]);
		free(text);
	}
	for (size_t i = 0; i < sizeof(joined) / sizeof(*joined); i++) {
		char *text = shell_command(joined[i]);
		assert_string_equal(text, joined[i]);
		free(text);
	}
}

/* Another program runs the one of a simple command. */
static void test_command_under(void **state)
{
	struct words words = {0};
	char *text;

	(void)state;
	words_add(&words, "/bin/valgrind");
	words_add(&words, "--out=it's here");
	text = shell_command_under("X=1 ./kv \"$Y\" 2>&1", &words);
	assert_string_equal(text, "X=1 exec '/bin/valgrind' '--out=it'\\''s here' ./kv \"$Y\" 2>&1");
	free(text);
	assert_null(shell_command_under("./kv && ./kv", &words));
	assert_null(shell_command_under("cd /", &words));
	words_free(&words);
}

static void test_command(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(shell_check("/bin/sh -c true", NULL, &err), 0);
	assert_int_equal(shell_check("./sh x", "/bin", &err), 0);
	assert_int_equal(shell_check("./anything x", NULL, &err), 0);
	assert_int_equal(shell_check("if anything; then else; fi", NULL, &err), 0);
	assert_int_equal(shell_check("(anything)", NULL, &err), 0);
	assert_int_equal(shell_check("$anything else", NULL, &err), 0);
	assert_int_equal(shell_check("X=1 '/bin/sh'; y", NULL, &err), 0);
	assert_int_equal(shell_check("anything-at-all; else", NULL, &err), -1);
	assert_int_equal(err.status, ERR_USAGE);
	assert_int_equal(shell_check("./sh x", "/nonexistent", &err), -1);
	assert_int_equal(err.status, ERR_USAGE);
	assert_int_equal(shell_check("./etc x", "/", &err), -1);
	assert_int_equal(err.status, ERR_USAGE);
	assert_int_equal(shell_check("/etc/passwd", NULL, &err), -1);
	assert_non_null(strstr(err.sentence, "/etc/passwd"));
	assert_int_equal(shell_check("  ", NULL, &err), -1);
	assert_int_equal(err.status, ERR_USAGE);
	assert_int_equal(shell_signal(128 + SIGSEGV), SIGSEGV);
	assert_int_equal(shell_signal(128 + SIGTERM), 0);
	assert_int_equal(shell_signal(3), 0);
}

static void describe(struct outcome outcome, const char *wanted)
{
	char text[64];

	ending_text(outcome.ending, text, sizeof(text));
	assert_string_equal(text, wanted);
	assert_true(ending_same(outcome.ending, outcome.ending));
}

static void test_outcome(void **state)
{
	struct outcome a = {.ending = {ENDING_EXIT, 3}, .out = {.text = strdup("x\0y"), .size = 1}}, b;

	(void)state;
	describe((struct outcome){.ending.kind = ENDING_EXIT}, "exit status 0");
	describe((struct outcome){.ending = {ENDING_EXIT, 3}}, "exit status 3");
	describe((struct outcome){.ending = {ENDING_SIGNAL, SIGSEGV}}, "SIGSEGV");
	describe((struct outcome){.ending = {ENDING_SIGNAL, SIGRTMIN}}, "signal 34");
	describe((struct outcome){.ending.kind = ENDING_TIMEOUT}, "did not end within the time limit");
	outcome_copy(&b, &a);
	assert_ptr_not_equal(a.out.text, b.out.text);
	assert_string_equal(b.out.text, "x");
	assert_null(b.err.text);
	assert_true(ending_same(a.ending, b.ending));
	b.ending.kind = ENDING_SIGNAL;
	assert_false(ending_same(a.ending, b.ending));
	outcome_free(&a);
	outcome_free(&b);
}

/* Print `size` bytes, byte n being n modulo 251, in pieces; the end must be kept. */
static void print(size_t size, size_t piece)
{
	static uint8_t bytes[3 * OUTCOME_TAIL];
	struct recovery_output output;

	assert_int_equal(recovery_output_open(&output), 0);
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(i % 251);
	for (size_t at = 0; at < size; at += piece) {
		size_t n = size - at < piece ? size - at : piece;
		assert_int_equal(write(output.write, bytes + at, n), n);
		recovery_output_pump(&output, at % 2);
	}
	recovery_output_pump(&output, true);
	struct tail tail = recovery_output_tail(&output);
	assert_int_equal(tail.size, size < OUTCOME_TAIL ? size : OUTCOME_TAIL);
	assert_int_equal(tail.cut, size > OUTCOME_TAIL);
	if (size)
		assert_memory_equal(tail.text, bytes + size - tail.size, tail.size);
	else
		assert_null(tail.text);
	free(tail.text);
	recovery_output_close(&output);
}

static void test_printed(void **state)
{
	static const size_t sizes[] = {0, 1, 100, 4095, 4096, 4097, 6000, 8192, 10001, 3 * OUTCOME_TAIL};
	static const size_t pieces[] = {1, 7, 1000, 4096, 5000, 3 * OUTCOME_TAIL};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		for (size_t k = 0; k < sizeof(pieces) / sizeof(*pieces); k++)
			print(sizes[i], pieces[k]);
}

static void frame(const char *line, const char *function, const char *file, unsigned number, const char *module)
{
	struct recovery_frame f;

	assert_true(recovery_frame_parse(&f, line));
	assert_string_equal(f.function, function);
	assert_string_equal(f.file, file);
	assert_int_equal(f.line, number);
	assert_string_equal(f.module, module);
}

static void test_frames(void **state)
{
	struct recovery_frame f;
	char line[2000];

	(void)state;
	frame("#0  crash (value=...) at /src/kv.c:65", "crash", "/src/kv.c", 65, "");
	frame("#12 0x00005555 in main (argc=..., argv=...) at /a b/kv.c:7", "main", "/a b/kv.c", 7, "");
	frame("#1  0x00007f12 in pmemobj_open () from /lib/libpmemobj.so.1", "pmemobj_open", "", 0,
	      "/lib/libpmemobj.so.1");
	frame("#2  0x00007f12 in ?? ()", "??", "", 0, "");
	frame("#3  <signal handler called>", "<signal handler called>", "", 0, "");
	frame("#4  (anonymous namespace)::f (x=...) at /x.cc:3", "(anonymous namespace)::f", "/x.cc", 3, "");
	frame("#5  a::(anonymous namespace)::f (x=...) at /x.cc:3", "a::(anonymous namespace)::f", "/x.cc", 3, "");
	assert_false(recovery_frame_parse(&f, ""));
	assert_false(recovery_frame_parse(&f, "No stack."));
	assert_false(recovery_frame_parse(&f, "#"));
	/* Long names are truncated, without writing out of bounds. */
	memset(line, 'x', sizeof(line) - 1);
	memcpy(line, "#0  ", 4);
	line[sizeof(line) - 1] = 0;
	assert_true(recovery_frame_parse(&f, line));
	assert_int_equal(strlen(f.function), sizeof(f.function) - 1);
}

static void test_modes(void **state)
{
	enum recovery_mode mode;

	(void)state;
	for (int i = 0; i < RECOVERY_MODES; i++) {
		assert_true(recovery_mode_find(recovery_mode_name((enum recovery_mode)i), &mode));
		assert_int_equal(mode, i);
	}
	assert_true(recovery_mode_find("fork-server", &mode) && mode == RECOVERY_FORK);
	assert_true(recovery_mode_find("in-place", &mode) && mode == RECOVERY_IN_PLACE);
	assert_false(recovery_mode_find("fork", &mode) || recovery_mode_find("", &mode) ||
		     recovery_mode_find("autos", &mode));
}

static void test_service(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(service_port("80"), 80);
	assert_int_equal(service_port("65535"), 65535);
	assert_int_equal(service_port("65536"), 0);
	assert_int_equal(service_port("0"), 0);
	assert_int_equal(service_port("80 x"), -1);
	assert_int_equal(service_port("./socket"), -1);
	assert_int_equal(service_port(NULL), -1);
	assert_int_equal(service_check(&(struct service){.client = "x"}, &err), 0);
	assert_int_equal(service_check(&(struct service){.client = "x", .ready = "./s"}, &err), 0);
	assert_int_equal(service_check(&(struct service){.client = "x", .ready = "99999"}, &err), -1);
	assert_int_equal(service_check(&(struct service){.client = "x", .ready = ""}, &err), -1);
	assert_int_equal(service_check(&(struct service){.client = ""}, &err), -1);
	assert_int_equal(err.status, ERR_USAGE);
}

static struct recovery_frame frame_at(const char *function, unsigned line)
{
	struct recovery_frame f = {.file = "/src/kv.c", .line = line};

	strcpy(f.function, function);
	return f;
}

/* For a recovery that hangs, only the frames that several samples have in common are reported. */
static void test_frames_common(void **state)
{
	struct recovery_frame frames[] = {frame_at("read_it", 3), frame_at("next", 20), frame_at("walk", 12),
					  frame_at("main", 50)};
	const struct recovery_frame others[] = {frame_at("walk", 11), frame_at("main", 50)};
	const struct recovery_frame elsewhere[] = {frame_at("walk", 11), frame_at("main", 51)};

	(void)state;
	assert_int_equal(recovery_frames_common(frames, 4, frames, 4), 4);
	assert_int_equal(recovery_frames_common(frames, 4, others, 2), 2);
	assert_string_equal(frames[0].function, "walk");
	assert_int_equal(frames[0].line, 11);
	assert_string_equal(frames[1].function, "main");
	assert_int_equal(recovery_frames_common(frames, 2, elsewhere, 2), 1);
	assert_string_equal(frames[0].function, "main");
	assert_int_equal(frames[0].line, 50);
	assert_int_equal(recovery_frames_common(frames, 1, elsewhere, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_simple),  cmocka_unit_test(test_command), cmocka_unit_test(test_command_under),
		cmocka_unit_test(test_outcome), cmocka_unit_test(test_printed), cmocka_unit_test(test_frames),
		cmocka_unit_test(test_modes),   cmocka_unit_test(test_service), cmocka_unit_test(test_frames_common),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
