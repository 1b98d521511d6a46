/* SPDX-License-Identifier: 0BSD */
/* trace_format.h - the on-disk format of a recording, shared by the recorder and the reader.
 *
 * A recording is a directory.  Each file trace/NNNN.bo in it holds one process image. 0000 is the target itself; every
 * fork or exec that is followed starts the next number.  The layout of such a file is
 *
 *     file header | chunk | chunk | ...
 *
 * The payload of a chunk is a run of events.  An event is one opcode byte followed by the fields that BO_OPCODES lists
 * for it. doc/TRACE_FORMAT.md explains the whole format in prose; the code follows this file.
 *
 *   v    unsigned LEB128 number, at most 10 bytes
 *   z    signed number, zigzag, then as v
 *   s    string: v length, then the bytes
 *   b    bytes: v length, then the bytes
 *   q    64 bits, little-endian
 *   c    context: v, the id of an earlier DEF_CONTEXT; 0 is "no context"
 *   a    address: z, the difference to the previous address of field kind `a` in this chunk (which starts at 0)
 *   *    the rest of the bytes of a layer's event; the last of its fields
 *
 * When to bump BO_TRACE_VERSION: whenever an old reader would misread a new file.  A new layer needs no bump: its
 * events have their own opcodes (BO_OP_LAYER), and readers skip those they do not know.  A new opcode in the table
 * needs no bump either: a reader reports the first opcode it does not know and stops there.
 *
 * This file includes only fixed-width integers, because the recorder has no C library. */
#ifndef BLACKOUT_TRACE_FORMAT_H
#define BLACKOUT_TRACE_FORMAT_H

#include <stdint.h>

#define BO_TRACE_MAGIC "BLACKOUT"
#define BO_TRACE_VERSION 1u
#define BO_CHUNK_MAGIC 0x4b4e4843u /* "CHNK" */

/* The recorder writes chunks of this size, header included.  No event is larger than BO_EVENT_MAX. */
#define BO_CHUNK_BYTES (1u << 20)
#define BO_EVENT_MAX (80u * 1024)
#define BO_DATA_MAX (64u * 1024) /* most content bytes in one event; longer data take several events */

/* META "stopped": why the recorder gave up.  "recorder.log" says it too, for processes that could not even start a
 * trace. */
#define BO_STOPPED "stopped"
#define BO_STOPPED_SPACE "no space"
#define BO_STOPPED_LIMIT "a limit on the size of files"
#define BO_STOPPED_MOST "the recording has reached its size limit"
#define BO_STOPPED_SAYS "the recording stops" /* how that line of the log begins */

/* X(name, bit): optional layers, recorded in addition to the stores, flushes and fences. */
#define BO_LAYERS(X)                                                                                  \
	X(LOADS, 0)        /* PM loads are recorded */                                                \
	X(CODE, 1)         /* each fence is preceded by CODE_HASH */                                  \
	X(FOLLOW, 2)       /* children are followed; CLOCK events order the processes */              \
	X(CALLS, 3)        /* calls of chosen functions are recorded */                               \
	X(OPERATIONS, 4)   /* operations are recorded */                                              \
	X(DEPENDENCIES, 5) /* what PM loads and stores depend on; needs LOADS */                      \
	X(SYNC, 6)         /* how threads synchronize, and which accesses are atomic in the source */ \
	X(INPUTS, 7)       /* branches that depend on input, as expressions (expression.h) */         \
	X(READS, 8)        /* what system calls read from PM files is recorded */

enum bo_layer { /* bits of bo_file_header.layers */
#define X(name, bit) BO_LAYER_##name = 1u << (bit),
		BO_LAYERS(X)
#undef X
#define X(name, bit) | 1u << (bit)
			BO_LAYERS_KNOWN = 0 BO_LAYERS(X)
#undef X
};

struct bo_file_header {
	char magic[8];
	uint32_t version;
	uint32_t header_bytes; /* the first chunk starts here */
	uint32_t layers;
	uint32_t process; /* NNNN of the file's name */
	uint32_t pid;
	uint32_t parent_process; /* the process that forked or executed this one; the first process names itself */
	uint64_t reserved[3];
	uint64_t checksum; /* XXH3-64 of the preceding bytes */
};

