/* SPDX-License-Identifier: GPL-2.0-or-later */
/* race_text.h - programs and recoveries for the detector of races, written as text.
 *
 *     expect_races("adr", "AB|C", "A clwb:A sfence rel:C", "C A", "");          // no race
 *     expect_races("adr", "AB|C", "A clwb:A sfence rel:C", "A C", "A:unproved");
 *
 * Objects are A, B, C, ...: 8 bytes each; the layout "AB|C" puts A and B on one line, and a full stop leaves 8 bytes
 * free.  f, g, ... are objects in volatile memory.  The program:
 *
 *     A              store A plainly, in one unit
 *     vol:A unk:A    the same, volatile; in code that was not compiled with blackout-cc
 *     nt:A sys:A write:A lock:A rep:A     other kinds of store: plain, by the kernel, or by code without blackout-cc
 *     byte:A         1 byte, plainly;      odd:A volodd:A     4 bytes at A + 2
 *     wide:A volwide:A unkwide:A ntwide:A    16 bytes, A and the next object, by one instruction
 *     parts:A        8 bytes by two stores of 4;   pair:A    16 bytes by two stores of 8
 *     cross:A unkcross:A      8 bytes, the last 4 of A's line and the first 4 of the next
 *     copy:A         16 bytes, by two instructions of a copying function of a library;   copy8:A    8 bytes, twice
 *     copies:A       8 bytes, and 8 bytes 24 bytes further, for the same caller
 *     rlx:A rel:A sc:A        store A atomically, of relaxed, release or sequentially consistent order
 *     add:A          update A atomically by a locked instruction, acq_rel
 *     clwb:A clflushopt:A clflush:A sfence mfence locked msync msync:A async fsync sync sync_file_range
 *     get:f get.acq:f put:f put.rel:f add:f add.rel:f add.acq:f      atomic accesses of f; relaxed without a word
 *     get.acq:A      load A atomically
 *     fence.acq fence.rel fence.sc                    atomic_thread_fence
 *     acquire:f release:f                             calls: a mutex, for example
 *     @2             the following events are by thread 2
 *     start:2 join:2     this thread starts, or joins, thread 2
 *     fork:2         it forks process 2, whose thread is 2, and which is followed
 *     truncate:A grow punch:A collapse:A unlink unmap exit
 *     same           the next store stores the value that its object has; otherwise all values differ
 *     again:A        another mapping: the following events use other addresses
 *
 * Recovery: A loads A, wide:A 16 bytes, byte:A one; =A stores it; ?A loads it in a checksum function; -A, before the
 * loads, says that the crash state lacks the latest store to A.
 *
 * The races are a list of STORE:REASON in the sequence of the reports.  STORE is the first object that it stores to;
 * a # follows the reason if the binary stored it in several units. */
#ifndef BLACKOUT_TEST_RACE_TEXT_H
#define BLACKOUT_TEST_RACE_TEXT_H

/* These must come before cmocka.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "races/races.h"

/* Run a program and a recovery, and compare the races. */
void expect_races(const char *platform, const char *layout, const char *program, const char *recovery,
		  const char *races);

#endif
