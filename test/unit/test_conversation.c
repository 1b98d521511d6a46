/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_conversation.c - what is overheard of a client, how it is kept, and how its messages are varied. */
#include <arpa/inet.h>
#include <string.h>
#include <unistd.h>

#include "builder.h"
#include "scratch.h"
#include "search/conversation.h"
#include "search/vary.h"

/* ---- addresses ---- */

static void expect_address(const char *text, const char *other)
{
	struct server_address address, taken;
	char printed[SERVER_ADDRESS_TEXT];

	assert_true(server_address_parse(&address, text));
	server_address_text(&address, printed);
	assert_string_equal(printed, text);
	assert_true(server_address_take(&taken, &address.any, address.size));
	server_address_text(&taken, printed);
	assert_string_equal(printed, text);
	assert_false(server_address_parse(&address, other));
}

static void test_addresses(void **state)
{
	struct server_address address;
	struct sockaddr_un nameless = {.sun_family = AF_UNIX};

	(void)state;
	expect_address("tcp:127.0.0.1:8000", "tcp:127.0.0.1:0");
	expect_address("tcp:[::1]:65535", "tcp:[::1]:65536");
	expect_address("unix:/run/a b", "unix:");
	expect_address("unix:@name", "unix:@");
	assert_false(server_address_parse(&address, "tcp:8000"));
	assert_false(server_address_parse(&address, "tcp:host:1x"));
	assert_false(server_address_parse(&address, "udp:127.0.0.1:8000"));
	assert_false(server_address_take(&address, &nameless, sizeof(nameless.sun_family)));
	assert_true(server_address_parse(&address, "unix:dir/socket"));
	assert_string_equal(server_address_path(&address), "dir/socket");
	assert_true(server_address_parse(&address, "unix:@dir/socket"));
	assert_null(server_address_path(&address));
}

/* ---- overhearing ---- */

enum { PROBE = 1, FIRST, SECOND, DATAGRAMS };

static void put_accepted(struct builder *b, uint64_t source)
{
	struct server_address address;

	assert_true(server_address_parse(&address, "tcp:127.0.0.1:8000"));
	builder_put(b, BO_OP_CONVERSATION, source, BO_CONVERSATION_ACCEPTED, BUILDER_P(&address.any), address.size);
}

/* A call that asked for so many bytes got these. */
static void put_received(struct builder *b, uint64_t source, const char *bytes, uint64_t asked)
{
	uint64_t got = strlen(bytes);

	if (got)
		builder_put(b, BO_OP_CONVERSATION, source, BO_CONVERSATION_RECEIVED, BUILDER_P(bytes), got);
	builder_put(b, BO_OP_INPUT, 1, source, 0, asked, got);
}

static void put_sent(struct builder *b, uint64_t source)
{
	builder_put(b, BO_OP_CONVERSATION, source, BO_CONVERSATION_SENT, BUILDER_P(""), 0);
}

static void recording_make(const char *dir)
{
	static const char *const names[] = {"1", "2", "3", "4"};
	struct builder b;

	builder_start(&b, 0, BO_LAYER_INPUTS);
	builder_put(&b, BO_OP_DEF_MODULE, 0x400000, 0x2000, 0, 1, 1, BUILDER_P("/bin/server"));
	builder_put(&b, BO_OP_DEF_CONTEXT, 0, 1, 0x100);
	for (size_t i = 0; i < 4; i++)
		builder_put(&b, BO_OP_DEF_SOURCE, BO_SOURCE_SOCKET, BUILDER_P(names[i]));
	put_accepted(&b, PROBE);
	put_received(&b, PROBE, "", 8);
	put_accepted(&b, FIRST);
	put_sent(&b, FIRST); /* a greeting */
	put_received(&b, FIRST, "ab", 2);
	put_received(&b, FIRST, "cd", 2); /* the server may have got more, and has not answered */
	put_sent(&b, FIRST);
	put_accepted(&b, SECOND);
	put_received(&b, SECOND, "x", 8); /* that was all */
	put_received(&b, FIRST, "ef", 2);
	put_received(&b, SECOND, "yz", 8);
	put_received(&b, SECOND, "", 8);
	put_received(&b, DATAGRAMS, "!", 8); /* nobody can connect to it */
	builder_end(&b, BO_CHUNK_RAW);
	builder_write(&b, dir);
}

