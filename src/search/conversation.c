/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conversation.c - see conversation.h. */
#include "search/conversation.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"
#include "trace/trace.h"

enum {
	MESSAGES_MOST = 96, /* in all; what comes later is part of the last one */
	MESSAGES_SPARE = 8, /* that a connection may have more */
	LINE_BYTES = 256
};

_Static_assert(MESSAGES_MOST + SOURCES_GIVEN_MAX <= SOURCES_MAX, "each message is a source");

static const char *const talks[] = {
#define X(name, text) text,
	TALKS(X)
#undef X
};

static bool is_message(const struct conversation_step *step)
{
	return step->kind == TALK_ASK || step->kind == TALK_SEND;
}

void conversation_free(struct conversation *talk)
{
	for (size_t i = 0; i < talk->steps.count; i++)
		free(talk->steps.at[i].bytes.at);
	vec_free(&talk->steps);
	*talk = (struct conversation){0};
}

/* ---- overhearing ---- */

/* A connection of the recording. */
struct overheard {
	bool counts;      /* its address is known */
	bool has_ended;   /* the client has closed it */
	bool is_answered; /* at least once */
	bool at_border;   /* the next bytes begin a message */
	size_t connect;   /* its step */
	size_t last;      /* step of its last message */
	unsigned messages;
};

struct hearing {
	struct conversation *talk;
	VEC_OF(struct overheard) sources; /* by source of the trace */
	unsigned messages;                /* of all connections */
};

static void accepted_take(struct hearing *h, struct overheard *o, const struct event *ev)
{
	struct conversation_step step = {.kind = TALK_CONNECT};

	o->counts = server_address_take(&step.address, ev->data, ev->size);
	if (!o->counts)
		return;
	o->connect = h->talk->steps.count;
	o->at_border = true;
	step.connection = ++h->talk->connections;
	vec_push(&h->talk->steps, step);
}

static void message_begin(struct hearing *h, struct overheard *o)
{
	struct conversation_step step = {
		.kind = TALK_SEND,
		.connection = h->talk->steps.at[o->connect].connection,
		.message = ++o->messages,
	};

	h->messages++;
	o->last = h->talk->steps.count;
	o->at_border = false;
	vec_push(&h->talk->steps, step);
}

static void received_take(struct hearing *h, struct overheard *o, const struct event *ev)
{
	struct input_bytes *bytes;

	if (!o->counts || !ev->size || (!o->messages && h->messages >= MESSAGES_MOST))
		return;
	if (o->at_border && h->messages < MESSAGES_MOST)
		message_begin(h, o);
	bytes = &h->talk->steps.at[o->last].bytes;
	bytes->at = realloc(bytes->at, bytes->size + ev->size);
	BUG_ON(!bytes->at);
	memcpy(bytes->at + bytes->size, ev->data, ev->size);
	bytes->size += ev->size;
}

static void sent_take(struct hearing *h, struct overheard *o)
{
	if (!o->messages) /* a greeting */
		return;
	o->is_answered = true;
	o->at_border = true;
	h->talk->steps.at[o->last].kind = TALK_ASK;
}

/* The call got less than it asked for: it took all that had come. */
static void input_take(struct hearing *h, struct overheard *o, const struct event *ev)
{
	const struct conversation_step step = {.kind = TALK_CLOSE,
					       .connection = h->talk->steps.at[o->connect].connection};

	if (ev->size < ev->value)
		o->at_border = true;
	if (ev->size || !ev->value || o->has_ended)
		return;
	o->has_ended = true;
	vec_push(&h->talk->steps, step);
}

static void event_take(struct hearing *h, const struct event *ev)
{
	struct overheard *o;

	if (ev->type != EVENT_CONVERSATION && ev->type != EVENT_INPUT)
		return;
	while (h->sources.count <= ev->source)
		vec_push(&h->sources, (struct overheard){0});
	o = &h->sources.at[ev->source];
	if (ev->type == EVENT_CONVERSATION && ev->flags == BO_CONVERSATION_ACCEPTED)
		accepted_take(h, o, ev);
	else if (!o->counts)
		return;
	else if (ev->type == EVENT_INPUT)
		input_take(h, o, ev);
	else if (ev->flags == BO_CONVERSATION_RECEIVED)
		received_take(h, o, ev);
	else
		sent_take(h, o);
}