enum bo_codec {
	BO_CHUNK_OPEN = 0, /* still being written, or its writer was killed: raw_bytes is valid, the checksum is not */
	BO_CHUNK_RAW = 1,
	BO_CHUNK_ZSTD = 2,
};

struct bo_chunk_header {
	uint32_t magic;
	uint32_t codec;
	uint32_t span;         /* bytes from this header to the next one */
	uint32_t stored_bytes; /* payload bytes, as stored */
	uint32_t raw_bytes;    /* payload bytes, decompressed */
	uint32_t events;       /* in this chunk, definitions included */
	uint32_t thread;       /* current thread at the chunk's start */
	uint32_t reserved;
	uint64_t clock;    /* last CLOCK before this chunk, 0 if none */
	uint64_t checksum; /* XXH3-64 of the header up to here, seeded with the XXH3-64 of the stored payload */
};

/* clang-format off */
/* X(name, code, fields).  Codes never change; new ones go to the end of their group. */
#define BO_OPCODES(X)                                                                                                      \
	/* definitions: ids are implicit, counted from 1 as they appear in the file */                                     \
	X(DEF_MODULE, 0x01, "vvvvvs")  /* start address, bytes, offset in its file, file size, mtime (s), path; "" = JIT */ \
	X(DEF_CONTEXT, 0x02, "cvv")    /* calling context (0: thread start), module, offset of the instruction in its file; \
	                                  for a caller, of the instruction after the call */                               \
	X(DEF_FILE, 0x03, "vvvvs")     /* dev, ino, size when first mapped, enum bo_file_flag, absolute path */            \
	X(META, 0x04, "ss")            /* key, value: facts about the recorder, the host and the target */                 \
	/* processes and threads */                                                                                        \
	X(THREAD_START, 0x08, "vv")    /* new thread, its creator */                                                       \
	X(THREAD_EXIT, 0x09, "v")      /* thread */                                                                        \
	X(THREAD_SWITCH, 0x0a, "v")    /* the thread of the events that follow */                                          \
	X(CLOCK, 0x0b, "v")            /* sequence number: orders the next events among the processes */                   \
	X(FORK, 0x0c, "cvv")           /* child pid, 1 if followed */                                                      \
	X(EXEC, 0x0d, "cvs")           /* 1 if followed, path */                                                           \
	X(EXIT, 0x0e, "v")             /* exit status: the target ended by itself */                                       \
	X(SIGNAL, 0x0f, "v")           /* a handler of the target is entered for this signal */                            \
	/* PM files and their mappings */                                                                                  \
	X(CONTENT, 0x10, "vvb")        /* file, offset, bytes: content when first mapped; the rest is zero */              \
	X(MAP, 0x11, "cvvvvvv")        /* file, address, bytes, file offset, PROT_ bits, MAP_ bits */                      \
	X(UNMAP, 0x12, "cvv")          /* address, bytes; also if something else is mapped over it */                      \
	X(REMAP, 0x13, "cvvvv")        /* old address, old bytes, new address, new bytes */                                \
	X(PROTECT, 0x14, "cvvv")       /* address, bytes, PROT_ bits */                                                    \
	X(FILE_WRITE, 0x15, "cvvb")    /* file, offset, bytes written by a system call */                                  \
	X(FILE_TRUNCATE, 0x16, "cvv")  /* file, new size */                                                                \
	X(FILE_ALLOCATE, 0x17, "cvvvv") /* file, FALLOC_ mode, offset, bytes */                                            \
	X(FILE_RENAME, 0x18, "cvs")    /* file, new absolute path */                                                       \
	X(FILE_UNLINK, 0x19, "cvv")    /* file, links left */                                                              \
	X(FILE_SYNC, 0x1a, "cvvvv")    /* file, enum bo_sync, offset, bytes (0: to the end) */                             \
	X(MSYNC, 0x1b, "cvvv")         /* address, bytes, MS_ bits */                                                      \
	X(CODE_HASH, 0x1c, "q")        /* hash of the instructions this thread executed since its last fence */            \
	/* persistency instructions */                                                                                     \
	X(SFENCE, 0x20, "c")                                                                                               \
	X(MFENCE, 0x21, "c")                                                                                               \
	X(LOCKED, 0x22, "c")           /* a locked instruction that stored nothing to PM: volatile target or failed compare */ \
	X(CLFLUSH, 0x28, "ca")                                                                                             \
	X(CLFLUSHOPT, 0x29, "ca")                                                                                          \
	X(CLWB, 0x2a, "ca")                                                                                                \
	/* memory: loads are 0x30 + size code; stores of kind k are 0x40 + k and a shape byte; 0x80.. is a plain
	 * store */

