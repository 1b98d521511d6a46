// SPDX-License-Identifier: GPL-2.0-or-later
// rude.c - a plug-in that misbehaves: RUDE=ACT:CALLBACK says how and where, the first time that it is called there.
// RUDE_MARK is a file that is made before it sleeps.  CALLBACK may also be `load-time` (a constructor) or `entry`.  Before that it reports each store that it is told of.

#include <blackout/oracle.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct blackout *blackout; // as soon as there is one
static volatile int sink;
static volatile int *volatile nowhere = (volatile int *)8;

static int overflow(int depth)
{
	volatile char block[4096];

	block[depth % 4096] = (char)depth;
	return sink < 0 ? 0 : overflow(depth + 1) + block[0];
}

// Write random bytes to all memory that is shared with other processes.
static void scribble(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[1000];
	unsigned long start, end;

	srand(getenv("RUDE_SEED") ? atoi(getenv("RUDE_SEED")) : 1);
	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, "rw-s") && sscanf(line, "%lx-%lx", &start, &end) == 2)
			for (unsigned char *p = (unsigned char *)start; p < (unsigned char *)end; p++)
				if (rand() % 16 == 0)
					*p = (unsigned char)rand();
}

static void report(uint32_t place, uint32_t kind, const char *message)
{
	struct blackout_report r = {.place = place, .kind = kind, .message = message, .fix = message};

	blackout->report(blackout, &r);
}

static void reports_million(int places)
{
	for (uint32_t i = 0; i < 1000000; i++) {
		struct blackout_report r = {.place = 1, .message = "again", .related_count = places ? 1 : 0};

		r.related[0].place = places ? i : 0;
		blackout->report(blackout, &r);
	}
}

static void reports_odd(void)
{
	struct blackout_report many = {.place = 1, .message = "many", .related_count = 1000000};
	struct blackout_report role = {.place = 1, .message = "role", .related_count = 1, .related = {{77, 1}}};
	struct blackout_report file = {.place = 3, .message = "file", .file = 12345};
	char *endless = malloc(10 << 20);

	memset(endless, 'x', 10 << 20);
	endless[(10 << 20) - 1] = 0;
	report(1, 99, "a kind that does not exist");
	report(4000000000u, 0, "a place that does not exist");
	report(0, 0, "odd text: %s%n {nonsense} { {{here} \x01\x1b[31m \xff\xfe }");
	report(1, 0, NULL);
	report(2, 0, endless);
	blackout->report(blackout, &many);
	blackout->report(blackout, &role);
	blackout->report(blackout, &file);
}

static void leak(void)
{
	for (char *block; (block = malloc(1 << 20));)
		memset(block, 1, 1 << 20);
}

static void act(const char *where)
{
	const char *wanted = getenv("RUDE") ? getenv("RUDE") : "";
	const char *colon = strchr(wanted, ':');
	size_t length = colon ? (size_t)(colon - wanted) : 0;

	if (!colon || strcmp(colon + 1, where))
		return;
#define IS(word) (length == strlen(word) && !memcmp(wanted, word, length))
	if (IS("crash"))
		*nowhere = sink;
	if (IS("abort"))
		abort();
	if (IS("kill"))
		kill(getpid(), SIGKILL);
	if (IS("overflow"))
		sink = overflow(0);
	if (IS("loop"))
		for (;;)
			sink++;
	if (IS("sleep")) {
		sigset_t all;

		if (getenv("RUDE_MARK"))
			fclose(fopen(getenv("RUDE_MARK"), "w"));
		sigfillset(&all);
		sigprocmask(SIG_BLOCK, &all, NULL);
		for (;;)
			pause();
	}
	if (IS("leak")) {
		leak();
		*nowhere = sink;
	}
	if (IS("full")) // and goes on
		leak();
	if (IS("exit"))
		exit(3);
	if (IS("exit0"))
		exit(0);
	if (IS("print")) {
		printf("rude: this is printed\n");
		fflush(stdout);
		if (write(1, "rude: and this\n", 15) != 15)
			abort();
	}
	if (IS("close"))
		for (int fd = 0; fd < 1024; fd++)
			close(fd);
	if (IS("fork") && fork() == 0)
		for (;;)
			pause();
	if (IS("million"))
		reports_million(0);
	if (IS("places"))
		reports_million(1);
	if (IS("odd"))
		reports_odd();
	if (IS("scribble"))
		scribble();
}

__attribute__((constructor)) static void on_load_time(void)
{
	act("load-time");
}

static void on_begin(struct blackout *b)
{
	blackout = b;
	act("begin");
}

static void on_store(struct blackout *b, const struct blackout_event *ev)
{
	b->report(b, &(struct blackout_report){.place = ev->place,
					       .message = "a store",
					       .file = ev->file,
					       .offset = ev->offset,
					       .size = ev->size});
	act("store");
}

#define CALLBACK(name)                                                             \
	static void on_##name(struct blackout *b, const struct blackout_event *ev) \
	{                                                                          \
		(void)b, (void)ev;                                                 \
		act(#name);                                                        \
	}
CALLBACK(load)
CALLBACK(flush)
CALLBACK(fence)
CALLBACK(sync)
CALLBACK(call)
CALLBACK(operation)
CALLBACK(map)
CALLBACK(transaction)

static void on_end(struct blackout *b)
{
	(void)b;
	act("end");
}

static const struct blackout_kind kinds[] = {
	{"rude", "a rude plug-in reports every store", "manners", BLACKOUT_ERROR, NULL}};
static const char *const calls[] = {"work", NULL};

static const struct blackout_oracle oracle = {
	.version = BLACKOUT_ORACLE_VERSION,
	.name = "rude",
	.kinds = kinds,
	.kind_count = 1,
	.calls = calls,
	.begin = on_begin,
	.store = on_store,
	.load = on_load,
	.flush = on_flush,
	.fence = on_fence,
	.sync = on_sync,
	.call = on_call,
	.operation = on_operation,
	.map = on_map,
	.transaction = on_transaction,
	.end = on_end,
};

const struct blackout_oracle *blackout_oracle(void)
{
	act("entry");
	return &oracle;
}
