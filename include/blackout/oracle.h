/* SPDX-License-Identifier: 0BSD */
/* oracle.h - write an oracle: a plug-in that checks the rules of your own program.
 *
 *     #include <blackout/oracle.h>
 *
 *     static void on_store(struct blackout *b, const struct blackout_event *ev)
 *     {
 *             if (ev->offset < 64 && ev->changes && !in_update)
 *                     b->report(b, &(struct blackout_report){.place = ev->place, .file = ev->file,
 *                                                            .offset = ev->offset, .size = ev->size,
 *                                                            .message = "the header changes outside of update()"});
 *     }
 *
 *     static const struct blackout_kind kinds[] = {{"header", "the header changes outside of update()", "ordering",
 *                                                   BLACKOUT_ERROR, NULL}};
 *     static const struct blackout_oracle oracle = {.version = BLACKOUT_ORACLE_VERSION, .name = "header",
 *                                                   .kinds = kinds, .kind_count = 1, .store = on_store};
 *
 *     const struct blackout_oracle *blackout_oracle(void)
 *     {
 *             return &oracle;
 *     }
 *
 *     $ cc -O2 -fPIC -shared header.c -o header.so
 *     $ blackout run --oracle ./header.so -- ./program pool
 *
 * Blackout loads the plug-in into a process of its own, one for each platform of --platform, and calls it with the events
 * of a recording, in the sequence in which they took effect.  The plug-in may ask what is on media and reports what is
 * wrong.  Its findings are of kind custom:NAME, and are grouped, counted, suppressed and printed like all others.
 * doc/HOWTO_WRITE_ORACLE.md walks through an example.
 *
 * If a plug-in crashes, ends the process, takes longer than --oracle-timeout in one callback, or needs more memory than
 * --oracle-memory, it is not called again, and the report says so.  What it reported until then is kept.  What it prints
 * goes to standard error.
 *
 * The header needs only <stddef.h> and <stdint.h>, in C and in C++, and a plug-in is linked with nothing of Blackout.
 * Strings and structs that a plug-in gets are valid until its callback returns, unless the comment says otherwise.
 * Strings that it gives are copied. */
#ifndef BLACKOUT_ORACLE_H
#define BLACKOUT_ORACLE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Structs only grow, at their ends, and then the version grows.  Blackout accepts plug-ins of its own version and of
 * earlier ones. */
#define BLACKOUT_ORACLE_VERSION 1

/* ---- kinds of finding ---- */

/* `error` is for what is certainly wrong; the exit status of Blackout depends on it (--fail-on). */
enum blackout_severity { BLACKOUT_ERROR, BLACKOUT_PERFORMANCE, BLACKOUT_WARNING };

struct blackout_kind {
	const char *name;  /* letters, digits, - _ and .; users see "custom:NAME" */
	const char *title; /* one line, without a full stop */
	const char *group; /* "durability", "ordering", ... or a word of your own; the "class" in findings.json */
	uint32_t severity; /* enum blackout_severity */
	const char *help;  /* Markdown for `blackout explain` and SARIF; NULL: the title */
};

/* ---- events ---- */

/* The field `what` of an event. */
enum blackout_what {
	/* store */
	BLACKOUT_STORE_PLAIN,
	BLACKOUT_STORE_NONTEMPORAL, /* past the cache: needs a fence, no flush */
	BLACKOUT_STORE_LOCKED,      /* by a locked instruction; the fence that this is comes before it */
	BLACKOUT_STORE_STRING,      /* by rep movs or rep stos */
	BLACKOUT_STORE_KERNEL,      /* by a system call that writes to mapped memory, such as read(2) */
	/* load */
	BLACKOUT_LOAD,
	/* flush */
	BLACKOUT_CLFLUSH,
	BLACKOUT_CLFLUSHOPT,
	BLACKOUT_CLWB,
	/* fence */
	BLACKOUT_SFENCE,
	BLACKOUT_MFENCE,
	BLACKOUT_LOCKED, /* a locked instruction, on PM or not */
	/* sync */
	BLACKOUT_MSYNC, /* of a range of a file */
	BLACKOUT_FSYNC, /* fsync, fdatasync, sync_file_range, syncfs or sync */
	/* call */
	BLACKOUT_CALL,
	BLACKOUT_RETURN,
	BLACKOUT_LEFT, /* by longjmp, by an exception, or by the end of the thread */
	/* operation */
	BLACKOUT_OPERATION_BEGIN,
	BLACKOUT_OPERATION_END,
	/* map */
	BLACKOUT_MAP,
	BLACKOUT_UNMAP,
	/* transaction of libpmemobj */
	BLACKOUT_TX_BEGIN,  /* its work stage begins */
	BLACKOUT_TX_ADD,    /* the range is added to it: pmemobj_tx_add_range and the like */
	BLACKOUT_TX_ALLOC,  /* the object is allocated in it; size 0: unknown */
	BLACKOUT_TX_FREE,   /* the object at this place is freed in it; the size is 0 */
	BLACKOUT_TX_COMMIT, /* its work stage ends: what it changed is about to be made durable */
	BLACKOUT_TX_ABORT,  /* its work stage ends: what it changed is about to be rolled back */
	BLACKOUT_TX_END
};