/* X(name, code, fields): events of layers.  The record is the opcode and `b`; the fields are in these bytes. */
#define BO_LAYER_OPCODES(X)                                                                                                \
	/* CALLS */                                                                                                        \
	X(DEF_FUNCTION, 0x60, "vvss")  /* module, offset of its entry in the module's file, symbol, name; ids as above */  \
	X(CALL, 0x61, "cvvvvvvv")      /* function, then the six registers of integer arguments */                         \
	X(RETURN, 0x62, "cvv")         /* function, the register of the result; the context is that of the call */         \
	X(LEFT, 0x63, "cv")            /* function: its frame is gone, but it did not return */                            \
	X(CALL_LIKE, 0x64, "cvvvvvvv") /* as CALL; each register is its zigzag difference to that of the last call in the  \
	                                  chunk, of any function; the first: to 0 */                                       \
	X(DEF_WATCHED, 0x65, "vvss")   /* as DEF_FUNCTION, for a function that nobody asked for (blackout/pmemobj.h) */    \
	X(RETURN_PAIR, 0x66, "cvvv")   /* as RETURN, with a second word of the result (enum bo_pmemobj_result) */          \
	/* OPERATIONS */                                                                                                   \
	X(OPERATION_BEGIN, 0x68, "cvs") /* index, text (often empty) */                                                    \
	X(OPERATION_END, 0x69, "cv")   /* index */                                                                         \
	X(OPERATION_NOTE, 0x6a, "cvv") /* enum bo_operation_note, value */                                                 \
	/* DEPENDENCIES: reads and labels have ids as definitions do; label 0 depends on nothing */                        \
	X(DEF_READ, 0x70, "cvv")       /* a load from PM: its context, address (by the mappings of this moment), bytes */  \
	X(DEF_BRANCH, 0x71, "vc")      /* read, context of the first branch that depends on it; at most once for a read */ \
	X(DEF_LABEL, 0x72, "vv*")      /* enum bo_label_flag, count, then so many reads: ascending, each as `v`, the       \
	                                  difference to the one before (the first: to 0) */                                \
	X(DEPENDS, 0x73, "vv")         /* data label, control label of the next PM load or store of this thread */         \
	/* READS */                                                                                                        \
	X(FILE_READ, 0x74, "cvvv")     /* file, offset, bytes: read by a system call, or mapped privately */               \
	/* SYNC */                                                                                                         \
	X(ACCESS, 0x78, "vvvv")        /* the next PM load or store of this thread is part of an access of the source:     \
	                                  BO_ACCESS of it; its number, as the zigzag difference to that of the last        \
	                                  ACCESS in the chunk (the first: to 0); how far it begins before the load or      \
	                                  store; its bytes */                                                              \
	X(SYNC, 0x79, "cvvv")          /* enum bo_sync_act, address of the object (JOIN: thread), order */                 \
	/* INPUTS: sources, tables and expressions have ids as definitions do (expression.h) */                            \
	X(DEF_BLOCK, 0x76, "vvv")      /* module, offset in its file, bytes: code outside the C library that is executed */ \
	X(CONVERSATION, 0x77, "vvb")   /* source, enum bo_conversation, bytes */                                           \
	X(DEF_SOURCE, 0x7a, "vs")      /* enum bo_source, name */                                                          \
	X(DEF_TABLE, 0x7b, "vb")       /* address, content */                                                              \
	X(DEF_EXPRESSION, 0x7c, "vvv*") /* enum bo_expression, width, its own number, then its operands, each as `v`: how  \
	                                  many ids before this one */                                                      \
	X(BRANCH, 0x7d, "cvvvvv")      /* enum bo_branch, expression of width 1, its value; module and offset in its file  \
	                                  of the code on the other side (0, 0: unknown) */                                 \
	X(INPUT, 0x7e, "cvvvv")        /* source, offset, bytes asked for, bytes got; 0 got: its end */                    \
	X(VALUE, 0x7f, "vv")           /* expression, the value it had; only to check the recorder */