static void file_take(const char *dir, char *text, size_t size)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/" CONVERSATION_FILE, dir);
	file = fopen(path, "r");
	assert_non_null(file);
	text[fread(text, 1, size - 1, file)] = 0;
	fclose(file);
}

/* The steps without the spare messages, which are the last of their connections. */
static void expect_steps(const char *dir, const char *const *expected, unsigned spare_from)
{
	char text[4096], *line, *rest = text;
	unsigned message, connection;

	file_take(dir, text, sizeof(text));
	while ((line = strsep(&rest, "\n")) && *line) {
		const char *dot = strchr(line, '.');

		if (*line != 'c' && dot && sscanf(strchr(line, ' '), "%u.%u", &connection, &message) == 2 &&
		    message >= spare_from)
			continue;
		assert_non_null(*expected);
		assert_string_equal(line, *expected++);
	}
	assert_null(*expected);
}

static const char *const steps[] = {"connect 1 tcp:127.0.0.1:8000",
				    "ask 1.1",
				    "connect 2 tcp:127.0.0.1:8000",
				    "send 2.1",
				    "send 1.2",
				    "send 2.2",
				    "close 2",
				    "close 1",
				    NULL};

static void expect_bytes(const struct input *seed, const struct input_sources *sources, const char *name,
			 const char *bytes)
{
	size_t i = 0;

	while (i < sources->count && strcmp(sources->at[i].name, name) != 0)
		i++;
	assert_in_range(i, 0, sources->count - 1);
	assert_int_equal(seed->of[i].size, strlen(bytes));
	assert_memory_equal(seed->of[i].at, bytes, strlen(bytes));
}

static void test_overhear(void **state)
{
	struct conversation talk = {0}, again = {0};
	struct input_sources sources = {0};
	struct input seed = {0};
	struct err err;

	recording_make(*state);
	assert_int_equal(conversation_overhear(&talk, *state, &err), 0);
	assert_int_equal(talk.connections, 2);
	assert_int_equal(conversation_write(&talk, *state, &err), 0);
	expect_steps(*state, steps, 3);
	assert_int_equal(conversation_read(&again, *state, &err), 0);
	assert_int_equal(conversation_write(&again, *state, &err), 0);
	expect_steps(*state, steps, 3);

	conversation_add_sources(&talk, &sources, &seed);
	assert_int_equal(sources.count, 4 + 2 * 8);
	expect_bytes(&seed, &sources, "socket1.1", "abcd");
	expect_bytes(&seed, &sources, "socket1.2", "ef");
	expect_bytes(&seed, &sources, "socket2.1", "x");
	expect_bytes(&seed, &sources, "socket2.2", "yz");
	expect_bytes(&seed, &sources, "socket2.10", "");
	input_free(&seed);
	input_sources_free(&sources);
	conversation_free(&talk);
	conversation_free(&again);
}

static void expect_refused(const char *dir, const char *text)
{
	struct conversation talk = {0};
	char path[PATH_MAX];
	struct err err;
	FILE *file;

	snprintf(path, sizeof(path), "%s/" CONVERSATION_FILE, dir);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	assert_int_equal(conversation_read(&talk, dir, &err), -1);
	assert_non_null(strstr(err.sentence, "is damaged at line"));
	conversation_free(&talk);
}

static void test_damage(void **state)
{
	struct conversation talk = {0};
	struct err err;

	expect_refused(*state, "connect 2 tcp:127.0.0.1:8000\n");
	expect_refused(*state, "connect 1 tcp:8000\n");
	expect_refused(*state, "connect 1\n");
	expect_refused(*state, "close 1\n");
	expect_refused(*state, "connect 1 unix:a\nask 1\n");
	expect_refused(*state, "connect 1 unix:a\nask 1.0\n");
	expect_refused(*state, "connect 1 unix:a\nask 2.1\n");
	expect_refused(*state, "connect 1 unix:a\nsend 1.1 \n");
	expect_refused(*state, "connect 1 unix:a\nclose 1.1\n");
	expect_refused(*state, "connect 1 unix:a\nshout 1.1\n");
	expect_refused(*state, "\n");
	assert_int_equal(conversation_read(&talk, "/nonexistent", &err), -1);
}