/* ---- what is made of it ---- */

/* A connection with messages gets room for more; where they are answered, these are, too. */
static void spare_add(struct conversation *to, struct hearing *h, const struct overheard *o, unsigned connection)
{
	for (unsigned i = 1; i <= MESSAGES_SPARE && h->messages < MESSAGES_MOST; i++, h->messages++) {
		const struct conversation_step step = {
			.kind = o->is_answered ? TALK_ASK : TALK_SEND,
			.connection = connection,
			.message = o->messages + i,
		};

		vec_push(&to->steps, step);
	}
}

static void close_add(struct conversation *to, struct hearing *h, const struct overheard *o, unsigned connection)
{
	spare_add(to, h, o, connection);
	vec_push(&to->steps, ((struct conversation_step){.kind = TALK_CLOSE, .connection = connection}));
}

/* The connection of the recording that has this number. */
static struct overheard *overheard_find(const struct hearing *h, unsigned connection)
{
	for (size_t i = 0; i < h->sources.count; i++)
		if (h->sources.at[i].counts && h->talk->steps.at[h->sources.at[i].connect].connection == connection)
			return &h->sources.at[i];
	BUG_ON(true);
}

/* Numbers count the connections that matter; each is closed at the end. */
static struct conversation overheard_finish(struct hearing *h)
{
	struct conversation result = {0};
	unsigned *numbers = mem_alloc((h->talk->connections + 1) * sizeof(*numbers));

	for (size_t i = 0; i < h->talk->steps.count; i++) {
		struct conversation_step step = h->talk->steps.at[i];
		const struct overheard *o = overheard_find(h, step.connection);

		if (!o->messages)
			continue;
		if (step.kind == TALK_CONNECT)
			numbers[step.connection] = ++result.connections;
		step.connection = numbers[step.connection];
		h->talk->steps.at[i].bytes = (struct input_bytes){0};
		if (step.kind == TALK_CLOSE)
			close_add(&result, h, o, step.connection);
		else
			vec_push(&result.steps, step);
	}
	for (size_t i = 0; i < h->sources.count; i++) {
		const struct overheard *o = &h->sources.at[i];

		if (o->counts && o->messages && !o->has_ended)
			close_add(&result, h, o, numbers[h->talk->steps.at[o->connect].connection]);
	}
	free(numbers);
	return result;
}

int conversation_overhear(struct conversation *talk, const char *recording, struct err *err)
{
	struct conversation all = {0};
	struct hearing h = {.talk = &all};
	struct trace *trace;
	struct event ev;
	int more;

	if (trace_open(&trace, recording, err) < 0)
		return -1;
	while ((more = trace_next(trace, &ev, err)) > 0)
		event_take(&h, &ev);
	trace_close(trace);
	if (more == 0)
		*talk = overheard_finish(&h);
	conversation_free(&all);
	vec_free(&h.sources);
	return more;
}

/* ---- as a file ---- */

static void step_print(FILE *out, const struct conversation_step *step)
{
	char text[SERVER_ADDRESS_TEXT];

	fprintf(out, "%s %u", talks[step->kind], step->connection);
	if (step->kind == TALK_CONNECT) {
		server_address_text(&step->address, text);
		fprintf(out, " %s", text);
	} else if (is_message(step)) {
		fprintf(out, ".%u", step->message);
	}
	fputc('\n', out);
}

int conversation_write(const struct conversation *talk, const char *dir, struct err *err)
{
	char path[PATH_MAX];
	FILE *out;
	bool failed;

	if (path_make(path, sizeof(path), err, "%s/" CONVERSATION_FILE, dir) < 0)
		return -1;
	out = fopen(path, "we");
	if (!out)
		return err_sys(err, "cannot write %s", path);
	for (size_t i = 0; i < talk->steps.count; i++)
		step_print(out, &talk->steps.at[i]);
	failed = fflush(out) || ferror(out);
	failed |= fclose(out) != 0;
	return failed ? err_sys(err, "cannot write %s", path) : 0;
}