/* clang-format on */

/* X(name, text): what the recorder noticed about operations. */
#define BO_OPERATION_NOTES(X)                                                                      \
	X(MAPPED, "mapped")     /* the operations file was mapped: its lines show no operations */ \
	X(UNSEEN, "unseen")     /* it was read by a system call (value) that shows no lines */     \
	X(AGAIN, "again")       /* it was read again, beginning with an earlier line (value) */    \
	X(TOGETHER, "together") /* one write printed several lines (value), ending them all */     \
	X(DURABLE, "durable")   /* BLACKOUT_DURABLE: the program relies on what it did so far */   \
	X(PRINTED, "printed")   /* reads: the program had printed something when it asked for the line after (value) */

enum bo_operation_note {
#define X(name, text) BO_NOTE_##name,
	BO_OPERATION_NOTES(X)
#undef X
		BO_NOTE_COUNT
};

/* X(name, text): what an access is in the source. */
#define BO_ATOMICITIES(X)                                                       \
	X(UNKNOWN, "unknown") /* code that was not compiled with blackout-cc */ \
	X(PLAIN, "plain")     /* the compiler may split, merge or invent it */  \
	X(VOLATILE, "volatile")                                                 \
	X(ATOMIC, "atomic")

enum bo_atomicity {
#define X(name, text) BO_ATOMICITY_##name,
	BO_ATOMICITIES(X)
#undef X
		BO_ATOMICITY_COUNT
};

/* X(name, text): memory orders, with the numbers of the compilers' __ATOMIC_RELAXED and so on. */
#define BO_ORDERS(X)          \
	X(RELAXED, "relaxed") \
	X(CONSUME, "consume") X(ACQUIRE, "acquire") X(RELEASE, "release") X(ACQ_REL, "acq_rel") X(SEQ_CST, "seq_cst")

enum bo_order {
#define X(name, text) BO_ORDER_##name,
	BO_ORDERS(X)
#undef X
		BO_ORDER_COUNT
};

/* The first field of ACCESS. */
#define BO_ACCESS(atomicity, order) ((atomicity) | (order) << 2)
#define BO_ACCESS_ATOMICITY(what) ((what)&3)
#define BO_ACCESS_ORDER(what) ((what) >> 2)

/* X(name, text): what a SYNC does. */
#define BO_SYNC_ACTS(X)                                                                         \
	X(ATOMIC_LOAD, "atomic-load") /* also a comparison that fails */                        \
	X(ATOMIC_STORE, "atomic-store")                                                         \
	X(ATOMIC_UPDATE, "atomic-update") /* loads and stores as one */                         \
	X(FENCE, "thread-fence")          /* of no object */                                    \
	X(ACQUIRE, "acquire")             /* a call got an object: a mutex, for example */      \
	X(RELEASE, "release")             /* a call gives an object to who acquires it later */ \
	X(JOIN, "join")                   /* a thread has ended, and this one knows it */

enum bo_sync_act {
#define X(name, text) BO_ACT_##name,
	BO_SYNC_ACTS(X)
#undef X
		BO_ACT_COUNT
};

enum bo_label_flag {
	BO_LABEL_MANY = 1u << 0, /* the set is too large: these are some of its reads */
};

/* META: what was recorded of dependencies, and for each kind of operation that could not be followed, how often. */
#define BO_META_DEPENDENCIES "dependencies"
#define BO_META_LOST "lost " /* and the operation's name */

/* META, each with a number from 0: the modules that have a runtime of blackout-cc; those whose runtime cannot be used,
 * and why. */
#define BO_META_RUNTIME "runtime."
#define BO_META_RUNTIME_REFUSED "runtime.refused."

#define BO_LABEL_READS 64u /* the recorder lists at most so many reads of a label */

#define BO_CALL_ARGUMENTS 6 /* rdi, rsi, rdx, rcx, r8, r9 */