struct blackout_event {
	uint64_t number; /* counts all events from 1, as `blackout dump` does */
	uint32_t what;   /* enum blackout_what */
	uint32_t process, thread;
	/* Where in the program, with its callers: a number that may be kept, compared, reported and given to `stack`.
	 * Events of the same code, called in the same way, have the same place. 0: unknown. */
	uint32_t place;
	/* store, load, flush, msync, map: the PM file, and the place in it; file 0: not in a PM file, as for a flush of
	 * volatile memory.  fsync: the file, and the range; size 0: all of it. */
	uint32_t file;
	uint64_t offset, size;
	uint64_t address;      /* store, load, flush, msync, map */
	const uint8_t *data;   /* store: the `size` bytes that are stored */
	const uint8_t *before; /* store: the bytes that were there; zeros beyond the end of the file */
	/* store: it gives at least one byte another value. */
	uint32_t changes;
	/* transaction: 1 for the outermost one of the thread, 2 for one inside of it ...
	 * call: 1 for the outermost call of the functions of `calls` in this thread, 2 for a call inside of it ... */
	uint32_t depth;
	const char *function;      /* call: its name; of C++, demangled, with parameters; valid until the end */
	uint32_t pattern;          /* call: index of the first of `calls` that matches it */
	const uint64_t *arguments; /* CALL: six integer arguments, rdi to r9; the rest is arbitrary if it has fewer */
	uint64_t result;           /* RETURN: rax */
	/* operation (--ops): its index from 0, and for OPERATION_BEGIN its text, or NULL. */
	uint64_t index;
	const char *text;
	uint64_t flags; /* transaction: flags of the call, such as POBJ_XADD_NO_FLUSH */
};

/* ---- what a plug-in may ask ---- */

struct blackout_range {
	uint32_t file;
	uint64_t offset, size;
};

/* Why a store is not certain to be on media. */
enum blackout_pending {
	BLACKOUT_NOT_FLUSHED,
	BLACKOUT_NOT_FENCED, /* flushed or nontemporal; the thread has not fenced since */
	BLACKOUT_NOT_SYNCED, /* written by write(2) or a similar call: needs fsync or msync */
	/* Covered by a CLFLUSH: on media before anything that is stored later, but perhaps not yet. */
	BLACKOUT_NOT_DONE
};

/* Bytes that a crash may lose, all stored by one event. */
struct blackout_store {
	uint64_t number; /* of the event */
	uint64_t offset, size;
	uint32_t place, thread;
	uint32_t why; /* enum blackout_pending */
};

/* A function of a stack.  Unknown texts are NULL, and an unknown line is 0.  The texts are valid until the end. */
struct blackout_frame {
	const char *function;
	const char *file; /* base name of the source */
	const char *path; /* of the source, as the compiler saw it */
	uint32_t line;
	const char *module;     /* base name of the program or library */
	uint64_t module_offset; /* of the instruction in the module's file */
};

/* What a store stores to, as the program's author would write it.  The texts are valid until the end. */
struct blackout_variable {
	const char *name;      /* "node->count"; an index that varies is left out: "node->items[].key" */
	const char *type;      /* that has the member: "struct node"; NULL: unknown, or it is no member */
	uint64_t offset, size; /* of the member in its type; size 0: unknown */
};

enum blackout_role {
	BLACKOUT_ROLE_STORE,
	BLACKOUT_ROLE_FLUSH,
	BLACKOUT_ROLE_FENCE,
	BLACKOUT_ROLE_LOAD,
	BLACKOUT_ROLE_GUARD
};

#define BLACKOUT_RELATED_MAX 3

struct blackout_report {
	uint32_t kind;  /* index into `kinds` */
	uint32_t place; /* which code is wrong */
	/* One sentence without a full stop.  If the same place, with the same related places, is reported again, it is only
	 * counted, and the first message counts.  These words are replaced: {here}, {store}, {flush}, {fence}, {load},
	 * {guard} by the place of the finding and of the first related place of that role; {bytes}, {pool} and {offset} by
	 * what is below. {{ is a brace.  A text with other words in braces is printed as it is. */
	const char *message;
	const char *fix; /* one sentence; NULL: none */
	/* The bytes of PM that it is about; file 0: none. */
	uint32_t file;
	uint64_t offset, size;
	/* Other places that the reader needs. */
	uint32_t related_count;
	struct {
		uint32_t role; /* enum blackout_role */
		uint32_t place;
	} related[BLACKOUT_RELATED_MAX];
};