/* A number from 1 to `most`, which ends with `end`. */
static bool number_take(char **text, unsigned most, char end, unsigned *number)
{
	size_t digits = strspn(*text, "0123456789");
	unsigned long value = digits && digits < 6 ? strtoul(*text, NULL, 10) : 0;

	if (!value || value > most || (*text)[digits] != end)
		return false;
	*number = (unsigned)value;
	*text += digits + (end != 0);
	return true;
}

static bool step_parse(const struct conversation *talk, char *line, struct conversation_step *step)
{
	char *text = strchr(line, ' ');

	*step = (struct conversation_step){0};
	if (!text)
		return false;
	*text++ = 0;
	while (step->kind < TALK_COUNT && strcmp(line, talks[step->kind]) != 0)
		step->kind++;
	if (step->kind == TALK_CONNECT)
		return number_take(&text, MESSAGES_MOST, ' ', &step->connection) &&
		       step->connection == talk->connections + 1 && server_address_parse(&step->address, text);
	if (step->kind == TALK_CLOSE)
		return number_take(&text, talk->connections, 0, &step->connection);
	return step->kind < TALK_COUNT && number_take(&text, talk->connections, '.', &step->connection) &&
	       number_take(&text, MESSAGES_MOST, 0, &step->message);
}

int conversation_read(struct conversation *talk, const char *dir, struct err *err)
{
	char path[PATH_MAX], line[LINE_BYTES];
	struct conversation_step step;
	unsigned number = 0;
	int result = 0;
	FILE *file;

	if (path_make(path, sizeof(path), err, "%s/" CONVERSATION_FILE, dir) < 0)
		return -1;
	file = fopen(path, "re");
	if (!file)
		return err_sys(err, "cannot read %s", path);
	while (result == 0 && fgets(line, sizeof(line), file)) {
		number++;
		line[strcspn(line, "\n")] = 0;
		if (talk->steps.count > 4 * MESSAGES_MOST || !step_parse(talk, line, &step)) {
			result = err_set(err, "%s is damaged at line %u", path, number);
			break;
		}
		talk->connections += step.kind == TALK_CONNECT;
		vec_push(&talk->steps, step);
	}
	fclose(file);
	return result;
}

/* ---- sources ---- */

void conversation_source_name(const struct conversation_step *step, char name[INPUT_NAME_MAX])
{
	snprintf(name, INPUT_NAME_MAX, SOCKET_WORD "%u.%u", step->connection, step->message);
}

void conversation_add_sources(const struct conversation *talk, struct input_sources *sources, struct input *seed)
{
	char name[INPUT_NAME_MAX];

	for (size_t i = 0; i < talk->steps.count; i++) {
		const struct conversation_step *step = &talk->steps.at[i];
		struct input_source source = {.kind = BO_SOURCE_SOCKET, .number = step->connection};

		if (!is_message(step) || sources->count == SOURCES_MAX)
			continue;
		conversation_source_name(step, name);
		source.name = strdup(name);
		BUG_ON(!source.name);
		input_set(seed, sources->count, step->bytes.at, step->bytes.size);
		sources->at[sources->count++] = source;
	}
}

static bool directory_is_private(const struct start *start, const char *path)
{
	const struct origin *origin = start_origin(start);
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX] = ".", real[PATH_MAX];

	if (slash && !path_format(dir, sizeof(dir), "%.*s", (int)(slash - path), path))
		return false;
	if (!realpath(dir, real))
		return false;
	for (size_t i = 0; i < origin_dir_count(origin); i++)
		if (!strcmp(origin_dir(origin, i), real))
			return true;
	return false;
}

const char *conversation_shared_path(const struct conversation *talk, const struct start *start)
{
	for (size_t i = 0; i < talk->steps.count; i++) {
		const struct conversation_step *step = &talk->steps.at[i];
		const char *path = step->kind == TALK_CONNECT ? server_address_path(&step->address) : NULL;

		if (path && !directory_is_private(start, path))
			return path;
	}
	return NULL;
}