enum bo_opcode {
#define X(name, code, fields) BO_OP_##name = code,
	BO_OPCODES(X) BO_LAYER_OPCODES(X)
#undef X
		BO_OP_LOAD = 0x30, /* + size code: c a [v size if the code is BO_SIZE_OTHER] */
	BO_OP_STORE = 0x40,        /* + enum bo_store_kind (never PLAIN): shape byte, then as a plain store */
	BO_OP_LAYER = 0x60,        /* to BO_OP_LAYER_LAST: b; only the layer interprets the bytes */
	BO_OP_LAYER_LAST = 0x7f,
	BO_OP_PLAIN = 0x80, /* | shape: c a [v size] [STRING: v bytes per element] value */
};

/* X(name, text) */
#define BO_STORE_KINDS(X)                                                                       \
	X(PLAIN, "store")         /* mov and the like, any width; masked stores lane by lane */ \
	X(NONTEMPORAL, "ntstore") /* movnt*, maskmov* */                                        \
	X(LOCKED, "lockstore")    /* locked read-modify-write that stored; also a fence */      \
	X(STRING, "repstore")     /* rep movs/stos, ascending; iterations joined */             \
	X(KERNEL, "sysstore")     /* a system call wrote into mapped PM: read(2) into it */

enum bo_store_kind {
#define X(name, text) BO_STORE_##name,
	BO_STORE_KINDS(X)
#undef X
		BO_STORE_KIND_COUNT
};

enum bo_file_flag {
	BO_FILE_CREATED = 1u << 0,   /* created by this run */
	BO_FILE_INHERITED = 1u << 1, /* the parent process knows it: its content is already in the recording */
};

/* X(name, text) */
#define BO_SYNCS(X)       \
	X(FSYNC, "fsync") \
	X(FDATASYNC, "fdatasync") X(SYNC_FILE_RANGE, "sync_file_range") X(SYNCFS, "syncfs") X(SYNC, "sync")

enum bo_sync {
#define X(name, text) BO_SYNC_##name,
	BO_SYNCS(X)
#undef X
		BO_SYNC_COUNT
};

/* The shape of a store: size code (3 bits, high) and packing of the value (4 bits, low).
 *   1, 2, 4, 8 bytes: the low bits are the word code of the value (see below); the value's bytes follow
 *   16, 32 bytes:     the low bits are a mask of the non-zero 8-byte words.  Their word codes follow, two to a byte,
 *                     low half first; then the bytes that the codes call for
 *   other:            v size comes before the value, which is complete
 * A word code of 0 to 8 is the number of low bytes that follow; the other bytes are zero.  A code of 9 to 15 is an
 * entry of struct bo_recent, and no bytes follow.  This pays because pool identifiers and pointers repeat often. */
enum bo_size_code { BO_SIZE_1, BO_SIZE_2, BO_SIZE_4, BO_SIZE_8, BO_SIZE_16, BO_SIZE_32, BO_SIZE_OTHER };

#define BO_SHAPE(size_code, packing) ((uint8_t)((size_code) << 4 | (packing)))

#define BO_RECENT_WORDS 7
#define BO_RECENT_CODE 9u  /* word code of entry 0 */
#define BO_RECENT_BYTES 7u /* only words of at least this many bytes are remembered */

/* The long words that this chunk last gave in full.  Writer and reader update it identically, and both zero it at the
 * start of each chunk. */
struct bo_recent {
	uint64_t words[BO_RECENT_WORDS];
	uint32_t next;
};

static inline void bo_recent_add(struct bo_recent *recent, uint64_t word)
{
	recent->words[recent->next] = word;
	recent->next = recent->next + 1 == BO_RECENT_WORDS ? 0 : recent->next + 1;
}

static inline uint8_t *bo_put_v(uint8_t *p, uint64_t value)
{
	while (value >= 0x80) {
		*p++ = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	*p++ = (uint8_t)value;
	return p;
}

static inline uint64_t bo_zigzag(uint64_t difference)
{
	return difference << 1 ^ (uint64_t) - (int64_t)(difference >> 63);
}

static inline uint64_t bo_unzigzag(uint64_t value)
{
	return value >> 1 ^ (uint64_t) - (int64_t)(value & 1);
}

#endif