/* Given to every callback.  The questions refer to the moment just after the event of the callback, and, at the end, to
 * the end of the recording.  They look at bytes as the program sees them, that is, at the newest store on each byte. */
struct blackout {
	uint32_t version;     /* of Blackout's side: at least the plug-in's */
	const char *platform; /* "adr", "eadr": the answers are for this one */
	void *state;          /* the plug-in's own; NULL at first */

	/* Reports a mistake. */
	void (*report)(struct blackout *b, const struct blackout_report *report);

	/* Returns 1 if all bytes of the range survive a crash now, and 0 if at least one may be lost. */
	int (*certain)(struct blackout *b, uint32_t file, uint64_t offset, uint64_t size);

	/* Stores to the range that a crash now may lose, sorted by offset.  Returns how many there are, and fills at most
	 * `room` of them; `stores` may be NULL if that is 0. */
	size_t (*pending)(struct blackout *b, uint32_t file, uint64_t offset, uint64_t size,
			  struct blackout_store *stores, size_t room);

	/* Returns 1 if all of `first` is on media whenever all of `second` is, no matter when a crash comes from now on,
	 * as long as the program does nothing more; 0 if a crash now can leave `second` without a part of `first`.  Stores
	 * to one cache line are ordered, for example, without any flush. */
	int (*ordered)(struct blackout *b, const struct blackout_range *first, const struct blackout_range *second);

	/* Copies what is stored there now, as the program sees it.  Returns the number of bytes, which is less than `size`
	 * if the file ends before. */
	size_t (*read)(struct blackout *b, uint32_t file, uint64_t offset, void *buffer, size_t size);

	/* Which byte of a PM file is mapped at this address of the process, such as an argument of a call?  Returns 0 if
	 * none is. */
	int (*locate)(struct blackout *b, uint32_t process, uint64_t address, uint32_t *file, uint64_t *offset);

	/* The path of a PM file when it became known, valid until the end, and its size now; NULL and 0 if there is no such
	 * file.  Files are numbered from 1. */
	const char *(*file_path)(struct blackout *b, uint32_t file);
	uint64_t (*file_size)(struct blackout *b, uint32_t file);

	/* The functions that led to a place, innermost first.  Returns how many there are, and fills at most `room` of
	 * them. */
	size_t (*stack)(struct blackout *b, uint32_t place, struct blackout_frame *frames, size_t room);

	/* Which variable the store at a place stores to.  Returns 0 if debug info gives no certain name. */
	int (*variable)(struct blackout *b, uint32_t place, struct blackout_variable *variable);
};

/* ---- the plug-in ---- */

/* All callbacks may be NULL. */
struct blackout_oracle {
	uint32_t version; /* BLACKOUT_ORACLE_VERSION */
	const char *name; /* the "detector" of its findings: letters, digits, - _ and . */
	const struct blackout_kind *kinds;
	size_t kind_count; /* 1 to 64 */
	/* Functions whose calls it wants to hear of: [MODULE:]FUNCTION, with * and ?, as `--calls` of `blackout record`.
	 * The last one is NULL; the whole list may be NULL. */
	const char *const *calls;

	void (*begin)(struct blackout *b); /* before the first event */
	void (*store)(struct blackout *b, const struct blackout_event *event);
	void (*load)(struct blackout *b, const struct blackout_event *event); /* not NULL: loads are recorded */
	void (*flush)(struct blackout *b, const struct blackout_event *event);
	void (*fence)(struct blackout *b, const struct blackout_event *event);
	void (*sync)(struct blackout *b, const struct blackout_event *event);
	void (*call)(struct blackout *b, const struct blackout_event *event); /* CALL, RETURN and LEFT */
	void (*operation)(struct blackout *b, const struct blackout_event *event);
	void (*map)(struct blackout *b, const struct blackout_event *event);
	/* What the transactions of libpmemobj do; in programs that do not use it, nothing.  An event that fails is not told,
	 * but if it aborts the transaction, that is. */
	void (*transaction)(struct blackout *b, const struct blackout_event *event);
	void (*end)(struct blackout *b); /* after the last event */
};

/* Every plug-in has this function.  Blackout calls it several times, also before the program is recorded; the result is
 * used until the plug-in's process ends. */
const struct blackout_oracle *blackout_oracle(void);

#ifdef __cplusplus
}
#endif

#endif