/* Executions do not share what is in a private directory. */
static void test_shared_path(void **state)
{
	struct conversation talk = {0};
	struct start *start = start_new();
	struct conversation_step step = {.kind = TALK_CONNECT, .connection = 1};
	char text[PATH_MAX + 16], dir[PATH_MAX];

	assert_non_null(realpath(*state, dir));
	snprintf(text, sizeof(text), "unix:%s/socket", dir);
	assert_true(server_address_parse(&step.address, "tcp:127.0.0.1:8000"));
	vec_push(&talk.steps, step);
	assert_true(server_address_parse(&step.address, text));
	vec_push(&talk.steps, step);
	assert_string_equal(conversation_shared_path(&talk, start), text + strlen("unix:"));
	start_add_dir(start, dir);
	assert_null(conversation_shared_path(&talk, start));
	start_free(start);
	conversation_free(&talk);
}

/* ---- varying ---- */

/* Messages of connections 1, 2, 1, 1. */
static const struct input_sources some = {.at = {{.kind = BO_SOURCE_SOCKET, .number = 1, .name = "socket1.1"},
						 {.kind = BO_SOURCE_SOCKET, .number = 2, .name = "socket2.1"},
						 {.kind = BO_SOURCE_SOCKET, .number = 1, .name = "socket1.2"},
						 {.kind = BO_SOURCE_SOCKET, .number = 1, .name = "socket1.3"}},
					  .count = 4};

static void expect_messages(struct input input, const char *first, const char *other, const char *second,
			    const char *third)
{
	expect_bytes(&input, &some, "socket1.1", first);
	expect_bytes(&input, &some, "socket2.1", other);
	expect_bytes(&input, &some, "socket1.2", second);
	expect_bytes(&input, &some, "socket1.3", third);
	input_free(&input);
}

static void test_vary(void **state)
{
	struct input input = {0}, other = {0};

	(void)state;
	input_set(&input, 0, "ab", 2);
	input_set(&input, 1, "x", 1);
	input_set(&input, 2, "cde", 3);
	input_set(&input, 3, "", 0);
	expect_messages(vary_message(&input, &some, 3, 0), "ab", "x", "cde", "cde");
	expect_messages(vary_message(&input, &some, 3, 1), "ab", "x", "cde", "ab");
	input_set(&other, 0, "ab", 2);
	input_set(&other, 1, "y", 1);
	input_set(&other, 2, "hi", 2);
	expect_messages(vary_join(&input, &other, &some, 3, 4096), "ab", "x", "cde", "hi");
	input_set(&other, 0, "g", 1);
	expect_messages(vary_join(&input, &other, &some, 3, 4096), "ab", "x", "cde", "g");
	input_free(&other);
	expect_messages(vary_without_message(&input, &some, 0), "cde", "x", "", "");
	expect_messages(vary_without_message(&input, &some, 1), "ab", "", "cde", "");
	expect_messages(vary_without_message(&input, &some, 2), "ab", "x", "", "");
	input_free(&input);
}

/* A message that has no file has no bytes, unless none has one. */
static void test_files(void **state)
{
	struct input input = {0}, read = {0}, otherwise = {0};
	struct err err;

	for (size_t i = 0; i < 4; i++)
		input_set(&otherwise, i, "o", 1);
	assert_int_equal(input_read(&read, &some, *state, &otherwise, &err), 0);
	expect_messages(read, "o", "o", "o", "o");
	input_set(&input, 2, "c", 1);
	assert_int_equal(input_write(&input, &some, *state, &err), 0);
	read = (struct input){0};
	assert_int_equal(input_read(&read, &some, *state, &otherwise, &err), 0);
	expect_messages(read, "", "", "c", "");
	input_free(&input);
	input_free(&otherwise);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses), scratch_test(test_overhear), scratch_test(test_damage),
		scratch_test(test_shared_path),   cmocka_unit_test(test_vary), scratch_test(test_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
