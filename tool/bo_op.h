/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_op.h - declarations shared by the files of the layer "operations".
 *
 *   bo_operations.c    which marks; events; calls and annotations; what each system call means to the others
 *   bo_op_list.c       the operations file: where its lines begin
 *   bo_op_reads.c      marks `reads`: reads of that file, one line at a time
 *   bo_op_prints.c     marks `prints`: lines on standard output
 *   bo_op_requests.c   marks `requests`: messages from connections */
#ifndef BO_OP_H
#define BO_OP_H

#include "bo.h"

/* ---- bo_operations.c: events ---- */
void bo_op_begin(UInt context, ULong index, const HChar *text); /* text: may be NULL */
void bo_op_end(UInt context, ULong index);
void bo_op_note(UInt context, enum bo_operation_note note, ULong value);
ULong bo_op_next_index(void); /* of operations that are counted, not found in a list */

/* ---- bo_op_list.c ---- */
void bo_list_choose(const HChar *path);      /* NULL or "-": standard input */
Bool bo_list_is(Int fd, UInt *mode);         /* does the descriptor lead there?  mode: as of stat */
void bo_list_note_descriptors(UInt number);  /* before and after each system call */
ULong bo_list_lines(void);                   /* of a regular file, when it was first read; else 0 */
ULong bo_list_start(ULong line);             /* its offset; that of the end for `lines` */
ULong bo_list_line_at(Int fd, ULong offset); /* of a regular file; `lines` past the end */
Bool bo_list_is_unterminated(void);          /* the last line of a regular file has no newline */
UWord bo_list_peek(Int fd, UWord size);      /* of a pipe: bytes of the current line that are there; at least 1 */

/* ---- bo_op_reads.c ---- */
/* Around each system call, also one that fails.  Reads that bo_before_read has already made are not among them. */
void bo_reads_before(ThreadId tid, UInt number);
void bo_reads_after(ThreadId tid, UInt number, const UWord *args, SysRes result);

/* ---- bo_op_prints.c ---- */
void bo_prints_init(void);
/* With marks `prints`: after each system call that did not fail; before code is translated. */
void bo_prints_after(ThreadId tid, UInt number, const UWord *args, UWord size);
void bo_prints_on_code(void);
/* With marks `reads`: the first operation begins; a system call did not fail; has anything been printed since? */
void bo_prints_watch(void);
void bo_prints_watch_after(UInt number, const UWord *args);
Bool bo_prints_any(void);

/* ---- bo_op_requests.c: around each system call; after those that did not fail ---- */
void bo_requests_before(ThreadId tid, UInt number, const UWord *args);
void bo_requests_after(ThreadId tid, UInt number, const UWord *args, UWord result);

#endif
